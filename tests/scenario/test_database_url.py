"""The password of HERALD_DATABASE_URL is in no output, and settings that say two things are refused.

Contract section 7.
"""

import pytest

from harness.site import Site, free_port

CANARY = "canary-pass"
VERBS = [("config",), ("migrate", "status"), ("migrate", "up"), ("serve",), ("api",), ("worker",)]
UNREACHABLE = [
    f"postgresql://herald:{CANARY}@127.0.0.1:1/herald",
    f"postgres://herald:{CANARY}@127.0.0.1:1/herald?connect_timeout=2",
    f"postgresql://127.0.0.1:1/herald?user=herald&password={CANARY}",
    f"postgresql://herald:{CANARY}@127.0.0.1:1,127.0.0.1:2/herald?password={CANARY}",
    f"postgresql://herald@127.0.0.1:1/herald?sslpassword={CANARY}&sslmode=disable",
]
MALFORMED = [
    f"mysql://herald:{CANARY}@127.0.0.1/herald",
    f"herald:{CANARY}@127.0.0.1/herald",
    f"postgresql://herald:{CANARY}@127.0.0.1:port/herald",
    f"postgresql://herald:{CANARY}@[::1/herald",
    f"postgresql://herald:{CANARY}%zz@127.0.0.1:1/herald",
    f"postgresql://herald:{CANARY}@127.0.0.1:1/herald?colour={CANARY}",
    f"postgresql://herald:{CANARY}@127.0.0.1:1/herald?password",
    f"postgresql://herald:{CANARY}@127.0.0.1:1/herald?password={CANARY}%zz",
    f"postgresql://herald:{CANARY}@127.0.0.1:1/herald?password={CANARY}={CANARY}",
]
NOT_PERCENT_ENCODED = [
    f"postgresql://herald:{CANARY}?x@127.0.0.1:1/herald",
    f"postgresql://herald:{CANARY}/x@127.0.0.1:1/herald",
    f"postgresql://herald:x@{CANARY}@127.0.0.1:1/herald",
]


@pytest.fixture(scope="module")
def quiet_site(tmp_path_factory):
    """An installation of which nothing ever runs: no engine is meant."""
    with Site("sqlite", tmp_path_factory.mktemp("quiet")) as made:
        yield made


def run(site, verb, url):
    listen = {"HERALD_LISTEN": f"127.0.0.1:{free_port()}"}
    return site.run(*verb, changes={**listen, "HERALD_DATABASE_URL": url}, timeout=20)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("url", UNREACHABLE)
def test_password_is_not_told_when_nobody_answers(quiet_site, verb, url):
    done = run(quiet_site, verb, url)
    assert CANARY not in done.stdout
    assert (done.returncode == 0) == (verb == ("config",)), done.stdout
    if verb != ("config",):
        assert "herald: " in done.stdout


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("url", MALFORMED)
def test_password_is_not_told_when_the_url_is_faulty(quiet_site, verb, url):
    done = run(quiet_site, verb, url)
    assert CANARY not in done.stdout
    assert done.stdout
    assert verb == ("config",) or done.returncode > 0, done.stdout


@pytest.mark.parametrize("url", NOT_PERCENT_ENCODED)
def test_password_that_is_not_percent_encoded_is_not_told(quiet_site, url):
    for verb in VERBS:
        assert CANARY not in run(quiet_site, verb, url).stdout


def test_config_shows_the_rest_of_the_url(quiet_site):
    url = f"postgresql://herald:{CANARY}@db-1:5432,db-2:5433/verification?password={CANARY}"
    shown = run(quiet_site, ("config",), url).stdout
    assert CANARY not in shown
    assert "db-1:5432,db-2:5433/verification" in shown


def test_password_from_other_sources_is_not_told(quiet_site):
    url = f"mysql://herald:{CANARY}@127.0.0.1/herald"
    config, file = quiet_site.home / "herald.conf", quiet_site.home / "url"
    config.write_text(f"HERALD_DATABASE_URL={url}\n")
    file.write_text(url + "\n")
    unset = {"HERALD_DATABASE_URL": None}
    for arguments, changes in (
        (["config", "--config", str(config)], unset),
        (["config", "--database-url", url], unset),
        (["config", f"--database-url={url}"], unset),
        (["config"], {"HERALD_DATABASE_URL_FILE": str(file)}),
    ):
        done = quiet_site.run(*arguments, changes=changes)
        assert done.returncode > 0
        assert "HERALD_DATABASE_URL" in done.stdout
        assert CANARY not in done.stdout


@pytest.mark.only("postgres")
def test_url_from_a_file_works(fresh_site):
    fresh_site.migrate()
    path = fresh_site.home / "url"
    path.write_text(fresh_site.database.url + "\n")
    fresh_site.serve({"HERALD_DATABASE_URL": None, "HERALD_DATABASE_URL_FILE": str(path)})
    fresh_site.core().devices().expect(200)


# --- settings that say two things, or nothing that is understood


@pytest.mark.parametrize("name, text", [
    ("INTERNAL_API_KEY", "an-internal-key"), ("HERALD_SECRET_KEY", "A" * 43),
    ("HERALD_DATABASE_URL", f"postgresql://herald:{CANARY}@127.0.0.1:1/herald"),
])
def test_setting_and_its_file_at_once_are_refused(quiet_site, name, text):
    path = quiet_site.home / f"file-of-{name}"
    path.write_text(text + "\n")
    for verb in VERBS:
        done = quiet_site.run(*verb, changes={name: text, f"{name}_FILE": str(path)}, timeout=10)
        assert done.returncode > 0, f"{verb} took {name} and {name}_FILE"
        assert name in done.stdout and f"{name}_FILE" in done.stdout
        assert text not in done.stdout


@pytest.mark.parametrize("value", [
    "everybody", "*", "10.0.0.0/8", "10.0.0.5;10.0.0.6", "10.0.0.5,,10.0.0.6", ",", "10.0.0",
    "10.0.0.256", "proxy.example", "[::1]", "::1%lo", "10.0.0.5:80", "10.0.0.5 10.0.0.6",
    "1" * 100,
])
def test_proxies_that_are_no_addresses_are_refused(quiet_site, value):
    done = quiet_site.run("config", changes={"HERALD_TRUSTED_PROXIES": value})
    assert done.returncode > 0, f"herald took {value!r}"
    assert "HERALD_TRUSTED_PROXIES" in done.stdout and "environment" in done.stdout


@pytest.mark.parametrize("value", ["", "10.0.0.5", "10.0.0.5, fd00::5", "::1,127.0.0.1"])
def test_proxies_that_are_addresses_are_taken(quiet_site, value):
    done = quiet_site.run("config", changes={"HERALD_TRUSTED_PROXIES": value})
    assert done.returncode == 0, done.stdout
    assert f"HERALD_TRUSTED_PROXIES={value}\n" in done.stdout
