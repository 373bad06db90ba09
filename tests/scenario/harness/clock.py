"""Moves the clocks of a running herald; a wait of ten minutes then takes no time at all."""

import contextlib
import functools
import mmap
import subprocess
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

from .postgres import connected

_SHIM_SOURCE = Path(__file__).with_name("clock_shift.c")
_made = tempfile.TemporaryDirectory(prefix="herald-clock-")  # goes with the process


@functools.cache
def _shim():
    """The library that moves clocks, made once."""
    library = Path(_made.name) / "clock_shift.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, _SHIM_SOURCE], check=True)
    return library


_SERVER = """CREATE OR REPLACE FUNCTION herald_wall_ms() RETURNS BIGINT LANGUAGE SQL VOLATILE AS
'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + {shift_ms}'"""


class Clock:
    """The clocks of all processes of a site, and that of its server as herald reads it."""

    def __init__(self, folder, database=None):
        self._shift_file = folder / "clock_shift"
        self._shift_file.write_bytes(bytes(24))
        self._database = database
        self.shift_s = 0
        self._monotonic_s = 0
        self.passed_s = 0

    def advance(self, seconds, is_monotonic_too=False):
        """So much time passes, at once.

        By the monotonic clock the server measures how long something takes or lasts. With it every
        answer that is awaited just now is late, so who moves it waits until herald is ready again.
        """
        assert seconds >= 0, "time does not run back; a clock may be set"
        self.passed_s += seconds
        self._monotonic_s += seconds if is_monotonic_too else 0
        self.set(seconds)

    def set(self, seconds, with_server=True):
        """Somebody sets the wall clocks forward by that much, or (below 0) back."""
        with self.moving() if with_server else contextlib.nullcontext():
            self.shift_s += seconds
            self.write()

    @contextlib.contextmanager
    def moving(self):
        """What is changed in here, herald reads together with the server's clock, or not yet."""
        if not self._is_asked():
            yield
            return
        with connected(self._database.url) as ask:
            ask("BEGIN; LOCK TABLE store_clock IN ACCESS EXCLUSIVE MODE")
            yield
            ask(f"{_SERVER.format(shift_ms=self.shift_s * 1000)}; COMMIT")

    def tell_server(self):
        """For a database that is new."""
        if self.shift_s and self._is_asked():
            self._database.ask(_SERVER.format(shift_ms=self.shift_s * 1000))

    def _is_asked(self):
        return bool(self._database and self._database.is_made
                    and self._database.ask("SELECT to_regclass('store_clock')"))

    def write(self):
        numbers = (self.shift_s, self._monotonic_s, self.passed_s)
        with open(self._shift_file, "r+b") as file:
            with mmap.mmap(file.fileno(), 24) as page:
                page[:] = b"".join(n.to_bytes(8, "little", signed=True) for n in numbers)

    def now(self):
        """The server's time."""
        return datetime.fromtimestamp(time.time() + self.shift_s, timezone.utc)

    def environment(self, binary):
        preload = [*sanitizer_libraries(binary), str(_shim())]
        return {"LD_PRELOAD": ":".join(preload), "SCENARIO_CLOCK": str(self._shift_file)}


class Machines:
    """Several processes whose machines have a clock each; time passes for all of them alike."""

    def __init__(self, folder, database, count):
        self.clocks = []
        for index in range(count):
            own = folder / f"machine-{index}"
            own.mkdir(parents=True)
            self.clocks.append(Clock(own))
        self.server = Clock(folder, database)  # on SQLite it is nobody's

    def advance(self, seconds):
        with self.server.moving():
            self.server.shift_s += seconds
            for clock in self.clocks:
                clock.shift_s += seconds
                clock.passed_s += seconds
                clock.write()


@functools.cache
def sanitizer_libraries(binary):
    """The sanitizer runtime of the binary: it must stand first in LD_PRELOAD."""
    listed = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False).stdout
    words = [line.split() for line in listed.splitlines()]
    return [row[2] for row in words if row and row[0].startswith(("libasan", "libtsan"))]
