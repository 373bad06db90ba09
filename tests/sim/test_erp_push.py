"""The queue algorithm of build/sim/erp (doc B, section 6), before a stand-in for the service."""

import json
import os
import signal
import socket
import time

import pytest

from erp_client import INTEGRATION, PATH, SCOPES, Push, Service, erp, snapshot, wait_until
from erp_rules import faults_of_changes, faults_of_snapshot, read


@pytest.fixture
def service():
    made = Service()
    yield made
    made.close()


@pytest.fixture
def push(service, tmp_path):
    return Push(service, tmp_path)


def bodies(service):
    return [post["body"] for post in service.posts]


# --- Delivery -----------------------------------------------------------------------------------


def test_a_snapshot_is_delivered_and_applied(service, push):
    done = push.run("push snapshot", "--seed", 8, "--products", 30)
    assert done.returncode == 0, done.stderr
    assert service.tokens == [{"grant_type": "client_credentials", "client_id": "client-1",
                               "client_secret": "hs_1", "scope": SCOPES}]
    [post] = service.posts
    body = read(post["body"])
    assert post["path"] == f"{PATH}/catalog-snapshot"
    assert post["key"] == body["event_id"]
    assert post["headers"]["Content-Type"] == "application/json"
    assert post["headers"]["Expect"] is None
    assert body["products"] == read(snapshot("--seed", 8, "--products", 30))["products"]
    assert faults_of_snapshot(post["body"]) == []
    assert push.queued() == [] and list(push.queue.iterdir()) == []
    words = [(row["what"], row.get("outcome")) for row in push.report()]
    assert words == [("token", None), ("post", "accepted"), ("state", "applied")]
    state = push.report("state")[0]
    assert state["server_ms"] == 250 and state["us"] > push.report("post")[0]["us"] > 0
    assert b"202 accepted after" in done.stdout and b"products 3 added" in done.stdout


def test_changes_are_delivered_and_applied(service, push):
    assert push.run("push changes", "--rows", 20, "--packages", 3).returncode == 0
    assert [post["path"] for post in service.posts] == [f"{PATH}/changes"] * 3
    ids = [post["key"] for post in service.posts]
    assert len(set(ids)) == 3 and ids == sorted(ids)
    for body in bodies(service):
        assert faults_of_changes(body) == []
    assert [row["outcome"] for row in push.report("state")] == ["applied"] * 3
    assert len({post["connection"] for post in service.posts}) == 1


def test_the_event_id_is_taken_as_it_is(service, push):
    event_id = "каталог:1/2 %?#"
    assert push.run("push changes", "--event-id", event_id).returncode == 0
    assert list(service.packages) == [event_id]
    # Header fields travel as bytes, which this stand-in reads as Latin-1.
    assert service.posts[0]["key"].encode("latin-1").decode() == event_id


def test_the_environment_stands_in_for_options(service, push):
    environment = dict(os.environ) | {
        "ERP_BASE_URL": service.url, "ERP_INTEGRATION_ID": INTEGRATION,
        "ERP_CLIENT_ID": "from-environment", "ERP_CLIENT_SECRET": "a&b=c +ы",
        "ERP_TOKEN_URL": f"{service.url}/v1/oauth/token"}
    erp("push", "changes", "--queue", push.queue, environment=environment)
    assert service.tokens[0]["client_id"] == "from-environment"
    assert service.tokens[0]["client_secret"] == "a&b=c +ы"


def test_the_secret_is_read_from_a_file(service, push, tmp_path):
    (tmp_path / "secret").write_text("hs_of_a_file\n")
    done = push.run("push changes", client_secret=None, client_secret_file=tmp_path / "secret")
    assert done.returncode == 0
    assert service.tokens[0]["client_secret"] == "hs_of_a_file"


def test_a_package_is_stored_before_it_is_sent(service, push):
    seen = []

    def look(post):
        [body] = push.queue.glob("*.body")
        seen.append((body.read_bytes() == post["body"], push.queued()))

    service.on_post = look
    assert push.run("push changes", "--event-id", "first").returncode == 0
    assert seen == [(True, [{"event_id": "first", "type": "changes", "state": "queued"}])]


# --- Repetition ---------------------------------------------------------------------------------


def test_the_same_body_again_until_it_is_taken(service, push):
    # A kept-alive connection that drops is tried once more over another one at once.
    service.plan = [500, "drop", "drop", 503, (429, {"Retry-After": "0"})]
    assert push.run("push snapshot").returncode == 0
    assert len(service.posts) == 6 and len(set(bodies(service))) == 1
    assert len({post["key"] for post in service.posts}) == 1
    rows = push.report("post")
    assert [row["http_status"] for row in rows] == [500, 0, 503, 429, 202]
    assert [row["attempt"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["wait_ms"] for row in push.report("wait")] == [5, 15, 30, 60]


def test_the_schedule_to_its_end(service, push):
    service.plan = [502] * 8
    assert push.run("push changes", hurry=10000).returncode == 0
    waits = [row["wait_ms"] * 10 for row in push.report("wait")]
    assert waits == [0, 10, 30, 60, 120, 300, 300, 300]


def test_waits_are_really_waited(service, push):
    service.plan = [500, 500]
    assert push.run("push changes", hurry=20).returncode == 0
    first, second, third = (post["at"] for post in service.posts)
    assert 0.25 <= second - first < 2 and 0.75 <= third - second < 3


def test_retry_after_is_honoured(service, push):
    service.plan = [(429, {"Retry-After": "1"})]
    assert push.run("push changes").returncode == 0
    assert service.posts[1]["at"] - service.posts[0]["at"] >= 1
    assert [row["wait_ms"] for row in push.report("wait")] == [1000]


def test_a_shorter_retry_after_does_not_shorten_the_wait(service, push):
    service.plan = [(503, {"Retry-After": "1"})]
    assert push.run("push changes", hurry=2).returncode == 0
    assert [row["wait_ms"] for row in push.report("wait")] == [2500]


def test_a_service_that_is_away(push):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # and nobody listens, nor can anybody else
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        done = push.run("push changes", base_url=url, give_up_s=1)
    assert done.returncode == 3
    assert {row["http_status"] for row in push.report("token")} == {0}
    assert [row["state"] for row in push.queued()] == ["queued"]


@pytest.mark.parametrize("status", [400, 403, 404, 409, 413, 415, 422])
def test_a_refusal_ends_it(service, push, status):
    service.plan = [status]
    done = push.run("push changes", "--packages", 3)
    assert done.returncode == 1
    assert len(service.posts) == 1, "nothing may overtake it"
    [stop] = push.report("stop")
    assert stop["outcome"] == f"not delivered: the service answers {status}"
    assert "as planned" in stop["detail"]
    assert b"STOPPED" in done.stdout
    assert [row["state"] for row in push.queued()] == ["refused", "queued", "queued"]
    assert push.run("push queue").returncode == 0
    assert len(service.posts) == 3, "what was refused is not sent again by itself"


# --- Tokens -------------------------------------------------------------------------------------


def test_wrong_credentials_stop_the_queue(service, push):
    service.token_plan = [401]
    assert push.run("push changes").returncode == 1
    assert service.posts == []
    assert push.report("stop")[0]["outcome"] == "not delivered: the token endpoint answers 401"
    assert [row["state"] for row in push.queued()] == ["queued"]
    assert push.run("push queue").returncode == 0
    assert len(service.packages) == 1


def test_a_token_endpoint_in_trouble_is_asked_again(service, push):
    service.token_plan = [503, "drop"]
    assert push.run("push changes").returncode == 0
    assert len(service.tokens) == 3 and len(service.posts) == 1


def test_a_token_is_renewed_before_it_ends(service, push):
    service.expires_in = 1
    service.plan = [500]
    assert push.run("push changes", hurry=4).returncode == 0
    assert [post["token"] for post in service.posts] == ["Bearer token-1", "Bearer token-2"]


def test_a_token_is_used_as_long_as_it_lives(service, push):
    assert push.run("push changes", "--packages", 20).returncode == 0
    assert len(service.tokens) == 1


def test_a_refused_token_is_renewed_once(service, push):
    service.plan = [401]
    assert push.run("push changes").returncode == 0
    assert [post["token"] for post in service.posts] == ["Bearer token-1", "Bearer token-2"]
    assert len(set(bodies(service))) == 1


def test_a_token_that_stays_refused_stops_the_queue(service, push):
    service.plan = [401, 401]
    assert push.run("push changes").returncode == 1
    assert len(service.posts) == 2
    assert push.report("stop")[0]["outcome"] == "not delivered: the service answers 401"
    assert [row["state"] for row in push.queued()] == ["queued"]


# --- The watch ----------------------------------------------------------------------------------


def test_the_status_is_asked_for_until_applied(service, push):
    service.states = ["accepted", "processing", "retry", "retry", "applied"]
    assert push.run("push changes").returncode == 0
    assert len(service.posts) == 1, "retry is the service's business"
    assert [row["outcome"] for row in push.report("state")] == [
        "accepted", "processing", "retry", "applied"]
    assert "no such pair" in push.report("state")[2]["detail"]


def test_a_failed_package_is_told(service, push):
    service.states = ["accepted", "failed"]
    assert push.run("push changes").returncode == 1
    assert push.report("stop")[0]["outcome"] == "failed: the service answers 200"
    assert "no such pair" in push.report("stop")[0]["detail"]


def test_no_watch_ends_after_delivery(service, push):
    service.states = ["accepted"]
    assert push.run("push snapshot", "--no-watch").returncode == 0
    assert service.gets == []
    assert [row["state"] for row in push.queued()] == ["sent"]
    service.states = ["applied"]
    assert push.run("push queue").returncode == 0
    assert len(service.posts) == 1 and push.queued() == []


def test_it_gives_up_when_told(service, push):
    service.states = ["retry"]
    assert push.run("push changes", give_up_s=1).returncode == 3
    assert [row["state"] for row in push.queued()] == ["sent"]


# --- Life of the queue --------------------------------------------------------------------------


def test_a_killed_program_goes_on_with_the_same_bytes(service, push):
    service.plan = [500]
    process = push.start("push changes", "--packages", 2, hurry=1)
    wait_until(lambda: service.posts)
    process.kill()
    process.wait()
    assert push.run("push queue").returncode == 0
    assert len(service.posts) == 3
    assert service.posts[0]["body"] == service.posts[1]["body"] != service.posts[2]["body"]
    assert push.queued() == []


def test_what_waits_goes_before_what_is_new(service, push):
    service.token_plan = [400]
    assert push.run("push changes", "--event-id", "old").returncode == 1
    assert push.run("push changes", "--event-id", "new").returncode == 0
    assert [post["key"] for post in service.posts] == ["old", "new"]


def test_half_written_files_are_no_packages(service, push):
    push.queue.mkdir()
    (push.queue / "0000000001.body.new").write_text("{")
    (push.queue / "0000000002.body").write_text("{}")
    (push.queue / "0000000003.package").write_text('{"event_id": "x", "ty')
    assert push.run("push changes", "--event-id", "good").returncode == 0
    assert list(service.packages) == ["good"]


def test_a_queue_has_one_program(service, push):
    service.plan = [500]
    process = push.start("push changes", hurry=1)
    wait_until(lambda: service.posts)
    done = push.run("push changes")
    process.terminate()
    assert process.wait(10) == 0
    assert done.returncode == 2 and b"another program" in done.stderr


def test_sigterm_ends_a_wait(service, push):
    service.plan = [500]
    process = push.start("push changes", hurry=1)
    wait_until(lambda: service.posts)
    process.send_signal(signal.SIGTERM)
    assert process.wait(3) == 0
    assert [row["state"] for row in push.queued()] == ["queued"]


# --- Misbehaviour -------------------------------------------------------------------------------


def test_packages_are_repeated_over_many_connections(service, push):
    done = push.run("push changes", "--repeat", 10, "--connections", 10, "--packages", 2)
    assert done.returncode == 0
    assert len(service.posts) == 20 and len(set(bodies(service))) == 2
    assert len({post["connection"] for post in service.posts}) > 1
    outcomes = [row["outcome"] for row in push.report("post")]
    assert (outcomes.count("accepted"), outcomes.count("duplicate")) == (2, 18)
    assert b"20 to send: 2 accepted, 18 duplicate, 0 refused" in done.stdout
    assert push.queued() == []


def test_another_order(service, push):
    assert push.run("push changes", "--packages", 12, "--reorder", 3, "--event-id", "p").returncode == 0
    keys = [post["key"] for post in service.posts]
    in_order = [f"p{i}" for i in range(1, 13)]
    assert sorted(keys) == sorted(in_order) and keys != in_order


def test_bodies_break_off(service, push):
    assert push.run("push snapshot", "--break", 2, "--break-percent", 80).returncode == 0
    wait_until(lambda: len(service.broken) == 2)
    [whole] = bodies(service)
    for path, part in service.broken:
        assert path == f"{PATH}/catalog-snapshot"
        assert whole.startswith(part) and len(part) < len(whole)
    assert [row["http_status"] for row in push.report("post")] == [0, 0, 202]


def test_a_slow_body(service, push):
    started = time.monotonic()
    assert push.run("push changes", "--rows", 10, "--slow", 1500).returncode == 0
    wanted = len(bodies(service)[0]) / 1500
    assert wanted * 0.9 < time.monotonic() - started < wanted + 3


def test_a_wrong_key(service, push):
    push.run("push changes", "--event-id", "right", "--wrong-key")
    assert service.posts[0]["key"] == "not-right"


def test_wrong_bodies_are_sent_as_they_are(service, push):
    service.plan = [422]
    assert push.run("push changes", "--fault", "negative-price").returncode == 1
    [fault] = faults_of_changes(bodies(service)[0])
    assert "too small" in fault


def test_refusals_do_not_stop_the_misbehaving(service, push):
    service.plan = [422] * 5
    done = push.run("push changes", "--fault", "text-price", "--repeat", 5)
    assert done.returncode == 1
    assert b"5 to send: 0 accepted, 0 duplicate, 5 refused" in done.stdout


# --- The loop -----------------------------------------------------------------------------------


def test_run_sends_a_snapshot_then_changes(service, push):
    service.states = ["accepted", "accepted", "accepted", "applied"]
    process = push.start("run", "--products", 20, "--rows", 6, "--every-s", 1)
    wait_until(lambda: len(service.posts) >= 3)
    process.terminate()
    assert process.wait(10) == 0
    assert [post["path"].rpartition("/")[2] for post in service.posts[:3]] == [
        "catalog-snapshot", "changes", "changes"]
    applied = next(get for i, get in enumerate(service.gets) if i == 3)
    assert service.posts[1]["at"] > applied["at"], "changes wait for the snapshot to be applied"
    pairs = {(product["id"], variant["id"]) for product in json.loads(bodies(service)[0])["products"]
             for variant in product["variants"]}
    for body in bodies(service)[1:3]:
        rows = read(body)["prices"] + read(body)["stocks"]
        assert {(row["product_id"], row["variant_id"]) for row in rows} <= pairs
    assert bodies(service)[1] != bodies(service)[2]


def test_run_sends_a_snapshot_now_and_then(service, push):
    process = push.start("run", "--products", 200, "--every-s", 1, "--snapshot-every-s", 1,
                         "--change-share", 0.5)
    wait_until(lambda: len(service.posts) >= 2)
    process.terminate()
    assert process.wait(10) == 0
    first, second = (read(body) for body in bodies(service)[:2])
    assert first["event_id"] != second["event_id"]
    assert first["products"] != second["products"]


def test_changes_follow_the_applied_snapshot_of_the_queue(service, push):
    service.token_plan = [400, 400]
    assert push.run("push snapshot").returncode == 1
    service.states = ["accepted"] * 5 + ["applied"]
    service.token_plan = []
    assert push.run("push changes").returncode == 0
    snapshot_post, changes_post = service.posts
    assert snapshot_post["path"].endswith("catalog-snapshot")
    assert changes_post["at"] > service.gets[5]["at"]
