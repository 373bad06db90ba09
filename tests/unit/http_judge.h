/* http_parser, the parser that Node had for ten years, as the judge of our own. */
#pragma once

#include "kit/base/str.h"

/* Returns whether it refuses these bytes, from their start or after some whole requests. */
bool http_judge_refuses(struct str bytes);
