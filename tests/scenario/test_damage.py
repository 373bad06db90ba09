"""A row that is damaged: its request fails, and the process says what is wrong and where."""

import http.client
import json

from harness.tools import fresh_key, fresh_number

DAMAGED = {"sqlite": "zeroblob(50)", "postgres": "decode(repeat('00', 50), 'hex')"}


def verify(site, otp_id):
    """Not by the harness, which takes no 500 from anybody."""
    connection = http.client.HTTPConnection(*site.address, timeout=10)
    headers = {"X-Internal-API-Key": site.internal_key, "Content-Type": "application/json"}
    connection.request("POST", f"/internal/v1/otp/{otp_id}/verify", '{"code": "123456"}', headers)
    reply = connection.getresponse()
    body = json.loads(reply.read())
    connection.close()
    return reply.status, body["error"]


def test_code_that_does_not_open_is_told_in_the_process_log(fresh_site):
    fresh_site.serve()
    phone = fresh_site.phone(fresh_site.core())
    phone.be_ready()
    otp = fresh_site.core().create_otp(fresh_number(), fresh_key()).expect(201)
    fresh_site.stop()
    fresh_site.ask(f"UPDATE otp SET code = {DAMAGED[fresh_site.engine]}")

    process = fresh_site.serve()
    status, error = verify(fresh_site, otp["id"])
    assert (status, error["code"]) == (500, "internal")
    said = process.output.decode()
    assert "does not open" in said and "secret.c" in said
    assert error["request_id"] in said
    fresh_site.core().otp(otp["id"]).expect(200)
