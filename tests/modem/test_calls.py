"""Calls to a modem: told with caller and SIM, then hung up (contract, section 15.4)."""

from harness.clock import Clock
from harness.tools import eventually, fresh_number

HOUR_S = 3600


def challenge(stage, caller):
    return stage.core.create_challenge(caller, gateway_number=stage.numbers[0]).expect(201)


def state_of(stage, asked):
    return stage.core.challenge(asked["id"]).expect(200)["state"]


def test_a_call_confirms_and_is_hung_up(stage):
    caller = fresh_number()
    asked = challenge(stage, caller)
    stage.modems.order(f"ring 0 {caller} 20")
    assert eventually(lambda: state_of(stage, asked) == "confirmed"), stage.agent.log()
    assert eventually(lambda: stage.modems.events("hung up", caller=caller), 10)
    (modem,) = stage.manager.modems()
    assert eventually(lambda: not stage.manager.calls(modem), 10)


def test_a_call_without_a_number_confirms_nothing(stage):
    asked = challenge(stage, fresh_number())
    stage.modems.order("ring 0 hidden 20")
    assert eventually(lambda: stage.modems.events("hung up"), 15)
    assert eventually(lambda: '"no_challenge"' in stage.agent.log(), 10)
    assert state_of(stage, asked) == "pending"


def test_a_call_of_another_confirms_nothing(stage):
    asked = challenge(stage, fresh_number())
    stage.modems.order(f"ring 0 {fresh_number()} 20")
    assert eventually(lambda: stage.modems.events("hung up"), 15)
    assert state_of(stage, asked) == "pending"


def test_a_call_that_rings_while_herald_modem_starts(stage):
    """Nobody has told it yet, so it still rings, and is told by the process that comes."""
    caller = fresh_number()
    stage.agent.kill()
    asked = challenge(stage, caller)
    stage.modems.order(f"ring 0 {caller} 20")
    stage.agent.start()
    assert eventually(lambda: state_of(stage, asked) == "confirmed"), stage.agent.log()
    assert eventually(lambda: stage.modems.events("hung up", caller=caller), 10)


def test_a_modem_without_voice_sends_all_the_same(new_stage):
    stage = new_stage(options=["--no-voice"]).begin()
    otp = stage.core.create_otp(fresh_number(), gateway_number=stage.numbers[0]).expect(201)
    stage.core.wait_for_send(otp, "delivered")


def test_herald_is_away_while_it_rings(stage):
    """The call is hung up after a while, and told when herald is back; its challenge lives on."""
    caller = fresh_number()
    asked = challenge(stage, caller)
    with stage.herald_away():
        stage.modems.order(f"ring 0 {caller} 20")
        assert eventually(lambda: stage.modems.events("hung up", caller=caller), 20)
    assert eventually(lambda: state_of(stage, asked) == "confirmed", 60), stage.agent.log()


def test_the_clock_is_set_between_a_call_and_its_word(stage, tmp_path):
    """As on a small computer that learns the time when it gets a network."""
    caller = fresh_number()
    clock = Clock(tmp_path)
    stage.agent.stop()
    clock.set(-2 * HOUR_S)
    stage.agent.start(clock)
    asked = challenge(stage, caller)
    with stage.herald_away():
        stage.modems.order(f"ring 0 {caller} 20")
        assert eventually(lambda: stage.modems.events("hung up", caller=caller), 20)
        clock.set(2 * HOUR_S)
    assert eventually(lambda: state_of(stage, asked) == "confirmed", 120), stage.agent.log()
