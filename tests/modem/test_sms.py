"""SMS by a modem: sent, delivered, refused, and what nobody knows (contract, section 15.4)."""

import http.server
import json
import re
import resource
import threading
import time
import uuid

import pytest

from harness.tools import eventually, fresh_number


def code_of(sms):
    return re.search(r"\d{6}", sms["text"])[0]


def test_a_code_goes_out_and_is_verified(stage):
    recipient = fresh_number()
    otp = stage.core.create_otp(recipient).expect(201)
    stage.core.wait_for_send(otp, "delivered")
    (sms,) = stage.modems.sms(recipient=recipient)
    assert sms["parts"] == "1"
    assert stage.core.verify(otp["id"], code_of(sms)).expect(200)["state"] == "confirmed"


def test_nothing_is_left_at_the_modem(stage):
    """Sent SMS and delivery reports would fill the SIM."""
    otp = stage.core.create_otp(fresh_number()).expect(201)
    stage.core.wait_for_send(otp, "delivered")
    (modem,) = stage.manager.modems()
    assert eventually(lambda: not stage.manager.sms(modem), 10)


def test_without_a_delivery_report_it_stays_sent(stage):
    stage.modems.order("reports 0 never")
    otp = stage.core.create_otp(fresh_number()).expect(201)
    stage.core.wait_for_send(otp, "sent")


@pytest.mark.parametrize("word", ["trying", "failed"])
def test_a_report_of_no_delivery_leaves_it_sent(stage, word):
    """A failure behind `sent` would contradict it (contract, section 2, rule 7)."""
    stage.modems.order(f"reports 0 {word}")
    otp = stage.core.create_otp(fresh_number()).expect(201)
    stage.core.wait_for_send(otp, "sent")
    if word == "failed":
        stage.agent.wait_for_log("could not deliver")
    assert stage.send_state(otp) == "sent"


@pytest.mark.parametrize("code", [38, 322])
def test_what_the_modem_refuses_is_sent_again(stage, code):
    """A refusal is a sure no, so another SMS is no second one. 322 is a full SIM."""
    recipient = fresh_number()
    stage.modems.order(f"next 0 refuse 1 {code}")
    otp = stage.core.create_otp(recipient).expect(201)
    record = stage.core.wait_for_send(otp, "delivered")
    assert [send["state"] for send in record["sends"]] == ["failed", "delivered"]
    assert len(stage.modems.sms(recipient=recipient)) == 1


def test_an_unassigned_number_is_given_up(stage):
    stage.modems.order("next 0 refuse 1 1")
    otp = stage.core.create_otp(fresh_number()).expect(201)
    record = stage.core.wait_for_send(otp, "failed")
    assert len(record["sends"]) == 1 and record["state"] == "undelivered"


@pytest.mark.parametrize("deed, count", [("drop-before", 0), ("drop-after", 1)])
def test_unplugged_between_send_and_its_answer(stage, deed, count):
    """Nobody knows whether it went out, so it is unknown, and never sent again."""
    recipient = fresh_number()
    stage.modems.order(f"next 0 {deed}")
    otp = stage.core.create_otp(recipient).expect(201)
    stage.core.wait_for_send(otp, "unknown")
    stage.wait_until_gone(stage.numbers[0])
    stage.modems.order("plug 0")
    stage.plug()
    stage.wait_until_ready()
    other = stage.core.create_otp(fresh_number(), gateway_number=stage.numbers[0]).expect(201)
    stage.core.wait_for_send(other, "delivered")
    assert len(stage.modems.sms(recipient=recipient)) == count
    assert len(stage.core.otp(otp["id"]).expect(200)["sends"]) == 1


def test_killed_while_it_sends(stage):
    """The journal has the task, so the next process tells it as unknown and sends it no more."""
    recipient = fresh_number()
    stage.modems.order("slow 0 3000")
    otp = stage.core.create_otp(recipient).expect(201)
    assert eventually(lambda: stage.modems.sms(recipient=recipient))
    stage.agent.kill()
    stage.agent.start()
    stage.core.wait_for_send(otp, "unknown")
    assert len(stage.modems.sms(recipient=recipient)) == 1


def test_modem_manager_is_killed_while_it_sends(stage):
    recipient = fresh_number()
    stage.modems.order("slow 0 3000")
    otp = stage.core.create_otp(recipient).expect(201)
    assert eventually(lambda: stage.modems.sms(recipient=recipient))
    stage.manager.kill()
    stage.core.wait_for_send(otp, "unknown")
    stage.wait_until_gone(stage.numbers[0])
    stage.modems.order("slow 0 0")
    stage.manager.start()
    stage.plug()
    stage.wait_until_ready()
    other = stage.core.create_otp(fresh_number(), gateway_number=stage.numbers[0]).expect(201)
    stage.core.wait_for_send(other, "delivered")
    assert len(stage.modems.sms(recipient=recipient)) == 1


def test_a_result_waits_for_herald(stage):
    """It waits in the journal, also across a restart of herald-modem."""
    recipient = fresh_number()
    stage.modems.order("slow 0 1500")
    otp = stage.core.create_otp(recipient).expect(201)
    assert eventually(lambda: stage.modems.sms(recipient=recipient))
    with stage.herald_away():
        assert eventually(lambda: any(" delivered " in line for line in stage.agent.journal()))
        stage.agent.kill()
        stage.agent.start()
        stage.agent.wait_for_log("herald does not answer")
    stage.core.wait_for_send(otp, "delivered", within=60)
    assert len(stage.modems.sms(recipient=recipient)) == 1


def test_a_text_in_parts_that_is_refused_is_unknown(stage):
    """Some parts may have gone out. A code with the mark of an application takes two."""
    recipient = fresh_number()
    stage.modems.order("next 0 refuse")
    otp = stage.core.create_otp(recipient, app_hash="A" * 11,
                                origin=f"{'a' * 50}.example").expect(201)
    stage.core.wait_for_send(otp, "unknown")


def test_a_text_in_parts_arrives_whole(stage):
    recipient = fresh_number()
    otp = stage.core.create_otp(recipient, app_hash="A" * 11).expect(201)
    stage.core.wait_for_send(otp, "delivered")
    (sms,) = stage.modems.sms(recipient=recipient)
    assert "A" * 11 in sms["text"]


def test_a_refused_key_is_told(stage):
    stage.core.rotate_key(stage.phones[0].device_id).expect(200)
    stage.agent.wait_for_log("refuses the device key")


def test_a_disk_that_takes_nothing(stage):
    """What cannot be noted is not sent."""
    recipient = fresh_number()
    limit = len((stage.agent.state / "journal").read_bytes())
    resource.prlimit(stage.agent.pid, resource.RLIMIT_FSIZE, (limit, limit))
    otp = stage.core.create_otp(recipient).expect(201)
    record = stage.core.wait_for_send(otp, "failed")
    assert record["sends"][-1]["error"] == "the journal cannot be written"
    assert not stage.modems.sms(recipient=recipient)


def test_a_disabled_phone_is_told(stage):
    stage.core.enable(stage.phones[0].device_id, False).expect(204)
    stage.agent.wait_for_log("herald gives this SIM no SMS")
    assert stage.agent.is_running


class Forgetful(http.server.ThreadingHTTPServer):
    """A herald that gives one SMS again and again, and is slow to take its result."""

    def __init__(self, number, recipient):
        super().__init__(("127.0.0.1", 0), Forgetful.Handler)
        self.task = {"id": str(uuid.uuid4()), "lease_id": str(uuid.uuid4()), "gateway_number": number,
                     "recipient": recipient, "text": "1234", "attempt": 1,
                     "lease_expires_at": "2099-01-01T00:00:00.000Z"}
        self.claims = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            is_claim = self.path.endswith("/claim")
            self.server.claims += is_claim
            if self.path.endswith("/result"):
                time.sleep(3)
            body = json.dumps({"task": self.server.task} if is_claim else {}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass


def test_a_task_that_is_given_again_is_claimed_at_leisure(new_stage):
    stage = new_stage()
    recipient = fresh_number()
    with Forgetful(stage.numbers[0], recipient) as herald:
        rows = [row for row in stage.lines() if not row.startswith("HERALD_URL")]
        stage.agent.configure([f"HERALD_URL=http://127.0.0.1:{herald.server_port}", *rows])
        stage.plug()
        stage.agent.start()
        assert eventually(lambda: stage.modems.sms(recipient=recipient), 20), stage.agent.log()
        before = herald.claims
        time.sleep(3)
        assert herald.claims - before <= 5, "it asks without a pause"
        assert len(stage.modems.sms(recipient=recipient)) == 1
        herald.shutdown()
