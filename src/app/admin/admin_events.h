/* `herald admin events` reads the feed. */
#pragma once

#include "app/admin/admin_service.h"

struct admin_view;

/* Shows a part of the feed as a table. */
void show_events(const struct admin_view *view);

void show_webhook_deleted(const struct admin_view *view);

extern const struct record admin_events_follow_flags;
/* Prints each event as it comes, as a line: behind --after, or from now on. It goes on until it is
 * interrupted or refused; returns the exit status. */
int admin_events_follow(const struct admin_input *input, const struct admin_service *service,
                        struct arena *arena, struct buf *out, struct buf *why);
