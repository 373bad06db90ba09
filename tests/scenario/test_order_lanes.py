"""Contract section 6: up to four deliveries at once per integration, fair between integrations; a
circuit per integration, probed by GET /svc/v1/health; nobody else is slowed; no storm afterwards.
"""

import statistics
import threading
import time

import pytest

from harness.orders import (
    AT_ONCE, FAILURES_IN_A_ROW, HEALTHY, NEVER, ORDER_SETTINGS, PROBE_S, RawErp, Shop, accept_all,
    expect_nothing_more, http_answer, refuse_all,
)
from harness.tools import PATIENCE_S, eventually, lasted_at_most

SETTINGS = ORDER_SETTINGS
CLOCK = True
HANGING = 130     # integrations whose ERP takes a call and says nothing
TIMEOUT_S = 60    # as long as a call may hang: a gate opens before
HELD_S = PATIENCE_S
MINUTES_5_S = 300


def slow(seconds):
    return lambda *_: (time.sleep(seconds), accept_all(*_))[1]


def wait_for_all(shop, ids, within=20.0):
    assert eventually(lambda: not shop.listed(state="queued")[0]
                      and not shop.listed(state="delivering")[0], within), f"{shop.listed()}"
    for order_id in ids:
        assert shop.read(order_id)["state"] == "accepted"


def keys_of(erp):
    """The orders of all requests, in the order in which they came."""
    return [head.lower().split(b"idempotency-key: ")[1].split(b"\r\n")[0].decode()
            for head, _ in list(erp.requests)]


# --- how many at once


def hold(erp):
    """Calls hang until the gate that this returns is opened."""
    gate = threading.Event()
    erp.answer = lambda *_: (gate.wait(HELD_S), accept_all(*_))[1]
    return gate


def expect_held(erp, count):
    """So many calls hang, and no more come."""
    assert eventually(lambda: erp.in_flight >= count, pause=0.005), f"{erp.in_flight} calls"
    expect_nothing_more(lambda: len(erp.requests))
    assert erp.in_flight == count


def test_four_at_once_and_no_more(shop, erp):
    gate = hold(erp)
    ids = [shop.placed() for _ in range(16)]
    expect_held(erp, AT_ONCE)
    gate.set()
    wait_for_all(shop, ids)
    assert erp.in_flight_max == AT_ONCE
    assert sorted(keys_of(erp)) == sorted(ids)


def test_as_many_for_each_integration(site, erp):
    gate = hold(erp)
    shops = [Shop(site, erp) for _ in range(5)]
    ids = [[shop.placed() for _ in range(AT_ONCE + 1)] for shop in shops]
    expect_held(erp, 5 * AT_ONCE)
    gate.set()
    for shop, of_shop in zip(shops, ids, strict=True):
        wait_for_all(shop, of_shop)
    assert sorted(keys_of(erp)) == sorted(order_id for of_shop in ids for order_id in of_shop)


def test_orders_go_out_in_the_order_in_which_they_came(shop, erp):
    erp.answer = slow(0.05)
    ids = [shop.placed() for _ in range(20)]
    wait_for_all(shop, ids)
    for index, key in enumerate(keys_of(erp)):
        assert abs(index - ids.index(key)) < 2 * AT_ONCE, "somebody waited for long"


def test_full_queue_of_one_is_no_wait_for_another(site, erp):
    """Fair between integrations: who has one order does not stand behind who has many."""
    gate = threading.Event()
    erp.answer = lambda head, body: (
        gate.wait(HELD_S) if b"busy" in body else None, accept_all(head, body))[1]
    busy, idle = Shop(site, erp), Shop(site, erp)
    ids = [busy.placed(comment="busy") for _ in range(40)]
    assert idle.delivered()["attempts"] == 1
    assert len(busy.listed(state="queued")[0]) == len(ids) - AT_ONCE
    gate.set()
    wait_for_all(busy, ids)


@pytest.mark.only("postgres")
def test_several_workers_keep_to_four_at_once(fresh_site, erp):
    """An integration's orders are delivered by one of them, whichever process took them."""
    fresh_site.settings |= ORDER_SETTINGS
    apis = fresh_site.start_cluster(apis=2, workers=3)
    gate = hold(erp)
    shop = Shop(fresh_site, erp)
    ids = []
    for index in range(24):
        shop.move_to(fresh_site, apis[index % 2])
        ids.append(shop.placed())
    expect_held(erp, AT_ONCE)
    gate.set()
    wait_for_all(shop, ids)
    assert erp.in_flight_max == AT_ONCE and sorted(keys_of(erp)) == sorted(ids)


def test_hanging_erps_slow_nobody_down(site, erp):
    """However many there are: together they may want more calls than herald makes at once."""
    shop = Shop(site, erp)
    usual = [measure(shop) for _ in range(30)]
    gate = threading.Event()
    with RawErp(lambda *_: (gate.wait(HELD_S), b"")[1]) as hanging:
        shops = [Shop(site, hanging, timeout_seconds=TIMEOUT_S) for _ in range(HANGING)]
        for one in shops:
            for _ in range(AT_ONCE + 1):
                one.placed()
        assert eventually(lambda: hanging.in_flight >= 2 * HANGING, pause=0.02), (
            f"only {hanging.in_flight} calls hang")
        beside = [measure(shop) for _ in range(30)]
        assert hanging.in_flight >= 2 * HANGING, "they were to hang meanwhile"
        for one in shops:
            one.close()
        gate.set()
    lasted_at_most(statistics.median(beside), 3 * statistics.median(usual) + 0.05)
    lasted_at_most(max(beside), 3 * max(usual) + 0.25)


def measure(shop):
    """Seconds from the request that places an order to the first attempt."""
    seen, began = len(shop.erp.times), time.monotonic()
    shop.placed()
    assert eventually(lambda: len(shop.erp.times) > seen, pause=0.001)
    return shop.erp.times[seen] - began


# --- the circuit


def open_circuit(shop, erp):
    """Orders until nothing of this integration is sent any more; returns their ids."""
    erp.answer, erp.health = refuse_all, refuse_all(None, None)
    ids = [shop.placed() for _ in range(FAILURES_IN_A_ROW + 1)]
    assert eventually(lambda: len(erp.requests) >= FAILURES_IN_A_ROW, 10, 0.02)
    assert eventually(lambda: not shop.listed(state="delivering")[0], 5, 0.02)
    assert len(erp.requests) < FAILURES_IN_A_ROW + AT_ONCE
    return ids


def test_five_failures_open_the_circuit(shop, erp):
    """Then only health is asked, each 30 seconds, and nobody is called by hand either."""
    ids = open_circuit(shop, erp)
    seen = len(erp.requests)
    shop.pass_time(10)
    shop.retry(ids[0]).expect(204)
    later = shop.placed()
    expect_nothing_more(lambda: len(erp.requests))
    probes = len(erp.probes)
    for number in range(1, 5):
        shop.pass_time(PROBE_S)
        assert eventually(lambda: len(erp.probes) > probes, 5, 0.02), f"no probe {number}"
        time.sleep(0.2)
        assert len(erp.probes) == probes + 1, "more than one probe"
        probes = len(erp.probes)
    assert len(erp.requests) == seen, "an order was sent through an open circuit"
    for order_id in [*ids, later]:
        assert shop.read(order_id)["state"] == "queued"


def test_no_probe_before_its_time(shop, erp):
    open_circuit(shop, erp)
    shop.pass_time(PROBE_S)
    assert eventually(lambda: len(erp.probes) >= 1, 5, 0.02)
    time.sleep(0.2)
    before = len(erp.probes)
    shop.pass_time(PROBE_S - 5)
    expect_nothing_more(lambda: len(erp.probes))
    shop.pass_time(6)
    assert eventually(lambda: len(erp.probes) == before + 1, 5, 0.02)


def test_healthy_erp_gets_each_order_once(shop, erp):
    ids = open_circuit(shop, erp)
    ids += [shop.placed() for _ in range(30)]
    seen = len(erp.requests)
    erp.answer, erp.health = slow(0.02), HEALTHY
    erp.in_flight_max = 0
    shop.pass_time(PROBE_S + 1)
    wait_for_all(shop, ids)
    shop.pass_time(400)
    time.sleep(NEVER)
    assert sorted(keys_of(erp)[seen:]) == sorted(ids), "each of them once, and nothing else"
    assert erp.in_flight_max <= AT_ONCE


def test_first_order_behind_a_probe_goes_alone(shop, erp):
    """Health may be well while orders still fail: then one of them finds that out, not four."""
    open_circuit(shop, erp)
    for _ in range(10):
        shop.placed()
    erp.health = HEALTHY
    for _ in range(3):
        seen, probes = len(erp.requests), len(erp.probes)
        shop.pass_time(PROBE_S + 1)
        assert eventually(lambda: len(erp.probes) > probes, 5, 0.02)
        assert eventually(lambda: len(erp.requests) > seen, 5, 0.02), "nobody found out"
        time.sleep(NEVER)
        assert len(erp.requests) == seen + 1, "an order beside the one that finds out"
        assert len(erp.probes) == probes + 1


@pytest.mark.parametrize("status, is_well", [
    ("200 OK", True), ("204 No Content", True), ("299 Fine", True), ("302 Found", False),
    ("401 Unauthorized", False), ("404 Not Found", False), ("500 Oops", False),
])
def test_any_2xx_of_health_means_available(shop, erp, status, is_well):
    ids = open_circuit(shop, erp)
    seen, probes = len(erp.requests), len(erp.probes)
    erp.answer, erp.health = accept_all, http_answer(b"", status, "Location: /elsewhere")
    shop.pass_time(PROBE_S + 1)
    assert eventually(lambda: len(erp.probes) > probes, 5, 0.02)
    if is_well:
        wait_for_all(shop, ids)
        return
    expect_nothing_more(lambda: len(erp.requests))
    assert len(erp.requests) == seen and len(erp.probes) == probes + 1


def test_probe_is_a_get_with_the_token(site, erp):
    shop = Shop(site, erp, base_url=erp.url + "/hs", order_path="/in/orders")
    open_circuit(shop, erp)
    shop.pass_time(PROBE_S + 1)
    assert eventually(lambda: erp.probes, 5, 0.02)
    head = erp.probes[0]
    assert head.startswith(b"GET /hs/svc/v1/health HTTP/1.1\r\n")
    assert f"\r\nAuthorization: Bearer {erp.token}\r\n".encode() in head
    assert b"idempotency-key" not in head.lower() and b"content-length" not in head.lower()
    shop.close()


def test_success_between_failures_keeps_the_circuit_closed(shop, erp):
    seen = set()

    def refuse_first(head, body):
        is_new = body not in seen
        seen.add(body)
        return refuse_all(head, body) if is_new else accept_all(head, body)

    for _ in range(3):
        erp.answer = refuse_first
        for _ in range(FAILURES_IN_A_ROW - 1):
            shop.wait_for_attempt(shop.placed(), 1)
        erp.answer = accept_all
        shop.delivered()
    assert erp.probes == []


@pytest.mark.parametrize("status", [400, 409, 413, 422])
def test_orders_that_are_refused_hold_up_no_others(shop, erp, status):
    """Each is tried for its 72 hours; what is wrong with them is not wrong with their ERP."""
    def answer(head, body):
        return http_answer(b"", f"{status} No") if b"poison" in body else accept_all(head, body)

    erp.answer = answer
    refused = [shop.placed(comment="poison") for _ in range(3 * FAILURES_IN_A_ROW)]
    for order_id in refused:
        shop.wait_for_attempt(order_id, 1)
    for _ in range(3):
        assert shop.delivered()["attempts"] == 1
        shop.pass_time(60)
    for order_id in refused:
        record, _ = shop.wait_for_attempt(order_id, 2)
        assert record["state"] == "queued" and record["next_attempt_at"]


def test_rejection_is_no_failure(shop, erp):
    erp.answer = lambda *_: http_answer(b'{"accepted":false}')
    for _ in range(2 * FAILURES_IN_A_ROW):
        shop.wait_for(shop.placed(), "rejected")
    erp.answer = accept_all
    shop.delivered()
    assert erp.probes == []


def test_outage_and_its_end_are_told(site, shop, erp):
    """An operator reads in the log that the orders of an ERP wait, and when they do no more."""
    with site.log_reader() as reader:
        ids = open_circuit(shop, erp)
        assert reader.wait_for_text(shop.integration_id)
        for _ in range(3):  # long enough for herald to have put it out of its mind meanwhile
            shop.clock.advance(PROBE_S + 1, is_monotonic_too=True)
            site.processes[-1].wait_until_ready()
            shop.pass_time(0)
            time.sleep(0.2)
        reader.wait_until_quiet(0.3)
        seen = len(reader.entries)
        erp.answer, erp.health = accept_all, HEALTHY
        shop.pass_time(PROBE_S + 1)
        wait_for_all(shop, ids)
        assert eventually(lambda: any(
            shop.integration_id in str(entry) and entry["message"] == "an ERP takes orders again"
            for entry in reader.entries[seen:]))


def test_circuit_of_one_is_not_that_of_another(site, shop, erp):
    """Not even at the same address."""
    other = Shop(site, erp)
    open_circuit(shop, erp)
    erp.answer = accept_all
    seen = len(erp.requests)
    for _ in range(5):
        other.delivered()
    assert len(erp.requests) == seen + 5 and shop.listed(state="accepted")[0] == []
    other.close()


def test_mended_integration_does_not_wait_for_ever(site, shop, erp):
    """A new address or token is tried at the next probe at the latest."""
    ids = open_circuit(shop, erp)
    with RawErp(accept_all) as other:
        shop.operator.change_integration(
            shop.integration_id, erp={"base_url": other.url, "token": other.token}).expect(200)
        shop.pass_time(PROBE_S + 1)
        wait_for_all(shop, ids)
        assert sorted(keys_of(other)) == sorted(ids)


def test_hour_of_being_down(site, shop, erp):
    """The clock runs through it: probes, no order, no catching up of what was missed; then each
    order goes out once."""
    ids = open_circuit(shop, erp)
    seen = len(erp.requests)
    with RawErp(accept_all) as well:
        other = Shop(site, well)
        for _ in range(3600 // MINUTES_5_S):
            probes = len(erp.probes)
            shop.pass_time(MINUTES_5_S)
            assert eventually(lambda: len(erp.probes) > probes, 5, 0.02)
            ids.append(shop.placed())
            assert other.delivered()["attempts"] == 1
            assert len(erp.probes) == probes + 1
        assert len(erp.requests) == seen
        other.close()
    erp.answer, erp.health, erp.in_flight_max = slow(0.02), HEALTHY, 0
    shop.pass_time(PROBE_S + 1)
    wait_for_all(shop, ids)
    assert sorted(keys_of(erp)[seen:]) == sorted(ids) and erp.in_flight_max <= AT_ONCE


def test_hour_of_being_slow(site, erp):
    """Healthy, but each order takes longer than it may: the others' orders take no longer than
    before, and behind it nothing storms."""
    slow_one = Shop(site, erp, timeout_seconds=1)
    with RawErp(accept_all) as well:
        other = Shop(site, well)

        def deliver_one():
            began = time.monotonic()
            assert other.delivered()["attempts"] == 1
            return time.monotonic() - began

        alone = [deliver_one() for _ in range(12)]
        erp.answer, beside, ids = slow(1.3), [], []
        for _ in range(3600 // MINUTES_5_S):
            ids.append(slow_one.placed())
            slow_one.pass_time(MINUTES_5_S)
            beside += [deliver_one() for _ in range(2)]
        other.close()
    assert all(slow_one.read(order_id)["state"] != "accepted" for order_id in ids)
    lasted_at_most(statistics.median(beside), 2 * statistics.median(alone) + 0.1)
    erp.answer = slow(0.02)
    assert eventually(lambda: erp.in_flight == 0)  # also of calls that herald has given up
    erp.in_flight_max = 0
    slow_one.pass_time(MINUTES_5_S + PROBE_S)
    wait_for_all(slow_one, ids)
    assert erp.in_flight_max <= AT_ONCE
    slow_one.close()
