"""Pairing: a code, a link and a QR code give a phone its key (contract, section 15.1)."""

import random
import re
from xml.etree import ElementTree

import pytest

from harness.actors import Phone
from harness.http import Client
from harness.shapes import PAIRING, check_shape, parse_time, seconds_between
from harness.tools import at_once, eventually, fresh_number, fresh_numbers
from test_admin import Admin
from test_audit import chain

CLOCK = True
MINUTES = 60
WRONG_MAX = 20


def pair(core, device_id):
    return check_shape(core.pair(device_id).expect(201), PAIRING)


def use(core, code, source=None):
    return Client(core.address, source=source).post("/pair", {"code": code})


def wrong(*codes):
    """A code that is none of these."""
    while True:
        code = f"{random.randrange(10 ** 8):08}"
        if code not in codes:
            return code


@pytest.fixture
def device(core):
    numbers = fresh_numbers(1)
    credentials = core.register("Ящик", numbers).expect(201)
    yield Phone(core.address, credentials["device_id"], credentials["device_key"], numbers)
    core.remove_device(credentials["device_id"])


@pytest.fixture(autouse=True)
def later(clock):
    """What was tried in one test is forgotten in the next, and so are wrong keys by address."""
    yield
    clock.advance(11 * MINUTES)


def test_code_gives_a_new_key_and_the_old_one_ends(core, device):
    made = pair(core, device.device_id)
    device.ping().expect(200)  # until the code is used
    given = use(core, made["code"]).expect(200)
    assert given["device_id"] == device.device_id
    device.ping().expect(401)
    paired = Phone(core.address, device.device_id, given["device_key"], device.numbers)
    assert paired.ping().expect(200)["device"]["name"] == "Ящик"
    paired.be_ready()
    use(core, made["code"]).expect(401, "unauthorized")
    paired.ping().expect(200)


def test_code_lasts_10_minutes(core, clock, device):
    made = pair(core, device.device_id)
    now = clock.now().strftime("%Y-%m-%dT%H:%M:%S.000Z")
    assert 595 <= seconds_between(now, made["expires_at"]) <= 601
    clock.advance(10 * MINUTES - 3)
    second = pair(core, core.register("B", fresh_numbers(1)).expect(201)["device_id"])
    use(core, made["code"]).expect(200)
    clock.advance(10 * MINUTES + 1)
    use(core, second["code"]).expect(401)


def test_clock_that_was_set_back_keeps_codes_for_their_time(core, clock, device):
    made = pair(core, device.device_id)
    clock.set(-3600)
    use(core, made["code"]).expect(200)
    made = pair(core, device.device_id)
    clock.advance(10 * MINUTES + 1)
    use(core, made["code"]).expect(401)


def test_phone_has_one_code_at_a_time(core, device):
    first, second = pair(core, device.device_id), pair(core, device.device_id)
    use(core, first["code"]).expect(401)
    use(core, second["code"]).expect(200)


def test_one_of_many_gets_the_key(core, device):
    made = pair(core, device.device_id)
    replies = at_once(8, lambda _: use(core, made["code"]))
    assert sorted(reply.status for reply in replies) == [200] + 7 * [401]


def test_disabled_phone_is_paired_and_a_removed_one_is_not(core, device):
    made = pair(core, device.device_id)
    core.enable(device.device_id, False).expect(204)
    use(core, made["code"]).expect(200)
    made = pair(core, device.device_id)
    core.remove_device(device.device_id).expect(204)
    use(core, made["code"]).expect(401)
    core.pair(device.device_id).expect(404, "not_found")


@pytest.mark.parametrize("code", ["", "1234567", "123456789", "1234 567", "١٢٣٤٥٦٧٨", 12345678, None])
def test_code_has_8_digits(core, code):
    use(core, code).expect(422, "validation_error")


def test_20_wrong_codes_end_all(core, device, request):
    other = core.register("B", fresh_numbers(1)).expect(201)["device_id"]
    codes = [pair(core, device.device_id)["code"], pair(core, other)["code"]]
    for count in range(WRONG_MAX - 1):
        use(core, wrong(*codes), source=f"127.0.0.{2 + count}").expect(401)
    use(core, codes[0], source="127.0.0.40").expect(200)  # 19 are not enough
    codes[0] = pair(core, device.device_id)["code"]
    use(core, wrong(*codes), source="127.0.0.41").expect(401)
    for code in codes:
        use(core, code, source="127.0.0.42").expect(401)
    record = chain(core)[-1]
    assert (record["action"], record["actor"]["kind"]) == ("pairing.use", "system")
    assert record["address"] == "127.0.0.41" and record["target"] == {"type": "pairing", "id": None}
    assert record["changes"] == [{"field": "open_codes", "from": "2", "to": "0"}]
    written = "/internal/v1/logs?q=too+many+wrong+pairing"
    entries = eventually(lambda: core.get(written).expect(200)["entries"])
    assert entries[-1]["level"] == "warning"
    # Later codes start anew.
    code = pair(core, device.device_id)["code"]
    for _ in range(WRONG_MAX - 1):
        use(core, wrong(code), source="127.0.0.43").expect(401)
    use(core, code, source="127.0.0.44").expect(200)


def test_wrong_codes_count_for_10_minutes(core, clock, device):
    """Nine before and eleven after: the window slides."""
    core.pair(device.device_id).expect(201)
    for _ in range(9):
        use(core, wrong(), source="127.0.0.50").expect(401)
    clock.advance(9 * MINUTES)
    code = pair(core, device.device_id)["code"]
    for _ in range(10):
        use(core, wrong(code), source="127.0.0.51").expect(401)
    clock.advance(2 * MINUTES)
    for _ in range(9):
        use(core, wrong(code), source="127.0.0.52").expect(401)
    use(core, code, source="127.0.0.53").expect(200)


def test_wrong_codes_of_many_at_once_are_counted(core, device):
    code = pair(core, device.device_id)["code"]
    at_once(WRONG_MAX, lambda i: use(core, wrong(code), source=f"127.0.1.{1 + i}").expect(401))
    use(core, code).expect(401)


def test_nothing_is_counted_while_no_code_is_open(core, device):
    for count in range(WRONG_MAX):
        use(core, wrong(), source=f"127.0.2.{1 + count}").expect(401)
    use(core, pair(core, device.device_id)["code"]).expect(200)


def test_both_steps_are_audited_without_the_secrets(core, device):
    seen = len(chain(core))
    made = pair(core, device.device_id)
    key = use(core, made["code"]).expect(200)["device_key"]
    records = chain(core)[seen:]
    assert [row["action"] for row in records] == ["device.pair", "pairing.use"]
    assert [row["actor"]["kind"] for row in records] == ["root", "system"]
    assert all(row["target"] == {"type": "device", "id": device.device_id} for row in records)
    log = core.get("/internal/v1/logs?q=pair").expect(200)
    for secret in (made["code"], key):
        assert secret not in str(records) + str(log)


def test_link_leads_to_a_page_with_the_code(core, device):
    made = pair(core, device.device_id)
    assert made["url"].endswith(f"/pair?code={made['code']}")
    reply = Client(core.address).get(f"/pair?code={made['code']}")
    page = reply.body.decode()
    assert reply.status == 200 and reply.header("Content-Type") == "text/html; charset=utf-8"
    assert "default-src 'none'" in reply.header("Content-Security-Policy")
    own_url = made["url"].split("/pair")[0]
    assert made["code"] in page and f"<code>{own_url}</code>" in page
    assert f"<code>{own_url}/smsgate/v1</code>" in page  # what the app SMSGate wants
    assert Client(core.address).get("/pair").status == 200
    Client(core.address).get("/pair?code=%3Cscript%3E").expect(422)


def modules_of(svg):
    """The dark modules of the image, without its margin of four."""
    root = ElementTree.fromstring(svg)
    width, height = map(int, root.get("viewBox").split()[2:])
    assert width == height
    dark = set()
    for x, y, run in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", root[1].get("d")):
        dark |= {(int(x) + i - 4, int(y) - 4) for i in range(int(run))}
    return width - 8, dark


def test_qr_code_shows_the_link(core, device):
    side, dark = modules_of(pair(core, device.device_id)["qr_svg"])
    assert side % 4 == 1 and side >= 21
    for left, top in ((0, 0), (side - 7, 0), (0, side - 7)):  # the three finders
        for x in range(7):
            for y in range(7):
                is_dark = max(abs(x - 3), abs(y - 3)) != 2
                assert ((left + x, top + y) in dark) == is_dark
    assert all(((8 + i, 6) in dark) == (i % 2 == 0) for i in range(side - 16))  # the timing


def test_command_line_shows_code_and_qr(site, core, device):
    admin = Admin(site)
    said = admin("devices", "pair", device.device_id)
    code = re.search(r"^  (\d{4}) (\d{4})$", said, re.M)
    assert "▀" in said and "/pair?code=" in said
    use(core, code[1] + code[2]).expect(200)
    assert admin.json("devices", "pair", device.device_id)["qr_svg"].startswith("<svg")
    admin.refuse("devices", "pair", "01900000-0000-7000-8000-000000000000", status=1, says="phone")
