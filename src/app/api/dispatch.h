/*
 * The way of one request: head (route, key, media type, size) -> body -> decode by the record table
 * -> hand-over to the database -> handler inside its transaction -> after the commit back to the
 * loop -> answer. Only here does an error become an answer.
 */
#pragma once

#include "app/api/api.h"
#include "kit/http/server.h"

/* The handler that http_server_start gets; `arg` is the struct api. */
struct http_handler dispatch_handler(struct api *api);
