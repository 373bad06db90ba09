"""tools/cache_folder: where what comes from registries is kept."""

import os
import subprocess
import time

import tool


def ask(home, *words, **settings):
    return subprocess.run(
        [tool.ROOT / "tools" / "cache_folder", *words], text=True, check=True, capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(home), **settings}).stdout.strip()


def test_folder_follows_what_the_files_say(tmp_path):
    one, other = tmp_path / "one.lock", tmp_path / "other.lock"
    one.write_text("a==1\n", encoding="ascii")
    other.write_text("a==1\n", encoding="ascii")
    folder = ask(tmp_path, "venv", one)
    assert folder.startswith(f"{tmp_path}/.cache/herald/venv-")
    assert ask(tmp_path, "venv", other) == folder != ask(tmp_path, "npm", one)
    other.write_text("a==2\n", encoding="ascii")
    assert ask(tmp_path, "venv", other) != folder
    assert ask(tmp_path, "venv", one, XDG_CACHE_HOME=str(tmp_path / "x")).startswith(f"{tmp_path}/x/herald/")


def test_what_nobody_asks_for_goes(tmp_path):
    lock = tmp_path / "lock"
    lock.write_text("a==1\n", encoding="ascii")
    kept = ask(tmp_path, "venv", lock)
    old = f"{tmp_path}/.cache/herald/npm-0"
    for folder in (kept, old):
        os.makedirs(folder)
        os.utime(folder, (0, time.time() - 100 * 24 * 60 * 60))
    assert ask(tmp_path, "venv", lock) == kept
    assert os.path.isdir(kept) and not os.path.exists(old)
