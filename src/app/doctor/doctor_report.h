/* The report of `herald doctor` is a list of lines: what was found, and what to do (contract,
 * section 11.10). */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/buf.h"
#include "kit/json/writer.h"

enum doctor_status { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL };
extern const char *const doctor_status_words[];

enum { DOCTOR_LINES_MAX = 512 };

struct doctor_line {
    enum doctor_status status;
    const char *check;   /* the name of the check */
    const char *message; /* sentences: what is, and what to do */
};

struct doctor_report {
    struct arena *arena;
    struct doctor_line lines[DOCTOR_LINES_MAX];
    size_t count; /* what comes beyond the maximum is left out */
};

/* Adds a line. Numbers of customers and SIMs in it are masked, and secrets hidden. */
void doctor_report_add(struct doctor_report *report, const char *check, enum doctor_status status,
                       const char *message);
/* Returns the worst status of all lines, which is the exit status of the process. */
enum doctor_status doctor_report_worst(const struct doctor_report *report);

/* Prints a line each: status, check, message. With `columns` (0: without end) messages go on below
 * themselves. */
void doctor_report_print(const struct doctor_report *report, size_t columns, struct buf *out);
/* Writes them as an array of objects. */
void doctor_report_write(const struct doctor_report *report, struct json_writer *writer);
