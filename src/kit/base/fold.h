/* Letters without the difference between upper and lower case, in any alphabet. */
#pragma once

#include <stdint.h>

/* Of a character, the one that stands for it and its other case: always the same, on any machine,
 * since names are stored so. */
uint32_t fold_point(uint32_t point);
