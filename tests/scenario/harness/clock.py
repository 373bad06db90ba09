"""Moves the clocks of a running herald; a wait of ten minutes then takes no time at all."""

import functools
import mmap
import subprocess
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

_SHIM_SOURCE = Path(__file__).with_name("clock_shift.c")
_made = tempfile.TemporaryDirectory(prefix="herald-clock-")  # goes with the process


@functools.cache
def _shim():
    """The library that moves clocks, made once."""
    library = Path(_made.name) / "clock_shift.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, _SHIM_SOURCE], check=True)
    return library


class Clock:
    def __init__(self, folder):
        self._shift_file = folder / "clock_shift"
        self._shift_file.write_bytes(bytes(16))
        self.shift_s = 0
        self._monotonic_s = 0

    def advance(self, seconds, is_monotonic_too=False):
        """The server's wall clock jumps ahead by that much, at once.

        By the monotonic clock the server measures how long something takes or lasts. With it every
        answer that is awaited just now is late, so who moves it waits until herald is ready again.
        """
        self.shift_s += seconds
        self._monotonic_s += seconds if is_monotonic_too else 0
        with open(self._shift_file, "r+b") as file:
            with mmap.mmap(file.fileno(), 16) as page:
                page[0:8] = self.shift_s.to_bytes(8, "little", signed=True)
                page[8:16] = self._monotonic_s.to_bytes(8, "little", signed=True)

    def now(self):
        """The server's time."""
        return datetime.fromtimestamp(time.time() + self.shift_s, timezone.utc)

    def environment(self, binary):
        preload = [*sanitizer_libraries(binary), str(_shim())]
        return {"LD_PRELOAD": ":".join(preload), "SCENARIO_CLOCK": str(self._shift_file)}


@functools.cache
def sanitizer_libraries(binary):
    """The sanitizer runtime of the binary: it must stand first in LD_PRELOAD."""
    listed = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False).stdout
    words = [line.split() for line in listed.splitlines()]
    return [row[2] for row in words if row and row[0].startswith(("libasan", "libtsan"))]
