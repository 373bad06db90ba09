/* Refusals that operations of the OpenAPI document share: `components/responses`. */
#pragma once

#include "kit/json/writer.h"

/* The responses object: each response by its name. */
void openapi_put_refusals(struct json_writer *w);
