/*
 * The delivery of orders to ERPs in a process that works (domain/order/order_job.h), with a client
 * of its own: what ERPs do holds up no provider of messages, and the other way round.
 */
#pragma once

#include "app/app.h"

struct orders;

/* With the databases and the log open. */
struct orders *orders_start(struct app *app);
/* Begins no more calls; does not wait. NULL is fine. */
void orders_begin_no_more(struct orders *orders);
/* Until no call begins any more. NULL is fine. */
void orders_pause(struct orders *orders);
/* Waits for calls under way until app->calls_end_ms, and cancels the rest. Before db_close; NULL is
 * fine. */
void orders_stop(struct orders *orders);
/* After the databases are closed, which ends the calls that wake it; NULL is fine. */
void orders_free(struct orders *orders);
