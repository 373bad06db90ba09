"""Contract section 18.6: figures of codes, of how far they came, and of how the SIMs stood."""

import time
from urllib.parse import quote

import pytest

from harness.actors import read_code
from harness.keys import key_of, with_key
from harness.tools import eventually, fresh_number

CLOCK = True
FIGURES = "/internal/v1/figures"
STEPS = ("created", "sent", "delivered", "confirmed")
MINUTES, CELL = 1440, 10
LOOK_S = 45  # the worker looks twice a minute


@pytest.fixture
def own_site(fresh_site):
    fresh_site.serve()
    return fresh_site


def steps_of(row):
    return tuple(row[step] for step in STEPS)


def confirm_one(core, phone, number):
    code = core.create_otp(number).expect(201)
    task = phone.claim_task()
    phone.result(task, "sent").expect(204)
    phone.result(task, "delivered").expect(204)
    core.verify(code["id"], read_code(task)).expect(200)


def funnel(core, by):
    rows = core.get(f"{FIGURES}/funnel?by={by}").expect(200)["rows"]
    return {row["key"]: steps_of(row) for row in rows}


def wait_for_minute(site):
    """What was counted is kept once its minute is over, which is looked at each second."""
    site.clock.advance(60)
    time.sleep(2.5)


def test_codes_are_counted_by_channel_sim_prefix_and_hour(own_site):
    core = own_site.core()
    phone = own_site.phone(core, 1)
    phone.be_ready()
    for _ in range(2):
        confirm_one(core, phone, fresh_number())
    core.create_otp(fresh_number()).expect(201)  # nobody claims it
    wait_for_minute(own_site)
    wanted = (3, 2, 2, 2)
    assert funnel(core, "channel")["sms"] == wanted
    assert funnel(core, "number") == {phone.numbers[0]: wanted}
    assert sum_of(funnel(core, "prefix")) == wanted
    assert all(len(key) == 5 and key.startswith("+7") for key in funnel(core, "prefix"))
    assert sum_of(funnel(core, "hour")) == wanted
    hours = core.get(FIGURES).expect(200)["hours"]
    assert len(hours) == 48
    assert sum_of({hour["at"]: steps_of(hour) for hour in hours}) == wanted
    assert list(funnel(core, "hour")) == [hour["at"] for hour in hours if hour["created"]]


def sum_of(rows):
    return tuple(map(sum, zip(*rows.values())))


def test_a_step_counts_in_its_hour_and_once(own_site):
    """Whatever is kept, by whichever process, is added to nothing twice."""
    core = own_site.core()
    phone = own_site.phone(core, 1)
    for turn in range(1, 4):
        phone.be_ready()
        confirm_one(core, phone, fresh_number())
        wait_for_minute(own_site)
        assert funnel(core, "number")[phone.numbers[0]] == (turn,) * 4
    own_site.clock.advance(3600)
    time.sleep(2.5)
    phone.be_ready()
    confirm_one(core, phone, fresh_number())
    own_site.restart()
    core = own_site.core()
    assert [steps[0] for steps in funnel(core, "hour").values()] in ([3, 1], [1, 2, 1])
    assert funnel(core, "number")[phone.numbers[0]] == (4,) * 4


def test_test_numbers_do_not_count(fresh_site):
    fresh_site.serve({"HERALD_TEST_NUMBERS": "+79990000000-+79990000099", "HERALD_ENVIRONMENT": "test"})
    core = fresh_site.core()
    code = core.create_otp("+79990000000").expect(201)
    core.verify(code["id"], "000000").expect(200)
    wait_for_minute(fresh_site)
    assert funnel(core, "channel") == funnel(core, "prefix") == funnel(core, "number") == {}


def read_minutes(core, number):
    sims = core.get(f"{FIGURES}/sims?number={quote(number)}").expect(200)["sims"]
    return sims[0]["minutes"] if sims else ""


def test_strip_tells_how_a_sim_stood(own_site):
    core = own_site.core()
    phone = own_site.phone(core, 2)
    phone.be_ready()
    number = phone.numbers[0]
    assert eventually(lambda: "r" in read_minutes(core, number), LOOK_S, 0.5)
    core.enable(phone.device_id, False)
    assert eventually(lambda: "d" in read_minutes(core, number), LOOK_S, 0.5)
    listed = core.get(f"{FIGURES}/sims").expect(200)
    assert [sim["number"] for sim in listed["sims"]] == sorted(phone.numbers)
    cells = listed["sims"][0]["cells"]
    assert len(cells) == MINUTES // CELL and "minutes" not in listed["sims"][0]
    assert cells[-1] in "dp" and set(cells[:-2]) == {"."}
    minutes = read_minutes(core, number)
    assert len(minutes) == MINUTES and set(minutes) <= set("rsd.")
    hours = core.get(f"{FIGURES}?hours=1").expect(200)["hours"]
    assert (hours[0]["sims_ready"], hours[0]["orders_waiting"]) == (0, 0)
    serving = [row for row in core.channels().values() if row["configured"]]
    assert hours[0]["channels_serving"] == len(serving)
    assert hours[0]["point_troubles"] == 0


def test_silent_sim(own_site):
    core = own_site.core()
    phone = own_site.phone(core, 1)
    assert eventually(lambda: "s" in read_minutes(core, phone.numbers[0]), LOOK_S, 0.5)
    own_site.clock.advance(25 * 3600)
    assert "s" not in read_minutes(core, phone.numbers[0])[:-2]


@pytest.mark.parametrize("query, fault", [
    ("?hours=0", "hours"), ("?hours=169", "hours"), ("/funnel?by=recipient", "by"),
    ("/funnel?since=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00.001Z", "since"),
    ("/funnel?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "since"),
    ("/sims?number=x", "number"),
])
def test_what_is_no_question(core, query, fault):
    assert core.get(f"{FIGURES}{query}").fault_paths == [fault]


def test_bounds_of_questions(core):
    assert len(core.get(f"{FIGURES}?hours=168").expect(200)["hours"]) == 168
    core.get(f"{FIGURES}/funnel?since=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z").expect(200)


def test_viewer_reads_them(site, core):
    viewer = with_key(site, key_of(core, "viewer"))
    for path in ("", "/funnel", "/sims"):
        viewer.get(f"{FIGURES}{path}").expect(200)
