"""Contract section 7: settings and their sources, what a start is refused for, the verbs."""

import base64
import os
import re
import socket
import stat
import subprocess
import threading

import pytest

from harness.http import Client
from harness.site import BINARY, PROJECT, free_port, fresh_secret_key
from harness.tools import fresh_key, fresh_number

KEY = "a-key-that-only-this-test-has"


def refuse(site, *arguments, changes, names):
    """The start is refused with a sentence that holds all these words."""
    try:
        done = site.run(*arguments, changes=changes, timeout=10)
    except subprocess.TimeoutExpired:
        pytest.fail(f"herald took {changes} and runs")
    assert done.returncode != 0, f"herald took {changes}"
    for name in names:
        assert name in done.stdout, f"{name!r} is not named in: {done.stdout}"
    return done.stdout


def write_config(site, text):
    path = site.home / "herald.conf"
    path.write_text(text)
    return str(path)


def works(site, key):
    return Client(site.address, {"X-Internal-API-Key": key}, "127.0.4.1").get(
        "/internal/v1/devices").status == 200


# --- the binary


@pytest.mark.only("sqlite")
def test_version(fresh_site):
    done = fresh_site.run("--version")
    assert (done.returncode, done.stdout) == (0, "herald 0.5.0\n")


VERBS = ("serve", "api", "worker", "idp", "migrate", "config", "openapi")


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("arguments", [
    ["help"], ["--help"], ["-h"], ["help", "serve"], ["migrate", "up", "--help"],
    ["serve", "--listen", "127.0.0.1:1", "-h"], *([verb, "--help"] for verb in VERBS)], ids=" ".join)
def test_help_fits_a_terminal(fresh_site, arguments):
    done = fresh_site.run(*arguments)
    assert done.returncode == 0
    assert all(f"\n  herald {verb} " in done.stdout for verb in (*VERBS, "admin"))
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("word", ["HERALD_DRAIN_SECONDS", "drain-seconds"])
def test_one_setting_is_shown(fresh_site, word):
    shown = fresh_site.run("config", word, "--drain-seconds", "7")
    *comments, value = shown.stdout.strip().splitlines()
    assert (shown.returncode, value) == (0, "HERALD_DRAIN_SECONDS=7")
    assert all(line.startswith("# ") for line in comments) and "seconds" in shown.stdout


@pytest.mark.only("sqlite")
def test_comments_of_the_settings_fit_a_terminal(fresh_site):
    shown = fresh_site.run("config").stdout
    comments = [line for line in shown.splitlines() if line.startswith("# ")]
    assert comments and max(map(len, comments)) <= 80


@pytest.mark.only("sqlite")
def test_help_of_admin_is_its_own(fresh_site):
    assert fresh_site.run("help", "admin").stdout == fresh_site.run("admin", "--help").stdout


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("arguments, said", [
    ([], "herald 0.5.0 - "),
    (["dance"], 'herald: "dance" is no verb of herald. These are its verbs:\n\nherald 0.5.0 - '),
    (["help", "dance"], 'herald: "dance" is no verb of herald.'),
    (["--listen", "127.0.0.1:1"], 'herald: "--listen" is no verb of herald.'),
    (["--version", "now"], 'herald: "now" is not understood here'),
    (["migrate"], "herald: `herald migrate` needs one of these words first: status, up, finish."),
    (["migrate", "sideways"], 'herald: "sideways" is not understood here. `herald migrate` needs'),
    (["migrate", "up", "now"], 'herald: "now" is not understood here.'),
    (["config", "now"], 'herald: "now" is not understood here: no setting has that name.'),
    (["config", "HERALD_LISTN"], 'herald: "HERALD_LISTN" is not understood here: no setting has '
                                 "that name. Did you mean HERALD_LISTEN?"),
    (["config", "HERALD_LISTEN", "now"], 'herald: "now" is not understood here.'),
    (["serve", "--dance"], "herald: --dance is no flag of herald."),
    (["serve", "--listen"], "herald: --listen needs a value"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_misuse_is_told_what_is_wrong(fresh_site, arguments, said):
    done = fresh_site.run(*arguments)
    assert done.returncode == 2
    assert done.stdout.startswith(said)


def test_binary_is_the_one_of_the_readme():
    assert BINARY.exists()
    assert "HERALD_BINARY" in os.environ or BINARY == PROJECT / "build" / "herald"


# --- bad values


@pytest.mark.parametrize("name, value", [
    ("HERALD_LISTEN", "nonsense"),
    ("HERALD_LISTEN", "127.0.0.1:99999"),
    ("HERALD_LISTEN", "127.0.0.1:"),
    ("HERALD_DATABASE_URL", "mysql://localhost/herald"),
    ("HERALD_SECRET_KEY", "too-short"),
    ("HERALD_SECRET_KEY", "!" * 43),
    ("HERALD_PUBLIC_URL", "not a url"),
    ("HERALD_TRUSTED_PROXIES", "everybody"),
    ("HERALD_SIM_SILENT_SECONDS", "4"),
    ("HERALD_SIM_SILENT_SECONDS", "86401"),
    ("HERALD_DRAIN_SECONDS", "11"),
    ("HERALD_DRAIN_SECONDS", "-1"),
    ("LOG_SENSITIVE", "perhaps"),
    ("HERALD_ENVIRONMENT", "staging"),
    ("HERALD_TEST_NUMBERS", "+79990000000"),
    ("HERALD_TEST_NUMBERS", "+79990000000-+79991000000"),
])
def test_bad_value_stops_the_start(fresh_site, name, value):
    text = refuse(fresh_site, "serve", changes={name: value}, names=[name, "environment"])
    assert name != "HERALD_SECRET_KEY" or value not in text


@pytest.mark.parametrize("value", [
    "https://user:canary@herald.example", "https://herald.example/?token=canary"])
def test_bad_url_that_may_have_a_secret_in_it_is_not_repeated(fresh_site, value):
    text = refuse(fresh_site, "serve", changes={"HERALD_PUBLIC_URL": value}, names=["HERALD_PUBLIC_URL"])
    assert "canary" not in text


def test_the_public_url_may_lie_in_a_file(fresh_site, tmp_path):
    """As every URL may; a bad one there is not repeated either."""
    path = tmp_path / "url"
    path.write_text("https://user:canary@herald.example\n")
    changes = {"HERALD_PUBLIC_URL_FILE": str(path)}
    text = refuse(fresh_site, "serve", changes=changes, names=["HERALD_PUBLIC_URL", str(path)])
    assert "canary" not in text and "neither a user nor a query" in text
    path.write_text("https://herald.example\n")
    fresh_site.serve(changes)
    reply = Client(fresh_site.address).get("/.well-known/oauth-authorization-server")
    assert reply.expect(200)["issuer"] == "https://herald.example"


def test_bad_value_in_the_file_is_told_with_the_file(fresh_site):
    path = write_config(fresh_site, "# settings\nHERALD_LISTEN=nonsense\n")
    refuse(fresh_site, "serve", "--config", path, changes={}, names=["HERALD_LISTEN", path])


def test_unknown_setting_stops_the_start(fresh_site):
    changes = {"HERALD_LISTN": "127.0.0.1:8080"}
    refuse(fresh_site, "serve", changes=changes, names=["HERALD_LISTN"])
    path = write_config(fresh_site, "HERALD_COLOUR=red\n")
    refuse(fresh_site, "serve", "--config", path, changes={}, names=["HERALD_COLOUR", path])


@pytest.mark.parametrize("text", ["nonsense\n", "=7\n", "HERALD_LISTEN\n", "\x00\n"])
def test_broken_file_stops_the_start(fresh_site, text):
    path = write_config(fresh_site, text)
    refuse(fresh_site, "serve", "--config", path, changes={}, names=[path])


def test_missing_file_stops_the_start(fresh_site):
    path = str(fresh_site.home / "missing.conf")
    refuse(fresh_site, "serve", "--config", path, changes={}, names=[path])
    changes = {"INTERNAL_API_KEY": None, "INTERNAL_API_KEY_FILE": path}
    refuse(fresh_site, "serve", changes=changes, names=["INTERNAL_API_KEY_FILE", path])


def test_address_in_use_stops_the_start(fresh_site):
    fresh_site.migrate()
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        refuse(fresh_site, "serve", changes={"HERALD_LISTEN": address}, names=[address])


@pytest.mark.parametrize("changes", [{}, {"PATH_TO_NOWHERE": "x", "MY_HERALD_LISTEN": "x"}])
def test_foreign_variables_are_nobodys_business(fresh_site, changes):
    fresh_site.serve(changes)


# --- sources


def test_secrets_from_files(fresh_site):
    fresh_site.migrate()
    for name, text in (("key", KEY), ("secret", fresh_secret_key())):
        (fresh_site.home / name).write_text(text + "\n")
    fresh_site.serve({
        "INTERNAL_API_KEY": None, "INTERNAL_API_KEY_FILE": str(fresh_site.home / "key"),
        "HERALD_SECRET_KEY": None, "HERALD_SECRET_KEY_FILE": str(fresh_site.home / "secret"),
    })
    assert works(fresh_site, KEY)
    assert not works(fresh_site, fresh_site.internal_key)


def test_settings_from_the_file(fresh_site):
    fresh_site.migrate()
    settings = fresh_site.settings
    path = write_config(fresh_site, "".join(
        f"{name}={value}\n" for name, value in {**settings, "INTERNAL_API_KEY": KEY}.items()))
    process = fresh_site.start("serve", "--config", path, changes=dict.fromkeys(settings))
    process.wait_until_ready()
    assert works(fresh_site, KEY)


def test_environment_outweighs_the_file(fresh_site):
    fresh_site.migrate()
    path = write_config(fresh_site, "INTERNAL_API_KEY=weaker\nHERALD_LISTEN=127.0.0.1:1\n")
    fresh_site.start("serve", "--config", path).wait_until_ready()
    assert works(fresh_site, fresh_site.internal_key)
    assert not works(fresh_site, "weaker")


def test_flag_outweighs_the_environment(fresh_site):
    fresh_site.migrate()
    port = free_port()
    changes = {"HERALD_LISTEN": "127.0.0.1:1"}
    process = fresh_site.start(
        "serve", "--listen", f"127.0.0.1:{port}", changes=changes, port=port)
    process.wait_until_ready()
    assert works(fresh_site, fresh_site.internal_key)


def test_config_prints_the_settings(fresh_site):
    done = fresh_site.run("config", changes={"HERALD_LISTEN": "127.0.0.1:4711"})
    assert done.returncode == 0
    for name in ("HERALD_LISTEN", "127.0.0.1:4711", "HERALD_DATABASE_URL", "HERALD_STATE_DIR",
                 "HERALD_SECRET_KEY", "INTERNAL_API_KEY", "LOG_SENSITIVE"):
        assert name in done.stdout


# --- keys of a first start


@pytest.mark.only("sqlite")
def test_first_start_makes_the_keys_and_says_where(fresh_site):
    """On an embedded database nothing has to be set up."""
    nothing = {"INTERNAL_API_KEY": None, "HERALD_SECRET_KEY": None}
    process = fresh_site.serve(nothing)
    kept = [path for path in fresh_site.state.rglob("*") if path.is_file()]
    keys = [path for path in kept if re.fullmatch(rb"[!-~]{16,200}\s*", path.read_bytes())]
    named = [path for path in keys if path.name.encode() in process.output]
    assert len(keys) >= 2
    for path in keys:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.read_bytes().strip() not in process.output
    key = next(path.read_text().strip() for path in named
               if works(fresh_site, path.read_text().strip()))

    caller, request_key = fresh_number(), fresh_key()
    core = Client(fresh_site.address, {"X-Internal-API-Key": key})
    core.post("/internal/v1/devices", {"name": "x", "numbers": [fresh_number()]}).expect(201)
    body, headers = {"caller": caller}, {"Idempotency-Key": request_key}
    made = core.post("/internal/v1/challenges", body, headers=headers).expect(201)
    fresh_site.stop()

    before = {path: path.read_bytes() for path in keys}
    fresh_site.serve(nothing)
    assert {path: path.read_bytes() for path in keys} == before
    core = Client(fresh_site.address, {"X-Internal-API-Key": key})
    assert core.post(
        "/internal/v1/challenges", body, headers=headers).expect(201)["id"] == made["id"]


@pytest.mark.only("sqlite")
def test_default_database_lies_in_the_state_folder(fresh_site):
    fresh_site.serve({"HERALD_STATE_DIR": None})
    assert (fresh_site.home / "var" / "herald.db").exists()


@pytest.mark.only("sqlite")
def test_database_may_lie_elsewhere(fresh_site):
    path = fresh_site.home / "elsewhere.db"
    fresh_site.serve({"HERALD_DATABASE_URL": f"sqlite:{path}"})
    assert path.exists()


@pytest.mark.only("sqlite")
def test_other_people_cannot_read_the_state(fresh_site):
    fresh_site.serve()
    files = [path for path in fresh_site.state.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert path.stat().st_mode & 0o007 == 0, f"{path} is open to everybody"


@pytest.mark.only("postgres")
@pytest.mark.parametrize("verb", ["serve", "api", "worker"])
def test_postgres_refuses_to_start_without_keys(fresh_site, verb):
    fresh_site.migrate()
    refuse(fresh_site, verb, changes={"HERALD_SECRET_KEY": None}, names=["HERALD_SECRET_KEY"])
    if verb != "worker":
        refuse(fresh_site, verb, changes={"INTERNAL_API_KEY": None}, names=["INTERNAL_API_KEY"])


@pytest.mark.only("sqlite")
def test_other_secret_key_than_the_databases_makes_no_wrong_codes(fresh_site):
    """Codes of before cannot be read then; whatever happens, it is no crash and no wrong text."""
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    phone.be_ready()
    core.create_otp(fresh_number()).expect(201)
    fresh_site.stop()
    other = base64.urlsafe_b64encode(bytes(range(32))).rstrip(b"=").decode()
    process = fresh_site.start("serve", changes={"HERALD_SECRET_KEY": other})
    try:
        process.wait_until_ready()
    except AssertionError:
        assert b"HERALD_SECRET_KEY" in process.output
        fresh_site.processes.remove(process)
        return
    phone.at(fresh_site.address).ping().expect(200)


# --- one process on SQLite, any number on PostgreSQL


@pytest.mark.only("sqlite")
def test_second_process_on_one_file_is_refused(fresh_site):
    fresh_site.serve()
    other = {"HERALD_LISTEN": f"127.0.0.1:{free_port()}"}
    text = refuse(fresh_site, "serve", changes=other, names=["herald"])
    assert re.search(r"another|already|second|in use|locked", text), text
    fresh_site.core().devices().expect(200)


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("verb", ["api", "worker"])
def test_parts_of_herald_need_postgres(fresh_site, verb):
    refuse(fresh_site, verb, changes={}, names=["PostgreSQL", "serve"])


@pytest.mark.only("postgres")
def test_older_schema_is_refused_and_the_command_is_named(fresh_site):
    for verb in ("serve", "api", "worker"):
        refuse(fresh_site, verb, changes={}, names=["herald migrate up"])
    status = fresh_site.run("migrate", "status")
    assert (status.returncode, "herald migrate up" in status.stdout) == (1, True), status.stdout
    fresh_site.migrate()
    status = fresh_site.run("migrate", "status")
    assert (status.returncode, "up to date" in status.stdout) == (0, True), status.stdout
    again = fresh_site.run("migrate", "up")
    assert again.returncode == 0, again.stdout
    fresh_site.serve()


@pytest.mark.only("postgres")
def test_migrations_at_one_moment_do_no_harm(fresh_site):
    done = []
    threads = [threading.Thread(target=lambda: done.append(fresh_site.run("migrate", "up")))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row.returncode for row in done] == [0, 0, 0, 0], [row.stdout for row in done]
    fresh_site.serve()


@pytest.mark.only("sqlite")
def test_embedded_database_migrates_itself(fresh_site):
    status = fresh_site.run("migrate", "status")
    assert (status.returncode, "no database yet" in status.stdout) == (1, True), status.stdout
    fresh_site.serve()
    status = fresh_site.run("migrate", "status")
    assert (status.returncode, status.stdout.count("up to date")) == (0, 2), status.stdout


@pytest.mark.only("postgres")
def test_several_hosts_the_first_of_which_is_gone(fresh_site):
    """A URL names several hosts; libpq takes the first that answers."""
    form = r"(postgres(?:ql)?://(?:[^@/]*@)?)([^/?]+)(/.*)"
    matched = re.fullmatch(form, fresh_site.database.url)
    assert matched, "HERALD_TEST_POSTGRES_URL must name a host: a socket file has no second one"
    fresh_site.migrate()
    url = f"{matched[1]}127.0.0.1:1,{matched[2]}{matched[3]}"
    fresh_site.serve({"HERALD_DATABASE_URL": url})
    fresh_site.core().devices().expect(200)
