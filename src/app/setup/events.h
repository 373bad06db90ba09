/* The rooms that subjects of events belong to show them; they are connected here. */
#pragma once

#include "core/event.h"

extern const struct event_reader event_readers[EVENT_SUBJECT_COUNT];
