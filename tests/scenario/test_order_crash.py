"""kill -9 while orders go to an ERP that misbehaves: as many documents as orders, none twice.

HERALD_CRASH_ROUNDS sets the rounds on each engine: in each of them orders are placed, herald is
killed within a second, and the clock runs on past some retries; then rounds without new orders,
until all are accepted. From 50 rounds on (a release) they place 10,000 orders.
"""

import contextlib
import http.client
import os
import queue
import random
import threading
import time

import pytest

from harness.exchange import Operator
from harness.http import NOTHING
from harness.orders import ORDER_SETTINGS, OrderErp, Shop, list_all, list_orders, read_strictly
from harness.tools import eventually, fresh_key

ROUNDS = int(os.environ.get("HERALD_CRASH_ROUNDS", "3"))
IS_RELEASE = ROUNDS >= 50
ORDERS_A_ROUND = 200 if IS_RELEASE else 100
SHOPS = 48 if IS_RELEASE else 12
CLOCK = True
LIFE_S = 1.0
STEPS, STEP_S = 4, 10  # the clock in a life: past the first waits, and past a probe
LATE_MS = 1500         # a late answer comes half a second after the time-out
PLACERS = 4
CHECKED = 60           # orders whose bodies are looked at one by one
SETTLES_IN = 60        # lives without new orders
GONE = (OSError, http.client.HTTPException)
DEPLOYMENTS_ROUNDS = {"serve": ROUNDS, "cluster": min(ROUNDS, 10)}


class Herald:
    """A herald that is killed and started again; `address` is where it was seen last."""

    def __init__(self, site, deployment):
        self.site = site
        self.deployment = deployment

    def start(self):
        if self.deployment == "cluster":
            self.site.start_cluster(apis=1)
        else:
            self.site.serve()

    def kill(self):
        for process in self.site.processes:
            process.kill()
        for process in self.site.processes:
            process.check_output()
        self.site.processes.clear()


class Placer:
    """Places orders from several threads; one without an answer is placed again, as it was."""

    def __init__(self, shops, chance):
        self.shops = shops
        self.chance = chance
        self.orders = {}  # by id, with the shop that placed it: those that were taken
        self.planned = 0
        self.waiting = queue.SimpleQueue()  # (shop, order, key): not answered yet
        self.threads = []
        self.faults = []

    def plan(self, count):
        """Every other order gets its id from herald."""
        rows = []
        for index in range(count):
            shop = self.chance.choice(self.shops)
            own = {"id": NOTHING} if index % 2 else {}
            rows.append((shop, shop.order(comment=f"№ {self.planned + index}", **own), fresh_key()))
        self.planned += count
        self.chance.shuffle(rows)
        for row in rows:
            self.waiting.put(row)

    def start(self, site):
        address = next(process.address for process in site.processes[::-1])
        self.threads = [threading.Thread(target=self.work, args=(site, address), daemon=True)
                        for _ in range(PLACERS)]
        for thread in self.threads:
            thread.start()

    def work(self, site, address):
        operator = Operator(address, site.internal_key)
        with contextlib.suppress(queue.Empty):
            while not self.faults:
                row = self.waiting.get_nowait()
                try:
                    self.place(operator, *row)
                except GONE:  # the kill
                    self.waiting.put(row)
                    return
                except BaseException as fault:
                    self.faults.append(fault)

    def place(self, operator, shop, order, key):
        reply = operator.post(
            "/internal/v1/orders", {"integration_id": shop.integration_id, "order": order},
            headers={"Idempotency-Key": key})
        order_id = reply.expect(202)["id"]
        assert order_id == order.get("id", order_id)
        self.orders[order_id] = (shop, order | {"id": order_id})

    def is_done(self):
        return not any(thread.is_alive() for thread in self.threads) and self.waiting.empty()

    def join(self):
        for thread in self.threads:
            thread.join(timeout=60)
        assert not any(thread.is_alive() for thread in self.threads)
        if self.faults:
            raise self.faults[0]


def live(herald, placer):
    """One life of herald. True if all orders were accepted at its end."""
    herald.start()
    placer.start(herald.site)
    end = LIFE_S if IS_RELEASE else placer.chance.uniform(0.2, LIFE_S)
    for _ in range(STEPS):
        time.sleep(end / STEPS)
        herald.site.clock.advance(STEP_S)
    is_settled = placer.is_done() and not has_pending(herald.site)
    herald.kill()
    placer.join()
    return is_settled


def has_pending(site):
    """An order may go from one state to the other between two lists; accepted it stays."""
    operator = Operator.of(site)
    waits = any(list_orders(operator, state=state, limit=1)[0] for state in ("queued", "delivering"))
    return waits or any(row["state"] != "accepted" for row in list_all(operator))


def expect_one_document_each(site, erp, placer):
    documents = {row["order"]: row for row in erp.asked("documents")["documents"]}
    stats = erp.stats()
    assert (stats["twice"], stats["changed_bodies"], stats["malformed"]) == (0, 0, 0), stats
    assert len(placer.orders) == placer.planned, f"{placer.planned} were to be taken"
    assert documents.keys() == placer.orders.keys(), (
        f"{len(documents)} documents of {len(placer.orders)} orders")
    rows = list_all(Operator.of(site))
    assert len(rows) == len({row["id"] for row in rows}) == len(placer.orders)
    for row in rows:
        shop, _ = placer.orders[row["id"]]
        document = documents[row["id"]]
        assert row["state"] == "accepted" and row["integration_id"] == shop.integration_id
        assert (row["erp_order_id"], row["erp_number"]) == (
            document["order_id"], document["number"])
    return stats


def expect_bodies(erp, placer):
    for order_id in placer.chance.sample(sorted(placer.orders), CHECKED):
        calls = erp.calls_of(order_id)
        whole = [call for call in calls if call["request"]["body"]]
        assert whole, f"no call of {order_id} has a body"
        erp.expect_same(whole)
        assert read_strictly(whole[0]["request"]["body"]) == placer.orders[order_id][1]


@pytest.mark.long
def test_kill_9_with_an_erp_that_misbehaves(fresh_site, deployment):
    fresh_site.settings |= ORDER_SETTINGS
    herald = Herald(fresh_site, deployment)
    seed = random.randrange(1_000_000)
    print("seed", seed)  # shown if it fails
    options = ("--misbehave", 0.3, "--seed", seed, "--timeout-ms", LATE_MS)
    with OrderErp(*options) as erp:
        herald.start()
        shops = [Shop(fresh_site, erp, timeout_seconds=1) for _ in range(SHOPS)]
        herald.kill()
        placer = Placer(shops, random.Random(seed))
        for _ in range(DEPLOYMENTS_ROUNDS[deployment]):
            placer.plan(ORDERS_A_ROUND)
            live(herald, placer)
        assert any(live(herald, placer) for _ in range(SETTLES_IN)), (
            f"not all is accepted: {erp.stats()}")

        herald.start()
        stats = expect_one_document_each(fresh_site, erp, placer)
        assert stats["calls"] >= 1.2 * len(placer.orders), "nothing was tried twice"
        expect_bodies(erp, placer)
        calls = erp.stats()["calls"]
        fresh_site.clock.advance(3600)
        time.sleep(1.2)
        assert erp.stats()["calls"] == calls, "an accepted order was sent again"
        fresh_site.stop()


def test_stop_lets_calls_come_to_their_end(fresh_site):
    """SIGTERM is no crash: what is on its way is recorded, nothing begins, nothing is repeated."""
    fresh_site.settings |= ORDER_SETTINGS
    process = fresh_site.serve()
    with OrderErp() as erp:
        erp.behave("slow", wait_ms=800)
        shop = Shop(fresh_site, erp)
        ids = [shop.placed() for _ in range(8)]
        assert eventually(lambda: erp.stats()["in_flight"] == 4, 5, 0.01)
        process.stop()
        called = {call["order"] for call in erp.calls(method="order")}
        assert 4 <= len(called) < len(ids), "it began what it need not have begun"
        fresh_site.processes.clear()
        erp.reset()
        fresh_site.serve()
        shop.move_to(fresh_site)
        assert all(shop.read(order_id)["state"] == "accepted" for order_id in called)
        for order_id in ids:
            shop.wait_for(order_id, "accepted")
        assert {call["order"] for call in erp.calls(method="order")} == set(ids) - called
        erp.expect_sound()


@pytest.mark.parametrize("what, is_made", [("slow", False), ("late", True), ("cut_after", True)])
def test_kill_9_during_a_call(fresh_site, what, is_made):
    """The next herald repeats the call when it must be over, with the same key."""
    fresh_site.settings |= ORDER_SETTINGS
    fresh_site.serve()
    with OrderErp() as erp:
        wait = {} if what == "cut_after" else {"wait_ms": 3000}
        shop = Shop(fresh_site, erp, timeout_seconds=5)
        order = shop.order()
        erp.behave(what, order=order["id"], count=1, **wait)
        shop.placed(order)
        assert eventually(lambda: erp.calls_of(order["id"]), 5, 0.005)
        fresh_site.processes[-1].kill()
        fresh_site.processes.clear()
        assert is_made == bool(erp.asked("documents", order=order["id"])["documents"])
        fresh_site.serve()
        shop.move_to(fresh_site)
        fresh_site.clock.advance(60)
        record = shop.wait_for(order["id"], "accepted")
        erp.wait_for_calls(order["id"], 2)
        assert record["erp_order_id"] == erp.document_of(order["id"])["order_id"]
        erp.expect_sound()
