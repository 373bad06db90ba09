/* The app's server answers this. */
#pragma once

#include "kit/base/uuid.h"
#include "kit/json/record.h"

struct text {
    const char *text;
};

struct message {
    struct uuid id;
    const struct text *text;
    struct record_list recipients; /* of const char * */
    int64_t slot;
    int64_t valid_until;
    const char *state;
};

struct messages {
    struct record_list items; /* of struct message */
};

struct registration {
    const char *id, *token;
};

struct gateway {
    const char *channel;
};

struct ping {
    int64_t interval_s;
};

struct settings {
    const struct gateway *gateway; /* NULL: not told */
    const struct ping *ping;
};

extern const struct record messages_record, registration_record, settings_record;

/* False if the body is not such a record. */
bool wire_decode(const struct record *record, struct str body, struct arena *arena, void *value);
