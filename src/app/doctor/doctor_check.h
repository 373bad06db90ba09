/* Each check of `herald doctor` is a row of a table and a small function. */
#pragma once

#include "app/doctor/doctor_report.h"
#include "app/setup/config.h"
#include "kit/fetch/fetch.h"

struct channels;
struct doctor;

/* A row of the table. */
struct doctor_check {
    const char *name;  /* for programs and people: "stores" */
    const char *doing; /* what is shown while it takes long: "reads the databases" */
    void (*run)(struct doctor *doctor);
};

struct doctor {
    struct arena *arena;
    struct config config;
    const struct doctor_check *check; /* that runs */
    struct doctor_report report;
    struct fetch_client *client;

    const char *url;     /* where the service is asked, without a slash at its end */
    const char *pin;     /* of the one certificate that is trusted there; NULL: the system's */
    bool is_running;     /* a herald answers there */
    struct str settings; /* the answer of GET /internal/v1/settings; empty: none */
    struct channels *channels; /* NULL: their settings are wrong */

    struct service service; /* the stores, opened beside other processes, and the vault */
    bool has_stores;        /* both can be read */
    bool has_vault;         /* and what they have sealed can be opened */
};

/* Adds a line of the check that runs. */
__attribute__((format(printf, 3, 4))) void doctor_say(struct doctor *doctor,
                                                      enum doctor_status status, const char *format,
                                                      ...);

/* --- Fetches ---------------------------------------------------------------------------------- */

enum { DOCTOR_TIMEOUT_MS = 5000, DOCTOR_FETCHES_AT_ONCE = 25 };

/* Makes the fetches, DOCTOR_FETCHES_AT_ONCE side by side, and waits for all. Call fetch_done for
 * each. */
void doctor_fetch(struct doctor *doctor, struct fetch *fetches, size_t count);
/* Asks the running service. `key` NULL: without a key. */
void doctor_ask(struct doctor *doctor, const char *path, const char *key, struct fetch *ret_fetch);
/* Returns a text of a JSON answer, in the arena; NULL: there is none. */
const char *doctor_text_at(struct doctor *doctor, const struct fetch *fetch, const char *pointer);
/* Returns the value of a setting as the running service has it, in the arena; NULL: none, or it is
 * not known. */
const char *doctor_running_value(struct doctor *doctor, const char *name);

/* --- The checks, in the order of the table ---------------------------------------------------- */

void doctor_check_settings(struct doctor *doctor);
void doctor_check_risks(struct doctor *doctor);
void doctor_check_service(struct doctor *doctor);
void doctor_check_running(struct doctor *doctor);
void doctor_check_limits(struct doctor *doctor);
void doctor_check_disk(struct doctor *doctor);
void doctor_check_schema(struct doctor *doctor);
void doctor_check_stores(struct doctor *doctor);
void doctor_check_key(struct doctor *doctor);
void doctor_check_worker(struct doctor *doctor);
void doctor_check_clock(struct doctor *doctor);
void doctor_check_certificate(struct doctor *doctor);
void doctor_check_url(struct doctor *doctor);
void doctor_check_providers(struct doctor *doctor);
void doctor_check_erps(struct doctor *doctor);
void doctor_check_sims(struct doctor *doctor);

/* Judge how much room the disk has left, and how far a clock is from another one. */
enum doctor_status doctor_judge_room(int64_t free_mib);
enum doctor_status doctor_judge_offset(int64_t offset_ms);

/* --- The bundle ------------------------------------------------------------------------------- */

/* Writes the report and what helps to understand it into a new file of mode 0600 (contract, section
 * 11.10). `why` says why that failed. */
enum err doctor_write_bundle(struct doctor *doctor, const char *path, struct buf *why) MUST_CHECK;
