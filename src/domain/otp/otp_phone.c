/*
 * Codes meet phones: a claim hands out the text of a code, a report moves the state of its code
 * (contract, section 2, rule 7).
 */
#include "domain/challenge/challenge.h"
#include "domain/otp/otp_code.h"
#include "domain/otp/otp_db.h"

static enum err make_job(struct work *work, const struct sms_task *task, struct sms_job **ret_job)
{
    struct otp otp;
    const char *code;
    enum err err = otp_select(work, &task->otp_id, &otp);
    if (err) return err;
    err = otp_code_open(work, &otp, &code);
    if (err) return err;

    struct sms_job *job = ARENA_NEW(work->arena, struct sms_job);
    *job = (struct sms_job){
        .id = task->id,
        .lease_id = task->lease_id,
        .gateway_number = task->gateway_number,
        .recipient = task->recipient,
        .text =
            otp_sms_text(work->arena, work->service->sms_language, code, otp.app_hash, otp.origin),
        .attempt = task->attempt,
        .lease_expires_at = task->lease_until,
    };
    *ret_job = job;
    return ERR_OK;
}

enum err otp_claim_sms(struct work *work, const struct device *device,
                       const struct sms_claim_input *input, bool may_write,
                       struct sms_claim_result *ret_result)
{
    int64_t stored_until;
    bool has_open;
    struct sms_task task;

    ret_result->task = NULL;
    enum err err = fleet_check_number(work, device, input->gateway_number, &stored_until);
    if (err) return err;
    err = fleet_note_ready(work, device, input->gateway_number, input->sim_ready, stored_until,
                           may_write);
    if (err || !input->sim_ready) return err;
    err = sms_has_open(work, input->gateway_number, &has_open);
    if (err || !has_open) return err;
    if (!may_write) return ERR_WRITE_NEEDED;
    err = sms_claim(work, device, input->gateway_number, &task);
    if (err == ERR_NOT_FOUND) return ERR_OK;
    if (err) return err;
    return make_job(work, &task, &ret_result->task);
}

/* The state that a change of a send brings to its code. */
static enum err apply_change(struct work *work, const struct sms_task *task, enum sms_change change)
{
    switch (change) {
    case SMS_NOW_SENT:
        return otp_set_sending(work, &task->otp_id, OTP_SENT);
    case SMS_NOW_DELIVERED:
        return otp_set_sending(work, &task->otp_id, OTP_DELIVERED);
    case SMS_NOW_GIVEN_UP: {
        enum err err = otp_set_sending(work, &task->otp_id, OTP_UNDELIVERED);
        if (err) return err;
        /* The recipient may start again (rule 2). */
        return challenge_release(work, task->recipient, &task->otp_id);
    }
    case SMS_NOW_QUEUED:
    case SMS_UNCHANGED:
        return ERR_OK;
    }
    return ERR_OK;
}

/* How long the word or number at `text` is: letters and digits with what stands inside keys and
 * between the digits of a number. `ret_digits`: how many digits it has. */
static size_t run_length(const char *text, int *ret_digits)
{
    size_t len = 0, end = 0;

    *ret_digits = 0;
    for (; text[len]; len++) {
        bool is_digit = text[len] >= '0' && text[len] <= '9';
        bool is_letter = (text[len] >= 'a' && text[len] <= 'z') ||
                         (text[len] >= 'A' && text[len] <= 'Z') || text[len] == '_';
        bool is_joint = strchr(" -().+", text[len]) && len > 0;
        if (!is_digit && !is_letter && !is_joint) break;
        /* A space joins digits only: words are words. */
        if (text[len] == ' ' && !(text[len + 1] >= '0' && text[len + 1] <= '9')) break;
        *ret_digits += is_digit;
        if (!is_joint) end = len + 1;
    }
    return end;
}

/* What a phone says of a failure may quote the text that it could not send, or its key: what could
 * be a code, a number or a key is not kept (rules 5 and 12). */
static const char *redact(struct arena *arena, const char *text)
{
    enum { DIGITS_MAX = 3, WORD_MAX = 24, MASK_LEN = 3 };
    if (!text) return NULL;

    char *kept = arena_alloc(arena, strlen(text) * MASK_LEN + 1);
    size_t out = 0;
    for (size_t i = 0; text[i];) {
        int digits;
        size_t run = run_length(text + i, &digits);
        /* A key is long and mixed; a long word of letters alone is a word. */
        bool is_hidden = digits > DIGITS_MAX || (run > WORD_MAX && digits > 0);
        if (run == 0) run = 1;
        memcpy(kept + out, is_hidden ? "***" : text + i, is_hidden ? MASK_LEN : run);
        out += is_hidden ? MASK_LEN : run;
        i += run;
    }
    return kept;
}

enum err otp_report_sms(struct work *work, const struct device *device, const struct uuid *task_id,
                        const struct sms_result *result)
{
    struct sms_result kept = *result;
    struct sms_task task;
    struct uuid otp_id;
    enum sms_change change;

    kept.error = redact(work->arena, result->error);
    enum err err = sms_find_owner(work, task_id, &otp_id);
    if (err) return err;
    err = otp_lock(work, &otp_id);
    if (err) return err;
    err = sms_report(work, device, task_id, &kept, &task, &change);
    if (err) return err;
    fleet_note_seen(work, device);
    return apply_change(work, &task, change);
}
