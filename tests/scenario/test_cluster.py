"""Several api and worker processes on one PostgreSQL.

Contract, section 7; doc A: the log is shared.
"""

import pytest

from harness.actors import read_code, wrong_code
from harness.shapes import HEALTH
from harness.tools import eventually, fresh_key, fresh_number, masked

pytestmark = pytest.mark.only("postgres")


@pytest.fixture
def cluster(fresh_site):
    """Two api processes, in front of two workers."""
    return fresh_site.start_cluster()


def test_a_dialogue_over_two_processes(fresh_site, cluster):
    first, second = (fresh_site.core(process) for process in cluster)
    phone = fresh_site.phone(first)
    elsewhere = phone.at(second.address)
    phone.be_ready()
    recipient = fresh_number()
    otp = eventually_created(second, recipient)
    task = elsewhere.claim_task()
    assert task["recipient"] == recipient
    assert phone.claim().expect(200)["task"] == task
    phone.result(task, "sent").expect(204)
    first.verify(otp["id"], wrong_code(read_code(task))).expect(422, "code_mismatch")
    refused = second.verify(otp["id"], wrong_code(read_code(task)))
    refused.expect(422, "code_mismatch")
    assert refused.error["attempts_left"] == 3
    first.verify(otp["id"], read_code(task)).expect(200)
    assert second.otp(otp["id"]).expect(200)["state"] == "confirmed"


def eventually_created(core, recipient):
    """Readiness that was declared at another process is known here after a moment."""
    reply = eventually(lambda: _created(core, recipient), seconds=10)
    assert reply, "readiness declared at one api is not seen by the other within 10 s"
    return reply


def _created(core, recipient):
    reply = core.create_otp(recipient)
    if reply.status == 503:
        return None
    return reply.expect(201)


def test_keys_rotated_and_phones_disabled_at_one_process_hold_at_the_other(fresh_site, cluster):
    first, second = (fresh_site.core(process) for process in cluster)
    phone = fresh_site.phone(first)
    elsewhere = phone.at(second.address)
    elsewhere.ping().expect(200)
    new_key = first.rotate_key(phone.device_id).expect(200)["device_key"]
    assert eventually(lambda: elsewhere.ping().status == 401, seconds=10)
    elsewhere.headers["X-Device-Key"] = new_key
    elsewhere.ping().expect(200)
    first.enable(phone.device_id, False).expect(204)
    assert eventually(lambda: elsewhere.claim().status == 403, seconds=10)


def test_keys_of_requests_are_shared(fresh_site, cluster):
    first, second = (fresh_site.core(process) for process in cluster)
    fresh_site.phone(first)
    caller, key = fresh_number(), fresh_key()
    made = first.create_challenge(caller, key).expect(201)
    repeat = second.create_challenge(caller, key)
    assert repeat.expect(201) == made
    assert repeat.replayed


def test_log_of_one_process_is_read_at_the_other(fresh_site, cluster):
    first, second = (fresh_site.core(process) for process in cluster)
    fresh_site.phone(first)
    with fresh_site.log_reader(cluster[1]) as reader:
        caller = fresh_number()
        first.create_challenge(caller).expect(201)
        assert reader.wait_for_text(masked(caller), seconds=10)


def test_one_api_is_killed_and_the_other_carries_on(fresh_site, cluster):
    first, second = (fresh_site.core(process) for process in cluster)
    phone = fresh_site.phone(first)
    caller = fresh_number()
    challenge = first.create_challenge(caller).expect(201)
    cluster[0].kill()
    assert phone.at(second.address).event(caller).expect(200)["result"] == "confirmed"
    assert second.challenge(challenge["id"]).expect(200)["state"] == "confirmed"
    fresh_site.processes.remove(cluster[0])


def test_api_without_a_worker_is_not_ready(fresh_site):
    fresh_site.migrate()
    api = fresh_site.start("api")
    api.wait_until_ready("/health/live")
    core = fresh_site.core(api)
    record = core.get("/health/ready").expect(503)
    assert record["ok"] is False
    assert set(record) == {*HEALTH, "error"}
    assert record["error"]
    fresh_site.start("worker")
    api.wait_until_ready()
