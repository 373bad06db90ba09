"""Types the commands of a Markdown page, and holds what they print against what the page shows.

A block of `sh` is typed as it stands; one that stays up (STAYS) in a terminal of its own. The block of
`text` behind it shows what comes: line by line, in that order, whatever stands between them. In it `…` is
left out, and a word in capitals such as OTP_ID is a value that later commands use.
"""

import os
import re
import signal
import subprocess
import textwrap
import threading
import time

BLOCK = re.compile(r"```(sh|text)\n(.*?) *```", re.DOTALL)
WORD = re.compile(r"\b[A-Z]+_(?:ID|KEY|SECRET)\b|\bCODE\b")
STAYS = re.compile(r"herald serve$|sim/erp serve |sim/phone .*--number ")
READS = re.compile(r"(?:build/)?herald admin (?:\w+ (?:show|list|attempts|timeline)|log|overview|refusals)\b")
DONE = "__done__"
WAIT_S = 20


def blocks_of(text):
    """(kind, text) of each block, continued lines put together; what was built stays as it is."""
    for kind, block in BLOCK.findall(text):
        block = textwrap.dedent(block)  # those of a list stand further right
        yield kind, re.sub(r"\\\n\s*", "", block).removeprefix("./dev build\n")


class Terminal:
    """A shell that is typed into; what it prints is kept."""

    def __init__(self, folder, environment):
        self.shell = subprocess.Popen(
            ["sh"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, bufsize=1, start_new_session=True)
        self.printed = ""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.shell.stdout:
            self.printed += line

    def type(self, block):
        """Types the block and forgets what was printed before it."""
        self.printed = ""
        self.shell.stdin.write(block.rstrip("\n") + "\n")

    def type_and_wait(self, block):
        self.type(block.rstrip("\n") + f"\nstatus=$?; echo; echo {DONE} $status")
        wait_until(lambda: re.search(rf"{DONE} \d+\n", self.printed),
                   lambda: f"{block}\n{self.printed}")
        self.printed, _, status = self.printed.rpartition(DONE)
        assert int(status) == 0, f"{block}\n{self.printed}"

    def close(self):
        os.killpg(self.shell.pid, signal.SIGTERM)
        try:
            self.shell.wait(timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.shell.pid, signal.SIGKILL)
            self.shell.wait()
        self.shell.stdin.close()


def wait_until(is_true, explain):
    end = time.monotonic() + WAIT_S
    while not is_true():
        assert time.monotonic() < end, explain()
        time.sleep(0.05)


class Reader:
    """Somebody who does what a page says, one block after the other."""

    def __init__(self, new_terminal, translate):
        self.new_terminal, self.translate = new_terminal, translate
        self.terminals = []  # the reader's own, then those whose programs stay up
        self.values = {}
        self.last = ""

    def follow(self, page):
        if not self.terminals:
            self.terminals.append(self.new_terminal())
        for kind, block in blocks_of(page):
            if kind == "text":
                self.compare(block)
            elif not block.startswith("./dev "):  # which have tests of their own
                self.do(self.fill(self.translate(block)))

    def do(self, block):
        self.last = block
        if STAYS.search(block.strip()):
            self.terminals.append(self.new_terminal())
            self.terminals[-1].type(block)
        else:
            self.terminals[0].type_and_wait(block)

    def fill(self, block):
        missing = [word for word in WORD.findall(block) if word not in self.values]
        assert not missing, f"{missing} were in no answer:\n{block}"
        return WORD.sub(lambda word: self.values[word[0]], block)

    def compare(self, block):
        pattern = re.compile(self.pattern_of(self.translate(block)), re.DOTALL)
        found = None

        def is_there():
            nonlocal found
            found = found or next(filter(None, (pattern.search(t.printed) for t in self.terminals)),
                                  None)
            if not found and READS.match(self.last):
                self.terminals[0].type_and_wait(self.last)  # what it shows may be on its way
            return found

        wait_until(is_there, lambda: f"{self.last}\n{self.terminals[0].printed}\nis not\n{block}")
        self.values.update(found.groupdict())

    def pattern_of(self, block):
        return r".*?\n.*?".join(self.line_of(line) for line in block.splitlines() if line != "…")

    def line_of(self, line):
        shown = [re.escape(part) for part in re.split(r"\s*…\s*", line)]
        text = r"[^\n]*?".join(shown).replace(r"\ ", " ")
        return WORD.sub(self.group_of, re.sub(r" +", " +", text))

    def group_of(self, word):
        return rf"(?P<{word[0]}>[\w-]+)"

    def close(self):
        for terminal in reversed(self.terminals):
            terminal.close()
