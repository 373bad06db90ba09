/* This writes what came over a wire as a string of JSON. */
#pragma once

#include "kit/base/arena.h"
#include "kit/json/writer.h"

/* Valid JSON for any bytes: what is no UTF-8 becomes '?'. */
void wire_text_put(struct json_writer *json, const char *key, struct str bytes,
                   struct arena *arena);
/* The same without a key. */
void wire_text(struct json_writer *json, struct str bytes, struct arena *arena);
