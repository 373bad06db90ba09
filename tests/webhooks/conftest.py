"""Webhooks, judged by the libraries of Standard Webhooks: by the receivers of docs/webhooks.md, which
are run as they stand there, against a herald that really runs.

HERALD_WEBHOOK_JUDGES   where tools/install_judges put the libraries; default build/webhooks
The rest is as for the scenarios (tests/scenario/conftest.py), whose harness this uses.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "scenario"))

from harness.engines import SERVER_URL, need_engine, need_files  # noqa: E402 (known from here on)
from harness.hooks import WEBHOOK_SETTINGS  # noqa: E402
from harness.site import BINARY, Site, free_port  # noqa: E402

FOLDER = Path(os.environ.get("HERALD_WEBHOOK_JUDGES", ROOT / "build" / "webhooks")).resolve()
PROGRAMS = {  # by language: where its program lies, and the words that run it
    "python": ("python/receiver.py", ["python/venv/bin/python", "python/receiver.py"]),
    "js": ("node/receiver.mjs", ["node/receiver.mjs"]),
    "go": ("go/receiver.go", ["go/receiver"]),
}
BUILD_TIMEOUT_S = 280  # the first time, the library of Go itself is compiled


def pytest_sessionstart(session):
    need_files(session, (BINARY, "build it, or set HERALD_BINARY"),
               (FOLDER / "installed", "run tools/install_judges"))


def receiver_in_docs(language):
    """The first program of a language on the page."""
    text = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")
    return re.search(rf"```{language}\n(.*?)```", text, re.S)[1]


def build_go():
    """By the compiler that the lock file of Python names: the library wants a newer one than Debian's."""
    environment = os.environ | {"GOMODCACHE": str(FOLDER / "go" / "modules"), "GOFLAGS": "",
                                "GOCACHE": str(FOLDER / "go" / "cache"), "GOTOOLCHAIN": "local",
                                "GOPROXY": "off", "CGO_ENABLED": "0"}
    go = FOLDER / "python" / "venv" / "bin" / "go"
    subprocess.run([go, "build", "-mod=readonly", "-o", "receiver", "receiver.go"],
                   cwd=FOLDER / "go", env=environment, timeout=BUILD_TIMEOUT_S, check=True)


@pytest.fixture(scope="session")
def programs():
    """The words that run the receiver of each language."""
    commands = {}
    for language, (path, words) in PROGRAMS.items():
        (FOLDER / path).write_text(receiver_in_docs(language), encoding="utf-8")
        first = ["node"] if language == "js" else []
        commands[language] = first + [str(FOLDER / word) for word in words]
    build_go()
    return commands


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def engine(request):
    return need_engine(request.param)


@pytest.fixture(scope="session")
def site(engine, tmp_path_factory):
    """One running `herald serve` for each engine."""
    with Site(engine, tmp_path_factory.mktemp(engine), server_url=SERVER_URL,
              settings=WEBHOOK_SETTINGS) as made:
        made.serve()
        yield made


class Program:
    """A receiver under a secret, on a port of its own; `heard` is what it has printed."""

    def __init__(self, command, secret, port):
        self.port = port
        self.process = subprocess.Popen(
            command, env=os.environ | {"WEBHOOK_SECRET": secret, "PORT": str(port)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def stop(self):
        self.process.terminate()
        heard = self.process.stdout.read().splitlines()
        self.process.wait(10)
        self.process.stdout.close()
        return heard


@pytest.fixture
def start(programs):
    started = []

    def run(language, secret):
        started.append(Program(programs[language], secret, free_port()))
        return started[-1]

    yield run
    for program in started:
        if program.process.poll() is None:
            program.stop()
