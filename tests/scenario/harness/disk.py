"""A disk whose power is cut: what was synced stays, and of what was not, whatever it pleases.

`disk_journal.c` writes down what herald does to its files. After a kill, `Disk.cut` puts into each file
what such a disk may have: every write that was synced, and of the others, by chance, all, nothing,
or a beginning of some sectors, in whatever order they came. Names of files are taken to be kept, as
file systems with a journal do. The shared memory of SQLite is gone with the machine.
"""

import mmap
import struct
import subprocess
from pathlib import Path

from .clock import sanitizer_libraries

_SOURCE = Path(__file__).with_name("disk_journal.c")
_ROOM_SOURCE = Path(__file__).with_name("disk_room.c")
_HEAD = struct.Struct("<IIQQ")
_WRITE, _TRUNCATE, _SYNC_BEGAN, _SYNC_ENDED, _UNLINK = range(5)
SECTOR = 512
MEMORY = "-shm"


class Room:
    """A disk with so much room, as a site's programs see it; the site's `disk`, too."""

    def __init__(self, home, free_mib):
        self._library = home / "disk_room.so"
        self._file = home / "disk_room"
        self._file.write_bytes(bytes(8))
        self.set(free_mib)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self._library, _ROOM_SOURCE], check=True)

    def set(self, free_mib):
        with open(self._file, "r+b") as file, mmap.mmap(file.fileno(), 8) as page:
            page[0:8] = free_mib.to_bytes(8, "little")

    def environment(self, binary):
        preload = ":".join([*sanitizer_libraries(binary), str(self._library)])
        return {"LD_PRELOAD": preload, "SCENARIO_DISK_ROOM": str(self._file)}


class Disk:
    """Of the site whose `disk` it is; nothing runs there yet."""

    def __init__(self, home, folder):
        self.folder = folder
        self.lost = 0  # writes of which not all was kept, in all cuts
        self._library = home / "disk_journal.so"
        self._journal = home / "disk_journal"
        self._kept = {}  # what each file has for sure
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self._library, _SOURCE, "-ldl"],
                       check=True)

    def environment(self, binary):
        preload = ":".join([*sanitizer_libraries(binary), str(self._library)])
        return {"LD_PRELOAD": preload, "SCENARIO_DISK": f"{self.folder}/",
                "SCENARIO_DISK_JOURNAL": str(self._journal)}

    def cut(self, chance):
        """The power goes just now, when herald was killed; `chance` decides what it left."""
        for path, file in self._replay().items():
            if path.endswith(MEMORY) or file.is_gone:
                Path(path).unlink(missing_ok=True)
                self._kept.pop(path, None)
                continue
            self.lost += file.fail(chance)
            Path(path).write_bytes(file.kept)
            self._kept[path] = bytes(file.kept)
        for path in self.folder.glob(f"*{MEMORY}"):
            path.unlink()
        self._journal.unlink()

    def _replay(self):
        files = {path: _File(kept) for path, kept in self._kept.items()}
        began = {}  # by the number of a sync: how many records stand before it
        for index, (op, path, offset, data) in enumerate(_records(self._journal.read_bytes())):
            file = files.setdefault(path, _File())
            if op == _SYNC_BEGAN:
                began[offset] = index
            elif op == _SYNC_ENDED:
                file.settle(began.pop(offset))
            elif op == _UNLINK:
                files[path] = _File(is_gone=True)
            else:
                file.is_gone = False
                file.pending.append((index, op, offset, data))
        return files


class _File:
    def __init__(self, kept=b"", is_gone=False):
        self.kept = bytearray(kept)
        self.pending = []
        self.is_gone = is_gone

    def settle(self, end):
        """What was done before that record is on the disk."""
        for _, op, offset, data in (row for row in self.pending if row[0] < end):
            self._do(op, offset, data)
        self.pending = [row for row in self.pending if row[0] >= end]

    def fail(self, chance):
        """Keeps some of what is pending; returns of how many writes not all was kept."""
        lost = 0
        chance.shuffle(self.pending)
        for _, op, offset, data in self.pending:
            share = chance.choice([0, 1, chance.random()])
            end = len(data) if share == 1 else int(share * len(data)) // SECTOR * SECTOR
            lost += end < len(data)
            if end or (op == _TRUNCATE and share == 1):
                self._do(op, offset, data[:end])
        self.pending.clear()
        return lost

    def _do(self, op, offset, data):
        if op == _TRUNCATE:
            del self.kept[offset:]
            return
        missing = offset - len(self.kept)
        self.kept.extend(bytes(max(missing, 0)))
        self.kept[offset:offset + len(data)] = data


def _records(journal):
    """The last one may have been cut by the kill: then the bytes it tells of were not synced."""
    at = 0
    while at + _HEAD.size <= len(journal):
        op, path_len, offset, length = _HEAD.unpack_from(journal, at)
        path_at = at + _HEAD.size
        data_at = path_at + path_len
        at = data_at + length
        if at <= len(journal):
            yield op, journal[path_at:data_at].decode(), offset, journal[data_at:at]
