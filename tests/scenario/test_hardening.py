"""What the linker and the compiler were asked for is in the binary."""

import platform
import re
import subprocess

import pytest

from harness.clock import sanitizer_libraries
from harness.site import BINARY

IS_SANITIZED = bool(sanitizer_libraries(BINARY))
on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="a property of x86")
of_release = pytest.mark.skipif(IS_SANITIZED, reason="sanitizers take the place of these")


def read_elf(*options, path=BINARY):
    return subprocess.run(
        ["readelf", "-W", *options, path], capture_output=True, text=True, check=True).stdout


def startup_objects():
    names = ("Scrt1.o", "crti.o")
    return [subprocess.run(["cc", f"-print-file-name={name}"], capture_output=True, text=True,
                           check=True).stdout.strip() for name in names]


def test_image_is_placed_anywhere_and_its_tables_are_read_only():
    assert re.search(r"Type:\s+DYN", read_elf("-h"))
    dynamic = read_elf("-d")
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic and "TEXTREL" not in dynamic
    if not IS_SANITIZED:
        assert "GNU_RELRO" in read_elf("-l") and "BIND_NOW" in dynamic and "PIE" in dynamic


def test_nothing_is_both_written_and_run():
    segments = re.findall(r"^  (\S+)\s+(?:0x\w+\s+){5}([RWE ]{3}) ", read_elf("-l"), re.MULTILINE)
    assert dict(segments)["GNU_STACK"] == "RW "
    assert not [name for name, rights in segments if "W" in rights and "E" in rights]


@of_release
def test_stack_and_copies_are_guarded():
    symbols = read_elf("--dyn-syms")
    assert "__stack_chk_fail" in symbols
    assert re.search(r"__(memcpy|snprintf|vsnprintf)_chk", symbols)


@on_x86
@of_release
def test_shadow_stack_is_claimed_and_only_what_is_true():
    """Debian's startup objects are not marked, so that the linker would drop both marks. Each of
    their functions returns to its caller; but they do not begin with endbr64, which IBT asks for."""
    notes = read_elf("-n")
    assert "SHSTK" in notes
    are_landings = all(
        "endbr64" in subprocess.run(["objdump", "-d", path], capture_output=True, text=True,
                                    check=True).stdout for path in startup_objects())
    assert are_landings or "IBT" not in notes
    code = subprocess.run(["objdump", "-d", BINARY], capture_output=True, text=True, check=True)
    assert code.stdout.count("endbr64") > 1000, "herald's own functions begin with it"
