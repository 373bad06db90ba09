"""The stage of herald-modem: a private D-Bus, Debian's own ModemManager in its test mode, simulated
modems in place of hardware, and herald-modem itself."""

import contextlib
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import time

from harness.site import BINARY, SANITIZER_REPORT
from harness.tools import PATIENCE_S, eventually

BUILD = BINARY.parent
SIM = pathlib.Path(os.environ.get("HERALD_SIM_MODEM", BUILD / "sim" / "modem")).resolve()
AGENT = pathlib.Path(
    os.environ.get("HERALD_MODEM", BUILD / "src" / "modem" / "herald-modem")).resolve()
MANAGER = "/usr/sbin/ModemManager"
NAME = "org.freedesktop.ModemManager1"
ROOT = "/org/freedesktop/ModemManager1"
STOP_TIMEOUT_S = 30


def end(child, number=signal.SIGTERM):
    """Ends a process that this stage started; its exit code."""
    if child.poll() is None:
        child.send_signal(number)
        try:
            child.wait(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            raise AssertionError(f"{child.args[0]} did not end within {STOP_TIMEOUT_S} s") from None
    return child.returncode


class Bus:
    """A D-Bus daemon of its own, with nobody else on it."""

    def __init__(self, folder):
        self.address = f"unix:path={folder}/bus"
        self._child = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self.address}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert eventually((folder / "bus").exists, 10, 0.01), "dbus-daemon does not start"

    @property
    def environment(self):
        return os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": self.address,
                             "DBUS_SESSION_BUS_ADDRESS": self.address}

    def call(self, path, interface, method, *arguments):
        """Calls ModemManager; the answer as busctl writes it, None where it refused."""
        done = subprocess.run(
            ["busctl", f"--address={self.address}", "--timeout=20", "call", NAME, path, interface,
             method, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            check=False)
        return done.stdout if done.returncode == 0 else None

    def stop(self):
        end(self._child)


class Manager:
    """ModemManager, which finds the modems that it is told of."""

    def __init__(self, bus, folder):
        self.bus, self.folder = bus, folder
        self.profiles = 0
        self._child = None
        self.start()

    def start(self):
        with open(self.folder / "ModemManager.log", "ab") as log:
            self._child = subprocess.Popen(
                [MANAGER, "--test-session", "--test-no-udev", "--test-no-suspend-resume",
                 "--test-no-qrtr", "--no-auto-scan", "--test-enable", "--debug"],
                env=self.bus.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        ready = eventually(lambda: self.bus.call(ROOT, "org.freedesktop.DBus.Peer", "Ping") is not None,
                           90, 0.05)  # on a machine that has other work
        assert ready, "ModemManager does not start"

    def plug(self, *socket_names):
        """Tells it of these modems, as udev would."""
        for name in socket_names:
            self.profiles += 1
            done = self.bus.call(ROOT, f"{NAME}.Test", "SetProfile", "ssas",
                                 f"profile{self.profiles}", "generic", "1", name)
            assert done is not None, f"ModemManager does not take {name}"

    def modems(self):
        """The objects of its modems."""
        answer = self.bus.call(ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        return sorted(set(re.findall(rf"{ROOT}/Modem/\d+", answer or "")))

    def sms(self, modem):
        answer = self.bus.call(modem, f"{NAME}.Modem.Messaging", "List") or ""
        return re.findall(rf"{ROOT}/SMS/\d+", answer)

    def calls(self, modem):
        return re.findall(rf"{ROOT}/Call/\d+",
                          self.bus.call(modem, f"{NAME}.Modem.Voice", "ListCalls") or "")

    def kill(self):
        self._child.kill()
        self._child.wait()

    def stop(self):
        end(self._child)


class Modems:
    """The simulated modems, with all that they told."""

    def __init__(self, name, count, number=None, *options):
        self.name, self.count = name, count
        own = ["--number", number] if number else []
        self._child = subprocess.Popen(
            [SIM, "--name", name, "--count", str(count), *own, *options], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.told = []
        self._answers = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert eventually(lambda: self.events("ready"), 10, 0.01), "sim/modem does not start"

    def _read(self):
        for line in self._child.stdout:
            event = json.loads(line)
            self.told.append(event)
            if event["event"] in ("done", "not understood"):
                self._answers.put(event)

    def order(self, line):
        self._child.stdin.write(f"{line}\n")
        self._child.stdin.flush()
        answer = self._answers.get(timeout=10)
        assert answer["event"] == "done", answer

    def is_plugged(self, index):
        ends = [event["event"] for event in list(self.told)
                if event["modem"] == index and event["event"] in ("plugged", "unplugged")]
        return not ends or ends[-1] == "plugged"

    def socket(self, index):
        return f"abstract:{self.name}{index}"

    @property
    def sockets(self):
        return [self.socket(index) for index in range(self.count)]

    def events(self, kind, **fields):
        return [event for event in list(self.told) if event["event"] == kind
                and all(event.get(name) == value for name, value in fields.items())]

    def sms(self, **fields):
        """The SMS that went into the air."""
        return self.events("sms", **fields)

    def stop(self):
        assert end(self._child) == 0, self._child.stderr.read()


class Agent:
    """herald-modem; it may be started, stopped and killed many times."""

    def __init__(self, bus, folder, lines):
        self.bus, self.folder = bus, folder
        self.config = folder / "modem.conf"
        self.state = folder / "modem-state"
        self.output = folder / "modem.log"
        self._child = None
        self.configure(lines)

    def configure(self, lines):
        every = [f"HERALD_MODEM_STATE_DIR={self.state}", "HERALD_MODEM_POLL_SECONDS=1", *lines]
        self.config.write_text("\n".join(every) + "\n", encoding="utf-8")

    def start(self, clock=None):
        """`clock`: its wall clock can be moved."""
        shift = clock.environment(AGENT) if clock else {}
        with open(self.output, "ab") as log:
            self._child = subprocess.Popen(
                [AGENT, "run", "--config", self.config], env=self.bus.environment | shift,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def pid(self):
        return self._child.pid

    @property
    def is_running(self):
        return self._child.poll() is None

    def run(self, *arguments):
        return subprocess.run(
            [AGENT, *arguments, "--config", self.config], env=self.bus.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)

    def kill(self):
        self._child.kill()
        self._child.wait()

    def stop(self):
        code = end(self._child)
        report = SANITIZER_REPORT.search(self.output.read_bytes())
        assert not report and code == 0, f"exit {code}:\n{self.log()[-6000:]}"

    def log(self):
        return self.output.read_text(encoding="utf-8", errors="replace")

    def journal(self):
        return (self.state / "journal").read_text(encoding="utf-8").splitlines()

    def wait_for_log(self, text, within=PATIENCE_S):
        found = eventually(lambda: text in self.log(), within, 0.05)
        assert found, f"no {text!r} in\n{self.log()[-4000:]}"


class Stage:
    """All of it, beside a herald that knows the SIMs of the modems."""

    def __init__(self, site, folder, count=1, options=(), configured=True, own_numbers=False):
        self.site, self.core = site, site.core()
        self.phones = []
        for first in range(0, count, 8):
            self.phones.append(site.phone(self.core, min(8, count - first)))
        self.numbers = [number for phone in self.phones for number in phone.numbers]
        self.bus = Bus(folder)
        self.manager = Manager(self.bus, folder)
        first_number = self.numbers[0] if own_numbers else None
        self.modems = Modems(f"herald-{os.getpid()}-{time.monotonic_ns()}-"[:30], count,
                             first_number, *options)
        self.agent = Agent(self.bus, folder, self.lines(configured))

    def lines(self, configured=True):
        host, port = self.site.address
        rows = [f"HERALD_URL=http://{host}:{port}"]
        for place, phone in enumerate(self.phones, 1):
            suffix = "" if place == 1 else f"_{place}"
            rows.append(f"HERALD_DEVICE_KEY{suffix}={phone.device_key}")
        for index, number in enumerate(self.numbers if configured else []):
            place = index // 8 + 1
            rows.append(f"SIM_897010000000000{index:05d}={number}" + (f" {place}" if place > 1 else ""))
        return rows

    def plug(self):
        self.manager.plug(*self.modems.sockets)

    def is_ready(self, number):
        for phone in self.phones:
            for row in self.core.device(phone.device_id)["numbers"]:
                if row["number"] == number:
                    return row["sim_ready"]
        return False

    def begin(self):
        """Everything runs, and herald knows that all SIMs are ready."""
        self.plug()
        self.agent.start()
        self.wait_until_ready()
        return self

    def wait_until_ready(self, numbers=None, within=PATIENCE_S):
        for number in numbers or self.numbers:
            ready = eventually(lambda: self.is_ready(number), within, 0.05)
            assert ready, f"{number} is not ready:\n{self.agent.log()[-4000:]}"

    def wait_until_gone(self, number):
        """What is asked of herald from now on is not answered out of the time before."""
        assert eventually(lambda: not self.is_ready(number)), self.agent.log()[-4000:]

    @contextlib.contextmanager
    def herald_away(self):
        """herald is stopped, and comes back at the same address."""
        self.site.stop()
        self.site.port = self.site.address[1]
        yield
        self.site.processes.clear()
        self.site.serve()

    def kill_herald(self):
        """herald is killed, and comes back at the same address."""
        self.site.port = self.site.address[1]
        self.site.processes[-1].kill()
        self.site.processes.clear()
        self.site.serve()

    def send_state(self, otp):
        return self.core.otp(otp["id"]).expect(200)["sends"][-1]["state"]

    def close(self):
        try:
            if self.agent._child and self.agent.is_running:
                self.agent.stop()
        finally:
            for part in (self.modems, self.manager, self.bus):
                part.stop()
            for otp_id in self.core.otp_ids:  # so that no later phone gets what is left
                self.core.cancel_otp(otp_id)
            for phone in self.phones:
                self.core.enable(phone.device_id, False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
