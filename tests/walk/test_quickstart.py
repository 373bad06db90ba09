"""README's first code, the quickstart, the pages for support and of keys, and others do what they say, command by command."""

import html
import os
import re
import socket
import subprocess
import urllib.request

import pytest

from test_walk import BUILD, ROOT
from typed import Reader, Terminal, blocks_of, wait_until


@pytest.fixture
def folder(tmp_path):
    """A fresh clone that was built."""
    (tmp_path / "build").symlink_to(BUILD)
    return tmp_path


@pytest.fixture
def reader(folder):
    ports = {}

    def port_for(documented):
        if documented not in ports:
            with socket.create_server(("127.0.0.1", 0)) as server:
                ports[documented] = server.getsockname()[1]
        return ports[documented]

    def translate(text):
        text = text.replace("sim/erp serve ", "sim/erp serve --control 127.0.0.1:0 ")
        return re.sub(r"127\.0\.0\.1:(80\d\d)", lambda at: f"127.0.0.1:{port_for(at[1])}", text)

    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("HERALD_", "ERP_"))}
    environment["HERALD_LISTEN"] = f"127.0.0.1:{port_for('8080')}"
    environment["PATH"] = f"{folder / 'build'}:{environment['PATH']}"
    someone = Reader(lambda: Terminal(folder, environment), translate)
    yield someone
    someone.close()


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md"])
def test_page_does_what_it_says(reader, page):
    reader.follow((ROOT / page).read_text(encoding="utf-8"))
    assert "CODE" in reader.values


# No SIM is ready, then one is; the customer types a digit too few.
A_NIGHT = """\
```sh
build/herald serve
```
```text
… listens on …
```
```sh
key="X-Internal-API-Key: $(cat var/internal-api-key)"
json='Content-Type: application/json'
url=http://127.0.0.1:8080/internal/v1
curl -s -H "$key" -H "$json" -H 'Idempotency-Key: 1' $url/otp \
     -d '{"channel": "sms", "recipient": "+79161234567"}'
curl -s -H "$key" -H "$json" $url/devices -d '{"name": "Shop 12", "numbers": ["+79160000001"]}'
```
```text
… "no_ready_sim" … "device_key":"DEVICE_KEY" …
```
```sh
build/sim/phone --url http://127.0.0.1:8080 --key DEVICE_KEY --number +79160000001 --poll-ms 200
```
```text
… herald knows this phone as "Shop 12" (enabled)
```
```sh
sleep 1
curl -s -H "$key" -H "$json" -H 'Idempotency-Key: 2' $url/otp \
     -d '{"channel": "sms", "recipient": "+79161234567"}'
```
```text
{"id":"FIRST_ID","channel":"sms",…
```
```text
… reported sent, task …
```
```sh
curl -s -H "$key" -H "$json" $url/otp/FIRST_ID/verify -d '{"code": "12345"}'
```
```text
… "code_mismatch" …
```
"""


def story(name):
    """What the page for support says before all stories, and the one that begins so."""
    before, *stories = re.split(r"^(?=## )", (ROOT / "docs/support.md").read_text(encoding="utf-8"),
                                flags=re.MULTILINE)
    found, = (text for text in stories if text.startswith(f"## {name}\n"))
    return before + found


def test_support_page_finds_what_happened_at_night(reader):
    reader.follow(A_NIGHT)
    reader.follow(story("A customer says that the code never came"))
    assert reader.values["OTP_ID"] == reader.values["FIRST_ID"]


# A point is connected; its ERP can push, and its server is not up.
A_POINT = """\
```sh
export HERALD_ERP_NETWORKS=loopback HERALD_ERP_ALLOW_HTTP=true
build/herald serve
```
```text
… listens on …
```
"""
THREE_ORDERS = """\
```sh
key="X-Internal-API-Key: $(cat var/internal-api-key)"
json='Content-Type: application/json'
for n in 1 2 3; do
    sed "s/A-1042/A-$n/" var/order.json | curl -s -H "$key" -H "$json" -H "Idempotency-Key: $n" \
        http://127.0.0.1:8080/internal/v1/orders -d @-
done
```
```text
… "state":"queued" …
```
"""
# One snapshot is applied, one fails since it has too little, and one has a fault.
THREE_SNAPSHOTS = """\
```sh
export ERP_BASE_URL=http://127.0.0.1:8080 ERP_INTEGRATION_ID=INTEGRATION_ID
export ERP_CLIENT_ID=CLIENT_ID ERP_CLIENT_SECRET=CLIENT_SECRET
build/sim/erp push snapshot --products 100
build/sim/erp push snapshot --products 10 --event-id nightly-2 || true
build/sim/erp push snapshot --products 100 --fault no-name --event-id nightly-3 || true
```
```text
… applied …
```
"""


def connect_point(reader, folder):
    """As the quickstart does, and with a client."""
    page = (ROOT / "docs/quickstart.md").read_text(encoding="utf-8")
    reader.follow(A_POINT)
    reader.do(f"export HOME={folder}")
    begin, end = page.index("echo q7Vd0cWm3f > var/erp-token"), page.index("curl -s --user CLIENT_ID")
    reader.follow("```sh\n" + page[begin:end].rpartition("```sh")[0])
    return page


def test_support_page_finds_orders_that_do_not_arrive(reader, folder):
    page = connect_point(reader, folder)
    begin, end = page.index("cat > var/order.json"), page.index("curl", page.index("cat > var/order.json"))
    reader.follow("```sh\n" + page[begin:end] + "```\n" + THREE_ORDERS)
    reader.follow(story("Orders do not arrive"))


def test_support_page_finds_a_catalog_that_is_old(reader, folder):
    connect_point(reader, folder)
    reader.follow(THREE_SNAPSHOTS)
    reader.follow(story("The catalog is old"))
    assert reader.values["EVENT_ID"] == "nightly-2"


# A code was sent, and an order waits for an ERP that is down.
A_DAY = """\
```sh
export HERALD_ENVIRONMENT=test HERALD_TEST_NUMBERS=+79161234500-+79161234599
export HERALD_ERP_NETWORKS=loopback HERALD_ERP_ALLOW_HTTP=true
build/herald serve
```
```text
… listens on …
```
```sh
key="X-Internal-API-Key: $(cat var/internal-api-key)"
json='Content-Type: application/json'
url=http://127.0.0.1:8080/internal/v1
curl -s -H "$key" -H "$json" -H 'Idempotency-Key: 1' $url/otp \
     -d '{"channel": "sms", "recipient": "+79161234567"}'
```
```text
{"id":"FIRST_ID","channel":"sms",…
```
"""


def test_page_of_keys_does_what_it_says(reader, folder):
    reader.follow(A_DAY)
    reader.do(f"export HOME={folder}")
    page = (ROOT / "docs/quickstart.md").read_text(encoding="utf-8")
    begin = page.index("echo q7Vd0cWm3f > var/erp-token")
    end = page.index("build/herald admin clients create")
    reader.follow("```sh\n" + page[begin:end].rpartition("```sh")[0])
    begin = page.index("cat > var/order.json")
    end = page.index("build/herald admin orders show")
    reader.follow("```sh\n" + page[begin:end].rpartition("```sh")[0])
    reader.follow((ROOT / "docs/keys.md").read_text(encoding="utf-8"))
    assert reader.values["OTP_ID"] == reader.values["FIRST_ID"]
    reader.do("herald admin api-keys list")
    row, = (line for line in reader.terminals[0].printed.splitlines()
            if reader.values["KEY_ID"] in line)
    assert "revoked" in row


def test_secrets_of_the_deploying_page_are_allowed(reader):
    page = (ROOT / "docs/deploy.md").read_text(encoding="utf-8")
    block, = (block for _, block in blocks_of(page) if "export HERALD_SECRET_KEY" in block)
    reader.terminals.append(reader.new_terminal())
    reader.do(f"{block}build/herald config")
    assert "HERALD_SECRET_KEY=(set)" in reader.terminals[0].printed


@pytest.mark.parametrize("page", ["docs/erp/README.md", "docs/channels.md"])
def test_commands_that_want_no_herald_end_well(reader, page):
    reader.follow((ROOT / page).read_text(encoding="utf-8"))
    assert reader.last


# --- the page of phones


class Telephone:
    """The stand-in for the SMSGate app: Google's push is on it, as on most."""

    def __init__(self, folder, numbers):
        self.folder, self.process = folder, None
        self.sims = [word for number in numbers for word in ("--sim", number)]

    def start(self, url, code):
        self.process = subprocess.Popen(
            [BUILD / "sim/smsgate", "--google", "--url", url, "--code", code, *self.sims,
             "--key-file", self.folder / "app.key", "--memory", self.folder / "app.memory",
             "--sms-file", self.folder / "app.sms"],
            stdout=(self.folder / "app.log").open("a", encoding="utf-8"))

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=30)

    def said(self):
        return (self.folder / "app.log").read_text(encoding="utf-8")


def steps_of(name):
    page = (ROOT / "docs/phones.md").read_text(encoding="utf-8")
    section = page.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    return re.split(r"^(?=\d\. )", section, flags=re.MULTILINE)[1:]


def read_pairing(printed):
    """The code, and what the page shows that the QR code leads to."""
    code = "".join(re.search(r"The code is\n +(\d{4}) (\d{4})\n", printed).groups())
    with urllib.request.urlopen(re.search(r"http://\S+/pair\?\S+", printed)[0], timeout=30) as page:
        return code, html.unescape(page.read().decode())


def test_page_of_phones_pairs_the_app_and_gets_a_code_out(reader, folder):
    reader.follow("```sh\nbuild/herald serve\n```\n```text\n… listens on …\n```\n")
    register, address, switch_on, start_anew, see, send = steps_of(
        "From the telephone to the first SMS")
    reader.follow(register)
    code, page = read_pairing(reader.terminals[0].printed)
    path = re.search(r"API URL: `https://herald\.example(/\S+)`", address)[1]
    url = reader.translate(f"http://127.0.0.1:8080{path}")
    assert f"<code>{url}</code>" in page and f"<code>{code}</code>" in page
    telephone = Telephone(folder, re.findall(r"\+7\d{10}", register))
    try:
        assert '"by code"' in switch_on
        telephone.start(url, code)
        wait_until(lambda: "start the app anew to apply them" in telephone.said(), telephone.said)
        assert start_anew.startswith("4. Stop and start it once")
        telephone.stop()
        telephone.start(url, code)
        wait_until(lambda: "asks every 20000 ms, and listens" in telephone.said(), telephone.said)
        reader.follow(see)
        reader.follow(send)
    finally:
        telephone.stop()
    assert "+79161234567" in (folder / "app.sms").read_text(encoding="utf-8")
