/* A code tells its timeline: its own steps, and those of its sends (contract, section 11.7). */
#include "core/words.h"
#include "domain/otp/otp_db.h"
#include "domain/otp/otp_send.h"

static void add_step(struct timeline *timeline, enum timeline_word word, int64_t at)
{
    struct timeline_step step = timeline_step_of(word, at);
    timeline_add(timeline, &step);
}

static void add_creation(const struct otp *otp, struct timeline *timeline)
{
    struct timeline_step step = timeline_step_of(TIMELINE_CREATED, otp->created_at);
    step.channel = word_index(timeline_channel_words, otp_channel_words[otp->channel]);
    timeline_add(timeline, &step);
}

/* A try has its line before the codes are compared, so the right one has one, too. */
static void take_out_right_code(struct timeline *timeline, size_t first, int64_t confirmed_at)
{
    for (size_t i = timeline->steps.count; i > first; i--) {
        const struct timeline_step *step = timeline_at(timeline, i - 1);
        if (step->word != TIMELINE_WRONG_CODE || step->at != confirmed_at) continue;
        timeline_remove(timeline, i - 1);
        return;
    }
}

/* Guesses that come at one moment wait for each other, so that the last one may have begun before
 * another: nothing comes behind the end. */
static void end_behind_guesses(struct timeline *timeline, size_t first)
{
    int64_t latest = 0;

    for (size_t i = first; i < timeline->steps.count; i++) {
        struct timeline_step *step = timeline_at(timeline, i);
        if (step->at > latest) latest = step->at;
        if (step->word == TIMELINE_EXHAUSTED) step->at = latest;
    }
}

static void number_wrong_codes(struct timeline *timeline)
{
    int64_t count = 0;

    for (size_t i = 0; i < timeline->steps.count; i++) {
        struct timeline_step *step = timeline_at(timeline, i);
        if (step->word == TIMELINE_WRONG_CODE) step->attempt = ++count;
    }
}

static enum err add_own(struct work *work, const struct otp *otp, struct timeline *timeline)
{
    struct timeline_step row = timeline_step_of(TIMELINE_CREATED, otp->created_at);
    size_t first = timeline->steps.count;
    const char *steps;

    enum err err = otp_select_steps(work, &otp->id, &steps);
    if (err) return err;
    timeline_add_lines(timeline, steps, &row);
    if (otp->confirmed_at) take_out_right_code(timeline, first, otp->confirmed_at);
    end_behind_guesses(timeline, first);
    if (otp->confirmed_at) add_step(timeline, TIMELINE_CONFIRMED, otp->confirmed_at);
    if (otp->state == OTP_EXPIRED) add_step(timeline, TIMELINE_EXPIRED, otp->expires_at);
    return ERR_OK;
}

static enum err add_sends(struct work *work, const struct otp *otp, struct timeline *timeline)
{
    if (otp->test) return test_send_add_steps(work, &otp->id, timeline);
    enum err err = phone_task_add_steps(work, &otp->id, timeline);
    if (err || !otp_has_provider(otp->channel)) return err;
    return channel_add_steps(work, &otp->id, timeline);
}

enum err otp_read_timeline(struct work *work, const struct uuid *id, struct timeline *ret_timeline)
{
    struct otp otp;

    timeline_init(ret_timeline, work->arena);
    enum err err = otp_read(work, id, &otp);
    if (err) return err;
    add_creation(&otp, ret_timeline);
    err = add_sends(work, &otp, ret_timeline);
    if (!err) err = add_own(work, &otp, ret_timeline);
    if (err) return err;
    timeline_sort(ret_timeline);
    number_wrong_codes(ret_timeline);
    return fleet_name_steps(work, ret_timeline);
}
