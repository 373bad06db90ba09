"""tools/embed_console: a build where the registry of npm cannot be reached makes a herald without console."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def embed(tmp_path):
    def run(*options):
        environment = os.environ | {
            "npm_config_registry": "http://127.0.0.1:1", "npm_config_cache": str(tmp_path / "cache"),
        }
        return subprocess.run(
            [ROOT / "tools/embed_console", ROOT / "console", tmp_path / "packages",
             tmp_path / "console.c", tmp_path / "console.d", *options],
            env=environment, capture_output=True, text=True, timeout=120, check=False)

    run.table = tmp_path / "console.c"
    return run


def test_without_the_registry_there_is_no_console(embed):
    done = embed()
    assert done.returncode == 0
    assert "this herald will have no console" in done.stderr and "complete log" not in done.stderr
    assert "console_file_count = 0;" in embed.table.read_text()


def test_who_requires_a_console_is_told(embed):
    done = embed("--required")
    assert done.returncode == 1
    assert "could not be fetched" in done.stderr and not embed.table.exists()


def test_who_wants_none_asks_nobody(embed):
    done = embed("--none")
    assert (done.returncode, done.stderr) == (0, "")
    assert "console_file_count = 0;" in embed.table.read_text()
