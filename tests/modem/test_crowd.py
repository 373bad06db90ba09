"""Sixteen modems in one process: 16 SMS at once, calls on all, little memory, no busy waiting
(contract, section 15.4)."""

import os
import re
import time

import pytest

from harness.tools import at_once, eventually, fresh_number

COUNT = 16
MEMORY_MAX_KB = 50 * 1024
IDLE_S = 5
IDLE_CPU_MAX_S = 0.1  # of a core, in that time
SANITIZED_CPU_MAX_S = 0.5


def memory_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1])


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_sanitized(pid):
    with open(f"/proc/{pid}/maps", encoding="ascii") as file:
        return "libasan" in file.read()


@pytest.fixture
def crowd(new_stage):
    return new_stage(COUNT).begin()


def test_sixteen_modems(crowd):
    codes = at_once(COUNT, lambda i: crowd.site.core().create_otp(
        fresh_number(), gateway_number=crowd.numbers[i]).expect(201))
    crowd.core.otp_ids += [otp["id"] for otp in codes]
    for otp in codes:
        crowd.core.wait_for_send(otp, "delivered")
    sent = crowd.modems.sms()
    assert sorted(sms["modem"] for sms in sent) == list(range(COUNT))

    callers = [fresh_number() for _ in range(COUNT)]
    asked = [crowd.core.create_challenge(caller, gateway_number=number).expect(201)
             for caller, number in zip(callers, crowd.numbers)]
    for index, caller in enumerate(callers):
        crowd.modems.order(f"ring {index} {caller} 20")
    for challenge in asked:
        assert eventually(lambda: crowd.core.challenge(challenge["id"]).expect(200)["state"]
                          == "confirmed"), crowd.agent.log()
    assert eventually(lambda: len(crowd.modems.events("hung up")) == COUNT, 15)

    before = cpu_s(crowd.agent.pid)
    time.sleep(IDLE_S)
    spent, memory = cpu_s(crowd.agent.pid) - before, memory_kb(crowd.agent.pid)
    print(f"{memory} KB, {spent:.2f} s")
    if is_sanitized(crowd.agent.pid):  # which has memory of its own
        assert spent < SANITIZED_CPU_MAX_S
    else:
        assert spent < IDLE_CPU_MAX_S and memory < MEMORY_MAX_KB
