/*
 * The faults in the body of a package are told in the document that teams of accounting systems
 * know from FastAPI (contract, section 1, exception 1):
 * {"detail":[{"type","loc","msg","input","ctx"}]}.
 */
#pragma once

#include "kit/json/record_stream.h"

/* Prints the document, in the arena. `body` is the text that the ranges of the faults are of; it
 * may be empty where no fault has one. */
const char *erp_faults_print(const struct stream_fault *faults, size_t count, bool is_truncated,
                             struct str body, struct arena *arena);
/* Prints that the body is no JSON: `why` is a sentence, `offset` the byte where it went wrong. */
const char *erp_faults_print_no_json(const char *why, uint64_t offset, struct arena *arena);
