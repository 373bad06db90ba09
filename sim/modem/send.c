/* An SMS is taken part by part, told when it is whole, answered, and reported on. */
#include "events.h"
#include "modem.h"
#include "pdu.h"

#include <stdio.h>
#include <stdlib.h>

enum { PART_SIZE = PDU_TEXT_MAX };

static void free_group(struct modem_group *group)
{
    for (size_t i = 0; i < MODEM_PARTS_MAX; i++) {
        free(group->texts[i]);
        group->texts[i] = NULL;
    }
    group->count = 0;
}

void send_done(struct modem *modem)
{
    for (size_t i = 0; i < MODEM_GROUPS_MAX; i++)
        free_group(&modem->groups[i]);
}

static void tell_sms(const struct modem *modem, const char *recipient, const char *text,
                     unsigned parts, unsigned reference)
{
    char count[12], number[12];

    snprintf(count, sizeof count, "%u", parts);
    snprintf(number, sizeof number, "%u", reference);
    event_tell("sms", modem->index,
               EVENT_PAIRS({"recipient", recipient}, {"text", text}, {"parts", count},
                           {"reference", number}));
}

/* The group that the part belongs to, or a free one; the oldest of too many is given up. */
static struct modem_group *find_group(struct modem *modem, const struct pdu_submit *submit)
{
    struct modem_group *free_one = NULL;

    for (size_t i = 0; i < MODEM_GROUPS_MAX; i++) {
        struct modem_group *group = &modem->groups[i];
        if (group->count == 0) free_one = group;
        if (group->count > 0 && group->id == submit->group &&
            strcmp(group->recipient, submit->recipient) == 0)
            return group;
    }
    if (!free_one) free_group(free_one = &modem->groups[0]);
    free_one->id = submit->group;
    free_one->parts = submit->parts;
    snprintf(free_one->recipient, sizeof free_one->recipient, "%s", submit->recipient);
    return free_one;
}

static void add_part(struct modem *modem, const struct pdu_submit *submit, unsigned reference)
{
    AUTO_BUF whole = {0};

    if (submit->part < 1 || submit->part > submit->parts || submit->parts > MODEM_PARTS_MAX) return;
    struct modem_group *group = find_group(modem, submit);
    char **text = &group->texts[submit->part - 1];
    if (!*text) group->count++;
    free(*text);
    *text = strdup(submit->text);
    if (group->count < group->parts) return;
    buf_init(&whole, (size_t)MODEM_PARTS_MAX * PART_SIZE);
    for (size_t i = 0; i < group->parts; i++)
        buf_text(&whole, group->texts[i]);
    buf_char(&whole, '\0');
    tell_sms(modem, submit->recipient, whole.data, group->parts, reference);
    free_group(group);
}

static void queue_report(struct modem *modem, const struct pdu_submit *submit, unsigned reference,
                         int64_t now_ms)
{
    if (!submit->wants_report || !modem->reports || modem->report_count == MODEM_REPORTS_MAX)
        return;
    struct modem_report *report = &modem->report_queue[modem->report_count++];
    *report = (struct modem_report){.due_ms = now_ms + modem->report_ms,
                                    .reference = reference,
                                    .status = modem->report_status};
    snprintf(report->recipient, sizeof report->recipient, "%s", submit->recipient);
}

/* Sends it, and returns its reference. */
static unsigned transmit(struct modem *modem, const struct pdu_submit *submit, int64_t now_ms)
{
    unsigned reference = modem->next_reference++ % 256;

    add_part(modem, submit, reference);
    queue_report(modem, submit, reference, now_ms);
    return reference;
}

static enum modem_deed take_deed(struct modem *modem)
{
    if (modem->deed_count == 0) return DEED_SEND;
    modem->deed_count--;
    return modem->deed;
}

void send_take(struct modem *modem, struct str hex, int64_t now_ms)
{
    struct pdu_submit submit;

    if (!pdu_read_submit(hex, &submit)) {
        event_tell("bad pdu", modem->index, NULL);
        modem_say(modem, "\r\n+CMS ERROR: 304\r\n");
        return;
    }
    switch (take_deed(modem)) {
    case DEED_REFUSE:
        modem_say(modem, "\r\n+CMS ERROR: %u\r\n", modem->deed_code);
        return;
    case DEED_SILENCE:
        return;
    case DEED_MUTE:
        transmit(modem, &submit, now_ms);
        return;
    case DEED_DROP_BEFORE:
        modem_unplug(modem);
        return;
    case DEED_DROP_AFTER:
        transmit(modem, &submit, now_ms);
        modem_unplug(modem);
        return;
    case DEED_SEND:
    case DEED_COUNT:
        modem->answer_reference = transmit(modem, &submit, now_ms);
        modem->answer_ms = now_ms + modem->slow_ms;
        send_tick(modem, now_ms);
        return;
    }
}

static void say_report(struct modem *modem, const struct modem_report *report)
{
    AUTO_BUF pdu = {0};

    buf_init(&pdu, PDU_HEX_MAX);
    size_t len = pdu_write_report(&pdu, report->reference, report->recipient, report->status);
    modem_say(modem, "\r\n+CDS: %zu\r\n%.*s\r\n", len, (int)pdu.len, pdu.data);
}

/* A report that comes while the modem is unplugged is lost, as with a network that tries once. */
void send_tick(struct modem *modem, int64_t now_ms)
{
    if (modem->answer_ms && modem->answer_ms <= now_ms) {
        modem->answer_ms = 0;
        modem_say(modem, "\r\n+CMGS: %u\r\n\r\nOK\r\n", modem->answer_reference);
    }
    for (size_t i = 0; i < modem->report_count;) {
        struct modem_report *report = &modem->report_queue[i];
        if (report->due_ms > now_ms) {
            i++;
            continue;
        }
        if (modem->connection >= 0) say_report(modem, report);
        *report = modem->report_queue[--modem->report_count];
    }
}
