/* The statements on operators, their sessions and their addresses. */
#pragma once

#include "domain/operator/operator.h"

/* ERR_UNIQUE: the name is taken. */
enum err operator_insert(struct work *work, const struct operator* op, const char *name_key,
                         const uint8_t link_hash[static SECRET_HASH_LEN]) MUST_CHECK;
/* Counts operators, up to OPERATORS_MAX. */
enum err operator_count(struct work *work, int64_t *ret_count) MUST_CHECK;
/* ERR_NOT_FOUND, as of the next two. */
enum err operator_select(struct work *work, const struct uuid *id,
                         struct operator* ret_operator) MUST_CHECK;
enum err operator_select_by_name(struct work *work, const char *name,
                                 struct operator* ret_operator) MUST_CHECK;
enum err operator_select_by_link(struct work *work, const uint8_t hash[static SECRET_HASH_LEN],
                                 struct operator* ret_operator) MUST_CHECK;
enum err operator_select_page(struct work *work, const struct uuid *after, int64_t limit,
                              struct record_list *ret_operators) MUST_CHECK;
/* ERR_UNIQUE: the name is taken. */
enum err operator_update(struct work *work, const struct operator* op,
                         const char *name_key) MUST_CHECK;
enum err operator_update_link(struct work *work, const struct operator* op,
                              const uint8_t hash[static SECRET_HASH_LEN]) MUST_CHECK;
/* Sets the password and ends the link. */
enum err operator_update_password(struct work *work, const struct uuid *id,
                                  const char *password) MUST_CHECK;
enum err operator_update_login(struct work *work, const struct uuid *id) MUST_CHECK;
/* ERR_NOT_FOUND. */
enum err operator_delete(struct work *work, const struct uuid *id) MUST_CHECK;

enum err operator_session_insert(struct work *work,
                                 const struct operator_session *session) MUST_CHECK;
/* Reads those of one operator, or with NULL of all, that were seen and made after these times. */
enum err operator_session_select(struct work *work, const struct uuid *operator_id,
                                 struct record_list *ret_sessions) MUST_CHECK;
/* Deletes one of an operator, or with NULL all. */
enum err operator_session_delete(struct work *work, const struct uuid *operator_id,
                                 const struct uuid *id, int64_t *ret_deleted) MUST_CHECK;
/* Deletes those of all that were not seen since then, and of one operator all but the newest. */
enum err operator_session_delete_idle(struct work *work, int64_t seen_before) MUST_CHECK;
enum err operator_session_delete_oldest(struct work *work, const struct uuid *operator_id,
                                        int64_t kept) MUST_CHECK;
enum err operator_session_update_seen(struct work *work, const struct uuid *id,
                                      int64_t seen_at) MUST_CHECK;

enum err operator_address_select(struct work *work, const struct uuid *operator_id,
                                 const uint8_t source[static SECRET_HASH_LEN],
                                 bool *ret_is_known) MUST_CHECK;
/* Notes an address and drops the oldest above OPERATOR_ADDRESSES_MAX. */
enum err operator_address_upsert(struct work *work, const struct uuid *operator_id,
                                 const uint8_t source[static SECRET_HASH_LEN]) MUST_CHECK;
enum err operator_address_delete(struct work *work, const struct uuid *operator_id) MUST_CHECK;
