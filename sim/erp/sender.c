/* Opening and closing what sends; packages into the queue; couriers. */
#include "sender.h"

#include "kit/base/clock.h"
#include "kit/base/uuid.h"

#include <inttypes.h>
#include <stdio.h>

static bool complain(const char *sentence)
{
    fprintf(stderr, "erp: %s\n", sentence);
    return false;
}

bool sender_open(struct sender *sender, const struct options *options, int stop_fd)
{
    const char *problem;

    *sender = (struct sender){.options = options, .stop_fd = stop_fd, .teller = {-1}};
    if (options->give_up_ms > 0) sender->give_up_at_ms = clock_monotonic_ms() + options->give_up_ms;
    if (!teller_init(&sender->teller, options->report))
        return complain("The --report cannot be opened.");
    if (!maker_init(&sender->maker, options)) return false;
    sender->tokens = tokens_new(options, &sender->teller);
    if (!sender->tokens) return complain("The client secret cannot be read.");
    sender->queue = queue_open(options->queue, &problem);
    if (sender->queue) return true;
    fprintf(stderr, "erp: %s: %s\n", options->queue, problem);
    return false;
}

void sender_close(struct sender *sender)
{
    queue_close(sender->queue);
    tokens_free(sender->tokens);
    teller_done(&sender->teller);
}

/* --- Packages --------------------------------------------------------------------------------- */

static bool put(struct sender *sender, enum package_type type, const char *event_id,
                const struct buf *body)
{
    if (queue_put(sender->queue, type, event_id, buf_view(body))) return true;
    perror("erp: the queue");
    return false;
}

bool sender_put_snapshot(struct sender *sender, int64_t change_seed, const char *event_id)
{
    int64_t now_ms = clock_now_ms();
    char made_id[BODY_EVENT_ID_MAX];
    char at[CLOCK_TEXT_LEN + 1];
    AUTO_BUF body = {0};

    clock_format(now_ms, at);
    snprintf(made_id, sizeof(made_id), "catalog:%s", at);
    if (!event_id) event_id = made_id;
    buf_init(&body, BODY_MAX);
    return maker_snapshot(&sender->maker, change_seed, event_id, now_ms, &body) &&
           put(sender, PACKAGE_SNAPSHOT, event_id, &body);
}

bool sender_put_changes(struct sender *sender, int64_t change_seed, int64_t number,
                        const char *event_id)
{
    int64_t now_ms = clock_now_ms();
    char made_id[BODY_EVENT_ID_MAX];
    AUTO_BUF body = {0};

    snprintf(made_id, sizeof(made_id), "changes:seed-%" PRId64 ":%" PRId64, sender->options->seed,
             uuid_tick(now_ms));
    if (!event_id) event_id = made_id;
    buf_init(&body, BODY_MAX);
    return maker_changes(&sender->maker, change_seed, number, event_id, now_ms, &body) &&
           put(sender, PACKAGE_CHANGES, event_id, &body);
}

/* --- Couriers --------------------------------------------------------------------------------- */

bool sender_hire(struct sender *sender, struct courier *ret_courier)
{
    *ret_courier = (struct courier){
        .options = sender->options,
        .link = link_new(sender->options, sender->tokens, sender->stop_fd),
        .queue = sender->queue,
        .teller = &sender->teller,
        .tally = &sender->tally,
        .stop_fd = sender->stop_fd,
        .give_up_at_ms = sender->give_up_at_ms,
    };
    return ret_courier->link || complain("libcurl does not start.");
}

void sender_dismiss(struct courier *courier)
{
    link_free(courier->link);
}

int sender_status(enum courier_end end)
{
    switch (end) {
    case COURIER_DONE:
    case COURIER_STOPPED:
        return 0;
    case COURIER_REFUSED:
        return 1;
    case COURIER_GAVE_UP:
        return 3;
    }
    return 1;
}
