/* The statements on test_send have one function each. */
#pragma once

#include "domain/test_number/test_number.h"

enum err test_send_insert(struct work *work, const struct test_send *send) MUST_CHECK;
/* Reads a send. ERR_NOT_FOUND. */
enum err test_send_select(struct work *work, const struct uuid *id,
                          struct test_send *ret_send) MUST_CHECK;
/* A send with the lines of its timeline. */
struct traced_test_send {
    struct test_send send;
    const char *steps; /* NULL: none */
};
/* Reads the sends of an owner (struct traced_test_send), oldest first. */
enum err test_send_select_traced(struct work *work, const struct uuid *owner_id,
                                 struct record_list *ret_sends) MUST_CHECK;
/* Writes the new state, error and step of a send that was seen in the state `from`; `ret_moved` is
 * false if it is there no more. */
enum err test_send_move(struct work *work, const struct test_send *send, enum send_state from,
                        bool *ret_moved) MUST_CHECK;
