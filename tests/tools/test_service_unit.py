"""packaging/herald.service: how much of the machine the service is exposed to, as systemd counts it."""

import re
import shutil
import subprocess

import pytest
import tool

UNIT = tool.ROOT / "packaging" / "herald.service"
# Of 10. What is left: the network, Unix sockets of PostgreSQL, the libraries of the machine.
EXPOSURE_MAX = 1.1


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
def test_exposure_does_not_grow():
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", UNIT],
        capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"Overall exposure level for herald\.service: ([\d.]+)", done.stdout)
    assert found, f"{done.stdout}\n{done.stderr}"
    assert float(found[1]) <= EXPOSURE_MAX, done.stdout


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
def test_unit_has_no_fault(tmp_path):
    """Nothing that systemd does not know; the program itself is not installed here."""
    copy = tmp_path / "herald.service"
    copy.write_text(UNIT.read_text().replace("/usr/local/bin/herald", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", copy],
        capture_output=True, text=True, timeout=60, check=False)
    about = [line for line in done.stderr.splitlines() if "herald.service" in line]
    assert not about, about
