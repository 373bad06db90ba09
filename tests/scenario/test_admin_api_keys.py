"""`herald admin api-keys`, and `herald admin` by a key of its own (contract, section 10)."""

import re

from harness.keys import key_of, make_key, with_key
from harness.tools import fresh_key
from test_admin import REFUSED, WRONG, Admin, facts, rows_of

KEY = re.compile(r"hk_[A-Za-z0-9_-]{43}")
SELF = "/internal/v1/api-keys/self"
WIDTH = 80


def test_life_of_a_key(site, core):
    admin = Admin(site)
    said = admin("api-keys", "create", "--name", "Анна", "--role", "support", "--rate", "600",
                 "--test", "true", "--expires-at", "2099-01-01T00:00:00Z")
    shown, key = facts(said), KEY.search(said)[0]
    assert (shown["role"], shown["test"], shown["requests_per_minute"]) == ("support", "yes", "600")
    assert "shown this once" in said
    own = Admin(site, HERALD_API_KEY=key)
    shown_of_self = facts(own("api-keys", "self"))
    assert (shown_of_self["kind"], shown_of_self["id"]) == ("api_key", shown["id"])
    row, = [row for row in rows_of(admin("api-keys", "list")) if row["ID"] == shown["id"]]
    assert (row["ROLE"], row["NAME"]) == ("support", "Анна")

    said = admin("api-keys", "rotate", shown["id"], "--overlap", "60")
    assert facts(said)["old_key_until"] != "-" and KEY.search(said)[0] != key
    with_key(site, KEY.search(said)[0]).get(SELF).expect(200)
    assert "for good" in admin("api-keys", "revoke", shown["id"])
    row, = [row for row in rows_of(admin("api-keys", "list")) if row["ID"] == shown["id"]]
    assert row["ENDS"] == "revoked"
    admin.refuse("api-keys", "rotate", shown["id"], status=REFUSED, says="no such key")
    admin.refuse("api-keys", "create", "--name", "x", status=WRONG, says="--role")


def test_key_goes_by_its_name(site, core):
    """One that was revoked has left its name to others."""
    admin = Admin(site)
    name = f"Смена {fresh_key()[:6]}"
    first = make_key(core, "viewer", name=name)
    assert facts(admin("api-keys", "rotate", name))["id"] == first["id"]
    assert "for good" in admin("api-keys", "revoke", name)
    second = make_key(core, "viewer", name=name)
    assert facts(admin("api-keys", "rotate", name))["id"] == second["id"]
    admin.refuse("api-keys", "revoke", "Nobody", says=["API_KEY", "no key has the id or the name"])
    name = f"Анна {fresh_key()[:6]}"
    admin("operators", "create", name, "--role", "viewer")
    assert facts(admin("operators", "show", name))["name"] == name
    hook = {"url": "https://example.com/x", "types": ["test.ping"], "description": name}
    made = core.post("/internal/v1/webhook-endpoints", hook).expect(201)
    assert made["id"] in admin("webhooks", "show", name)
    assert "Deleted" in admin("webhooks", "delete", name)
    core.get(f"/internal/v1/webhook-endpoints/{made['id']}").expect(404)


def test_refusal_names_the_role(site, core):
    viewer = Admin(site, HERALD_API_KEY=key_of(core, "viewer"))
    assert viewer("integrations", "list")
    viewer("log")
    said = viewer.refuse("devices", "register", "--name", "x", "--numbers", "+79160000001",
                         status=REFUSED, says=["HERALD_API_KEY", "role operator"])
    assert KEY.search(said) is None
    Admin(site, HERALD_API_KEY="hk_" + "A" * 43).refuse(
        "api-keys", "self", status=REFUSED, says=["does not take the key", "HERALD_API_KEY"])


def test_without_an_own_key_it_is_the_root_key(site):
    assert facts(Admin(site)("api-keys", "self"))["kind"] == "root"


def test_key_comes_from_a_file(site, core):
    path = site.home / "own-key"
    path.write_text(key_of(core, "viewer") + "\n")
    shown = facts(Admin(site, HERALD_API_KEY_FILE=str(path))("api-keys", "self"))
    assert shown["role"] == "viewer"


def test_list_fits_80_columns(site, core):
    key_of(core, "operator", expires_at="2099-01-01T00:00:00Z", name="n")
    key_of(core, "core", name="m")
    lines = Admin(site)("api-keys", "list").splitlines()
    assert max(map(len, lines)) <= WIDTH
