"""A USB modem joins the walk: Debian's own ModemManager in its test mode takes a simulated one, and
herald-modem makes a phone of it. Where no D-Bus or ModemManager can start, the walk says so and goes
on without.
"""

import json
import os
import shutil
import subprocess
import uuid

from walk_stage import WalkFailed, wait_for

MANAGER = "/usr/sbin/ModemManager"
NAME = "org.freedesktop.ModemManager1"
ROOT = "/org/freedesktop/ModemManager1"
NUMBER = "+79990000004"
ICCID = "89701000000000000000"
START_S = 10


class ModemBox:
    """What the simulated modem tells: a line of JSON for each event."""

    def __init__(self, path):
        self.path = path
        self.offset = 0

    def take_new(self):
        """The SMS that went out since the last look."""
        with open(self.path, "rb") as file:
            file.seek(self.offset)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self.offset += len(whole)
        return [{"gateway_number": NUMBER, "recipient": event["recipient"], "text": event["text"]}
                for event in map(json.loads, whole.splitlines()) if event["event"] == "sms"]


class Modem:
    """D-Bus, ModemManager, and the modem that it finds."""

    def __init__(self, options, programs):
        self.programs = programs
        self.address = f"unix:abstract=herald-walk-{os.getpid()}"
        self.environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": self.address,
                                         "DBUS_SESSION_BUS_ADDRESS": self.address}
        programs.start("modem-bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile",
                                     f"--address={self.address}"])
        programs.start("modem-manager", [
            MANAGER, "--test-session", "--test-no-udev", "--test-no-suspend-resume",
            "--test-no-qrtr", "--no-auto-scan", "--test-enable"], self.environment)
        name = f"herald-walk-{os.getpid()}-"
        self.device = programs.start("modem", [options.modem_sim, "--name", name],
                                     stdin=subprocess.PIPE)
        self.box = ModemBox(os.path.join(options.state_dir, "modem.log"))
        self.plug_in(f"abstract:{name}0")

    def plug_in(self, socket):
        """Tells ModemManager of it, as udev does of a stick."""
        wait_for("waiting for ModemManager",
                 lambda: self.ask("org.freedesktop.DBus.Peer.Ping"), self.programs, START_S)
        self.ask(f"{NAME}.Test.SetProfile", "string:walk", "string:generic", f"array:string:{socket}")
        wait_for("waiting for ModemManager to find the modem", lambda: "Modem/" in (self.ask(
            "org.freedesktop.DBus.ObjectManager.GetManagedObjects") or ""), self.programs, START_S)

    def ask(self, method, *arguments):
        done = subprocess.run(
            ["dbus-send", f"--bus={self.address}", "--print-reply", "--reply-timeout=5000",
             f"--dest={NAME}", ROOT, method, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        return done.stdout if done.returncode == 0 else None

    def ring(self, caller):
        self.device.stdin.write(f"ring 0 {caller} 20\n".encode())
        self.device.stdin.flush()


def find_hindrance(options):
    """What is missing for a modem; None: nothing."""
    if not (os.path.exists(options.modem) and os.path.exists(options.modem_sim)):
        return "herald was built without herald-modem, since libsystemd-dev was missing"
    for program, package in ((MANAGER, "modemmanager"), ("dbus-daemon", "dbus-daemon"),
                             ("dbus-send", "dbus-bin")):
        if not shutil.which(program):
            return f"the package {package} is missing"
    return None


def start_modem(options, voice, programs):
    """The modem, or None with a sentence that says why there is none."""
    mark = len(programs.running)
    why = find_hindrance(options)
    try:
        if not why:
            return Modem(options, programs)
    except WalkFailed as fault:
        programs.stop(keep=mark)
        why = f"ModemManager does not run here ({fault})"
    voice.line(f"   No modem is shown, and the walk goes on without: {why}.")
    return None


def write_config(options, herald, device_key):
    folder = os.path.abspath(options.state_dir)
    path = os.path.join(folder, "modem.conf")
    if os.path.exists(path):
        os.unlink(path)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"HERALD_URL={herald.url}\nHERALD_DEVICE_KEY={device_key}\n"
                   f"SIM_{ICCID}={NUMBER}\nHERALD_MODEM_POLL_SECONDS=1\n"
                   f"HERALD_MODEM_STATE_DIR={os.path.join(folder, 'modem-state')}\n")
    return path


def show_list(options, modem, voice, config):
    """What whoever plugs in a stick types first."""
    command = [options.modem, "list", "--config", config]
    voice.command([options.modem, "list", f"--config {config}"], "   $ ", "36")
    done = subprocess.run(command, env=modem.environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    for line in done.stdout.splitlines():
        voice.line(f"   {line}")


def is_ready(herald):
    devices = herald.must(200, "GET", "/internal/v1/devices")["devices"]
    return any(row["number"] == NUMBER and row["sim_ready"]
               for device in devices for row in device["numbers"])


def show_sms(herald, modem, voice, programs, recipient, find_code):
    body = {"channel": "sms", "recipient": recipient, "gateway_number": NUMBER}
    herald.tell("POST", "/internal/v1/otp", body)
    otp = herald.must(201, "POST", "/internal/v1/otp", body, f"walk-{uuid.uuid4()}")
    sms = wait_for("waiting for the SMS of the modem", lambda: next(iter(modem.box.take_new()), None),
                   programs)
    voice.sms(sms)
    path = f"/internal/v1/otp/{otp['id']}/verify"
    code = find_code(sms["text"], otp["code_length"])
    herald.tell("POST", path, {"code": code})
    voice.answer(f"200 {herald.must(200, 'POST', path, {'code': code})['state']}")


def show_call(herald, modem, voice, programs, caller):
    body = {"caller": caller, "gateway_number": NUMBER}
    herald.tell("POST", "/internal/v1/challenges", body)
    challenge = herald.must(201, "POST", "/internal/v1/challenges", body, f"walk-{uuid.uuid4()}")
    voice.answer(f"201 {challenge['state']}")
    voice.line("   The modem rings. herald-modem reports the call, then hangs up.")
    modem.ring(caller)
    path = f"/internal/v1/challenges/{challenge['id']}"
    wait_for("waiting for the call to the modem",
             lambda: herald.must(200, "GET", path)["state"] == "confirmed", programs)
    herald.tell("GET", path)
    voice.answer("200 confirmed")


def show_modem(options, herald, voice, programs, register, find_code, numbers):
    """A modem becomes a phone, sends a code and takes a call. Returns it, or None."""
    voice.step(
        "modem",
        "A USB modem joins the fleet",
        "Debian's ModemManager finds it, and herald-modem makes a phone of it.",
    )
    modem = start_modem(options, voice, programs)
    if not modem:
        return None
    config = write_config(options, herald, register(herald, voice, "Modem in the cupboard", NUMBER,
                                                    []))
    show_list(options, modem, voice, config)
    programs.start("herald-modem", [options.modem, "run", "--config", config], modem.environment)
    wait_for("waiting for herald-modem", lambda: is_ready(herald), programs)
    recipient, caller = numbers
    show_sms(herald, modem, voice, programs, recipient, find_code)
    show_call(herald, modem, voice, programs, caller)
    return modem
