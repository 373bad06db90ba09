"""The line about callers that are slow on purpose: codes beside each mode of slowhttptest."""

import csv
import os
import subprocess
import tempfile
import threading
from contextlib import ExitStack

from host import BenchFailed, Herald, run_load
from readers import allow_descriptors
from table import at_most, judge, number

ATTACKERS, ATTACKERS_PER_SECOND = 1000, 500
SECONDS, PACE, CONNECTIONS = 20, 100, 8
HEAD_START_S = 3  # until all attackers are there
DESCRIPTORS = ATTACKERS + 200
GOALS = {"p99_ms": at_most(200), "claim_p99_ms": at_most(200)}

MODES = (  # what it does, in words; the path; options
    ("heads that never end", "/health/live", ("-H", "-i", "2", "-x", "24")),
    ("bodies that never end", "/v1/oauth/token", ("-B", "-i", "2", "-x", "10", "-s", "8192")),
    ("heads with a thousand ranges", "/openapi.json", ("-R", "-a", "1", "-b", "2000")),
    (
        "answers that they read slowly",
        "/openapi.json",
        ("-X", "-n", "2", "-z", "32", "-w", "64", "-y", "512", "-k", "3"),
    ),
)


class Attack:
    """slowhttptest against a herald, begun anew where it has come to its end."""

    def __init__(self, herald, folder, path, options):
        self.prefix = os.path.join(folder, "slow")
        self.command = [
            "slowhttptest", *options, "-u", f"http://{herald.address}{path}", "-c", str(ATTACKERS),
            "-r", str(ATTACKERS_PER_SECOND), "-l", str(SECONDS + HEAD_START_S), "-p", "3",
            "-v", "0", "-g", "-o", self.prefix,
        ]
        self.process = None
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.connected = []  # connections that were open, second by second

    def run(self):
        while not self.is_over.is_set():
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
            self.process.wait()
            with open(f"{self.prefix}.csv", encoding="ascii") as file:
                self.connected += [int(row["Connected"]) for row in csv.DictReader(file)]

    def __enter__(self):
        try:
            subprocess.run(["slowhttptest", "-h"], capture_output=True, check=False)
        except FileNotFoundError as fault:
            raise BenchFailed("slowhttptest is not installed") from fault
        self.thread.start()
        self.is_over.wait(HEAD_START_S)
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.process.terminate()
        self.thread.join()


def measure_mode(options, folder, mode):
    title, path, how = mode
    with ExitStack() as stack:
        herald = stack.enter_context(Herald(options.herald, folder))
        herald.make_fleet()
        cpu_s = herald.cpu_s()
        extra = ["--key-file", herald.key_file, "--fleet", herald.fleet_file, "--pace", str(PACE)]
        with Attack(herald, folder, path, how) as attack:
            result = run_load(options.load, herald, "codes", CONNECTIONS, SECONDS, extra)
        cpu_s, peak_mb = herald.cpu_s() - cpu_s, herald.peak_mb()
    goal, verdict = judge(result, GOALS)
    return (
        f"OTP create -> claim -> result -> verify, {PACE // 4} codes/s, beside {ATTACKERS:,} "
        f"callers with {title}",
        "SQLite",
        f"create + verify p50 {number(result['p50_ms'])} ms, p99 {number(result['p99_ms'])} ms, "
        f"max {number(result['max_ms'])} ms; claim p99 {number(result['claim_p99_ms'])} ms; up to "
        f"{max(attack.connected)} of them at once",
        goal,
        verdict,
        "",
        f"{cpu_s:.1f} s CPU in all, {peak_mb:.0f} MB at the most",
    )


def measure(options, _postgres, _fsync_ms):
    allow_descriptors(DESCRIPTORS)
    rows = []
    for mode in MODES:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            rows.append(measure_mode(options, folder, mode))
    return rows


LINES = (("slow", "codes beside slow callers", measure),)

NOTES = f"""\
- The slow callers are Debian's slowhttptest in its four modes: {ATTACKERS:,} connections,
  {ATTACKERS_PER_SECOND} new ones a second, for an operation that anybody may ask for. Where it ends,
  since herald has closed them all, it is begun anew. The codes beside them fall due at their pace,
  and their times run from then.
"""
