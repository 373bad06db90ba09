"""The console by keys alone: where the focus is, that it is seen, and that nobody loses it."""

from conftest import look
from harness.console import add_operator


def test_deeds_are_done_by_keys(site, console):
    core = site.core()
    phone = site.phone(core, 1)
    core.change_device(phone.device_id, "Till by the door", phone.numbers).expect(200)
    person = add_operator(core, "Тот, у кого нет мыши")
    faults = look("keys.mjs", console, person, timeout=120, name="Till by the door")
    assert faults == [], faults
