"""What the system allows too little of is told in a sentence, and refused; nothing ends for it."""

import contextlib
import os
import resource
import secrets
import socket
import subprocess
import threading

import pytest

from harness import catalog
from harness.http import Client
from harness.packages import Sender, is_sanitized
from harness.site import BINARY, free_port
from harness.tools import at_once, eventually, fresh_key, fresh_number

MEGABYTE = 1024 * 1024
PACKAGES = 6
PACKAGE_MB = 24
NAME_BYTES = 240

needs_own_memory = pytest.mark.skipif(
    is_sanitized(), reason="sanitizers need an address space of their own")


def start_with(site, limit):
    """`herald serve` under a limit of prlimit(1), until it ends by itself or is ready."""
    site.migrate()
    port = free_port()
    child = subprocess.Popen(
        ["prlimit", limit, BINARY, "serve"], cwd=site.home,
        env=site.environment({"HERALD_LISTEN": f"127.0.0.1:{port}"}),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return child, ("127.0.0.1", port)


def is_alive(address):
    try:
        return Client(address).get("/health/live").status == 200
    except OSError:
        return False


def test_too_few_descriptors_are_told_at_the_start(fresh_site):
    child, _ = start_with(fresh_site, "--nofile=32:32")
    output, _ = child.communicate(timeout=30)
    assert child.returncode == 2, output
    assert "Only 32 file descriptors are allowed" in output and "ulimit -n" in output


@pytest.mark.only("sqlite")
def test_files_that_may_not_grow_are_told_at_the_start(fresh_site):
    child, _ = start_with(fresh_site, f"--fsize={MEGABYTE // 16}")
    output, _ = child.communicate(timeout=30)
    assert child.returncode == 2, output
    assert output.splitlines()[-1].startswith("herald: "), output


@pytest.mark.only("sqlite")
def test_files_that_may_not_grow_are_like_a_full_disk(fresh_site):
    """What cannot be written is refused, herald runs on, and is well again once they may."""
    process = fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    largest = max(file.stat().st_size for file in fresh_site.state.iterdir())
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))

    def is_refused():
        reply = core.create_challenge(fresh_number())
        return reply.status == 503 and reply.expect(503, "storage_unavailable")

    assert eventually(is_refused), "the file has grown"
    core.get("/health/live").expect(200)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    assert eventually(lambda: core.create_challenge(fresh_number()).status == 201, 10)


def test_connections_are_fewer_where_descriptors_are(fresh_site):
    """Whoever comes when all are taken is told so, and those who are there are served."""
    child, address = start_with(fresh_site, "--nofile=256:256")
    try:
        assert eventually(lambda: is_alive(address))
        with contextlib.ExitStack() as crowd:
            for _ in range(300):
                crowd.enter_context(socket.create_connection(address))
            used = len(os.listdir(f"/proc/{child.pid}/fd"))
            assert used < 256, "not one is left for herald itself"
        assert eventually(lambda: is_alive(address), 10)
    finally:
        child.terminate()
        output, _ = child.communicate(timeout=40)
    assert child.returncode == 0, output
    assert "fewer connections are taken" in output


def large_snapshot():
    """Names that hardly get smaller when they are packed."""
    count = PACKAGE_MB * MEGABYTE // (NAME_BYTES + 150)
    rows = [catalog.product(f"p-{index}", name=secrets.token_urlsafe(NAME_BYTES * 3 // 4))
            for index in range(count)]
    return catalog.snapshot(rows)


def send_snapshot(sender, raw, event_id):
    """The answer; none where the package was refused long before its end, and not read on."""
    try:
        return sender.send("catalog-snapshot", raw, key=event_id)
    except ConnectionError:
        return None


@needs_own_memory
@pytest.mark.long
@pytest.mark.parametrize("space_mb", [200, 280])
def test_large_packages_in_a_small_address_space(fresh_site, space_mb):
    """Each is taken or refused with `overloaded`; codes go on, and what was taken is applied."""
    process = fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    senders = [Sender.of(fresh_site) for _ in range(PACKAGES)]
    package = large_snapshot()
    raw = catalog.encode(package)
    resource.prlimit(process.pid, resource.RLIMIT_AS, (space_mb * MEGABYTE, -1))

    def send(index):
        return send_snapshot(senders[index], raw, package["event_id"])

    for _ in range(2):
        for reply in filter(None, at_once(PACKAGES, send)):
            assert reply.status in (200, 202, 503), str(reply)
            if reply.status == 503:
                assert reply.code in ("overloaded", "storage_unavailable"), str(reply)
        core.create_challenge(fresh_number(), fresh_key()).expect(201)
    assert process.is_running, process.describe_end()
    resource.prlimit(process.pid, resource.RLIMIT_AS, (-1, -1))
    small = catalog.snapshot(catalog.numbered_products(3))
    assert eventually(lambda: senders[0].snapshot(small).status in (200, 202), 30)
    senders[0].wait_for(small["event_id"], within=120)


# --- what costs most memory a byte


def tiny_categories():
    """As many ids as a body can have."""
    rows = ",".join('{"id":"%x","name":"x"}' % index for index in range(800_000))
    return f'"categories":[{rows}],"products":[]'


def tiny_values():
    """One list of many small things, each of which is looked up."""
    rows = ",".join('{"id":"%x","name":""}' % index for index in range(900_000))
    return ('"attribute_definitions":[{"id":"a","name":"","type":"enum","values":[' + rows +
            ']}],"categories":[],"products":[]')


def tiny_variants():
    """As many variants as a product can have, and more."""
    rows = ",".join('{"id":"%x","price":1}' % index for index in range(150_000))
    return ('"categories":[],"products":[{"id":"p","name":"","variants":[' + rows + "]}," +
            '{"id":"q","name":"","variants":[' + ",".join(["{}"] * 500_000) + "]}]")


def long_text():
    """A text that grows piece by piece, since it has escapes."""
    return ('"categories":[],"products":[{"id":"p","name":"","description":"' +
            "\\n\u044f" * 6_000_000 + '","variants":[{"id":"v","price":1}]}]')


def hostile_snapshot(members):
    event_id = catalog.fresh_event_id()
    head = f'"event_id":"{event_id}","generated_at":"{catalog.now_text()}"'
    return event_id, ("{" + head + "," + members + "}").encode()


@contextlib.contextmanager
def codes_go_on(core):
    """Somebody creates challenges all the while, and none is refused."""
    is_over = threading.Event()
    refused = []

    def create():
        while not is_over.wait(0.02) and not refused:
            try:
                reply = core.create_challenge(fresh_number(), fresh_key())
            except OSError as fault:
                refused.append(str(fault))
            else:
                refused.extend([str(reply)] if reply.status != 201 else [])

    creator = threading.Thread(target=create, daemon=True)
    creator.start()
    try:
        yield
    finally:
        is_over.set()
        creator.join(timeout=60)
    assert not creator.is_alive() and not refused, refused


GROWING = [(tiny_categories, space_kib) for space_kib in (200_000, 240_000, 280_000, 350_000)]
GROWING += [(members, 280_000) for members in (tiny_values, tiny_variants, long_text)]


@needs_own_memory
@pytest.mark.long
@pytest.mark.parametrize(("members", "space_kib"), GROWING)
def test_packages_that_grow_in_memory(fresh_site, members, space_kib):
    """What has no room is refused with `overloaded` or applied later, and nothing ends for it."""
    process = fresh_site.serve()
    core = fresh_site.core()
    fresh_site.phone(core)
    senders = [Sender.of(fresh_site) for _ in range(4)]
    bystander = Sender.of(fresh_site)
    event_id, raw = hostile_snapshot(members())
    resource.prlimit(process.pid, resource.RLIMIT_AS, (space_kib * 1024, -1))

    def send(index):
        return send_snapshot(senders[index], raw, event_id)

    with codes_go_on(core):
        for _ in range(2):
            for reply in filter(None, at_once(len(senders), send)):
                assert reply.status in (202, 422, 503), str(reply)
                if reply.status == 503:
                    assert reply.code in ("overloaded", "storage_unavailable"), str(reply)
                    assert int(reply.header("Retry-After")) >= 1
            assert process.is_running, process.describe_end()
    resource.prlimit(process.pid, resource.RLIMIT_AS, (-1, -1))
    small = catalog.snapshot(catalog.numbered_products(3))
    assert eventually(lambda: bystander.snapshot(small).status in (200, 202), 30)
    bystander.wait_for(small["event_id"], within=300)
    process.kill()  # what was taken of the large ones may take longer than a stop may
