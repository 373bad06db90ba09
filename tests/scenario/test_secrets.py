"""No secret in any output, log, file or dump.

Contract, section 2, rules 5 and 12; doc A: LOG_SENSITIVE.
"""

import re

from harness.actors import read_code, wrong_code
from harness.exchange import Operator
from harness.http import Client
from harness.shapes import UUID
from harness.tools import fresh_number, masked

OLD_KEY = "canary-of-the-internal-key-that-goes"


def walk(site):
    """A dialogue that uses every kind of secret, rightly and wrongly; returns the secrets."""
    core = site.core()
    phone = site.phone(core)
    keys = [phone.device_key]
    phone.be_ready()
    codes, numbers = [], []
    for index in range(6):
        recipient = fresh_number()
        otp = core.create_otp(recipient).expect(201)
        task = phone.claim_task()
        code = read_code(task)
        codes.append(code)
        numbers.append(recipient)
        core.verify(otp["id"], wrong_code(code)).expect(422)
        phone.result(task, "failed" if index == 0 else "sent", permanent=True).expect(204)
        if index % 2:
            core.verify(otp["id"], code).expect(200)
    caller = fresh_number()
    core.create_challenge(caller).expect(201)
    phone.event(caller).expect(200)
    numbers.append(caller)

    keys.append(core.rotate_key(phone.device_id).expect(200)["device_key"])
    phone.ping().expect(401)
    phone.headers["X-Device-Key"] = keys[-1]
    phone.ping().expect(200)
    numbers.append(fresh_number())
    core.create_challenge(numbers[-1]).expect(201)
    phone.event(numbers[-1]).expect(200)
    Client(site.address, {"X-Internal-API-Key": OLD_KEY}, "127.0.5.1").get(
        "/internal/v1/devices").expect(401)
    core.get(f"/internal/v1/devices?X-Device-Key={keys[-1]}")
    return {"keys": keys, "codes": codes, "numbers": numbers}


def find_keys(blob, secrets):
    return [secret for secret in secrets if secret.encode() in blob]


def find_codes(blob, codes):
    """Codes as words of their own; ids and times hold six digits in a row by chance too."""
    blob = re.sub(UUID.pattern.encode() + rb"|[0-9a-f]{32,}", b" ", blob)
    blob = re.sub(rb"\d\d:\d\d:\d\d\.\d+", b" ", blob)
    return [code for code in codes if re.search(rb"(?<!\d)%s(?!\d)" % code.encode(), blob)]


def demand_none(place, blob, site, found):
    keys = [*found["keys"], site.internal_key, site.settings["HERALD_SECRET_KEY"], OLD_KEY]
    assert find_keys(blob, keys) == [], f"a key in {place}"
    assert find_codes(blob, found["codes"]) == [], f"a code in {place}"


def stored_bytes(site):
    """Every byte that stays on disk: the database with its WAL, and a dump of PostgreSQL."""
    blobs = {str(path): path.read_bytes() for path in site.state.rglob("*") if path.is_file()}
    if site.database:
        blobs["pg_dump"] = site.database.dump()
    return blobs


def test_secrets_are_nowhere(fresh_site):
    fresh_site.serve()
    with fresh_site.log_reader(last_event_id=0) as reader:
        found = walk(fresh_site)
        reader.wait_until_quiet()
        log = reader.text
    demand_none("the log stream", log.encode(), fresh_site, found)
    assert find_keys(log.encode(), [number[1:] for number in found["numbers"]]) == []
    assert all(masked(number) in log for number in found["numbers"])

    while_running = stored_bytes(fresh_site)
    assert while_running
    fresh_site.stop()
    for place, blob in [*while_running.items(), *stored_bytes(fresh_site).items()]:
        demand_none(place, blob, fresh_site, found)
    demand_none("the output", fresh_site.processes[-1].output, fresh_site, found)


def test_codes_are_in_no_answer_but_the_task(fresh_site, monkeypatch):
    answers = []
    exchange = Client._exchange

    def record(self, method, path, payload, headers):
        reply = exchange(self, method, path, payload, headers)
        if path != "/device/v1/sms/claim":
            answers.append(reply.body + repr(reply.headers).encode())
        return reply

    monkeypatch.setattr(Client, "_exchange", record)
    fresh_site.serve()
    found = walk(fresh_site)
    assert len(answers) > 20
    assert find_codes(b"\n".join(answers), found["codes"]) == []


def test_log_sensitive_shows_them_and_says_so(fresh_site):
    process = fresh_site.serve({"LOG_SENSITIVE": "true"})
    assert b"LOG_SENSITIVE" in process.output
    with fresh_site.log_reader(last_event_id=0, query="?level=debug") as reader:
        found = walk(fresh_site)
        reader.wait_until_quiet()
        log = reader.text.encode()
    assert len(find_codes(log, found["codes"])) == len(found["codes"])
    assert len(find_keys(log, found["numbers"])) == len(found["numbers"])
    assert find_keys(log, found["keys"]) == found["keys"]


def test_secrets_that_were_not_used_as_keys_are_in_no_log(fresh_site):
    """Doc B, section 5, rules 5 and 8, also with LOG_SENSITIVE: contract, section 2, rule 15."""
    erp_token = "canary-of-the-token-for-the-erp"
    fresh_site.serve({"LOG_SENSITIVE": "true", "HERALD_LOG_LEVEL": "debug"})
    with fresh_site.log_reader(last_event_id=0, query="?level=debug") as reader:
        operator = Operator.of(fresh_site)
        integration = operator.create_integration(erp={"token": erp_token}).expect(201)
        operator.change_integration(
            integration["id"], erp={"token": erp_token[::-1]}).expect(200)
        erp = operator.new_erp(integration)
        made = operator.register("never used", [fresh_number()]).expect(201)
        rekeyed = operator.rotate_key(made["device_id"]).expect(200)
        rotated = operator.rotate_secret(erp.client_id, overlap_seconds=60).expect(200)
        operator.revoke_secret(erp.client_id, rotated["secret_id"]).expect(204)
        token = erp.fetch_token()
        assert erp.with_token(token).is_taken()
        erp.ask_token(client_secret=f"{erp.client_secret}x").expect(401)
        reader.wait_until_quiet()
        log = reader.text.encode()
    secrets = [erp_token, erp_token[::-1], erp.client_secret, rotated["client_secret"], token,
               made["device_key"], rekeyed["device_key"]]
    assert b"client secret rotated" in log and fresh_site.internal_key.encode() in log
    assert find_keys(log, secrets) == []
    assert find_keys(fresh_site.processes[-1].output, secrets) == []


def test_log_sensitive_is_off_unless_it_says_true(fresh_site):
    process = fresh_site.serve({"LOG_SENSITIVE": "false"})
    assert b"LOG_SENSITIVE" not in process.output
    with fresh_site.log_reader(last_event_id=0, query="?level=debug") as reader:
        found = walk(fresh_site)
        reader.wait_until_quiet()
        demand_none("the log stream", reader.text.encode(), fresh_site, found)


def test_command_line_is_not_where_secrets_are_shown(fresh_site):
    """`herald config` prints the settings that hold; secrets are among them and stay hidden."""
    done = fresh_site.run("config")
    assert done.returncode == 0, done.stdout
    assert "HERALD_SECRET_KEY" in done.stdout and "INTERNAL_API_KEY" in done.stdout
    blob = done.stdout.encode()
    assert find_keys(blob, [
        fresh_site.internal_key, fresh_site.settings["HERALD_SECRET_KEY"]]) == []
