"""`herald doctor` says what is wrong with an installation, and what to do (contract, section 11.10).

Whoever runs it sees each trouble in a line of its own, and the exit status of the worst one. It
changes nothing, whether herald runs or not.
"""

import http.server
import json
import os
import resource
import sqlite3
import stat
import subprocess
import threading

import pytest

from harness.actors import read_code
from harness.orders import ORDER_SETTINGS, RawErp, Shop, http_answer
from harness.providers import Providers
from harness.site import BINARY, fresh_secret_key, free_port
from harness.tools import eventually, fresh_number

from test_secrets import find_codes, find_keys

CLOCK = True
OK, WARN, FAIL = 0, 1, 2
STATUSES = {"ok": OK, "warn": WARN, "fail": FAIL}
NOBODY = 65534
MADE = {"INTERNAL_API_KEY": None, "HERALD_SECRET_KEY": None}


class Doctor:
    """Somebody at a shell of the machine of a herald."""

    def __init__(self, site, **changes):
        self.site = site
        self.changes = changes
        if site.processes:
            self.changes = {"HERALD_LISTEN": "%s:%d" % site.address} | changes

    def run(self, *words, before=None):
        return subprocess.run(
            [BINARY, "doctor", *words], cwd=self.site.home,
            env=self.site.environment(self.changes), text=True, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=60, check=False, preexec_fn=before)

    def look(self, *words, before=None):
        """{check: [(status, message)]}; what it says agrees with how it exits."""
        done = self.run("--json", *words, before=before)
        assert done.stderr == ""
        report = json.loads(done.stdout)
        assert set(report) == {"version", "status", "checks"}
        assert all(set(row) == {"check", "status", "message"} for row in report["checks"])
        worst = max(STATUSES[row["status"]] for row in report["checks"])
        assert (done.returncode, STATUSES[report["status"]]) == (worst, worst)
        found = {}
        for row in report["checks"]:
            found.setdefault(row["check"], []).append((row["status"], row["message"]))
        return found

    def troubles(self, *words, before=None):
        """What is not ok, without that these tests run as root."""
        return {check: rows for check, found in self.look(*words, before=before).items()
                if (rows := [row for row in found
                             if row[0] != "ok" and not row[1].startswith("root: ")])}


def expect(troubles, check, status, *says):
    """This is the only trouble, and it is told in one line."""
    assert list(troubles) == [check], troubles
    [(found, message)] = troubles[check]
    assert found == status, message
    for text in says:
        assert text in message, f"{text!r} is not in: {message}"


def files_of(site):
    """What lies in the state folder, and what is in it."""
    return {path.name: path.read_bytes() for path in site.state.iterdir()
            if not path.name.endswith("-shm")} if site.state.exists() else {}


# --- all is well


def test_healthy_herald(fresh_site):
    fresh_site.serve()
    if fresh_site.engine == "sqlite" and os.geteuid() == 0:
        os.chown(fresh_site.state / "herald.db", NOBODY, NOBODY)  # as where herald is not root
    doctor = Doctor(fresh_site)
    found = doctor.look()
    assert {status for rows in found.values() for status, _ in rows} == {"ok"}, found
    assert {"settings", "risks", "service", "running", "limits", "schema", "stores", "secret-key",
            "worker", "clock", "public-url", "providers", "erps", "sims"} <= set(found)
    assert ("disk" in found) == (fresh_site.engine == "sqlite")
    done = doctor.run()
    assert (done.returncode, done.stderr) == (OK, "")
    lines = done.stdout.splitlines()
    assert len(lines) == sum(map(len, found.values()))
    assert all(line.startswith("ok    ") for line in lines)


def test_it_holds_up_and_changes_nothing(fresh_site):
    """Codes are made meanwhile, and herald starts afterwards as if nobody had looked."""
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core)
    phone.be_ready()
    for _ in range(5):
        Doctor(fresh_site).look()
        core.create_otp(fresh_number()).expect(201)
    fresh_site.stop()
    fresh_site.processes.clear()
    before = files_of(fresh_site)
    troubles = Doctor(fresh_site, HERALD_LISTEN=f"127.0.0.1:{free_port()}").troubles()
    assert {"service", "worker"} <= set(troubles) <= {"service", "worker", "sims"}, troubles
    assert files_of(fresh_site) == before
    fresh_site.serve()


@pytest.mark.only("sqlite")
def test_it_looks_while_herald_was_killed(fresh_site):
    """The log of SQLite holds what is not in the file yet."""
    process = fresh_site.serve()
    process.kill()
    troubles = Doctor(fresh_site).troubles()
    assert set(troubles) <= {"service", "worker"} and "service" in troubles
    fresh_site.processes.clear()
    fresh_site.serve()


def test_before_the_first_start(fresh_site):
    troubles = Doctor(fresh_site, HERALD_LISTEN=f"127.0.0.1:{free_port()}").troubles()
    assert "service" in troubles
    if fresh_site.engine == "sqlite":
        assert "There is no database file" in troubles["stores"][0][1]
        assert not fresh_site.state.exists()
    else:
        assert "herald migrate up" in troubles["schema"][0][1]


# --- each trouble has its line


def test_bad_setting(fresh_site):
    fresh_site.serve()
    found = Doctor(fresh_site, HERALD_SMS_LANGUAGE="fr").look()
    [(status, message)] = found.pop("settings")
    assert status == "fail" and "HERALD_SMS_LANGUAGE" in message
    assert not found


def test_driver_that_lacks_a_setting(fresh_site):
    fresh_site.serve()
    found = Doctor(fresh_site, HERALD_FLASH_CALL_DRIVER="ucaller").look()
    assert "HERALD_UCALLER_KEY" in found["settings"][0][1]


def test_short_key(fresh_site):
    fresh_site.serve({"INTERNAL_API_KEY": "k" * 23})
    expect(Doctor(fresh_site, INTERNAL_API_KEY="k" * 23).troubles(), "risks", "warn",
           "short_internal_key", "openssl rand")


@pytest.mark.only("sqlite")
@pytest.mark.parametrize("name", ["secret-key", "internal-api-key"])
def test_key_file_that_others_may_read(fresh_site, name):
    fresh_site.serve(MADE)
    (fresh_site.state / name).chmod(0o604)
    expect(Doctor(fresh_site, **MADE).troubles(), "risks", "warn", "open_key_file",
           str(fresh_site.state / name), "chmod 600")


@pytest.mark.only("sqlite")
def test_folder_that_others_may_enter(fresh_site):
    fresh_site.serve()
    fresh_site.state.chmod(0o710)
    expect(Doctor(fresh_site).troubles(), "risks", "warn", "open_state_folder", "chmod 700")


def test_nobody_answers(fresh_site):
    process = fresh_site.serve()
    doctor = Doctor(fresh_site)
    process.stop()
    troubles = doctor.troubles()
    assert "No herald answers" in troubles["service"][0][1]
    assert doctor.run().returncode == FAIL
    assert "running" not in doctor.look()
    assert "http://127.0.0.1:1:" in doctor.look("--url", "http://127.0.0.1:1//")["service"][0][1]


def test_another_program_answers(fresh_site):
    with http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        fresh_site.serve()
        url = f"http://127.0.0.1:{other.server_port}"
        expect(Doctor(fresh_site).troubles("--url", url), "service", "fail", "is not herald")
        other.shutdown()


def test_version_that_is_not_the_installed_one(fresh_site):
    answers = {
        "/health/live": (200, b'{"status":"ok","version":"0.4.9","ok":true}'),
        "/health/ready": (503, b'{"status":"unavailable","ok":false,"error":"No worker."}'),
    }
    with Front(lambda path: answers.get(path, (404, b""))) as front:
        fresh_site.serve()
        troubles = Doctor(fresh_site).troubles("--url", front.url)
    [old, unready] = troubles["service"]
    assert old[0] == "warn" and "0.4.9" in old[1] and "Restart" in old[1]
    assert unready[0] == "fail" and "No worker." in unready[1]
    assert "status 404" in troubles["running"][0][1]


def test_wrong_internal_key(fresh_site):
    fresh_site.serve()
    expect(Doctor(fresh_site, INTERNAL_API_KEY="x" * 40).troubles(), "running", "fail",
           "INTERNAL_API_KEY", "the environment")


def test_setting_that_was_changed_since_the_start(fresh_site):
    fresh_site.serve()
    expect(Doctor(fresh_site, HERALD_SMS_LANGUAGE="en").troubles(), "running", "warn",
           "HERALD_SMS_LANGUAGE", '"en"', '"ru"', "Restart")


def test_wrong_secret_key(fresh_site):
    fresh_site.serve()
    expect(Doctor(fresh_site, HERALD_SECRET_KEY=fresh_secret_key()).troubles(), "secret-key",
           "fail", "HERALD_SECRET_KEY from the environment")


def change_schema(site, sql):
    """Of every store."""
    if site.engine == "postgres":
        site.database.ask(sql)
        return
    for path in site.state.glob("*.db"):
        with sqlite3.connect(path) as connection:
            connection.execute(sql)
        connection.close()


def test_schema_that_is_too_old(fresh_site):
    fresh_site.serve()
    fresh_site.stop()
    change_schema(fresh_site, "DELETE FROM schema_migration WHERE version >= 27")
    troubles = Doctor(fresh_site).troubles()
    assert {status for status, _ in troubles["schema"]} == {"fail"}
    says = "start it" if fresh_site.engine == "sqlite" else "herald migrate up"
    assert all(says in message for _, message in troubles["schema"])
    assert [status for status, _ in troubles["stores"]] == ["fail"]


def test_schema_that_is_too_new(fresh_site):
    fresh_site.serve()
    newer = "INSERT INTO schema_migration (version, name, applied_at_ms) VALUES (99, '0099_new', 1)"
    fresh_site.stop()
    change_schema(fresh_site, newer)
    troubles = Doctor(fresh_site).troubles()
    assert {status for status, _ in troubles["schema"]} == {"warn"}
    assert "newer herald" in troubles["schema"][0][1] and "stores" not in troubles


@pytest.mark.only("sqlite")
def test_two_databases_of_two_installations(fresh_site, tmp_path):
    fresh_site.serve()
    fresh_site.stop()
    (fresh_site.state / "herald-exchange.db").rename(tmp_path / "kept")
    first = (fresh_site.state / "herald.db").read_bytes()
    (fresh_site.state / "herald.db").unlink()
    fresh_site.processes.clear()
    fresh_site.serve()
    fresh_site.stop()
    (fresh_site.state / "herald.db").write_bytes(first)
    assert "two installations" in Doctor(fresh_site).troubles()["stores"][0][1]


@pytest.mark.only("postgres")
def test_database_that_is_away(fresh_site):
    process = fresh_site.serve()
    fresh_site.database.take_away()
    try:
        assert eventually(lambda: process.get_health("/health/ready") == 503)
        troubles = Doctor(fresh_site).troubles()
    finally:
        fresh_site.database.give_back()
    assert troubles["stores"][0][0] == troubles["schema"][0][0] == "fail"
    assert "database" in troubles["service"][0][1]


def test_worker_that_is_missing(fresh_site):
    fresh_site.migrate()
    if fresh_site.engine == "sqlite":
        fresh_site.serve().stop()
        troubles = Doctor(fresh_site).troubles()
        assert "No worker runs" in troubles["worker"][0][1]
        return
    process = fresh_site.start("api")
    process.wait_until_ready("/health/live")
    assert eventually(lambda: "worker" in Doctor(fresh_site).troubles())
    troubles = Doctor(fresh_site).troubles()
    assert set(troubles) == {"service", "worker"}, troubles
    assert "worker" in troubles["service"][0][1]


def test_clock_that_was_set_back(fresh_site):
    """It is no trouble; on PostgreSQL, that the server's clock differs is one."""
    fresh_site.serve()
    fresh_site.clock.set(-3600, with_server=False)
    if fresh_site.engine == "sqlite":
        assert eventually(lambda: "set back by 3600 s" in Doctor(fresh_site).look()["clock"][0][1])
        assert "clock" not in Doctor(fresh_site).troubles()
        return
    [(status, message)] = Doctor(fresh_site).troubles()["clock"]
    assert status == "fail" and "in step" in message


def test_few_descriptors(fresh_site):
    """A running service says how many it got; a shell is asked only where none runs."""
    def limit(count):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))

    doctor = Doctor(fresh_site, HERALD_LISTEN=f"127.0.0.1:{free_port()}")
    assert doctor.look(before=limit(16200))["limits"][0][0] == "ok"
    status, message = doctor.look(before=limit(16199))["limits"][0]
    assert status == "warn" and "16200" in message
    assert doctor.look(before=limit(256))["limits"][0][0] == "warn"
    assert doctor.look(before=limit(255))["limits"][0][0] == "fail"
    fresh_site.migrate()
    port = free_port()
    child = subprocess.Popen(
        [BINARY, "serve", "--listen", f"127.0.0.1:{port}"], env=fresh_site.environment(),
        cwd=fresh_site.home, stderr=subprocess.DEVNULL, preexec_fn=limit(1000))
    try:
        doctor = Doctor(fresh_site, HERALD_LISTEN=f"127.0.0.1:{port}")
        assert eventually(lambda: "service" not in doctor.troubles())
        expect(doctor.troubles(), "limits", "warn", "800 connections", "LimitNOFILE to 16200")
    finally:
        child.terminate()
        child.wait()


# --- what it asks


class Front:
    """A proxy in front of herald that lets through what it is told to."""

    def __init__(self, answers):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status, body = answers(self.path)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def test_public_url(fresh_site):
    """Which herald answers there, its key set says."""
    kept = {}
    strange = json.dumps({"keys": [{"kid": "another"}]}).encode()
    with Front(lambda path: kept.get(path, (404, b""))) as front:
        public = {"HERALD_PUBLIC_URL": front.url}
        fresh_site.serve(public)
        doctor = Doctor(fresh_site, **public)
        expect(doctor.troubles(), "public-url", "warn", "not as herald", "proxy")
        keys = fresh_site.core().get("/.well-known/jwks.json").expect(200)
        kept["/.well-known/jwks.json"] = (200, json.dumps(keys).encode())
        assert not doctor.troubles()
        kept["/.well-known/jwks.json"] = (200, strange)
        expect(doctor.troubles(), "public-url", "fail", "another herald")
    expect(doctor.troubles(), "public-url", "fail", "not reached")


def test_public_url_without_encryption(fresh_site):
    public = {"HERALD_PUBLIC_URL": "http://herald.invalid"}
    fresh_site.serve(public)
    rows = Doctor(fresh_site, **public).troubles()["public-url"]
    assert [status for status, _ in rows] == ["warn", "fail"]
    assert "unencrypted" in rows[0][1] and "DNS" in rows[1][1]


def test_provider_that_refuses_the_key(fresh_site):
    with Providers() as sim:
        settings = sim.settings("bot", "gateway", "ucaller")
        fresh_site.serve(settings)
        found = Doctor(fresh_site, **settings).look()["providers"]
        assert sorted(found) == [
            ("ok", "flash_call: ucaller is set up; its key cannot be tried without a cost."),
            ("ok", "messenger_bot: telegram_bot takes the key."),
            ("ok", "messenger_gateway: telegram_gateway takes the key.")]
        for name, who in (("BOT", "telegram_bot"), ("GATEWAY", "telegram_gateway")):
            wrong = settings | {f"HERALD_TELEGRAM_{name}_TOKEN": "1000:wrong"}
            expect(Doctor(fresh_site, **wrong).troubles(), "providers", "fail", f"{who} refuses")
        sim.expect_nothing_left()
    rows = Doctor(fresh_site, **settings).troubles()["providers"]
    assert [status for status, _ in rows] == ["warn", "warn"]
    assert all("does not say" in message for _, message in rows)


def test_erps(fresh_site):
    fresh_site.serve(ORDER_SETTINGS)
    doctor = Doctor(fresh_site, **ORDER_SETTINGS)
    with RawErp() as erp:
        shop = Shop(fresh_site, erp)
        assert doctor.look()["erps"] == [("ok", "1 of 1 ERPs are well.")]
        erp.health = http_answer(b"{}", "500 Internal Server Error")
        expect(doctor.troubles(), "erps", "warn", erp.url, "status 500", "/svc/v1/health")
        erp.health = http_answer(b"{}", "401 Unauthorized")
        expect(doctor.troubles(), "erps", "fail", "refuses our token", "integrations change")
        # Its address is held against the rules for orders.
        strict = ORDER_SETTINGS | {"HERALD_ERP_NETWORKS": "public"}
        fresh_site.stop()
        fresh_site.serve(strict)
        probes = len(erp.probes)
        assert Doctor(fresh_site, **strict).troubles()["erps"][0][0] == "warn"
        assert len(erp.probes) == probes
    fresh_site.stop()
    fresh_site.serve(ORDER_SETTINGS)
    doctor = Doctor(fresh_site, **ORDER_SETTINGS)
    expect(doctor.troubles(), "erps", "warn", "does not answer", shop.integration["name"])
    shop.operator = shop.operator.of(fresh_site)
    shop.close()
    assert not doctor.troubles()


def test_silent_sims(fresh_site):
    fresh_site.serve()
    core = fresh_site.core()
    phone = fresh_site.phone(core, 2)
    doctor = Doctor(fresh_site)
    expect(doctor.troubles(), "sims", "warn", "2 of 2", f"***{phone.number[-4:]}", "never")
    phone.be_ready()
    assert eventually(lambda: not doctor.troubles())
    assert phone.number not in doctor.run().stdout
    core.enable(phone.device_id, False)
    assert doctor.look()["sims"][0] == ("ok", "No phone with a SIM is enabled.")


# --- the command


@pytest.mark.only("sqlite")
def test_command_line(fresh_site):
    doctor = Doctor(fresh_site)
    done = doctor.run("--help")
    assert (done.returncode, done.stderr) == (OK, "")
    assert "--bundle" in done.stdout and "exits with" in done.stdout
    for words in (["--bundle"], ["--bundle="], ["--url"]):
        done = doctor.run(*words)
        assert (done.returncode, done.stdout) == (FAIL, "") and "needs a value" in done.stderr
    for url in ("herald.example", "ftp://127.0.0.1", "http://a@b", "http://a/?b"):
        done = doctor.run("--url", url)
        assert (done.returncode, done.stdout) == (FAIL, "") and "--url must be" in done.stderr
    for words in (["--nonsense=1"], ["nonsense"]):
        found = doctor.look(*words)
        assert found["settings"][0][0] == "fail"


# --- the bundle


def test_bundle_holds_no_secret_and_no_number(fresh_site):
    """Even of a herald whose log shows all (LOG_SENSITIVE)."""
    core_key = fresh_site.internal_key
    sensitive = {"LOG_SENSITIVE": "true", "HERALD_TEST_NUMBERS": "+79000000000-+79000000099"}
    with Providers() as sim, RawErp() as erp:
        settings = sensitive | ORDER_SETTINGS | sim.settings("bot", "gateway", "ucaller")
        fresh_site.serve(settings)
        core = fresh_site.core()
        phone = fresh_site.phone(core)
        phone.be_ready()
        recipients = [fresh_number() for _ in range(4)]
        codes = []
        for recipient in recipients[:2]:
            otp = core.create_otp(recipient).expect(201)
            task = phone.claim_task()
            codes.append(read_code(task))
            phone.result(task, "failed", error=f"{recipient} {task['text']}")
            core.verify(otp["id"], "0000" if codes[-1] != "0000" else "1111").expect(422)
        named = core.register(f"Shop {recipients[2]}", [recipients[3]]).expect(201)
        shop = Shop(fresh_site, erp)
        credentials = shop.operator.create_client(shop.integration_id).expect(201)
        shop.placed()
        path = fresh_site.home / "bundle.json"
        done = Doctor(fresh_site, **settings).run("--bundle", str(path))
        assert done.returncode in (OK, WARN), done.stdout + done.stderr
        for token in sim.secret_keys:
            assert token.encode() not in path.read_bytes()
        sim.told("reset")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    bundle = path.read_bytes()
    report = json.loads(bundle)
    secrets = [core_key, fresh_site.settings["HERALD_SECRET_KEY"], phone.device_key,
               named["device_key"], credentials["client_secret"], erp.token]
    for text in [*secrets, *recipients, *(number[1:] for number in recipients), phone.number]:
        assert text.encode() not in bundle, text
    assert not find_codes(bundle, codes) and not find_keys(bundle, secrets)
    if fresh_site.database and "@" in fresh_site.database.url:
        assert fresh_site.database.url.encode() not in bundle
    check_bundle(report, fresh_site.engine)


def check_bundle(report, engine):
    assert set(report) == {"made_at", "status", "checks", "versions", "settings", "engine",
                           "schemas", "files", "log"}
    assert {"herald", "sqlite", "libpq", "libcurl", "libsodium", "zstd", "kernel"} <= set(
        report["versions"])
    settings = {row["name"]: row for row in report["settings"]}
    assert settings["HERALD_SECRET_KEY"] | {"source": ""} == {
        "name": "HERALD_SECRET_KEY", "value": None, "set": True, "source": ""}
    assert {row["store"]: row["version"] == row["newest"] for row in report["schemas"]} == {
        "verification": True, "exchange": True}
    assert bool(report["files"]) == (engine == "sqlite")
    assert report["engine"] == {"sqlite": "sqlite", "postgres": "postgresql"}[engine]
    assert {"otp created", "device registered"} <= {row["message"] for row in report["log"]}


def test_bundle_overwrites_nothing(fresh_site):
    fresh_site.serve()
    path = fresh_site.home / "bundle.json"
    path.write_text("mine")
    link = fresh_site.home / "link"
    link.symlink_to(fresh_site.home / "nowhere")
    for taken in (path, link):
        done = Doctor(fresh_site).run("--bundle", str(taken))
        assert done.returncode == FAIL and "there already" in done.stderr
    assert path.read_text() == "mine" and not (fresh_site.home / "nowhere").exists()
    done = Doctor(fresh_site).run("--bundle", str(fresh_site.home / "no" / "bundle.json"))
    assert done.returncode == FAIL and "cannot be written" in done.stderr


def test_bundle_of_wrong_settings(fresh_site):
    path = fresh_site.home / "bundle.json"
    done = Doctor(fresh_site, HERALD_SMS_LANGUAGE="fr").run("--bundle", str(path))
    assert done.returncode == FAIL and done.stderr == ""
    assert set(json.loads(path.read_text())) == {"made_at", "status", "checks", "versions"}
