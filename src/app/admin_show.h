/* Answers of the service for people: facts, tables and sentences. One function a kind of answer. */
#pragma once

#include "app/admin_command.h"

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

/* Cells row by row, `column_count` to a row, in columns as wide as their widest cell. NULL is
 * shown as "-"; control characters, which a terminal would obey, as "?". */
void show_table(const char *const *cells, size_t column_count, size_t row_count, struct buf *out);
