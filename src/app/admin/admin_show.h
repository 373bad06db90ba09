/* Answers of the service are shown as facts, tables and sentences, each kind by a function. */
#pragma once

#include "app/admin/admin_command.h"

struct lane_circuit;

/* Shows any answer by the table of its record: a record as facts, a list as a table with the
 * columns that the command names. */
void show_record(const struct admin_view *view);
/* Writes a value of the record as one line of JSON, in which nothing moves a terminal. */
void show_json(const struct record *record, const void *value, struct buf *out);

void show_integration(const struct admin_view *view);
void show_new_integration(const struct admin_view *view);
void show_integrations(const struct admin_view *view);
void show_clients(const struct admin_view *view);
void show_client_enabled(const struct admin_view *view);
void show_client_disabled(const struct admin_view *view);
void show_new_client(const struct admin_view *view);
void show_new_secret(const struct admin_view *view);
void show_revoked(const struct admin_view *view);
void show_keys(const struct admin_view *view);
void show_next_key(const struct admin_view *view);
void show_api_keys(const struct admin_view *view);
void show_new_api_key(const struct admin_view *view);
void show_own_api_key(const struct admin_view *view);
void show_api_key_revoked(const struct admin_view *view);
void show_withdrawn_key(const struct admin_view *view);
void show_secret_key(const struct admin_view *view);
void show_operator_link(const struct admin_view *view);
void show_operator_removed(const struct admin_view *view);
void show_sessions_ended(const struct admin_view *view);
void show_devices(const struct admin_view *view);
void show_device(const struct admin_view *view);
void show_new_device(const struct admin_view *view);
void show_device_key(const struct admin_view *view);
void show_pairing(const struct admin_view *view);
void show_callgate(const struct admin_view *view);
void show_device_enabled(const struct admin_view *view);
void show_device_disabled(const struct admin_view *view);
void show_device_removed(const struct admin_view *view);
void show_codes(const struct admin_view *view);
void show_code(const struct admin_view *view);
void show_fallback(const struct admin_view *view);
void show_code_canceled(const struct admin_view *view);
void show_challenges(const struct admin_view *view);
void show_challenge(const struct admin_view *view);
void show_challenge_canceled(const struct admin_view *view);
void show_messages(const struct admin_view *view);
void show_message(const struct admin_view *view);
void show_packages(const struct admin_view *view);
void show_refusals(const struct admin_view *view);
void show_package(const struct admin_view *view);
void show_retried(const struct admin_view *view);
void show_released(const struct admin_view *view);
void show_orders(const struct admin_view *view);
void show_order(const struct admin_view *view);
void show_attempts(const struct admin_view *view);
void show_order_retried(const struct admin_view *view);
void show_overview(const struct admin_view *view);
void show_channels(const struct admin_view *view);
void show_timeline(const struct admin_view *view);
void show_audit(const struct admin_view *view);
void show_subject_job(const struct admin_view *view);
void show_log(const struct admin_view *view);

struct log_entry;
/* Shows one entry, in lines of 80 columns. */
void show_log_entry(const struct log_entry *entry, struct arena *arena, struct buf *out);

/* Lines of 80 columns, of which all but the first begin at `indent`. */
struct show_lines {
    struct buf *out;
    size_t indent, column; /* where the next word goes */
};
void show_next_line(struct show_lines *lines);
/* Adds words, each of which begins a new line where it would pass the last column. */
void show_words(struct show_lines *lines, const char *text);
/* Returns the text with the characters escaped that a terminal would obey, in the arena. */
const char *show_safe(struct str text, struct arena *arena);

/* Facts about the circuit of a lane: "open since ..., next probe ...: HTTP 401", or "closed". */
const char *show_circuit(const struct lane_circuit *circuit, struct arena *arena);

/* Make cells, in the arena. The time 0 is NULL. show_time takes store time. */
const char *show_time(int64_t ms, struct arena *arena);
const char *show_wall_time(int64_t ms, struct arena *arena);
const char *show_number(int64_t number, struct arena *arena);
/* Make narrow cells: a time as "11-23 07:43", and at most `max` characters of a text, which is
 * given; "~" stands for the rest. */
const char *show_short_time(int64_t ms, struct arena *arena);
const char *show_short(const char *text, size_t max, struct arena *arena);
/* Writes cells row by row, `column_count` to a row, in columns as wide as their widest cell. NULL
 * is shown as "-"; characters that a terminal would obey are escaped (kit/base/terminal.h). Where
 * stdout is a terminal, the table fits it. */
void show_table(const char *const *cells, size_t column_count, size_t row_count, struct buf *out);
/* Does so for a terminal with so many columns; 0: there is none. A table of more than two columns
 * is made to fit: wide cells end with an ellipsis, and where that is not enough, lines do. Ids stay
 * whole as long as the line has room for them, and facts (two columns) always. */
void show_table_within(const char *const *cells, size_t column_count, size_t row_count,
                       size_t columns, struct buf *out);
