/* Background work needs these, in a process that does it. */
#pragma once

#include "core/service.h"
#include "domain/event_log/event_log.h"

#include <stdatomic.h>

struct jobs {
    struct service *service;
    struct event_log *event_log;
    atomic_bool is_stopping; /* no new work begins */
};
