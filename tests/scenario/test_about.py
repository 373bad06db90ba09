"""The service says what it is: its name and links, a page of its operations, its settings.

Contract, section 11.
"""

import html
import re
from html.parser import HTMLParser

import pytest

from harness.http import Client

SECRETS = {"INTERNAL_API_KEY", "HERALD_SECRET_KEY"}


class Page(HTMLParser):
    """Which elements are opened and closed, and what they load."""

    EMPTY = {"meta", "br", "!doctype"}

    def __init__(self, text):
        super().__init__()
        self.open, self.names, self.loaded = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.loaded += [value for name, value in attrs if name in ("src", "srcset", "action")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}>"


def page_of(site):
    reply = Client(site.address).get("/docs")
    assert reply.status == 200
    assert reply.header("Content-Type") == "text/html; charset=utf-8"
    return reply


def test_the_root_names_the_service_and_its_links(site):
    anybody = Client(site.address)
    about = anybody.get("/").expect(200)
    assert (about["service"], about["version"]) == ("herald", "0.5.0")
    assert set(about["links"]) == {"docs", "openapi", "live", "ready"}
    for link in about["links"].values():
        assert anybody.get(link).status == 200, link


def test_the_page_shows_every_operation(site):
    text = html.unescape(page_of(site).body.decode())
    document = Client(site.address).get("/openapi.json").expect(200)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method not in ("get", "post", "put", "patch", "delete"):
                continue
            assert f'<details id="{operation["operationId"]}">' in text
            assert f"<b>{method.upper()}</b><code>{path}</code>" in text
            assert operation["summary"] in text


def test_the_page_is_sound_and_loads_nothing(site):
    reply = page_of(site)
    page = Page(reply.body.decode())
    assert not page.open
    assert not page.loaded
    assert not {"script", "link", "img", "iframe", "form"} & set(page.names)
    policy = reply.header("Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_settings_are_those_of_the_process(site):
    listed = site.core().get("/internal/v1/settings").expect(200)["settings"]
    settings = {row["name"]: row for row in listed}
    host, port = site.address
    assert settings["HERALD_LISTEN"]["value"] in (f"{host}:{port}", f"{host}:0")
    assert settings["HERALD_LISTEN"]["source"] in ("the environment", "a flag")
    assert settings["HERALD_DRAIN_SECONDS"]["meaning"]
    printed = site.run("config").stdout
    assert [row["name"] for row in listed] == re.findall(r"^([A-Z][A-Z_]*)=", printed, re.M)


def test_settings_show_no_secret(site):
    reply = site.core().get("/internal/v1/settings")
    settings = {row["name"]: row for row in reply.expect(200)["settings"]}
    for name in SECRETS:
        assert (settings[name]["value"], settings[name]["secret"]) == (None, True)
        assert settings[name]["set"] is True
    assert site.internal_key.encode() not in reply.body


@pytest.mark.only("postgres")
def test_settings_show_no_password_of_a_url(site):
    listed = site.core().get("/internal/v1/settings").expect(200)["settings"]
    url = next(row["value"] for row in listed if row["name"] == "HERALD_DATABASE_URL")
    assert url.startswith("postgresql://")
    assert "@" not in url or "://***@" in url


def test_settings_want_the_internal_key(site):
    Client(site.address).get("/internal/v1/settings").expect(401, "unauthorized")
