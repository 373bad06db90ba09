/* Answers of the service are shown as facts, tables and sentences, each kind by a function. */
#pragma once

#include "app/admin/admin_command.h"

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
void show_packages(const struct admin_view *view);
void show_package(const struct admin_view *view);
void show_retried(const struct admin_view *view);
void show_released(const struct admin_view *view);
void show_orders(const struct admin_view *view);
void show_order(const struct admin_view *view);
void show_attempts(const struct admin_view *view);
void show_order_retried(const struct admin_view *view);

/* Make cells, in the arena. The time 0 is NULL. */
const char *show_time(int64_t ms, struct arena *arena);
const char *show_number(int64_t number, struct arena *arena);
/* Writes cells row by row, `column_count` to a row, in columns as wide as their widest cell. NULL
 * is shown as "-"; characters that a terminal would obey are escaped (kit/base/terminal.h). */
void show_table(const char *const *cells, size_t column_count, size_t row_count, struct buf *out);
