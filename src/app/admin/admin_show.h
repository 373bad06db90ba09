/* Answers of the service for people: facts, tables and sentences. One function a kind of answer. */
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

/* Cells, in the arena. A time: NULL for 0. */
const char *show_time(int64_t ms, struct arena *arena);
const char *show_number(int64_t number, struct arena *arena);
/* Cells row by row, `column_count` to a row, in columns as wide as their widest cell. NULL is
 * shown as "-"; what a terminal would obey is escaped (kit/base/terminal.h). */
void show_table(const char *const *cells, size_t column_count, size_t row_count, struct buf *out);
