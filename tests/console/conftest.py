"""The console in a browser, against a herald that really runs.

HERALD_CONSOLE_TESTS   where tools/install_console_tests put what they need; default build/console-tests
The rest is as for the scenarios (tests/scenario/conftest.py), whose harness this uses.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "scenario"))

from harness.console import PASSWORD, console_settings, token_of  # noqa: E402 (known from here on)
from harness.engines import need_files  # noqa: E402
from harness.orders import ORDER_SETTINGS  # noqa: E402
from harness.providers import Providers  # noqa: E402
from harness.site import BINARY, Site  # noqa: E402
from stage_service import SERVICE_SETTINGS  # noqa: E402

FOLDER = Path(os.environ.get("HERALD_CONSOLE_TESTS", ROOT / "build" / "console-tests")).resolve()
CONSOLE = ROOT / "console"


def pytest_sessionstart(session):
    need_files(session, (BINARY, "build it, or set HERALD_BINARY"),
               (FOLDER / "installed.lock", "run tools/install_console_tests"))


@pytest.fixture(scope="session")
def console():
    """Settings and address of the console of `site`."""
    return console_settings()


@pytest.fixture(scope="session")
def site(console, tmp_path_factory):
    """A herald with a console. The pages see no engine, so one will do."""
    with Providers() as providers, Site(
            "sqlite", tmp_path_factory.mktemp("site"),
            settings={**console[0], **ORDER_SETTINGS, **SERVICE_SETTINGS, **providers.settings("gateway"),
                      "HERALD_ENVIRONMENT": "test"}) as made:
        made.serve()
        yield made


def command_of(script, console, person, asked):
    """How a script of this folder is run, which looks at the pages in Chromium as that person."""
    chromium = shutil.which("chromium")
    assert chromium, "there is no chromium"
    for module in (ROOT / "tests" / "console").glob("*.mjs"):
        part = FOLDER / f"{module.name}.{os.getpid()}"
        shutil.copy(module, part)
        part.replace(FOLDER / module.name)  # another worker may be reading it
    asked |= {"base": f"http://{console[1][0]}:{console[1][1]}/console/", "link": token_of(person),
              "password": PASSWORD, "chromium": chromium}
    return ["node", script, json.dumps(asked)]


def look(script, console, person, /, timeout, **asked):
    """Runs a script and returns the faults that it found."""
    done = subprocess.run(command_of(script, console, person, asked), cwd=FOLDER, capture_output=True,
                          text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def look_and_do(script, console, person, deeds, **asked):
    """The same of a script that asks for deeds by their names, a line each; its last line has the faults."""
    with subprocess.Popen(command_of(script, console, person, asked), cwd=FOLDER, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            if line.strip() not in deeds:
                return json.loads(line)
            deeds[line.strip()]()
            print("done", file=running.stdin, flush=True)
    raise AssertionError(f"{script} ended early")
