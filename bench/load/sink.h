/*
 * Where deliveries arrive, within the generator: the ERP of the scenarios about orders, the core
 * system of those about webhooks. It answers each after SINK_ANSWER_US, as an ERP does with its
 * document, and keeps when each came first. While its gate is closed it keeps the answers back, and
 * with them all who wait for them.
 */
#pragma once

#include "kit/http/server.h"

#include <stdbool.h>
#include <stdint.h>

enum { SINK_ANSWER_US = 1000, SINK_ID_LEN = 36 };

struct sink;

/* The id of order `n` of a run, whose mark has 16 hexadecimal digits. */
void sink_order_id(const char *run, int64_t n, char ret_id[static SINK_ID_LEN + 1]);

/* Listens on "IP:PORT" for the orders of a run with numbers below `orders_max`; its gate is open.
 * NULL after a sentence on stderr. */
struct sink *sink_start(const char *listen, const char *run, int64_t orders_max);
/* The same for deliveries of another kind, which `number_of` tells by their requests; -1: it is
 * none. It runs on the loop of the sink. */
typedef int64_t (*sink_number_fn)(void *context, struct http_request *x, struct str body);
struct sink *sink_start_for(const char *listen, int64_t deliveries_max, sink_number_fn number_of,
                            void *context);
/* Answers all, and ends. NULL is fine. */
void sink_stop(struct sink *sink);

void sink_close_gate(struct sink *sink);
/* What was kept back is answered after SINK_ANSWER_US. */
void sink_open_gate(struct sink *sink);

/* How many different orders came. */
int64_t sink_came(const struct sink *sink);
/* Waits until so many came, and all are answered. False after a sentence if that takes longer than
 * `max_ms`. */
bool sink_wait(const struct sink *sink, int64_t orders, int64_t max_ms);
/* When the last answer was given, by the monotonic clock. */
int64_t sink_last_answer_us(const struct sink *sink);
/* When an order came first; 0: it did not. */
int64_t sink_came_us(const struct sink *sink, int64_t n);
/* Whether each came once, under its id and with its body, and nothing else came; a sentence on
 * stderr says what did. */
bool sink_is_clean(const struct sink *sink);
