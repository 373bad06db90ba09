/* A job about a person is begun, and asked about until it is done (contract, section 10.5). */
#include "app/admin/admin_subjects.h"

#include "app/admin/admin_show.h"
#include "domain/subject/subject.h"
#include "kit/base/macros.h"
#include "kit/base/progress.h"
#include "kit/base/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { BODY_MAX = 1024, ASK_EVERY_US = 300 * 1000 };

static bool decode(const struct admin_service *service, struct str body, struct arena *arena,
                   struct subject_job *ret_job, struct buf *why)
{
    struct record_faults faults;

    record_faults_init(&faults, arena);
    if (!record_decode_answer(&subject_job_record, body, arena, ret_job, &faults)) return true;
    buf_printf(why,
               "The answer of the service at %s is not of the shape that this version of herald "
               "knows.",
               service->url);
    return false;
}

static const char *doing(const struct subject_job *job, struct arena *arena)
{
    return arena_printf(arena,
                        "is at %s: %" PRId64 " codes, %" PRId64 " calls, %" PRId64
                        " messages, %" PRId64 " orders",
                        job->phase < 0 ? "its end" : subject_phase_words[job->phase], job->codes,
                        job->calls, job->messages, job->orders);
}

static void show(const struct admin_input *input, const struct subject_job *job, struct str body,
                 struct arena *arena, struct buf *out)
{
    struct admin_view view = {.input = input, .value = job, .arena = arena, .out = out};

    if (input->wants_json) {
        terminal_escape(body, "\n", out);
        buf_char(out, '\n');
        return;
    }
    show_subject_job(&view);
}

static int wait_for(const struct admin_input *input, const struct admin_service *service,
                    struct arena *arena, struct progress *progress, struct admin_answer *answer,
                    struct buf *out, struct buf *why)
{
    struct subject_job job;

    for (;;) {
        if (!admin_is_done(answer)) {
            admin_explain(input, service, answer, arena, why);
            return EXIT_FAILURE;
        }
        if (!decode(service, answer->body, arena, &job, why)) return EXIT_FAILURE;
        if (job.state == SUBJECT_DONE) break;
        progress_say(progress, doing(&job, arena));
        usleep(ASK_EVERY_US);
        const char *target =
            arena_printf(arena, "/internal/v1/subjects/jobs/%s", uuid_text(&job.id, arena));
        admin_fetch(service, "GET", target, STR(""), arena, answer);
    }
    show(input, &job, answer->body, arena, out);
    return EXIT_SUCCESS;
}

int admin_subject(const struct admin_input *input, const struct admin_service *service,
                  struct arena *arena, struct buf *out, struct buf *why)
{
    struct admin_answer answer;
    AUTO_BUF body = {0};

    buf_init(&body, BODY_MAX);
    if (admin_write_body(input, arena, &body, why)) return EXIT_FAILURE;
    admin_fetch(service, input->route->method, admin_make_target(input, arena), buf_view(&body),
                arena, &answer);
    struct progress *progress = progress_begin("waits for the service");
    int status = wait_for(input, service, arena, progress, &answer, out, why);
    progress_end(progress);
    return status;
}

void show_subject_job(const struct admin_view *view)
{
    const struct subject_job *job = view->value;

    const char *const cells[] = {
        "state",       subject_state_words[job->state],
        "job",         uuid_text(&job->id, view->arena),
        "codes",       show_number(job->codes, view->arena),
        "calls",       show_number(job->calls, view->arena),
        "messages",    show_number(job->messages, view->arena),
        "orders",      show_number(job->orders, view->arena),
        "log_entries", show_number(job->log_entries, view->arena),
    };

    show_table(cells, 2, COUNT_OF(cells) / 2, view->out);
    if (job->orders_waiting > 0)
        buf_printf(view->out,
                   "\n%" PRId64 " of the orders are still to be delivered, and erased after it.\n",
                   job->orders_waiting);
    if (job->found) buf_text(view->out, "\nThe records themselves are shown with --json.\n");
}
