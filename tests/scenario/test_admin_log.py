"""`herald admin log`: the log at a shell, searched and followed (contract section 2, rule 12)."""

import json
import subprocess
import threading
from datetime import datetime, timedelta, timezone

import pytest

from harness.site import BINARY, free_port
from harness.tools import eventually, fresh_key, fresh_number, masked

MISSING_ID = "01900000-0000-7000-8000-000000000000"
REFUSED, WRONG = 1, 2


class Shell:
    """Somebody at a shell beside a running herald."""

    def __init__(self, site):
        self.site = site

    def start(self, *words):
        host, port = self.site.address
        return subprocess.Popen(
            [BINARY, "admin", "log", *words], cwd=self.site.home, text=True,
            env=self.site.environment({"HERALD_LISTEN": f"{host}:{port}"}),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *words):
        process = self.start(*words)
        out, err = process.communicate(timeout=30)
        return process.returncode, out, err

    def __call__(self, *words):
        status, out, err = self.run(*words)
        assert (status, err) == (0, ""), f"{words}: {status} {out} {err}"
        return out


class Follower:
    """A `herald admin log --follow` whose lines are read as they come."""

    def __init__(self, shell, *words):
        self.lines = []
        self.process = shell.start("--follow", *words)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=10)
        self._thread.join(timeout=10)
        self.process.stdout.close()
        self.process.stderr.close()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def wait_for(self, text, seconds=10):
        found = eventually(lambda: text in "".join(list(self.lines)), seconds)
        assert found, f"{text} did not come: {''.join(self.lines)}"


@pytest.fixture
def shell(site):
    return Shell(site)


def refuse(core, request_id=None):
    """A request that the log tells of under its id."""
    request_id = request_id or f"asked-{fresh_key()}"
    core.get(f"/internal/v1/otp/{MISSING_ID}", headers={"X-Request-Id": request_id}).expect(404)
    assert eventually(
        lambda: core.get(f"/internal/v1/logs?request_id={request_id}").expect(200)["entries"])
    return request_id


def test_last_entries_fit_the_terminal(shell, core, ready_phone):
    recipient = fresh_number()
    core.create_otp(recipient).expect(201)
    first, second = refuse(core), refuse(core, "a" * 110 + "-x")
    text = shell()
    head, *lines = text.splitlines()
    assert head.split() == ["TIME", "(UTC)", "LEVEL", "MESSAGE"]
    assert max(map(len, text.splitlines())) <= 80, text
    assert masked(recipient) in text and recipient not in text
    assert text.index(first) < text.index("a" * 30), "the newest stands last"
    assert "error=not_found" in text and "operation=getOtp" in text and "at=" not in text
    assert second not in text and second in text.replace("\n" + 25 * " ", "")
    assert any(line.startswith(f"{datetime.now(timezone.utc):%m-%d}") for line in lines)


def test_one_request_is_looked_up(shell, core, phone):
    request_id = refuse(core)
    refuse(core)
    text = shell("--request-id", request_id)
    assert text.count("request refused") == 1 and request_id in text
    assert shell("--request-id", fresh_key()) == "There is no such entry.\n"


def test_filters_and_limits(shell, core, phone):
    ids = [refuse(core) for _ in range(3)]
    shown = shell("--limit", "2", "--q", "request refused")
    assert ids[0] not in shown and ids[1] in shown and ids[2] in shown
    assert "There are older ones: --cursor " in shown
    cursor = shown.split("--cursor ")[1].strip()
    older = shell("--limit", "2", "--q", "request refused", "--cursor", cursor)
    assert ids[0] in older and ids[1] not in older
    assert ids[2] not in shell("--level", "error")
    later = datetime.now(timezone.utc) + timedelta(minutes=5)
    assert shell("--since", f"{later:%Y-%m-%dT%H:%M:%SZ}") == "There is no such entry.\n"


def test_json_is_a_page_of_the_service(shell, core, phone):
    request_id = refuse(core)
    page = json.loads(shell("--json", "--request-id", request_id))
    assert page == core.get(f"/internal/v1/logs?request_id={request_id}").expect(200)
    page = json.loads(shell("--json", "--limit", "1"))
    assert len(page["entries"]) == 1 and page["next_cursor"] == str(page["entries"][0]["id"])


@pytest.mark.parametrize("words, status, says", [
    (("--level", "loud"), REFUSED, "--level"),
    (("--limit", "201"), REFUSED, "--limit"),
    (("--since", "now"), REFUSED, "--since"),
    (("--follow", "--request-id", "x"), WRONG, "--follow goes with --level"),
    (("--follow", "--level", "loud"), REFUSED, "--level"),
    (("today",), WRONG, "herald admin log [--level WORD]"),
    (("--state", "failed"), WRONG, "takes no --state"),
])
def test_what_is_wrong_is_said(shell, words, status, says):
    code, out, err = shell.run(*words)
    assert (code, out) == (status, "") and says in err, err


def test_only_the_log_is_followed(site):
    done = subprocess.run(
        [BINARY, "admin", "orders", "list", "--follow"], cwd=site.home, text=True,
        env=site.environment({}), capture_output=True, timeout=30, check=False)
    assert done.returncode == WRONG and "takes no --follow" in done.stderr


def test_new_entries_are_followed(shell, core, phone):
    before = refuse(core)
    with Follower(shell, "--q", "request refused") as follower:
        follower.wait_for(before)
        after = refuse(core)
        follower.wait_for(after)
        core.create_challenge(fresh_number()).expect(201)
        last = refuse(core)
        follower.wait_for(last)
        text = "".join(follower.lines)
        assert [text.count(row) for row in (before, after, last)] == [1, 1, 1]
        assert "challenge" not in text, "what the filter leaves out does not come"
        assert max(len(line.rstrip("\n")) for line in follower.lines) <= 80


def test_stream_is_resumed_after_a_restart(fresh_site):
    """Nothing is lost and nothing comes twice; the person is told of the gap."""
    fresh_site.port = free_port()
    fresh_site.serve()
    core = fresh_site.core()
    first = refuse(core)
    with Follower(Shell(fresh_site), "--json") as follower:
        follower.wait_for(first)
        second = refuse(core)
        follower.wait_for(second)
        fresh_site.restart()
        third = refuse(fresh_site.core())
        follower.wait_for(third, seconds=20)
        ids = [json.loads(line)["id"] for line in follower.lines]
        assert ids == sorted(set(ids))
        page = fresh_site.core().get("/internal/v1/logs?limit=200").expect(200)
        wanted = [row["id"] for row in page["entries"][::-1] if ids[0] <= row["id"] <= ids[-1]]
        assert ids == wanted
        follower.process.terminate()
        assert "it is asked for again" in follower.process.stderr.read()


def test_follower_of_a_wrong_key_ends(site):
    host, port = site.address
    done = subprocess.run(
        [BINARY, "admin", "log", "--follow"], cwd=site.home, text=True, capture_output=True,
        env=site.environment({"HERALD_LISTEN": f"{host}:{port}", "INTERNAL_API_KEY": "w" * 32}),
        timeout=30, check=False)
    assert done.returncode == REFUSED and "does not take the key" in done.stderr
