"""The peer of the line about SMS: an SMS gateway, and what it hands the messages to."""

import os
import re
import string
import time

from host import BenchFailed, ask, free_port, output_of
from peer import PEERS, Peer

BEARERBOX, SMSBOX = "/usr/sbin/bearerbox", "/usr/sbin/smsbox"
FAKESMSC = "/usr/lib/kannel/test/fakesmsc"
QUIET = "2"  # warnings and worse
ARRIVED_MAX_S = 30
LINE_MAX = 4096  # bytes of the log of the SMS centre that hold its last line


class Kannel(Peer):
    """Debian's Kannel: bearerbox, smsbox, and its fake SMS centre."""

    scenario = "submit"
    has_floor = False
    load_options = ()

    def __init__(self, build, folder):
        super().__init__("kannel", build, folder)
        self.folder = os.path.abspath(folder)
        self.store = os.path.join(self.folder, "store")
        self.smsbox = self.add_program("smsbox")
        self.smsc = self.add_program("fakesmsc")
        self.arrived = 0  # in the rounds before

    @staticmethod
    def title():
        version = output_of("dpkg-query", "-W", "-f", "${Version}", "kannel")
        return f"Kannel {version}, its fake SMS centre"

    def install(self):
        for program in (BEARERBOX, SMSBOX, FAKESMSC):
            if not os.access(program, os.X_OK):
                raise BenchFailed(f"there is no {program}; Debian's kannel-extras brings all")

    def configure(self):
        """The ports, and the file that names them."""
        ports = {f"{name}_port": free_port() for name in ("admin", "smsbox", "smsc", "sendsms")}
        with open(os.path.join(PEERS, "kannel", "kannel.conf"), encoding="ascii") as file:
            template = string.Template(file.read().replace("${NAMES}", "$${NAMES}"))
        config = os.path.join(self.folder, "kannel.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write(template.substitute(ports, store=self.store))
        return ports, config

    def start(self):
        os.mkdir(self.store)
        ports, config = self.configure()
        self.address = f"127.0.0.1:{ports['sendsms_port']}"
        admin = f"127.0.0.1:{ports['admin_port']}"
        self.spawn([BEARERBOX, "-v", QUIET, config], os.environ)
        self.wait_until(lambda: status_of(admin))
        self.smsbox.spawn([SMSBOX, "-v", QUIET, config], os.environ)
        centre = [FAKESMSC, "-H", "127.0.0.1", "-r", str(ports["smsc_port"]), "-m", "0"]
        self.smsc.spawn([*centre, "1 2 text none"], os.environ)
        self.wait_until(lambda: is_whole(status_of(admin)))

    def settle(self, result):
        """Waits until the SMS centre has all and nothing is stored; the rate is that of it all."""
        started = time.monotonic()
        self.arrived += result["count"]
        while self.count_arrived() < self.arrived or self.has_stored():
            if time.monotonic() > started + ARRIVED_MAX_S:
                raise BenchFailed(f"{self.count_arrived()} of {self.arrived} SMS arrived")
            time.sleep(0.01)
        if self.count_arrived() > self.arrived:
            raise BenchFailed("SMS arrived more than once")
        seconds = result["seconds"] + time.monotonic() - started
        return {**result, "accepted_rate": result["rate"], "rate": result["count"] / seconds}

    def count_arrived(self):
        with open(self.smsc.log_file, "rb") as log:
            log.seek(max(0, os.path.getsize(self.smsc.log_file) - LINE_MAX))
            found = re.findall(rb"Got message (\d+): ", log.read())
        return int(found[-1]) if found else 0

    def has_stored(self):
        return any(files for _, _, files in os.walk(self.store))


def status_of(admin):
    """What bearerbox says of itself; nothing while it does not listen."""
    try:
        return ask(admin, "GET", "/status.txt?password=bench", {})[1]
    except OSError:
        return ""


def is_whole(status):
    """Whether the smsbox and the SMS centre are there."""
    return "smsbox" in status and "(online" in status
