"""Many at one moment: what holds however requests interleave.

Contract, section 2, rules 2, 4, 7, 12.
"""

import collections
import threading
import time

import pytest

from harness.actors import read_code, wrong_code
from harness.logs import LogReader
from harness.tools import Moment, at_once, fresh_key, fresh_number, fresh_numbers


def all_at_once(core, count, act):
    """act(index) from that many connections, which are open before the first request leaves."""
    gate = threading.Barrier(count)

    def run(index):
        core.connect()
        gate.wait(timeout=60)
        try:
            return act(index)
        finally:
            core.close()

    return at_once(count, run)


def statuses(replies):
    return collections.Counter((reply.status, reply.code) for reply in replies)


@pytest.fixture(scope="module")
def cores(deployment, site):
    """Those who are asked: one process, and on PostgreSQL also two api processes in turn."""
    if deployment == "serve":
        return [site.core()]
    site.stop()
    return [site.core(process) for process in site.start_cluster()]


def one_phone(site, core, count=1):
    phone = site.phone(core, count)
    phone.be_ready()
    return phone


@pytest.fixture
def phone(site, cores):
    """A ready phone; at the end it is disabled, and no code that is still open finds another."""
    registered = one_phone(site, cores[0])
    yield registered
    for otp_id in [row for core in cores for row in core.otp_ids]:
        cores[0].cancel_otp(otp_id)
    for core in cores:
        core.otp_ids.clear()
    cores[0].enable(registered.device_id, False).expect(204)


def turn(cores, index):
    return cores[index % len(cores)]


def test_100_wrong_codes_spend_exactly_5_attempts(cores, phone):
    core = cores[0]
    otp = core.create_otp(fresh_number()).expect(201)
    guess = wrong_code(read_code(phone.claim_task()))
    replies = all_at_once(core, 100, lambda n: turn(cores, n).verify(otp["id"], guess))
    assert statuses(replies) == {(422, "code_mismatch"): 5, (409, "attempts_exhausted"): 95}
    left = sorted(row.error["attempts_left"] for row in replies if row.status == 422)
    assert left == [0, 1, 2, 3, 4]
    read = core.otp(otp["id"]).expect(200)
    assert (read["state"], read["attempts_left"]) == ("exhausted", 0)


def test_50_right_codes_confirm_once(cores, phone):
    core = cores[0]
    otp = core.create_otp(fresh_number()).expect(201)
    code = read_code(phone.claim_task())
    replies = all_at_once(core, 50, lambda n: turn(cores, n).verify(otp["id"], code))
    assert statuses(replies) == {(200, None): 1, (409, "already_confirmed"): 49}


def test_50_creates_for_one_number_make_one_otp(cores, phone):
    core, recipient = cores[0], fresh_number()
    replies = all_at_once(core, 50, lambda n: turn(cores, n).create_otp(recipient))
    assert statuses(replies) == {(201, None): 1, (409, "active_challenge_exists"): 49}
    winner = next(reply.json["id"] for reply in replies if reply.status == 201)
    losers = {row.error["challenge_id"] for row in replies if row.status == 409}
    assert losers == {winner}


def test_calls_and_codes_race_for_one_number(cores, phone):
    core, person = cores[0], fresh_number()

    def create(index):
        asked = turn(cores, index)
        return asked.create_otp(person) if index % 2 else asked.create_challenge(person)

    replies = all_at_once(core, 50, create)
    assert statuses(replies) == {(201, None): 1, (409, "active_challenge_exists"): 49}


def test_50_creates_with_one_key_make_one_resource(cores, phone):
    core, recipient, key = cores[0], fresh_number(), fresh_key()
    replies = all_at_once(core, 50, lambda n: turn(cores, n).create_otp(recipient, key))
    assert statuses(replies) == {(201, None): 50}
    assert len({reply.json["id"] for reply in replies}) == 1
    assert sum(reply.replayed for reply in replies) == 49
    assert len({reply.body for reply in replies}) == 1


def test_one_key_with_many_bodies_makes_one_resource(cores, phone):
    core, key = cores[0], fresh_key()
    callers = fresh_numbers(50)
    replies = all_at_once(core, 50, lambda n: turn(cores, n).create_challenge(callers[n], key))
    assert statuses(replies) == {(201, None): 1, (409, "idempotency_conflict"): 49}


def test_one_number_is_registered_once(cores, phone):
    number = fresh_number()
    replies = all_at_once(cores[0], 30, lambda n: turn(cores, n).register(f"P{n}", [number]))
    assert statuses(replies) == {(201, None): 1, (409, "number_taken"): 29}
    cores[0].enable(next(
        row.json["device_id"] for row in replies if row.status == 201), False).expect(204)


def test_numbers_in_opposite_orders_lock_nobody_out(cores, phone):
    numbers = fresh_numbers(8)
    replies = all_at_once(
        cores[0], 20, lambda n: turn(cores, n).register("P", numbers[::-1] if n % 2 else numbers))
    assert statuses(replies) == {(201, None): 1, (409, "number_taken"): 19}
    cores[0].enable(next(
        row.json["device_id"] for row in replies if row.status == 201), False).expect(204)


def test_one_event_reported_30_times_is_applied_once(cores, phone):
    caller, event_id = fresh_number(), fresh_key()
    challenge = cores[0].create_challenge(caller, gateway_number=phone.number).expect(201)
    phones = [phone.at(core.address) for core in cores]
    replies = all_at_once(
        phones[0], 30, lambda n: turn(phones, n).event(caller, event_id=event_id))
    assert statuses(replies) == {(200, None): 30}
    assert {reply.json["result"] for reply in replies} == {"confirmed"}
    assert {reply.json["challenge_id"] for reply in replies} == {challenge["id"]}
    assert sum(not reply.json["duplicate"] for reply in replies) == 1


def test_confirmation_and_cancel_race_to_one_end(cores, phone):
    core = cores[0]
    for _ in range(5):
        otp = core.create_otp(fresh_number()).expect(201)
        task = phone.claim_task()
        code = read_code(task)
        phone.result(task, "sent").expect(204)
        verified, canceled = all_at_once(core, 2, lambda n: turn(cores, n).verify(
            otp["id"], code) if n else turn(cores, n).cancel_otp(otp["id"]))[::-1]
        state = core.otp(otp["id"]).expect(200)["state"]
        ends = (state, verified.status, canceled.status)
        assert ends in (("confirmed", 200, 409), ("canceled", 409, 204))


def test_parallel_claims_of_one_number_get_one_lease(cores, phone):
    for recipient in fresh_numbers(2):
        cores[0].create_otp(recipient).expect(201)
    phones = [phone.at(core.address) for core in cores]
    replies = all_at_once(phones[0], 20, lambda n: turn(phones, n).claim())
    tasks = [reply.expect(200)["task"] for reply in replies]
    assert {task["lease_id"] for task in tasks if task} == {tasks[0]["lease_id"]}


class Holders:
    """Who holds which task; a task with two holders is what must never happen."""

    def __init__(self):
        self._lock = threading.Lock()
        self._holding = {}
        self.sent = collections.Counter()
        self.faults = []

    def take(self, recipient, number):
        with self._lock:
            holder = self._holding.setdefault(recipient, number)
            if holder != number:
                self.faults.append(f"{recipient} is held by {holder} and {number}")

    def give_back(self, recipient, is_sent):
        with self._lock:
            self._holding.pop(recipient, None)
            self.sent[recipient] += is_sent


def work_off(phone, holders, is_done, fails):
    """A phone at its work: the first `fails` tasks fail, the others are sent."""
    while not is_done():
        task = phone.claim().expect(200)["task"]
        if task is None:
            time.sleep(0.01)
            continue
        holders.take(task["recipient"], phone.number)
        is_sent = fails <= 0
        fails -= 1
        holders.give_back(task["recipient"], is_sent)
        phone.result(task, "sent" if is_sent else "failed").expect(204)
    phone.close()


def test_16_phones_never_hold_one_task_twice(site, cores):
    """Some sends fail at first, so that tasks wander from number to number meanwhile."""
    core, holders = cores[0], Holders()
    phones = [one_phone(site, core).at(turn(cores, n).address) for n in range(16)]
    made = [turn(cores, n).create_otp(row).expect(201) for n, row in enumerate(fresh_numbers(96))]
    deadline = time.monotonic() + 60

    def is_done():
        return sum(holders.sent.values()) >= len(made) or time.monotonic() > deadline

    at_once(16, lambda n: work_off(phones[n], holders, is_done, fails=n % 2))
    assert holders.faults == []
    assert holders.sent == {otp["recipient"]: 1 for otp in made}
    states = {core.otp(otp["id"]).expect(200)["state"] for otp in made}
    assert states == {"sent"}
    for phone in phones:
        core.enable(phone.device_id, False).expect(204)


class Carried:
    """A SIM that goes from one phone to the next, and who has lost it while sending."""

    def __init__(self, core, phones, number):
        self.core, self.phones, self.number = core, phones, number
        self.moves = 0
        self.strayed = 0  # tasks that were sent by a phone which had lost the SIM meanwhile

    def carry(self, is_done):
        """Ends with the SIM in some phone."""
        while not is_done():
            giver, taker = (self.phones[(self.moves + step) % len(self.phones)] for step in (0, 1))
            self.core.change_device(giver.device_id, "giver", [giver.number]).expect(200)
            self.core.change_device(taker.device_id, "taker", [taker.number, self.number]).expect(200)
            self.moves += 1
            time.sleep(0.02)

    def send_slowly(self, is_done):
        """As an SMS takes its time; the first one takes as long as a whole move, however slow that is."""
        moves = self.moves
        time.sleep(0.05)
        while not self.strayed and self.moves < moves + 2 and not is_done():
            time.sleep(0.005)
        self.strayed += self.moves >= moves + 2


def order_codes(core, recipients, number, made):
    """Codes over that number, or over any while it is in no phone or not ready."""
    for recipient in recipients:
        reply = core.create_otp(recipient, gateway_number=number)
        if reply.status in (404, 503):
            reply = core.create_otp(recipient)
        made.append(reply.expect(201)["id"])


def send_by_both(phone, carried, sent, is_done):
    """A phone sends by its own SIM and, while it has that, by the one that moves."""
    while not is_done():
        for sim in (carried.number, phone.number):
            reply = phone.claim(sim)
            if sim == carried.number and reply.status == 403:
                continue
            if task := reply.expect(200)["task"]:
                sent.append(task["recipient"])
                if sim == carried.number:
                    carried.send_slowly(is_done)
                phone.result(task, "sent").expect(204)
        time.sleep(0.01)
    phone.close()


def test_a_sim_that_moves_under_load_loses_no_task_and_none_is_sent_twice(site, cores):
    """What a phone has claimed stays with it, whoever gets the SIM: contract, section 11.1."""
    phones = [one_phone(site, cores[0]).at(turn(cores, n).address) for n in range(3)]
    carried, sent, made = Carried(cores[0], phones, fresh_number()), [], []
    recipients = [fresh_numbers(30), fresh_numbers(30)]
    deadline = time.monotonic() + 60  # before any lease ends

    def is_done():
        return len(sent) >= 60 or time.monotonic() > deadline

    def act(index):
        if index == 0:
            carried.carry(is_done)
        elif index <= 2:
            order_codes(turn(cores, index), recipients[index - 1], carried.number, made)
        else:
            send_by_both(phones[index - 3], carried, sent, is_done)

    at_once(6, act)
    assert collections.Counter(sent) == {row: 1 for rows in recipients for row in rows}
    assert carried.strayed > 0, "no SIM was moved while its phone sent"
    core = cores[0]
    assert {core.otp(otp_id).expect(200)["state"] for otp_id in made} == {"sent"}
    for phone in phones:
        assert phone.claim().expect(200)["task"] is None
        core.enable(phone.device_id, False).expect(204)


def test_a_failed_sms_and_a_cancel_at_one_moment(cores, phone):
    """Whoever is first: a code that is canceled is sent no more, and its SIM is not held up."""
    for number in fresh_numbers(40):
        otp_id = turn(cores, 0).create_otp(number).expect(201)["id"]
        task = phone.claim().expect(200)["task"]
        acts = (lambda task=task: phone.result(task, "failed", error="no network"),
                lambda otp_id=otp_id: cores[0].cancel_otp(otp_id))
        reported, canceled = at_once(2, lambda index, acts=acts: acts[index]())
        assert reported.status in (204, 409) and canceled.status == 204, (reported, canceled)
        assert phone.claim().expect(200)["task"] is None


def test_a_repeated_claim_and_a_cancel_at_one_moment(cores, phone):
    """The same task with the same lease, or none."""
    for number in fresh_numbers(40):
        otp_id = turn(cores, 0).create_otp(number).expect(201)["id"]
        task = phone.claim().expect(200)["task"]
        acts = (phone.claim, phone.claim, lambda otp_id=otp_id: cores[0].cancel_otp(otp_id))
        claims = at_once(3, lambda index, acts=acts: acts[index]())[:2]
        assert all(claim.expect(200)["task"] in (task, None) for claim in claims)
        assert phone.claim().expect(200)["task"] is None


def read_in_pieces(addresses, key, is_done):
    """A reader that breaks off every few entries and resumes at another process; its ids."""
    ids, last = [], 0
    for turn_index in range(10_000):
        reader = LogReader(addresses[turn_index % len(addresses)], key, last_event_id=last)
        reader.wait_for_count(7 + turn_index % 5, seconds=Moment(1))
        reader.close()
        ids += reader.ids
        last = ids[-1] if ids else 0
        if is_done() and not reader.ids:
            return ids
    raise AssertionError("the stream never came to rest")


def test_8_writers_and_a_reader_who_reconnects(site, cores, phone):
    """No gap, no repeat: every acknowledged request is found, in the order of a single reading."""
    request_ids = [[f"writer-{n}-{fresh_key()}" for _ in range(25)] for n in range(8)]
    writers_done, pieces = threading.Event(), []

    def write(index):
        for number, request_id in enumerate(request_ids[index]):
            headers = {"Idempotency-Key": fresh_key(), "X-Request-Id": request_id}
            body = {"caller": fresh_number()}
            turn(cores, index + number).post(
                "/internal/v1/challenges", body, headers=headers).expect(201)

    def read():
        addresses = [core.address for core in cores]
        pieces.extend(read_in_pieces(addresses, site.internal_key, writers_done.is_set))

    reader_thread = threading.Thread(target=read, daemon=True)
    reader_thread.start()
    at_once(8, write)
    writers_done.set()
    reader_thread.join(timeout=60)
    assert not reader_thread.is_alive()

    with LogReader(cores[0].address, site.internal_key, last_event_id=0) as whole:
        whole.wait_until_quiet()
        assert pieces == sorted(set(pieces))
        assert pieces == whole.ids[:len(pieces)]
        text = whole.text
    assert all(request_id in text for row in request_ids for request_id in row)
