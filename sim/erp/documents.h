/*
 * The documents that the ERP has made of orders, by the uuid of the order. There is one for each,
 * however often it comes. Not locked; its owner is.
 */
#pragma once

#include "kit/base/uuid.h"
#include "kit/json/writer.h"

enum { DOCUMENTS_MAX = 1000000, DIGEST_LEN = 64 };

struct document {
    char order[UUID_TEXT_LEN + 1]; /* in lower case */
    char id[UUID_TEXT_LEN + 1];
    char number[16];             /* SO-000001 */
    char digest[DIGEST_LEN + 1]; /* of the first body */
    int64_t calls;               /* that were answered with it */
};

/* An order that came. */
struct incoming {
    const char *order;          /* its uuid, in lower case */
    const char *point, *number; /* by which the shop knows it */
    const char *digest;         /* of the body */
};

/* twice: documents of an order, as the shop counts them, that had one already, under another uuid.
 */
struct documents_tally {
    int64_t count, twice, changed_bodies;
};

struct documents;

/* `file`: each is appended to it as a line of JSON; NULL: to none. NULL if that cannot be opened.
 */
struct documents *documents_new(const char *file);
void documents_free(struct documents *documents);
void documents_clear(struct documents *documents);

/* The document of that order, which is made unless it is there. NULL: it cannot be kept. Valid
 * until the next call. */
const struct document *documents_take(struct documents *documents, const struct incoming *incoming,
                                      int64_t now_ms, bool *ret_is_new);
struct documents_tally documents_tally(const struct documents *documents);
/* Appends "documents": all, or that of one order. */
void documents_put(const struct documents *documents, const char *order, struct json_writer *json);

/* SHA-256 as hexadecimal digits. */
void digest_of(struct str bytes, char ret_text[static DIGEST_LEN + 1]);
