"""The units in packaging: how much of the machine a service is exposed to, as systemd counts it."""

import re
import shutil
import subprocess

import pytest
import tool

PACKAGING = tool.ROOT / "packaging"
# Of 10. What is left: the network, Unix sockets of PostgreSQL, the libraries of the machine. Modems
# are reached over D-Bus, by a user that polkit knows by its name.
EXPOSURE_MAX = {"herald": 1.1, "herald-modem": 1.6}


@pytest.mark.parametrize("name", EXPOSURE_MAX)
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
def test_exposure_does_not_grow(name):
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", PACKAGING / f"{name}.service"],
        capture_output=True, text=True, timeout=60, check=False)
    found = re.search(rf"Overall exposure level for {name}\.service: ([\d.]+)", done.stdout)
    assert found, f"{done.stdout}\n{done.stderr}"
    assert float(found[1]) <= EXPOSURE_MAX[name], done.stdout


@pytest.mark.parametrize("name", EXPOSURE_MAX)
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
def test_unit_has_no_fault(name, tmp_path):
    """Nothing that systemd does not know; the program itself is not installed here."""
    copy = tmp_path / f"{name}.service"
    unit = (PACKAGING / copy.name).read_text()
    copy.write_text(unit.replace(f"/usr/local/bin/{name}", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", copy],
        capture_output=True, text=True, timeout=60, check=False)
    about = [line for line in done.stderr.splitlines() if copy.name in line]
    assert not about, about
