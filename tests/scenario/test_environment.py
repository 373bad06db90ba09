"""What surrounds the settings: variables that others made, byte order marks, quotes, empty values
(contract, section 7)."""

import json

import pytest

from harness.http import Client
from harness.site import fresh_secret_key
from harness.tls import Pair
from test_risks import risks_of
from test_settings import refuse, write_config

MARK = b"\xef\xbb\xbf"
LINKS = {
    "HERALD_SERVICE_HOST": "10.96.12.7",
    "HERALD_SERVICE_PORT": "8080",
    "HERALD_SERVICE_PORT_HTTP": "8080",
    "HERALD_PORT": "tcp://10.96.12.7:8080",
    "HERALD_PORT_8080_TCP": "tcp://10.96.12.7:8080",
    "HERALD_PORT_8080_TCP_PROTO": "tcp",
    "HERALD_PORT_8080_TCP_PORT": "8080",
    "HERALD_PORT_8080_TCP_ADDR": "10.96.12.7",
    "HERALD_DNS_PORT": "udp://[fd00::7]:53",
    "HERALD_DNS_PORT_53_UDP": "udp://[fd00::7]:53",
    "HERALD_DNS_PORT_53_UDP_ADDR": "fd00::7",
    "HERALD_DNS_SERVICE_HOST": "fd00::7",
    "HERALD_NAME": "/web/herald",
}


def entries_of(process):
    """The lines of its log."""
    lines = process.output.decode().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def is_key(site, key):
    """Whether it is the internal key."""
    asking = Client(site.address, {"X-Internal-API-Key": key}, "127.0.4.2")
    return asking.get("/internal/v1/devices").status == 200


# --- Service links


def test_service_links_are_passed_over_and_named(fresh_site):
    process = fresh_site.serve(LINKS)
    rows = [row for row in entries_of(process) if "variables" in row.get("fields", {})]
    assert [row["level"] for row in rows] == ["info"]
    assert sorted(rows[0]["fields"]["variables"].split(", ")) == sorted(LINKS)


def test_a_start_without_service_links_names_none(fresh_site):
    process = fresh_site.serve()
    assert not any("variables" in row.get("fields", {}) for row in entries_of(process))


@pytest.mark.parametrize("name, value", [
    ("HERALD_PORT", "9090"), ("HERALD_PORT", "http://10.96.12.7:8080"), ("HERALD_PORT", ""),
    ("HERALD_SERVICE_HOST", "herald.example"), ("HERALD_SERVICE_PORT", "tcp"),
    ("HERALD_SERVICE_PORT", "70000"), ("HERALD_PORT_8080_TCP_ADDR", "here"),
    ("HERALD_PORT_8080_TCP_PROTO", "http"), ("HERALD_NAME", "herald"), ("HERALD_COLOUR", "red"),
    ("HERALD_LISTN", "tcp://10.96.12.7:8080"), ("HERALD_ADDR", "10.96.12.7"),
])
def test_any_other_unknown_name_stops_the_start(fresh_site, name, value):
    refuse(fresh_site, "serve", changes={**LINKS, name: value}, names=[f"{name} from the environment"])


def test_a_service_link_is_no_line_of_a_file(fresh_site):
    path = write_config(fresh_site, "HERALD_PORT=tcp://10.96.12.7:8080\n")
    refuse(fresh_site, "serve", "--config", path, changes={}, names=["HERALD_PORT", path])


# --- Byte order marks


def put(path, text):
    path.write_bytes(MARK + text.encode())
    path.chmod(0o600)
    return str(path)


def test_marks_before_settings_and_secrets(fresh_site):
    key = "k" * 40
    named = {
        "INTERNAL_API_KEY": None, "HERALD_SECRET_KEY": None,
        "INTERNAL_API_KEY_FILE": put(fresh_site.home / "internal", f"{key}\r\n"),
        "HERALD_SECRET_KEY_FILE": put(fresh_site.home / "secret", fresh_secret_key()),
    }
    path = put(fresh_site.home / "herald.conf", "HERALD_DRAIN_SECONDS=0\r\n")
    fresh_site.migrate()
    process = fresh_site.start("serve", "--config", path, changes=named)
    process.wait_until_ready()
    assert is_key(fresh_site, key)


@pytest.mark.only("sqlite")
def test_marks_before_the_keys_of_the_first_start(fresh_site):
    unset = {"INTERNAL_API_KEY": None, "HERALD_SECRET_KEY": None}
    fresh_site.serve(unset)
    fresh_site.stop()
    files = [fresh_site.state / name for name in ("internal-api-key", "secret-key")]
    texts = [path.read_text() for path in files]
    for path, text in zip(files, texts):
        put(path, text)
    fresh_site.serve(unset)
    assert is_key(fresh_site, texts[0].strip())


def test_marks_before_certificate_and_key(fresh_site, tmp_path):
    pair = Pair(tmp_path)
    for path in (pair.cert, pair.key):
        put(path, path.read_text())
    fresh_site.scheme = "https"
    fresh_site.settings.update(pair.settings)
    fresh_site.serve()
    fresh_site.core().devices().expect(200)
    # `herald admin` trusts that certificate alone.
    address = fresh_site.processes[-1].port
    done = fresh_site.run("admin", "devices", "list",
                          changes={"HERALD_LISTEN": f"https://127.0.0.1:{address}"})
    assert done.returncode == 0, done.stdout


def test_a_mark_before_the_key_of_a_command(fresh_site):
    fresh_site.serve()
    listen = {"HERALD_LISTEN": "{}:{}".format(*fresh_site.address)}
    key = put(fresh_site.home / "key", fresh_site.internal_key)
    named = {**listen, "INTERNAL_API_KEY": None, "INTERNAL_API_KEY_FILE": key}
    done = fresh_site.run("admin", "devices", "list", changes=named)
    assert done.returncode == 0, done.stdout


# --- Empty values


def test_an_empty_value_is_an_unset_one(fresh_site):
    """All that `herald config` lists, from each source; what weighs less stays."""
    unset = {"INTERNAL_API_KEY": None, "HERALD_SECRET_KEY": None, "HERALD_DATABASE_URL": None,
             "HERALD_STATE_DIR": None, "HERALD_DRAIN_SECONDS": None, "HERALD_CONSOLE_LISTEN": None,
             "HERALD_ERP_SNAPSHOTS_PER_DAY": None, "HERALD_ERP_PACKAGES_PER_MINUTE": None}
    plain = fresh_site.run("config", changes=unset).stdout
    names = [line.partition("=")[0] for line in plain.splitlines() if line[:1].isalpha()]
    assert len(names) > 60 and "HERALD_ERP_VAT_RATES" in names
    empty = dict.fromkeys([*names, "HERALD_SECRET_KEY_FILE", "INTERNAL_API_KEY_FILE"], "")
    assert fresh_site.run("config", changes=unset | empty).stdout == plain
    path = write_config(fresh_site, "".join(f"{name}=\n{name}=\"\"\n" for name in names))
    assert fresh_site.run("config", "--config", path, changes=unset).stdout == plain
    done = fresh_site.run("config", "HERALD_LISTEN", "--listen=", changes=unset)
    assert "HERALD_LISTEN=127.0.0.1:8080" in done.stdout
    path = write_config(fresh_site, "HERALD_LISTEN=127.0.0.1:7\n")
    done = fresh_site.run("config", "HERALD_LISTEN", "--listen", "", "--config", path,
                          changes=unset | {"HERALD_LISTEN": ""})
    assert "HERALD_LISTEN=127.0.0.1:7" in done.stdout


def test_an_empty_value_beside_a_file(fresh_site):
    """As a template of Compose leaves the one that is not used."""
    key = fresh_site.home / "key"
    key.write_text("k" * 40)
    fresh_site.serve({"INTERNAL_API_KEY": "", "INTERNAL_API_KEY_FILE": str(key),
                      "HERALD_ERP_VAT_RATES": ""})
    assert is_key(fresh_site, "k" * 40)


# --- Quotes


@pytest.mark.parametrize("quote", ['"', "'"])
def test_quotes_in_the_environment_are_told(fresh_site, quote):
    quoted = f"{quote}{'k' * 40}{quote}"
    process = fresh_site.serve({"INTERNAL_API_KEY": quoted,
                                "HERALD_TELEGRAM_BOT_TOKEN": f"{quote}1:a{quote}"})
    assert is_key(fresh_site, quoted) and not is_key(fresh_site, "k" * 40)
    assert risks_of(process.output)["quoted_value"] == "INTERNAL_API_KEY, HERALD_TELEGRAM_BOT_TOKEN"
    assert "k" * 40 not in process.output.decode()


def test_quotes_in_a_file_with_a_key_are_told(fresh_site):
    key = fresh_site.home / "key"
    key.write_text(f'"{"k" * 40}"\n')
    key.chmod(0o600)
    process = fresh_site.serve({"INTERNAL_API_KEY": None, "INTERNAL_API_KEY_FILE": str(key)})
    assert is_key(fresh_site, f'"{"k" * 40}"')
    assert risks_of(process.output)["quoted_value"] == "INTERNAL_API_KEY"


def test_quotes_that_are_no_pair_are_not_told(fresh_site):
    process = fresh_site.serve({"INTERNAL_API_KEY": '"' + "k" * 40 + "'"})
    assert "quoted_value" not in risks_of(process.output)


def test_quotes_around_a_number_stop_the_start_and_are_named(fresh_site):
    refuse(fresh_site, "serve", changes={"HERALD_DRAIN_SECONDS": '"3"'},
           names=["HERALD_DRAIN_SECONDS", "without quotes"])
    said = refuse(fresh_site, "serve", changes={"HERALD_SECRET_KEY": f'"{fresh_secret_key()}"'},
                  names=["HERALD_SECRET_KEY", "without quotes"])
    assert '"' not in said.partition("HERALD_SECRET_KEY")[2]


@pytest.mark.parametrize("quote", ['"', "'"])
def test_quotes_in_a_file_of_settings_go(fresh_site, quote):
    path = write_config(fresh_site, f"INTERNAL_API_KEY={quote}{'k' * 40}{quote}\n"
                                    f"HERALD_DRAIN_SECONDS = {quote}0{quote}\r\n")
    fresh_site.migrate()
    process = fresh_site.start("serve", "--config", path,
                               changes={"INTERNAL_API_KEY": None, "HERALD_DRAIN_SECONDS": None})
    process.wait_until_ready()
    assert is_key(fresh_site, "k" * 40)
    assert "quoted_value" not in risks_of(process.output)
