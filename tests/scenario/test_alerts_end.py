"""Contract section 13.4: that a trouble is over is told as well, and what could not be told in a day is not."""

from harness.actors import alive
from harness.orders import FAILURES_IN_A_ROW, ORDER_SETTINGS, Shop, accept_all, http_answer, refuse_all
from harness.tools import eventually, fresh_chat
from test_alerts import DAY_S, HOLD_S, LOOKS_S, TOLD_S, Scene, bot, close_bot  # noqa: F401

CLOCK = True
PROBE_S = 31  # between two looks at a channel or an ERP whose circuit is open


def test_an_erp_that_takes_orders_again(fresh_site, bot, erp):  # noqa: F811
    fresh_site.settings.update(ORDER_SETTINGS)
    scene = Scene(fresh_site, bot)
    shop = Shop(fresh_site, erp)
    name = shop.integration["name"]
    erp.answer, erp.health = refuse_all, http_answer(b"", "401 Unauthorized")
    for _ in range(FAILURES_IN_A_ROW + 1):
        shop.placed()
    assert eventually(lambda: scene.core.exchange_overview()["open_circuits"] == 1, 10)
    scene.expect_silence()
    scene.pass_time(HOLD_S)
    assert scene.hear() == [f"the ERP of {name} takes no orders; they wait."]
    erp.answer, erp.health = accept_all, http_answer(b"")
    scene.pass_time(PROBE_S)
    assert eventually(lambda: scene.core.exchange_overview()["open_circuits"] == 0, 40)
    scene.expect_silence()
    scene.pass_time(HOLD_S)
    assert scene.hear() == [f"the ERP of {name} takes orders again, or its integration was disabled."]


def test_a_channel_that_is_open_again_and_a_sim_that_is_ready_again(fresh_site, bot):  # noqa: F811
    """The bot, which was away, tells both ends once it is back."""
    ends = {"the channel messenger_bot is open again, or not configured any more.", "a SIM is ready again, so SMS go out."}
    scene = Scene(fresh_site, bot)
    phone = scene.site.phone(scene.core)
    scene.expect_silence()
    scene.pass_time(HOLD_S)
    assert scene.hear() == ["no SIM is ready, so no SMS goes out."]
    close_bot(scene)
    assert not eventually(scene.sms, LOOKS_S, 0.5)
    scene.pass_time(HOLD_S)
    with alive(phone):
        assert len(eventually(scene.sms, TOLD_S, 0.5)) == 1  # that the channel is closed
        bot.control("POST", "reset", {})
        scene.pass_time(PROBE_S)
        scene.core.create_message(channel="messenger_bot", chat_id=fresh_chat(), text="Hello")
        assert eventually(
            lambda: scene.core.channels()["messenger_bot"]["circuit"]["state"] == "closed", 60)
        told = set()
        while not ends <= told:
            scene.pass_time(HOLD_S)
            told.update(scene.hear())


def test_an_sms_that_no_phone_sends_has_failed_after_a_day(fresh_site, bot):  # noqa: F811
    scene = Scene(fresh_site, bot)
    scene.phone()  # its SIM is ready, and nobody claims after that
    close_bot(scene)
    assert not eventually(scene.sms, LOOKS_S, 0.5)
    scene.pass_time(HOLD_S)
    row = eventually(scene.sms, TOLD_S, 0.5)[-1]

    def state():
        return scene.core.message(row["id"]).expect(200)["state"]

    assert state() in ("accepted", "queued")
    scene.pass_time(DAY_S)
    assert eventually(lambda: state() == "failed", TOLD_S, 0.5), state()
