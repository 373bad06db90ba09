/* The messages that the app has had, and what became of each: the app's own database. */
#pragma once

#include "wire.h"

enum state {
    STATE_PENDING, /* it is to be sent */
    STATE_PROCESSED,
    STATE_SENT,
    STATE_DELIVERED,
    STATE_FAILED,
    STATE_CANCELLED,
};
extern const char *const state_words[];

struct remembered {
    struct uuid id;
    enum state state;
    const char *error; /* why it failed; NULL: it did not */
    const char *recipient, *text;
    int64_t slot;
    int64_t valid_until;
};

struct memory;

/* With a file, it outlives the app; `path` may be NULL. NULL if the file can be neither read nor
 * made. */
struct memory *memory_new(const char *path);
void memory_free(struct memory *memory);

size_t memory_count(const struct memory *memory);
/* Their answers are good until the memory is freed. */
struct remembered *memory_at(const struct memory *memory, size_t i);
/* NULL: the app never had it. */
struct remembered *memory_find(const struct memory *memory, const struct uuid *id);
/* NULL if the file cannot be written, or the memory is full. */
struct remembered *memory_add(struct memory *memory, const struct message *message);
/* False if the file cannot be written. */
bool memory_set(struct memory *memory, struct remembered *row, enum state state, const char *error);
