"""What `herald-modem list` and wrong settings say: always what to do."""

import os
import signal

import pytest

from harness.tools import eventually, fresh_number


def rows_of(output):
    """What stands behind the word that begins a row."""
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in output.splitlines()
            if line.startswith("    ")}


def test_a_modem_that_is_ready(stage):
    done = stage.agent.run("list")
    rows = rows_of(done.stdout)
    assert done.returncode == 0, done.stdout
    assert rows["number"] == f"{stage.numbers[0]}, from the file"
    assert rows["network"] == "25001, home, signal 54 %"
    assert rows["SMS"] == rows["calls"] == "yes" and rows["state"] == "ready"


def test_the_sim_tells_its_number(new_stage):
    stage = new_stage(configured=False, own_numbers=True).begin()
    assert rows_of(stage.agent.run("list").stdout)["number"] == \
        f"{stage.numbers[0]}, as the SIM says"


def test_a_number_that_nobody_knows(new_stage):
    stage = new_stage(configured=False)
    stage.plug()
    stage.agent.start()
    stage.agent.wait_for_log("does not tell its number")
    done = stage.agent.run("list")
    assert done.returncode == 1
    assert "write SIM_89701000000000000000=+7" in rows_of(done.stdout)["state"]


def test_a_sim_that_asks_for_its_pin(new_stage):
    stage = new_stage(options=["--locked"])
    stage.plug()
    stage.agent.start()
    stage.agent.wait_for_log("asks for its PIN")
    done = stage.agent.run("list")
    assert done.returncode == 1 and "--disable-pin" in done.stdout


@pytest.mark.parametrize("state, word", [(2, "finds no network"), (3, "refuses the SIM")])
def test_a_sim_without_network_is_not_ready(stage, state, word):
    stage.modems.order(f"register 0 {state}")
    stage.agent.wait_for_log(word)
    done = stage.agent.run("list")
    assert done.returncode == 1 and word in done.stdout
    assert eventually(lambda: not stage.is_ready(stage.numbers[0]))
    stage.core.create_otp(fresh_number(), gateway_number=stage.numbers[0]).expect(
        503, "no_ready_sim")


def test_no_modem_and_no_manager(new_stage):
    stage = new_stage()
    done = stage.agent.run("list")
    assert done.returncode == 1 and "No modem is plugged in" in done.stdout
    stage.manager.kill()
    done = stage.agent.run("list")
    assert done.returncode == 1 and "ModemManager does not answer" in done.stdout


@pytest.mark.parametrize("line, words", [
    ("HERALD_URL=ftp://x", "must be a URL"),
    ("HERALD_DEVICE_KEY_9=x", "HERALD_DEVICE_KEY_2 to HERALD_DEVICE_KEY_8"),
    ("SIM_123=+79160000001", "14 to 20 digits"),
    ("SIM_89701000000000000000=79160000001", "a number such as +79161234567"),
    ("SIM_89701000000000000099=+79160000001 2", "HERALD_DEVICE_KEY_2, which is missing"),
    ("HERALD_MODEM_POLL_SECONDS=0", "1 to 30 seconds"),
    ("HERALD_MODEM_COLOUR=red", "is no setting of herald-modem"),
    ("HERALD_MODEM_COLOUR=", "is no setting of herald-modem"),
    ("HERALD_CA_FILE", "is no KEY=value"),
])
def test_wrong_settings(new_stage, line, words):
    stage = new_stage(configured=False)
    stage.agent.configure([*stage.lines(configured=False), line])
    done = stage.agent.run("run")
    assert done.returncode == 2 and words in done.stdout


def test_marks_quotes_and_empty_values_of_settings(new_stage):
    """Its file is read as herald's own."""
    stage = new_stage(configured=False)
    lines = [f'{name}="{value}"' for name, _, value in
             (line.partition("=") for line in stage.lines(configured=False))]
    stage.agent.configure([*lines, "HERALD_CA_FILE=", "HERALD_DEVICE_KEY_2=''", "SIM_89701000000000000000="])
    text = stage.agent.config.read_bytes()
    stage.agent.config.write_bytes(b"\xef\xbb\xbf" + text)
    done = stage.agent.run("list")
    assert done.returncode != 2 and "line" not in done.stdout, done.stdout


def test_two_processes_do_not_share_a_journal(stage):
    done = stage.agent.run("run")
    assert done.returncode == 1 and "another herald-modem uses it" in done.stdout


def test_signals_that_are_sent_by_mistake(stage):
    """They are entries, and nothing ends."""
    for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT, signal.SIGALRM):
        os.kill(stage.agent.pid, number)
        stage.agent.wait_for_log(number.name)
    otp = stage.core.create_otp(fresh_number()).expect(201)
    stage.core.wait_for_send(otp, "sent", "delivered")
