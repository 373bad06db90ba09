"""What the walk stands on: its voice, herald's interface, the programs that it starts."""

import ctypes
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import urllib.parse

WAIT_S = 15
PAUSE_S = 0.7  # between the steps, for a reader at a terminal


class WalkFailed(Exception):
    """A step did not do what it should; the text is for people."""


class StepWasShown(Exception):
    """The one step that was asked for is over."""


# --- What is shown ------------------------------------------------------------------------------


MARGIN = "   "
HANGING = " " * 6  # where a line goes on
LOG_FIELDS_AT = 14  # behind the time of a log entry, where they stand below it
PIECE = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^,"])+,?')  # of a JSON text: up to the comma of a member


def laid_out(pieces, width, hanging):
    """Lines of these pieces. One that begins with a space loses it where it begins a line."""
    lines = []
    for piece in pieces:
        if lines and len(lines[-1]) + len(piece) <= width:
            lines[-1] += piece
        else:
            lines.append(hanging + piece.lstrip() if lines else piece)
    return lines


def words_of(text):
    return re.findall(r" *[^ ]+", text)


class Voice:
    """Prints the walk, as wide as the terminal. Colours and pauses only at a terminal. Where one step
    is wanted, those before it are taken without a word, and the walk ends behind it.
    """

    def __init__(self, wanted=None):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", line_buffering=True)
        self.is_tty = sys.stdout.isatty()
        self.has_colours = self.is_tty and "NO_COLOR" not in os.environ
        self.width = max(40, shutil.get_terminal_size((80, 24)).columns)
        self.wanted = wanted
        self.steps = []  # names of those that were begun
        self.is_shown = True

    def paint(self, code, text):
        return f"\033[{code}m{text}\033[0m" if self.has_colours else text

    def out(self, text):
        if self.is_shown:
            print(text)

    def put(self, lines, colour=None):
        for line in lines:
            text = line.lstrip(" ")
            self.out(line[:len(line) - len(text)] + (self.paint(colour, text) if colour else text))

    def line(self, text=""):
        """A sentence; where it goes on, it stands as deep as it began."""
        hanging = " " * (len(text) - len(text.lstrip(" ")))
        self.put(laid_out(words_of(text), self.width, hanging) or [""])

    def step(self, name, title, *explanation):
        """Begins a step; raises StepWasShown where the one before it was wanted alone."""
        if self.wanted and self.wanted in self.steps:
            raise StepWasShown
        if self.steps and self.is_tty and not self.wanted:
            time.sleep(PAUSE_S)
        self.steps.append(name)
        self.is_shown = self.wanted in (None, name)
        self.out("")
        head = f"{len(self.steps)}. {title}"
        self.put(laid_out(words_of(head), self.width, MARGIN), "1")
        for text in explanation:
            self.line(MARGIN + text)

    def request(self, method, path, body=None):
        """`body`: its JSON, maybe in short. It stays whole on lines of its own where it is long."""
        head = f"{MARGIN}-> {method} {path}"
        text = f" {body}" if body else ""
        if len(head + text) <= self.width:
            self.put([head + text], "36")
            return
        segments = [f"{MARGIN}-> {method} ", *re.findall(r"/[^/]*", path)]
        self.put(laid_out(segments, self.width, HANGING), "36")
        members = PIECE.findall(HANGING + body if body else "")
        self.put(laid_out(members, self.width, HANGING + " "), "36")

    def command(self, pieces, head="", colour=None):
        """A command of the shell that can be copied: each piece is an option with its value."""
        *firsts, last = laid_out([head + pieces[0], *(f" {piece}" for piece in pieces[1:])],
                                 self.width - 2, " " * len(head) + "    ")
        self.put([*(f"{line} \\" for line in firsts), last], colour)

    def answer(self, text, is_refusal=False):
        self.put(laid_out(words_of(f"{MARGIN}<- {text}"), self.width, HANGING),
                 "33" if is_refusal else "32")

    def log_entry(self, head, message, fields):
        """The fields stand behind the message, or below it where they are long."""
        text = "  ".join(fields)
        start = f"{MARGIN}{head}{message:<24}"
        if len(start) + 2 + len(text) <= self.width:
            self.out(f"{start}  {self.paint('2', text)}" if fields else start.rstrip())
            return
        below = MARGIN + " " * LOG_FIELDS_AT
        self.put(laid_out(words_of(start.rstrip()), self.width, below))
        members = [below + field if field is fields[0] else f"  {field}" for field in fields]
        self.put(laid_out(members, self.width, below), "2")

    def sms(self, sms):
        head = f"SMS from {sms['gateway_number']} to {sms['recipient']}"
        inside = self.width - len(MARGIN) - 4
        lines = [part for line in sms["text"].split("\n")
                 for part in textwrap.wrap(printable(line), inside) or [""]]
        width = max(len(head) + 2, *(len(line) for line in lines)) + 2
        self.out(MARGIN + self.paint("35", f"┌─ {head} " + "─" * (width - len(head) - 3) + "┐"))
        for line in lines:
            self.out(f"{MARGIN}{self.paint('35', '│')} {line:<{width - 1}}{self.paint('35', '│')}")
        self.out(MARGIN + self.paint("35", "└" + "─" * width + "┘"))


def printable(text):
    return "".join(c if c.isprintable() else "?" for c in text)


# --- herald's interface -------------------------------------------------------------------------


class Herald:
    """The internal interface, as a core system uses it."""

    def __init__(self, url, voice):
        self.url = url.rstrip("/")
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port or 80
        self.key = None
        self.voice = voice

    def connect(self, timeout=10):
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def ask(self, method, path, body=None, idempotency_key=None):
        """The status and the decoded body of the answer."""
        headers = {"X-Internal-API-Key": self.key} if self.key else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        connection = self.connect()
        try:
            text = json.dumps(body) if body is not None else None
            connection.request(method, path, text, headers)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        except (OSError, http.client.HTTPException, ValueError) as fault:
            raise WalkFailed(f"{method} {path}: herald does not answer ({fault})") from fault
        finally:
            connection.close()

    def must(self, wanted, method, path, body=None, idempotency_key=None):
        """The body of an answer with the status wanted, and no other."""
        status, answer = self.ask(method, path, body, idempotency_key)
        if status != wanted:
            raise WalkFailed(f"{method} {path}: expected {wanted}, got {status}: {answer}")
        return answer

    def tell(self, method, path, body=None):
        """Shows a request."""
        self.voice.request(method, path,
                           json.dumps(body, ensure_ascii=False) if body is not None else None)


class LogReader(threading.Thread):
    """Reads the log stream; `entries` grows until the reader is closed."""

    def __init__(self, herald):
        super().__init__(daemon=True)
        self.entries = []
        self.arrived_at = time.monotonic()
        path = "/internal/v1/logs/stream"
        self.connection = herald.connect()
        try:
            self.connection.request("GET", path, headers={"X-Internal-API-Key": herald.key})
            self.answer = self.connection.getresponse()
        except (OSError, http.client.HTTPException) as fault:
            raise WalkFailed(f"GET {path}: herald does not begin the stream ({fault})") from fault
        if self.answer.status != 200:
            raise WalkFailed(f"GET {path}: expected 200, got {self.answer.status}")
        self.connection.sock.settimeout(60)  # herald sends something every 15 s

    def run(self):
        try:
            for line in self.answer:
                if line.startswith(b"data:"):
                    self.entries.append(json.loads(line[5:]))
                    self.arrived_at = time.monotonic()
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            return  # closed, by herald's stop or ours

    def wait_until_quiet(self, quiet_s=0.8, limit_s=5):
        end = time.monotonic() + limit_s
        while time.monotonic() < min(end, self.arrived_at + quiet_s):
            time.sleep(0.05)


# --- Programs -----------------------------------------------------------------------------------


def end_with_parent():
    """In the child: SIGTERM when the walk dies, however it dies."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


class Programs:
    """The children of the walk. Their output goes to files in the state folder."""

    def __init__(self, state_dir):
        self.state_dir = state_dir
        self.running = []  # (name, process, log path), in the order of their start

    def start(self, name, command, environment=None, stdin=subprocess.DEVNULL):
        log_path = os.path.join(self.state_dir, f"{name}.log")
        with open(os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as log:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=stdin,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=environment,
                    start_new_session=True,  # Ctrl-C is for the walk, which stops them in order
                    preexec_fn=end_with_parent,
                )
            except OSError as fault:
                raise WalkFailed(f"{command[0]} does not start: {fault.strerror}") from fault
        self.running.append((name, process, log_path))
        return process

    def check(self):
        """Raises if one has ended."""
        for name, process, log_path in self.running:
            if process.poll() is not None:
                raise WalkFailed(
                    f"{name} has ended with status {process.returncode}. Its last words:\n"
                    + last_lines(log_path)
                )

    def stop(self, keep=0):
        """Ends all but the first ones, the last started first, so that herald outlives its phones."""
        while len(self.running) > keep:
            _, process, _ = self.running.pop()
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(timeout=35)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def last_lines(path, count=8):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(f"    {line}" for line in file.readlines()[-count:]).rstrip() or "    (none)"


def wait_for(what, look, programs, limit_s=WAIT_S):
    """What `look` gives as soon as it gives anything."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        programs.check()
        time.sleep(0.02)
    raise WalkFailed(f"{what}: nothing for {limit_s} s")


# --- Simulated peers ------------------------------------------------------------------------------


class Simulation:
    """A program that plays somebody else: `url` is where it plays; its control API is asked."""

    START_LINE = re.compile(rb"(http://[^\s,;]+)")

    def __init__(self, name, command, programs):
        self.name = name
        self.log = os.path.join(programs.state_dir, f"{name}.log")
        addresses = ["--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"]
        programs.start(name, [*command, *addresses])
        self.url, self.control = wait_for(f"waiting for the {name}", self.read_start, programs)

    def read_start(self):
        with open(self.log, "rb") as file:
            found = self.START_LINE.findall(file.read())
        return [url.decode().rstrip(".") for url in found[:2]] if len(found) >= 2 else None

    def ask(self, method, path, body=None):
        """The decoded answer; None where there is none."""
        parts = urllib.parse.urlsplit(self.control)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=WAIT_S)
        try:
            connection.request(method, f"/_control/{path}",
                               json.dumps(body) if body is not None else None,
                               {"Content-Type": "application/json"} if body is not None else {})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status == 404:
                return None
            if answer.status >= 300:
                raise WalkFailed(f"the simulated {self.name} refuses {path}: {text!r}")
            return json.loads(text) if text else None
        except (OSError, http.client.HTTPException) as fault:
            raise WalkFailed(f"the simulated {self.name} does not answer ({fault})") from fault
        finally:
            connection.close()
