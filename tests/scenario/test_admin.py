"""`herald admin`: integrations, clients, secrets and keys from the command line.

Contract, section 4.
"""

import json
import re
import socket
import subprocess
import threading

import pytest

from harness import catalog
from harness.exchange import MISSING_ID, Erp, Operator
from harness.orders import order_input
from harness.packages import SNAPSHOT, Sender
from harness.site import BINARY, free_port
from harness.tools import fresh_key

CLOCK = True
SECRET = re.compile(r"hs_[A-Za-z0-9_-]{43}")
DONE, REFUSED, WRONG = 0, 1, 2


class Admin:
    """Somebody at a shell beside a running herald."""

    def __init__(self, site, **changes):
        host, port = site.address
        self.site = site
        self.changes = {"HERALD_LISTEN": f"{host}:{port}"} | changes

    def run(self, *words, stdin=""):
        return subprocess.run(
            [BINARY, "admin", *words], cwd=self.site.home, env=self.site.environment(self.changes),
            text=True, input=stdin, capture_output=True, timeout=30, check=False)

    def __call__(self, *words, stdin=""):
        """What a command that is done prints."""
        done = self.run(*words, stdin=stdin)
        assert (done.returncode, done.stderr) == (DONE, ""), f"{words}: {done}"
        return done.stdout

    def json(self, *words, stdin=""):
        return json.loads(self(*words, "--json", stdin=stdin))

    def refuse(self, *words, status=REFUSED, says=(), stdin=""):
        """The command fails with sentences that hold these words, and prints nothing else."""
        done = self.run(*words, stdin=stdin)
        assert (done.returncode, done.stdout) == (status, ""), f"{words}: {done}"
        for text in [says] if isinstance(says, str) else says:
            assert text in done.stderr, f"{text!r} is not in: {done.stderr}"
        return done.stderr


def facts(text):
    """The facts that are printed line by line, up to the first empty line."""
    rows = [line.split("  ", 1) for line in text.split("\n\n")[0].splitlines()]
    return {name: value.strip() for name, value in rows}


def rows_of(text):
    """A table's rows by the names of its columns, which stand above them."""
    head, *lines = text.splitlines()
    starts = [match.start() for match in re.finditer(r"(?:(?<=  )|^)\S", head)]
    ends = starts[1:] + [None]
    names = [head[start:end].strip() for start, end in zip(starts, ends)]
    return [{name: line[start:end].strip() for name, start, end in zip(names, starts, ends)}
            for line in lines]


@pytest.fixture
def admin(site):
    return Admin(site)


@pytest.fixture
def operator(site):
    return Operator.of(site)


@pytest.fixture
def new_integration(admin):
    def create(*more, token="erp-token"):
        return admin.json(
            "integrations", "create", "--tenant", fresh_key(), "--point", fresh_key(),
            "--name", "Shop", "--erp-url", "https://erp.example/hs", "--erp-token-file", "-", *more,
            stdin=token)
    return create


@pytest.fixture
def integration(new_integration):
    return new_integration()


@pytest.fixture
def client(admin, integration):
    return admin.json("clients", "create", integration["id"])


@pytest.fixture
def erp(site, integration, client):
    return Erp(site.address, integration, client)


# --- the story of the quickstart


def test_stranger_connects_an_erp(site, admin, clock, tmp_path):
    token_file = tmp_path / "erp-token"
    token_file.write_text("erp-token\n")
    tenant, point = fresh_key(), fresh_key()
    said = admin("integrations", "create", "--tenant", tenant, "--point", point,
                 "--name", "Лавка № 12", "--erp-url", "https://erp.example/hs",
                 "--erp-token-file", str(token_file), "--erp-path", "/orders", "--erp-timeout", "5")
    made = facts(said)
    assert (made["tenant_id"], made["point_id"]) == (tenant, point)
    assert (made["name"], made["state"]) == ("Лавка № 12", "enabled")
    assert made["erp base_url"] == "https://erp.example/hs"
    assert (made["erp order_path"], made["erp timeout"]) == ("/orders", "5 s")
    assert f"herald admin clients create {made['id']}" in said
    assert made["max_archive_share"] == "0.5" and "archive more than 0.5 of" in said

    said = admin("clients", "create", made["id"], "--name", "ERP", "--scopes", "erp.events.read")
    credentials = facts(said)
    assert "shown this once" in said
    assert credentials["scopes"] == "erp.events.read"
    assert credentials["token_url"].endswith("/v1/oauth/token")
    before = Erp(site.address, made, credentials)
    assert before.ask_token().expect(200)["scope"] == "erp.events.read"

    said = admin("secrets", "rotate", credentials["client_id"], "--overlap", "60")
    assert "shown this once" in said and "60 s at most" in said
    after = before.with_secret(facts(said)["client_secret"])
    before.fetch_token()
    after.fetch_token()
    clock.advance(61)
    before.ask_token().expect(401, "invalid_client")
    after.fetch_token()


# --- integrations


def test_json_is_the_answer_as_it_came(admin, operator, integration):
    path = f"/internal/v1/integrations/{integration['id']}"
    shown = admin("integrations", "show", integration["id"], "--json")
    assert shown.encode() == operator.get(path).body + b"\n"
    assert json.loads(shown) == integration


def test_change_leaves_the_rest(admin, operator, integration):
    admin("integrations", "change", integration["id"], "--name", "Renamed")
    admin("integrations", "change", integration["id"], "--erp-timeout", "7",
          "--erp-token-file", "-", stdin="another\n")
    changed = operator.integration(integration["id"]).expect(200)
    assert changed == integration | {
        "name": "Renamed", "erp": integration["erp"] | {"timeout_seconds": 7},
        "updated_at": changed["updated_at"]}
    assert facts(admin("integrations", "show", integration["id"]))["name"] == "Renamed"


def test_archive_share_is_proposed_and_can_be_another(admin, operator, new_integration):
    """Contract section 5 "Safety brake": a new integration gets 0.5 without a word about it."""
    assert new_integration()["max_archive_share"] == 0.5
    made = new_integration("--archive-share", "0.25")
    assert made["max_archive_share"] == 0.25
    assert new_integration("--archive-share", "setting")["max_archive_share"] is None
    for share, stored in (("1", 1), ("setting", None)):
        admin("integrations", "change", made["id"], "--archive-share", share)
        assert operator.integration(made["id"]).expect(200)["max_archive_share"] == stored
    admin("integrations", "change", made["id"], "--name", "Renamed")
    assert operator.integration(made["id"]).expect(200)["max_archive_share"] is None
    admin.refuse("integrations", "change", made["id"], "--archive-share", "half", status=WRONG,
                 says="--archive-share must be")
    admin.refuse("integrations", "change", made["id"], "--archive-share", "1.5",
                 says="--archive-share: Must be a number from 0 to 1")
    assert "HERALD_ERP_MAX_ARCHIVE_SHARE" in admin("integrations", "show", made["id"])


def test_disabled_integration_gets_no_token_until_it_is_enabled(admin, erp):
    erp.fetch_token()
    assert facts(admin("integrations", "disable", erp.integration_id))["state"] == "disabled"
    erp.ask_token().expect(401, "invalid_client")
    assert facts(admin("integrations", "enable", erp.integration_id))["state"] == "enabled"
    erp.fetch_token()


def test_list_has_every_page(admin, operator):
    made = [operator.create_integration(name=f"Page {i}").expect(201) for i in range(60)]
    listed = admin.json("integrations", "list")
    assert listed["next_cursor"] is None
    ids = [row["id"] for row in listed["integrations"]]
    assert [row for row in listed["integrations"] if row["name"].startswith("Page ")] == made
    assert ids == sorted(set(ids))
    rows = rows_of(admin("integrations", "list"))
    assert [row["ID"] for row in rows] == ids
    assert rows[-1] == {"ID": made[-1]["id"], "NAME": "Page 59", "STATE": "enabled",
                        "ENVIRONMENT": "production", "LAST SNAPSHOT": "-", "WAITING": "0",
                        "FAILED": "0", "ORDERS": "0", "CIRCUIT": "closed"}
    page = admin.json("integrations", "list", "--limit", "3", "--q", "PAGE 5", "--enabled", "true")
    assert [row["name"] for row in page["integrations"]] == ["Page 5", "Page 50", "Page 51"]
    assert page["next_cursor"] == made[51]["id"]
    assert [row["name"] for row in admin.json(
        "integrations", "list", "--q", "page 5")["integrations"]] == [
            "Page 5", *(f"Page {i}" for i in range(50, 60))]
    assert admin.json("integrations", "list", "--enabled", "false")["integrations"] == []
    admin.refuse("integrations", "list", "--enabled", "perhaps", status=WRONG, says="--enabled")


def test_name_is_taken_where_an_id_is_wanted(admin, operator):
    """Exactly this name; where several have it, their ids are listed (O9)."""
    first = operator.create_integration(name="Точка №1 & Co").expect(201)
    operator.create_integration(name="Точка №1 & Co, back door").expect(201)
    assert admin.json("integrations", "show", first["name"])["id"] == first["id"]
    assert admin.json("packages", "list", first["name"])["packages"] == []
    assert admin.json("packages", "list")["next_cursor"] is None
    assert admin.json("refusals", first["name"])["refusals"] == []
    assert admin.json("orders", "list", "--integration", first["name"])["orders"] == []
    assert "No package of it was refused." in admin("refusals", first["id"])
    admin.refuse("integrations", "show", "ТОЧКА №1 & Co", says=["INTEGRATION", "no integration"])
    second = operator.create_integration(name=first["name"]).expect(201)
    admin.refuse("integrations", "show", first["name"],
                 says=["2 integrations", first["id"], second["id"]])
    admin.refuse("refusals", status=WRONG, says="refusals INTEGRATION")


def test_longest_lists_are_shown_whole(admin, operator):
    """More integrations than a page has, as long as they can be; and the most clients."""
    longest = {"base_url": "https://erp.example/" + "p" * 480, "order_path": "/" + "p" * 199}
    for _ in range(210):
        made = operator.create_integration(name="\x80" * 200, erp=longest).expect(201)
    rows = admin.json("integrations", "list")["integrations"]
    assert sum(row["name"] == "\x80" * 200 for row in rows) == 210
    assert len({row["id"] for row in rows}) == len(rows)
    assert "\x80" not in admin("integrations", "list")

    for _ in range(50):
        client = operator.create_client(made["id"], name="\u0001" * 200).expect(201)
        operator.rotate_secret(client["client_id"], overlap_seconds=86400).expect(200)
    assert len(operator.clients(made["id"]).body) > 64 * 1024
    clients = admin.json("clients", "list", made["id"])["clients"]
    assert [len(row["secrets"]) for row in clients] == [2] * 50
    assert len(rows_of(admin("clients", "list", made["id"]))) == 100


STEERING = "a\x1b[2Jb\x9bc\u202ed\u2066e\u2069f\u2028g\x7f"
SHOWN = r"a\u001b[2Jb\u009bc\u202ed\u2066e\u2069f\u2028g\u007f"


def test_terminal_is_not_steered_by_a_name(admin, operator):
    """Nor by JSON, where it says the same by escapes."""
    made = operator.create_integration(name=STEERING).expect(201)
    operator.create_client(made["id"], name=STEERING).expect(201)
    for words in (["integrations", "show", made["id"]], ["integrations", "list"],
                  ["clients", "list", made["id"]],
                  ["integrations", "change", made["id"], "--erp-timeout", "9"]):
        for as_json in ([], ["--json"]):
            said = admin(*words, *as_json)
            assert SHOWN in said, said
            assert not set(said) & set(STEERING) - set("a[2Jbcdefg")
    assert admin.json("integrations", "show", made["id"])["name"] == STEERING


def test_token_of_an_erp_is_never_shown(site, admin, new_integration):
    token = f"canary-{fresh_key()}"
    made = new_integration(token=token)
    admin("integrations", "change", made["id"], "--erp-token-file", "-", stdin=token)
    shown = [admin("integrations", "show", made["id"]), admin("integrations", "list", "--json"),
             admin.refuse("integrations", "change", made["id"], "--erp-token-file", "-",
                          stdin=token + "\nx", says="--erp-token-file: "),
             admin.refuse("integrations", "change", made["id"], f"--erp-token={token}",
                          status=WRONG, says="can be seen by others")]
    assert all(token not in text for text in shown)
    assert all(token.encode() not in process.output for process in site.processes)


# --- clients and secrets


def test_list_of_clients(admin, integration):
    assert "no client yet" in admin("clients", "list", integration["id"])
    first = admin.json("clients", "create", integration["id"], "--name", "One")
    second = admin.json("clients", "create", integration["id"], "--scopes", "erp.events.read")
    newer = admin.json("secrets", "rotate", first["client_id"], "--overlap", "600")
    text = admin("clients", "list", integration["id"])
    rows = rows_of(text)
    assert [row["CLIENT"] for row in rows] == [first["client_id"], "", second["client_id"]]
    assert [row["NAME"] for row in rows] == ["One", "", "-"]
    assert [row["SECRET_ID"] for row in rows] == [
        first["secret_id"], newer["secret_id"], second["secret_id"]]
    assert [row["SECRET ENDS"] == "-" for row in rows] == [False, True, True]
    assert rows[2]["SCOPES"] == "erp.events.read"
    assert not SECRET.search(text)


def test_disabled_client_gets_no_token_until_it_is_enabled(admin, erp):
    assert "is disabled" in admin("clients", "disable", erp.client_id)
    erp.ask_token().expect(401, "invalid_client")
    assert admin("clients", "enable", erp.client_id, "--json") == ""
    erp.fetch_token()


def test_rotation_without_overlap_ends_the_old_secret(admin, erp):
    said = admin("secrets", "rotate", erp.client_id)
    assert "All that were before it have ended." in said
    erp.ask_token().expect(401, "invalid_client")
    erp.with_secret(SECRET.search(said)[0]).fetch_token()


def test_revoked_secret_ends(admin, erp, client):
    assert "has ended" in admin("secrets", "revoke", erp.client_id, client["secret_id"])
    erp.ask_token().expect(401, "invalid_client")
    row, = rows_of(admin("clients", "list", erp.integration_id))
    assert (row["STATE"], row["SECRET_ID"]) == ("enabled", "-")


# --- keys


def test_keys(admin, operator):
    assert rows_of(admin("keys", "list"))[-1]["STATE"] == "signing"
    said = admin("keys", "rotate")
    newest = operator.signing_keys().expect(200)["keys"][-1]
    assert newest["kid"] in said and newest["signs_from"] in said
    assert admin.json("keys", "rotate") == newest
    assert rows_of(admin("keys", "list"))[-1] == {
        "KID": newest["kid"], "STATE": "next", "CREATED": newest["created_at"],
        "SIGNS FROM": newest["signs_from"], "SIGNS UNTIL": "-"}


# --- refusals


def test_each_fault_is_told_at_its_flag(admin, integration):
    admin.refuse("integrations", "change", integration["id"], "--name", "", "--erp-url",
                 "http://erp.example", "--erp-timeout", "61", "--erp-path", "orders",
                 says=["--name: Must", "--erp-timeout: Must", "--erp-path: Must"])
    admin.refuse("integrations", "change", integration["id"], "--erp-url", "http://erp.example",
                 says=["--erp-url: ", "https"])
    admin.refuse("clients", "create", integration["id"], "--scopes", "erp.events.read dance",
                 says="--scopes[1]: Must")
    admin.refuse("secrets", "rotate", MISSING_ID, "--overlap", "86401", says="--overlap: Must")


@pytest.mark.parametrize("words, says", [
    (["integrations", "show", MISSING_ID], "no such integration"),
    (["integrations", "change", MISSING_ID, "--name", "x"], "no such integration"),
    (["integrations", "disable", MISSING_ID], "no such integration"),
    (["clients", "list", MISSING_ID], "no such integration"),
    (["clients", "create", MISSING_ID], "no such integration"),
    (["clients", "disable", MISSING_ID], "no such client"),
    (["secrets", "rotate", MISSING_ID], "no such client"),
    (["secrets", "revoke", MISSING_ID, MISSING_ID], "no such client"),
])
def test_what_is_not_there(admin, words, says):
    admin.refuse(*words, says=says)


def test_wrong_key(site):
    said = Admin(site, INTERNAL_API_KEY="canary").refuse(
        "keys", "list", says=["does not take the key", "the environment", "INTERNAL_API_KEY"])
    assert "canary" not in said


def test_nobody_is_there(admin):
    url = f"http://127.0.0.1:{free_port()}"
    admin.refuse("keys", "list", "--url", url, says=[url, "herald serve", "--url"])


class Stranger:
    """A server that is not herald: gives each caller the same bytes, once its request came."""

    def __init__(self, answer):
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.requests = []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            with peer:
                self.requests.append(peer.recv(65536))
                peer.sendall(self.answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def answer_of(status, body):
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def test_stranger_answers(admin):
    for status in (200, 302, 404, 500):
        with Stranger(answer_of(status, "<html>welcome</html>")) as stranger:
            done = admin.run("integrations", "list", "--url", stranger.url)
            assert done.returncode == REFUSED and stranger.url in done.stderr


def test_request_that_may_have_been_carried_out(admin):
    with Stranger(b"") as stranger:
        admin.refuse("keys", "rotate", "--url", stranger.url, says="may have been carried out")
        assert len(stranger.requests) == 1
        said = admin.refuse("keys", "list", "--url", stranger.url, says="no answer")
        assert "carried out" not in said


def test_secret_in_an_answer_of_another_shape_is_not_lost(admin):
    with Stranger(answer_of(201, '{"client_secret":"hs_canary"}')) as stranger:
        done = admin.run("clients", "create", MISSING_ID, "--url", stranger.url)
    assert done.returncode == REFUSED and "hs_canary" in done.stdout
    assert "shape" in done.stderr


def test_help_and_wrong_commands(admin):
    said = admin("--help")
    assert admin("-h") == said
    secrets = admin("secrets", "--help")
    assert "herald admin secrets rotate" in secrets and "herald admin keys" not in secrets
    alone = admin.run()
    assert (alone.returncode, alone.stdout) == (WRONG, said)
    for words in (["dance"], ["keys"], ["keys", "dance"], ["keys", "list", "--dance=1"],
                  ["integrations", "show"], ["integrations", "create", "--name", "x"]):
        assert admin.refuse(*words, status=WRONG).startswith("herald: ")


# --- where the service is, and with which key


def test_sources_of_the_settings(site, tmp_path):
    host, port = site.address
    key_file = tmp_path / "key"
    key_file.write_text(site.internal_key + "\n")
    settings = tmp_path / "herald.conf"
    settings.write_text(f"INTERNAL_API_KEY_FILE={key_file}\nHERALD_LISTEN=127.0.0.1:1\n")
    admin = Admin(site, INTERNAL_API_KEY=None, HERALD_LISTEN=None)
    admin("keys", "list", "--config", str(settings), "--listen", f"{host}:{port}")
    admin("--config", str(settings), "keys", f"--url=http://{host}:{port}/", "list")
    admin.refuse("keys", "list", "--config", str(settings), says="127.0.0.1:1")
    two = Admin(site, INTERNAL_API_KEY=f"{site.internal_key},the-next-one")
    two("keys", "list")


@pytest.mark.only("sqlite")
def test_key_that_serve_made(fresh_site):
    process = fresh_site.start("serve", changes={"INTERNAL_API_KEY": None})
    process.wait_until_ready()
    admin = Admin(fresh_site, INTERNAL_API_KEY=None)
    admin("keys", "list")
    elsewhere = fresh_site.home / "elsewhere"
    admin.refuse("keys", "list", "--state-dir", str(elsewhere), status=WRONG,
                 says=["elsewhere/internal-api-key", "--state-dir", "INTERNAL_API_KEY"])
    assert not elsewhere.exists()


@pytest.mark.only("postgres")
def test_no_key_is_looked_for_beside_a_server(site):
    Admin(site, INTERNAL_API_KEY=None).refuse(
        "keys", "list", status=WRONG, says="INTERNAL_API_KEY is not set")


def test_what_has_no_words_of_its_own_is_shown_by_its_record(site, admin):
    erp = Sender.of(site)
    erp.apply(SNAPSHOT, catalog.snapshot([catalog.product("p-1", name="Чайник")],
                                         [catalog.category()]))
    [product] = rows_of(admin("catalog", "products", erp.integration_id))
    assert (product["ID"], product["NAME"]) == ("p-1", "Чайник")
    assert facts(admin("catalog", "product", erp.integration_id, "p-1"))["name"] == "Чайник"
    assert admin("catalog", "attributes", erp.integration_id) == "There is none.\n"
    [category] = rows_of(admin("catalog", "categories", erp.integration_id))
    assert category["NAME"] == "Category"
    listen = next(row for row in rows_of(admin("settings", "list"))
                  if row["NAME"] == "HERALD_LISTEN")
    assert listen["SOURCE"] == "the environment"


def test_product_is_shown_whatever_its_erp_leaves_out(site, admin):
    """What is null in an answer though it may be left out of a package."""
    erp = Sender.of(site)
    erp.apply(SNAPSHOT, catalog.snapshot(
        [catalog.product("p-1", marking={"required": True}, option_axes=[catalog.axis()],
                         variants=[catalog.variant(option_values=[
                             {"axis_id": "size", "value_id": "s"}])])],
        attribute_definitions=[catalog.definition(kind="enum")]))
    [product] = rows_of(admin("catalog", "products", erp.integration_id))
    assert product["ID"] == "p-1"
    said = facts(admin("catalog", "product", erp.integration_id, "p-1"))
    assert (said["marking required"], said["marking group"]) == ("yes", "-")
    [definition] = rows_of(admin("catalog", "attributes", erp.integration_id))
    assert definition["ID"] == "a-1"


def test_product_is_shown_with_a_rate_that_only_the_service_knows(fresh_site):
    fresh_site.serve({"HERALD_ERP_VAT_RATES": "none,24,124/24"})
    erp, admin = Sender.of(fresh_site), Admin(fresh_site)
    erp.apply(SNAPSHOT, catalog.snapshot([catalog.product("p-1", tax={"vat_rate": "124/24"})]))
    [product] = rows_of(admin("catalog", "products", erp.integration_id))
    assert product["ID"] == "p-1"
    assert facts(admin("catalog", "product", erp.integration_id, "p-1"))["tax vat_rate"] == "124/24"


def test_order_is_created_from_a_file_and_once_with_a_key(admin, integration, tmp_path):
    order = order_input(integration["point_id"])
    path = tmp_path / "order.json"
    path.write_text(json.dumps({"integration_id": integration["id"], "order": order}))
    words = ("orders", "create", "--body", str(path), "--idempotency-key", "k 1")
    assert [admin.json(*words)["id"] for _ in range(2)] == [order["id"]] * 2
    again = admin.json("orders", "create", "--body", "-", stdin=path.read_text())
    assert again["id"] == order["id"]
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # a byte order mark is no part of it
    assert admin.json(*words)["id"] == order["id"]
    admin.refuse("orders", "create", "--body", str(tmp_path / "none"), status=WRONG,
                 says="cannot be read")
    admin.refuse("orders", "create", "--body", "-", status=WRONG, says="holds nothing")
