/* What is held of a person is erased, or told, by these operations (contract, section 10.5). */
#include "app/api/routes.h"
#include "domain/subject/subject.h"

#define SUBJECTS_PATH "/internal/v1/subjects"
#define BEGINS_A_JOB                                                                         \
    .body = &subject_input_record, .status = 202,                                            \
    .reply_doc = "It is under way, and can be asked about.", .at_once_doc = "It is done.",   \
    .reply = &subject_job_record, .link_path = SUBJECTS_PATH "/jobs/{id}", .link_id = "/id", \
    .errors = {ERR_OVERLOADED}, .recheck = subject_http_recheck

static const struct route rows[] = {
    {
        .method = "POST",
        .path = SUBJECTS_PATH "/erase",
        .operation_id = "eraseSubject",
        .role = ROLE_ADMIN,
        .action = "subject.erase",
        .tag = "Personal data",
        .summary = "Erase what is held of a person",
        .description =
            "The number goes out of codes, inbound calls, messages, orders and the log, with their "
            "metadata and whatever a phone, a provider or an ERP said of them; records, counts and "
            "limits stay. What is not sent yet is not sent any more; an order is delivered first. "
            "There is no way back.",
        BEGINS_A_JOB,
        .handle = subject_http_erase,
    },
    {
        .method = "POST",
        .path = SUBJECTS_PATH "/export",
        .operation_id = "exportSubject",
        .role = ROLE_ADMIN,
        .action = "subject.export",
        .tag = "Personal data",
        .summary = "Export what is held of a person",
        .description = "All records and entries of the log that have the number. Codes, texts and "
                       "keys are in none of them.",
        BEGINS_A_JOB,
        .handle = subject_http_export,
    },
    {
        .method = "GET",
        .path = SUBJECTS_PATH "/jobs/{id}",
        .operation_id = "getSubjectJob",
        .role = ROLE_ADMIN,
        .tag = "Personal data",
        .summary = "How an erasure or an export stands",
        .description = "It can be asked about while it is under way, and for 24 hours after.",
        .access = ACCESS_READ_ROW,
        .reply_doc = "The job.",
        .reply = &subject_job_record,
        .errors = {ERR_NOT_FOUND},
        .handle = subject_http_read,
    },
};

const struct route_table routes_subjects = {
    .store = STORE_VERIFICATION,
    ROUTE_ROWS(rows),
};
