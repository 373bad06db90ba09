/* How subjects of events are shown: the rooms that they belong to are connected here. */
#pragma once

#include "core/event.h"

extern const struct event_reader event_readers[EVENT_SUBJECT_COUNT];
