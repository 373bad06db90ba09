"""API keys: who makes them, and who comes with one."""

from .http import Client

ROLES = ("core", "viewer", "support", "operator", "admin")


def make_key(core, role, **fields):
    """Makes a key; returns the answer, which is the only one that has it."""
    body = {"name": f"somebody who is {role}", "role": role, **fields}
    return core.post("/internal/v1/api-keys", body).expect(201)


def key_of(core, role, **fields):
    return make_key(core, role, **fields)["key"]


def with_key(site, key, process=None, source=None):
    """Somebody with this key in the header of internal keys."""
    address = process.address if process else site.address
    return Client(address, {"X-Internal-API-Key": key}, source)


def with_bearer(site, key, process=None, source=None):
    """Somebody with this key as a bearer."""
    address = process.address if process else site.address
    return Client(address, {"Authorization": f"Bearer {key}"}, source)
