"""Scenarios: herald as it really runs, talked to over real HTTP, held against its contract.

HERALD_BINARY                  the binary; default build/herald
HERALD_TEST_POSTGRES_URL       a PostgreSQL server where databases may be made (tools/with_postgres)
HERALD_TEST_REQUIRE_POSTGRES   1: fail where PostgreSQL is missing, instead of skipping
HERALD_CRASH_ROUNDS            rounds of kill -9 on each engine; default 3. Of packages twice as
                               many, default 10; of the SMSGate app default 10, of fixed seeds
HERALD_SEQUENCE_CASES          random sequences of packages on each engine; default 30
HERALD_TEST_PATIENCE           seconds after which a wait has failed; default 60
HERALD_TEST_TIMING             1: bounds of elapsed time count, as on a quiet machine
HERALD_REPEAT                  how often each scenario runs; default 1
HERALD_SEED                    what the scenarios draw follows from this number; by default another
                               one each time. When threads meet, it does not say

Every scenario runs on both engines. A module shares one herald per engine; the phones of a test are
disabled at its end, so that a number chosen by herald is always one of the running test.
A module may say CLOCK = True (its herald's wall clock can be moved), SETTINGS = {...}, and
CHANNELS = (...), the channels that its herald has through simulated providers (harness/providers.py).
One with SCHEMES = ("http", "https") runs over herald's own HTTPS as well (harness/tls.py).
A test that asks for `deployment` runs on one process and, on PostgreSQL, on a cluster too.
"""

import os
import random

import pytest

from harness.engines import SERVER_URL, need_engine, need_files
from harness.hooks import Endpoint, Receiver
from harness.http import Client
from harness.identity import ISSUER, IdentityService, outside_site
from harness.orders import RawErp, Shop, accept_all
from harness.packages import Desk, Sender
from harness.providers import Providers
from harness.site import BINARY, Site, free_port


REPEAT = int(os.environ.get("HERALD_REPEAT", "1"))
SEED = os.environ.get("HERALD_SEED")
OF_THE_RUN = ("engine", "scheme", "deployment")  # fixtures of a module that cost nothing
DEPLOYMENTS = {"sqlite": ["serve"], "postgres": ["serve", "cluster"]}


def pytest_configure(config):
    config.addinivalue_line("markers", "only(engine): the scenario is about one engine alone")
    config.addinivalue_line("markers", "long: the scenario takes long; it begins before all others")
    config.addinivalue_line("markers", "xdist_group(name): what one process of several runs")


def shares(item):
    """Whether it has something of its module, as a herald that others use, too."""
    fixtures = item._fixtureinfo.name2fixturedefs  # pytest itself has no other name for it
    return any(made[-1].scope in ("module", "package") for name, made in fixtures.items()
               if name not in OF_THE_RUN)


def group_of(item, number):
    """What may not run apart where several processes run scenarios: they share a herald."""
    parameters = getattr(item, "callspec", None)
    engine = parameters.params.get("engine") if parameters else None
    return f"{item.path.name}-{engine}" + ("" if shares(item) else f"_{number}")


@pytest.hookimpl(tryfirst=True)  # before xdist, which asks for groups once
def pytest_collection_modifyitems(items):
    """Those that take long begin first, so that the others fill the time beside them."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    for number, item in enumerate(items):
        item.add_marker(pytest.mark.xdist_group(group_of(item, number)))


def pytest_sessionstart(session):
    need_files(session, (BINARY, "build it, or set HERALD_BINARY"))


def pytest_generate_tests(metafunc):
    if REPEAT > 1:
        metafunc.fixturenames.append("repeat")
        metafunc.parametrize("repeat", range(REPEAT))
    if "engine" not in metafunc.fixturenames:
        return
    if schemes := getattr(metafunc.module, "SCHEMES", ()):
        metafunc.parametrize("scheme", schemes, scope="module", indirect=True)
    only = metafunc.definition.get_closest_marker("only")
    engines = list(only.args) if only else ["sqlite", "postgres"]
    if "deployment" not in metafunc.fixturenames:
        metafunc.parametrize("engine", engines, scope="module", indirect=True)
        return
    ways = [(engine, way) for engine in engines for way in DEPLOYMENTS[engine]]
    metafunc.parametrize("engine, deployment", ways, scope="module", indirect=True)


@pytest.fixture(autouse=True)
def seed(request):
    """Each scenario draws from a beginning of its own, whatever runs before it."""
    if SEED:
        random.seed(f"{SEED} {request.node.nodeid}")


@pytest.fixture(scope="module")
def deployment(request):
    """serve: one process; cluster: several apis and workers, which SQLite does not have."""
    return request.param


@pytest.fixture(scope="module")
def engine(request):
    return need_engine(request.param)


@pytest.fixture(scope="module")
def scheme(request):
    return getattr(request, "param", "http")


@pytest.fixture(scope="module")
def site(engine, scheme, request, tmp_path_factory):
    """One running `herald serve`, shared by the scenarios of a module."""
    settings, port = getattr(request.module, "SETTINGS", {}), None
    if channels := getattr(request.module, "CHANNELS", ()):
        settings = request.getfixturevalue("providers").settings(*channels) | settings
        port = request.getfixturevalue("herald_port")
    made = Site(
        engine, tmp_path_factory.mktemp(engine), server_url=SERVER_URL, settings=settings,
        has_clock=getattr(request.module, "CLOCK", False), port=port, scheme=scheme,
    )
    with made:
        made.serve()
        yield made


@pytest.fixture(scope="module")
def herald_port():
    """Where the herald of a module with providers listens: they send it their reports."""
    return free_port()


@pytest.fixture(scope="module")
def providers(herald_port):
    """The simulated providers, shared by the scenarios of a module."""
    with Providers(reports_to=f"http://127.0.0.1:{herald_port}") as made:
        yield made


@pytest.fixture
def sim(providers):
    """They, as if just started. A scenario claims each call that it caused; none is left over."""
    providers.awaited.clear()
    providers.told("reset")
    yield providers
    providers.expect_nothing_left()


@pytest.fixture
def exchanges(monkeypatch):
    """All that goes over the wire in this scenario: (method, path, payload, reply)."""
    seen, exchange = [], Client._exchange

    def record(self, method, path, payload, headers):
        seen.append((method, path, payload, exchange(self, method, path, payload, headers)))
        return seen[-1][-1]

    monkeypatch.setattr(Client, "_exchange", record)
    return seen


@pytest.fixture
def fresh_site(engine, request, tmp_path):
    """An installation where nothing runs yet, for this scenario alone."""
    has_clock = getattr(request.module, "CLOCK", False)
    with Site(engine, tmp_path, server_url=SERVER_URL, has_clock=has_clock) as made:
        yield made


@pytest.fixture(scope="module")
def service():
    """An identity service that is not herald."""
    with IdentityService(ISSUER) as made:
        yield made


@pytest.fixture(scope="module")
def outside(engine, service, tmp_path_factory):
    """A herald that takes the tokens of that service and issues none."""
    with outside_site(engine, tmp_path_factory.mktemp(f"outside-{engine}"), service) as made:
        yield made


@pytest.fixture(scope="module")
def sender(site):
    """An ERP that sends packages, the same for all scenarios of a module; it may have others."""
    return Sender.of(site)


@pytest.fixture(scope="module")
def desk(site, sender):
    """An operator who looks at its catalog."""
    return Desk.at(site, sender)


@pytest.fixture
def receiver():
    """A receiver of webhooks that takes every delivery."""
    with Receiver() as made:
        yield made


@pytest.fixture
def endpoint(core, receiver):
    """An endpoint that is told of everything; the module allows plain HTTP (WEBHOOK_SETTINGS)."""
    made = Endpoint(core, receiver)
    yield made
    core.request("DELETE", made.path)


@pytest.fixture
def erp():
    """An ERP that takes every order; a module may have another one."""
    with RawErp(accept_all) as made:
        yield made


@pytest.fixture
def shop(site, erp):
    """A sales point that has its orders delivered to that ERP."""
    made = Shop(site, erp)
    yield made
    made.close()


@pytest.fixture
def clock(site):
    return site.clock


@pytest.fixture
def right_clock(clock):
    """The clock, which is as it was at the end of the scenario."""
    before_s = clock.shift_s
    yield clock
    clock.set(before_s - clock.shift_s)


@pytest.fixture
def core(site):
    """The core system; codes that it leaves open are canceled, so that no later phone gets them."""
    made = site.core()
    yield made
    for otp_id in made.otp_ids:
        made.cancel_otp(otp_id)


@pytest.fixture
def new_phone(site, core):
    """Registers phones for one scenario, and disables them at its end."""
    phones = []

    def register(count=1):
        phones.append(site.phone(core, count))
        return phones[-1]

    yield register
    for phone in phones:
        core.enable(phone.device_id, False).expect(204)


@pytest.fixture
def phone(new_phone):
    """A phone with one number, that has not asked for anything yet."""
    return new_phone()


@pytest.fixture
def ready_phone(phone):
    """A phone whose SIM is ready."""
    phone.be_ready()
    return phone
