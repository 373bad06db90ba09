"""The line about a crowd that follows the log."""

import resource
import socket
import statistics
import tempfile
import time
from contextlib import ExitStack

from host import BenchFailed, Herald, run_load
from table import at_most, judge, number

READERS = 10000
ENTRIES_PER_SECOND, SECONDS, CONNECTIONS = 5, 6, 8
DESCRIPTORS = 2 * CONNECTIONS + READERS + 200
FRAME_BYTES = 300
GOALS = {"p99_ms": at_most(50), "reader_kb": at_most(2), "other_p99_ms": at_most(200)}


def allow_descriptors(wanted):
    """For this process and those that it starts; herald asks for its own."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < wanted:
        raise BenchFailed(f"{wanted:,} descriptors are needed, and {most:,} allowed (ulimit -Hn)")
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def writes_floor_ms(pairs=200, rounds=20):
    """What as many writes as there are readers cost one core, with nobody who reads them."""
    with ExitStack() as stack, socket.create_server(("127.0.0.1", 0)) as server:
        ends = []
        for _ in range(pairs):
            stack.enter_context(socket.create_connection(server.getsockname()))
            ends.append(stack.enter_context(server.accept()[0]))
        frame, times = bytes(FRAME_BYTES), []
        for _ in range(rounds):
            began = time.monotonic()
            for end in ends:
                end.send(frame)
            times.append(time.monotonic() - began)
    return statistics.median(times) / pairs * READERS * 1000


def measure_engine(options, postgres):
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        herald = stack.enter_context(Herald(options.herald, folder, postgres))
        herald.make_fleet()
        before_mb, cpu_s = herald.rss_mb(), herald.cpu_s()
        extra = ["--key-file", herald.key_file, "--fleet", herald.fleet_file]
        extra += ["--readers", str(READERS), "--pace", str(ENTRIES_PER_SECOND)]
        result = run_load(options.load, herald, "readers", CONNECTIONS, SECONDS, extra)
        result["reader_kb"] = (herald.peak_mb() - before_mb) * 1024 / READERS
        result["cpu_s"] = herald.cpu_s() - cpu_s
    return result


def words(result):
    return (
        f"p50 {number(result['p50_ms'])} ms, p99 {number(result['p99_ms'])} ms to one of ten that "
        f"are watched; to the last of all p50 {number(result['all_p50_ms'])} ms, max "
        f"{number(result['all_max_ms'])} ms; {number(result['reader_kb'])} KB a reader; others' "
        f"requests p50 {number(result['other_p50_ms'])} ms, p99 {number(result['other_p99_ms'])} ms"
    )


def measure(options, postgres, _fsync_ms):
    allow_descriptors(DESCRIPTORS)
    rows = []
    for engine, server in [("SQLite", None)] + ([("PostgreSQL", postgres)] if postgres else []):
        result = measure_engine(options, server)
        goal, verdict = judge(result, GOALS)
        cost_ms, generator_ms = (
            result[name] * 1000 / result["count"] for name in ("cpu_s", "generator_cpu_s")
        )
        rows.append(
            (
                f"log entry to {READERS:,} readers, {ENTRIES_PER_SECOND} entries/s",
                engine,
                words(result),
                goal,
                verdict,
                f"{READERS:,} writes of {FRAME_BYTES} bytes over loopback, by one core: "
                f"{number(writes_floor_ms())} ms",
                f"{cost_ms:,.0f} ms CPU an entry, opening the streams included "
                f"(generator {generator_ms:,.0f})",
            )
        )
    return rows


LINES = (("readers", "a crowd that follows the log", measure),)

NOTES = f"""\
- The {READERS:,} readers of the log have a connection each, and the load generator reads them on
  one thread, on the two cores that herald needs to write to them; ten more have a thread each, and the
  time is that from a create's answer to them. The memory of a reader is the growth of herald's most
  resident memory by their number, all that the work took included; what the kernel keeps of a
  socket is not in it. Others are 100 requests a second: the creates, and empty claims, timed from
  when each was due.
"""
