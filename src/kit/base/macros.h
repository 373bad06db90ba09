/* C lacks these two: the length of an array, and the struct that a member lies in. */
#pragma once

#include <stddef.h>

#define COUNT_OF(array)                     (sizeof(array) / sizeof((array)[0]))
#define CONTAINER_OF(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))
