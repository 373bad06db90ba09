"""A modem that takes an SMS and says nothing: it takes minutes until that is given up, so campaigns
alone have it (contract, section 15.4)."""

from harness.tools import fresh_number


def test_a_modem_that_does_not_answer(stage):
    """ModemManager gives up after a while; whether it went out, nobody knows."""
    recipient = fresh_number()
    stage.modems.order("next 0 mute")
    otp = stage.core.create_otp(recipient).expect(201)
    stage.core.wait_for_send(otp, "unknown", within=200)
    assert len(stage.modems.sms(recipient=recipient)) == 1
