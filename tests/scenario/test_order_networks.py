"""Contract section 4 and 6: which addresses orders may go to, at each connect, by http and by TLS.

Whatever an address is written as, it is what it means when herald connects that counts.
"""

import datetime
import ipaddress
import ssl
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from harness.exchange import Operator
from harness.orders import FAILURES_IN_A_ROW, PROBE_S, RawErp, Shop, accept_all, http_answer

CLOCK = True
HTTP = {"HERALD_ERP_ALLOW_HTTP": "true"}
ANY = HTTP | {"HERALD_ERP_NETWORKS": "public,private,loopback"}


@pytest.fixture
def everywhere():
    """One that takes every connection to this machine, by either protocol."""
    with RawErp(accept_all, host="::") as made:
        yield made


def serve(site, settings):
    site.stop()
    site.processes.clear()
    site.serve(settings)


def shop_at(site, erp, host, **changes):
    return Shop(site, erp, base_url=f"http://{host}:{erp.port}", **changes)


def expect_no_connection(shop, erp):
    """It is tried, and nobody is connected to."""
    order_id = shop.placed()
    record, attempt = shop.wait_for_attempt(order_id, 1)
    assert record["state"] == "queued"
    assert (attempt["outcome"], attempt["status"]) == ("not_sent", None), f"{attempt}"
    assert attempt["error"]
    assert erp.connections == 0, "somebody was connected to"
    return order_id


# --- http


def test_http_is_refused_unless_it_is_allowed(fresh_site):
    fresh_site.serve({"HERALD_ERP_NETWORKS": "loopback"})
    operator = Operator.of(fresh_site)
    for url in ("http://erp.example", "HTTP://erp.example", "http://127.0.0.1:80/x"):
        reply = operator.create_integration(erp={"base_url": url})
        reply.expect(422, "validation_error")
        assert reply.fault_paths == ["erp.base_url"]
    integration = operator.create_integration().expect(201)
    reply = operator.change_integration(integration["id"], erp={"base_url": "http://erp.example"})
    reply.expect(422, "validation_error")
    assert operator.integration(integration["id"]).expect(200) == integration


def test_http_that_was_allowed_before_is_not_used_any_more(fresh_site, erp):
    """The setting counts when an order goes out: neither token nor order travels unencrypted."""
    fresh_site.serve(ANY)
    shop = Shop(fresh_site, erp)
    shop.delivered()
    seen = erp.connections
    serve(fresh_site, {"HERALD_ERP_NETWORKS": "loopback"})
    shop.move_to(fresh_site)
    order_id = shop.placed()
    _, attempt = shop.wait_for_attempt(order_id, 1)
    assert attempt["outcome"] == "not_sent" and erp.connections == seen
    serve(fresh_site, ANY)
    shop.move_to(fresh_site)
    shop.pass_time(10)
    shop.wait_for(order_id, "accepted")


# --- networks


ALIASES = ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1",
           "127.200.3.4", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]"]


def test_loopback_is_refused_unless_it_is_allowed(fresh_site, everywhere):
    """By the default, public and private networks; in whatever way it is written."""
    fresh_site.serve(HTTP)
    for host in ALIASES:
        expect_no_connection(shop_at(fresh_site, everywhere, host), everywhere)
    serve(fresh_site, ANY)
    for host in ("127.0.0.1", "localhost", "[::1]"):
        shop_at(fresh_site, everywhere, host).delivered()


ALWAYS_REFUSED = ["0.0.0.0", "[::]", "[::ffff:0.0.0.0]", "0", "169.254.169.254", "[fe80::1]",
                  "224.0.0.1", "255.255.255.255", "[ff02::1]"]


def test_some_addresses_are_always_refused(fresh_site, everywhere):
    fresh_site.serve(ANY | {"HERALD_ERP_NETWORKS": "public,private,loopback,0.0.0.0/0,::/0"})
    for host in ALWAYS_REFUSED:
        expect_no_connection(shop_at(fresh_site, everywhere, host, timeout_seconds=2), everywhere)


def test_networks_in_cidr(fresh_site, everywhere):
    """What is refused in one round is tried again in those behind it, and refused there, too."""
    for networks, good, bad in (
        ("127.0.0.1/32", "127.0.0.1", "127.0.0.5"), ("127.0.0.2/31", "127.0.0.3", "127.0.0.4"),
        ("::1/128", "[::1]", "127.0.0.1"), ("private,127.9.0.0/16", "127.9.8.7", "127.8.0.1"),
    ):
        serve(fresh_site, HTTP | {"HERALD_ERP_NETWORKS": networks})
        everywhere.connections = 0
        expect_no_connection(shop_at(fresh_site, everywhere, bad), everywhere)
        shop_at(fresh_site, everywhere, good).delivered()


def test_networks_count_at_each_connect(fresh_site, erp):
    """Also for what was delivered there before."""
    fresh_site.serve(ANY)
    shop = Shop(fresh_site, erp)
    shop.delivered()
    seen = erp.connections
    serve(fresh_site, HTTP | {"HERALD_ERP_NETWORKS": "private"})
    shop.move_to(fresh_site)
    _, attempt = shop.wait_for_attempt(shop.placed(), 1)
    assert attempt["outcome"] == "not_sent" and erp.connections == seen


def test_probes_keep_to_the_networks_too(fresh_site, everywhere):
    fresh_site.serve(HTTP)
    shop = shop_at(fresh_site, everywhere, "localhost")
    for _ in range(FAILURES_IN_A_ROW + 1):
        order_id = shop.placed()
    for _ in range(3):
        shop.pass_time(PROBE_S + 1)
        time.sleep(0.2)
    assert everywhere.connections == 0
    assert shop.read(order_id)["state"] == "queued"


def test_networks_that_are_none_stop_the_start(fresh_site):
    for text in ("loopback,", "lan", "10.0.0.0/33", "10.0.0.1/8 ", "::1/129"):
        done = fresh_site.run("serve", changes={"HERALD_ERP_NETWORKS": text})
        assert done.returncode != 0 and "HERALD_ERP_NETWORKS" in done.stdout, f"{text!r}: {done}"


def test_proxy_of_the_environment_is_not_used(fresh_site, erp):
    """It would be connected to in the ERP's place, and get its token."""
    with RawErp(accept_all) as proxy:
        names = ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY")
        fresh_site.serve(ANY | dict.fromkeys(names, proxy.url))
        Shop(fresh_site, erp).delivered()
        assert proxy.connections == 0


def test_redirect_to_another_machine_is_not_followed(fresh_site, erp):
    fresh_site.serve(ANY)
    with RawErp(accept_all) as other:
        for status in ("301 Moved", "302 Found", "303 See Other", "307 Keep", "308 Permanent"):
            answer = http_answer(b"", status, f"Location: {other.url}/svc/v1/orders")
            erp.answer = lambda *_, answer=answer: answer
            shop = Shop(fresh_site, erp)
            _, attempt = shop.wait_for_attempt(shop.placed(), 1)
            assert (attempt["outcome"], attempt["status"]) == ("refused", int(status[:3]))
            shop.close()
        assert other.connections == 0


# --- TLS


def certificate(folder, names, days=10):
    """A key and its own certificate for these names, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "erp")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - datetime.timedelta(days=20))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256()))
    path = folder / "erp.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()))
    return path


@pytest.fixture
def tls_erp(tmp_path):
    """An ERP by https, whose certificate nobody vouches for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path, [
        x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]))
    with RawErp(accept_all, lambda talk: context.wrap_socket(talk, server_side=True)) as made:
        made.url = made.url.replace("http", "https")
        yield made


def test_certificate_that_nobody_vouches_for(fresh_site, tls_erp):
    fresh_site.serve({"HERALD_ERP_NETWORKS": "loopback"})
    for host in ("127.0.0.1", "localhost"):
        shop = Shop(fresh_site, tls_erp, base_url=f"https://{host}:{tls_erp.port}")
        record, attempt = shop.wait_for_attempt(shop.placed(), 1)
        assert attempt["outcome"] == "not_sent" and record["state"] == "queued"
        assert attempt["error"]
    assert tls_erp.connections == 2 and tls_erp.requests == []


def test_certificate_of_an_own_authority(fresh_site, tls_erp, tmp_path):
    fresh_site.serve({"HERALD_ERP_NETWORKS": "loopback",
                      "HERALD_ERP_CA_FILE": str(tmp_path / "erp.pem")})
    shop = Shop(fresh_site, tls_erp, base_url=f"https://localhost:{tls_erp.port}")
    shop.wait_for(shop.placed(), "accepted")
    assert len(tls_erp.requests) == 1


@pytest.mark.parametrize("host, days", [("127.0.0.2", 10), ("localhost", -1)])
def test_certificate_of_another_host_or_time(fresh_site, tmp_path, host, days):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path, [x509.DNSName("localhost")], days))
    with RawErp(accept_all, lambda talk: context.wrap_socket(talk, server_side=True),
                host=host) as erp:
        fresh_site.serve({"HERALD_ERP_NETWORKS": "loopback",
                          "HERALD_ERP_CA_FILE": str(tmp_path / "erp.pem")})
        shop = Shop(fresh_site, erp, base_url=f"https://{host}:{erp.port}")
        record, attempt = shop.wait_for_attempt(shop.placed(), 1)
        assert attempt["outcome"] == "not_sent" and record["state"] == "queued"
        assert erp.requests == []


def test_https_erp_that_speaks_http(fresh_site, erp):
    fresh_site.serve({"HERALD_ERP_NETWORKS": "loopback"})
    shop = Shop(fresh_site, erp, base_url=f"https://127.0.0.1:{erp.port}", timeout_seconds=2)
    shop.wait_for_attempt(shop.placed(), 1)
    assert erp.requests == []
