"""Runs a tool of this tree on a tree that a test made."""

import pathlib
import subprocess
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write(root, files):
    """Writes {path: text}; the texts are dedented."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), encoding="utf-8")


def run(tool, *arguments):
    """(exit status, printed lines) of tools/TOOL."""
    done = subprocess.run(
        [ROOT / "tools" / tool, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()
