/* The steps of the funnel alone have tallies, so that an hour has few of them. */
#include "domain/otp/otp_count.h"

#include "kit/base/macros.h"

static const char *const outcome_words[] = {"created",   "accepted",    "sent",
                                            "delivered", "undelivered", "confirmed",
                                            "expired",   "exhausted",   "canceled"};
static_assert(COUNT_OF(outcome_words) == OTP_OUTCOME_COUNT, "each outcome has its word");

METRIC(otp_outcomes, OTP_CHANNEL_COUNT *OTP_OUTCOME_COUNT, 1, .name = "herald_otp_total",
       .help = "Codes by what became of them, and their sends by what was reported of them.",
       .labels = {"channel", "outcome"}, .words = {otp_channel_words, outcome_words},
       .word_counts = {OTP_CHANNEL_COUNT, OTP_OUTCOME_COUNT});

static bool is_of_funnel(enum otp_outcome outcome)
{
    return outcome == OTP_IS_CREATED || outcome == OTP_IS_SENT || outcome == OTP_IS_DELIVERED ||
           outcome == OTP_IS_CONFIRMED;
}

void otp_count(struct work *work, const struct otp_counted *counted, enum otp_outcome outcome)
{
    size_t series = metric_series(&otp_outcomes, (size_t)counted->channel, outcome);

    work_count(work, &otp_outcomes, series, 1);
    if (!is_of_funnel(outcome)) return;
    if (counted->recipient) {
        const char *prefix = arena_printf(work->arena, "%.*s", OTP_PREFIX_LEN, counted->recipient);
        work_tally(work, OTP_TALLY_PREFIX, prefix, outcome_words[outcome]);
    }
    if (counted->gateway_number)
        work_tally(work, OTP_TALLY_NUMBER, counted->gateway_number, outcome_words[outcome]);
}
