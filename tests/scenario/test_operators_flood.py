"""Contract section 18.3: however many log in at one moment, two passwords are hashed at once."""

import threading
import time
from pathlib import Path

from harness.console import Browser, browser_of, console_settings
from harness.packages import is_sanitized
from harness.tools import at_once

SETTINGS, ADDRESS = console_settings()
HASH_BYTES = 64 * 1024 * 1024
HASHES_MAX = 2
ROOM_BYTES = 32 * 1024 * 1024  # for the connections and whatever else grows
ADDRESSES, OF_ONE_ADDRESS, KNOWN = 5, 8, 3
WAITING_OF_ONE_ADDRESS = 4
HOME = "127.9.0.1"


class Memory:
    """What Argon2id has at a moment, by the mappings of the process, and what there is in all."""

    def __init__(self, pid):
        self._files = Path("/proc") / str(pid)
        self._is_over = threading.Event()
        self.hashes_max = 0

    def _large_mappings(self):
        """Bytes of the mappings that have room for a hash; neighbours may be one."""
        total = 0
        for line in (self._files / "maps").read_text().splitlines():
            span, rights, _, _, inode, *_ = line.split()
            first, end = (int(text, 16) for text in span.split("-"))
            if rights == "rw-p" and inode == "0" and end - first >= HASH_BYTES:
                total += end - first
        return total

    def resident(self, name="VmRSS"):
        lines = dict(line.split(":", 1) for line in (self._files / "status").read_text().splitlines())
        return int(lines[name].split()[0]) * 1024

    def __enter__(self):
        (self._files / "clear_refs").write_text("5")  # the peak begins anew
        self._mapped, self._resident = self._large_mappings(), self.resident()
        self._watch = threading.Thread(target=self._look)
        self._watch.start()
        return self

    def _look(self):
        while not self._is_over.wait(0.002):
            hashes = (self._large_mappings() - self._mapped) // HASH_BYTES
            self.hashes_max = max(self.hashes_max, hashes)

    def __exit__(self, *_):
        self._is_over.set()
        self._watch.join()
        self.more = self.resident("VmHWM") - self._resident


def test_two_passwords_are_hashed_at_once(core, site):
    """A crowd of strangers at one moment, and three who have logged in from there before."""
    names = [f"Анна {time.monotonic_ns()} {number}" for number in range(KNOWN)]
    known = [browser_of(core, ADDRESS, name, source=HOME) for name in names]
    strangers = [Browser(ADDRESS, f"127.9.1.{1 + index // OF_ONE_ADDRESS}")
                 for index in range(ADDRESSES * OF_ONE_ADDRESS)]

    def log_in(index):
        if index < KNOWN:
            time.sleep(0.3)  # behind the crowd
            return known[index].log_in(names[index])
        return strangers[index - KNOWN].log_in(f"stranger {index}", "wrong horse battery")

    with Memory(site.processes[-1].pid) as memory:
        replies = at_once(KNOWN + len(strangers), log_in)
    for reply in replies[:KNOWN]:
        reply.expect(200)
    refused = [reply for reply in replies[KNOWN:] if reply.status != 401]
    for reply in refused:
        reply.expect(503, "overloaded")
        assert reply.retry_after >= 1
    assert refused and len(strangers) - len(refused) >= ADDRESSES * WAITING_OF_ONE_ADDRESS
    assert memory.hashes_max == HASHES_MAX
    assert is_sanitized() or memory.more <= HASHES_MAX * HASH_BYTES + ROOM_BYTES  # sanitizers have memory of their own
