"""The console as a browser meets it: its address, its cookie, and who is logged in."""

import http.client
import re

from .http import Client
from .site import free_port

PASSWORD = "correct horse battery"
COOKIE = re.compile(r"herald_session=([^;]*); Path=/console/; HttpOnly; SameSite=Strict; Max-Age=(\d+)")


def console_settings():
    """Settings of a herald with a console, and the address of that."""
    address = ("127.0.0.1", free_port())
    return {"HERALD_CONSOLE_LISTEN": f"{address[0]}:{address[1]}"}, address


class Browser(Client):
    """Asks /console/api from a page of the console; keeps the cookie."""

    def __init__(self, address, source=None):
        origin = f"http://{address[0]}:{address[1]}"
        super().__init__(address, {"Origin": origin, "X-Herald-Console": "1",
                                   "Sec-Fetch-Site": "same-origin", "User-Agent": "a browser"}, source)

    def ask(self, method, path, *body, **options):
        reply = self.request(method, f"/console/api{path}", *body, **options)
        cookie = reply.header("Set-Cookie")
        if cookie is not None:
            token, age = COOKIE.fullmatch(cookie).groups()
            assert (age == "0") == (token == ""), cookie
            self.headers["Cookie"] = f"herald_session={token}"
        return reply

    def log_in(self, name, password=PASSWORD):
        return self.ask("POST", "/login", {"name": name, "password": password})

    def read(self, path):
        return self.ask("GET", f"/internal/v1{path}")


def add_operator(core, name, role="admin"):
    """What turns the direction of a text is cut out: no name of a person may have it."""
    asked = {"name": name.replace("\u202e", ""), "role": role}
    return core.post("/internal/v1/operators", asked).expect(201)


def token_of(operator):
    return operator["link"].split("/console/#/welcome/")[1]


def browser_of(core, address, name, role="admin", source=None):
    """An operator who has set the password and is logged in."""
    browser = Browser(address, source)
    link = token_of(add_operator(core, name, role))
    browser.ask("POST", "/welcome", {"link": link, "password": PASSWORD}).expect(200)
    return browser


def fetch_file(address, path, method="GET", context=None, **headers):
    """Returns status, headers in lower case, and body; over HTTPS with that context of TLS."""
    kind, options = (http.client.HTTPSConnection, {"context": context}) if context else (http.client.HTTPConnection, {})
    connection = kind(*address, timeout=30, **options)
    try:
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()
