"""tools/with_postgres: how it ends."""

import pathlib
import subprocess

import tool

WAITS_FOR_TERM = (
    "trap 'echo ending; exit 7' TERM; echo $HERALD_TEST_POSTGRES_DIR; while :; do sleep 0.05; done"
)


def test_term_lets_the_command_end_by_itself():
    command = [tool.ROOT / "tools" / "with_postgres", "--no-fsync", "sh", "-c", WAITS_FOR_TERM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        folder = pathlib.Path(process.stdout.readline().strip())
        assert folder.is_dir()
        process.terminate()
        assert process.stdout.read() == "ending\n"
        assert process.wait(timeout=60) == 7
    assert not folder.exists()
