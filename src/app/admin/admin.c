/* A command is read, asks the service, and shows the answer. */
#include "app/admin/admin.h"

#include "app/admin/admin_log.h"
#include "app/admin/admin_names.h"
#include "app/admin/admin_service.h"
#include "app/api/routes.h"
#include "core/page.h"
#include "domain/integration/integration.h"
#include "kit/base/clock.h"
#include "kit/base/progress.h"
#include "kit/base/terminal.h"
#include "kit/fetch/fetch.h"
#include "kit/http/tls.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    EXIT_WRONG_COMMAND = 2,
    BODY_MAX = 1024 * 1024, /* of an order */
    PAGE_ROWS = PAGE_LIMIT_MAX,
    PAGES_MAX = 50,
    PAGE_MAX = 4 * 1024 * 1024,    /* the longest list with the longest rows, many times over */
    ANSWER_MAX = 32 * 1024 * 1024, /* more than the longest body of a package, or export */
};

struct admin_run {
    struct admin_input input;
    struct admin_service service;
    struct arena *arena;
    struct buf *out;
    struct buf *why;
};

/* --- Showing ---------------------------------------------------------------------------------- */

static bool decode(const struct admin_run *run, const struct record *record, struct str body,
                   void *ret_value)
{
    struct record_faults faults;
    record_faults_init(&faults, run->arena);
    return !record_decode_answer(record, body, run->arena, ret_value, &faults);
}

/* Characters that a terminal would obey are escaped, which is the same JSON. */
static void show_as_it_came(const struct admin_run *run, struct str body)
{
    if (body.len == 0) return;
    terminal_escape(body, "\n", run->out);
    buf_char(run->out, '\n');
}

/* A terminal gets no characters that it would obey; a file or a pipe gets every byte. */
static void show_bytes(const struct admin_run *run, struct str body)
{
    if (isatty(STDOUT_FILENO))
        terminal_escape(body, "\r\n\t", run->out);
    else
        buf_str(run->out, body);
}

static void show_value(const struct admin_run *run, const void *value)
{
    struct admin_view view = {
        .input = &run->input, .value = value, .arena = run->arena, .out = run->out};
    assert(run->input.command->show); /* answers that are shown byte for byte do not come here */
    run->input.command->show(&view);
}

/* An answer that is not understood is shown all the same, since it may hold a secret that comes
 * only once. */
static int refuse_shape(const struct admin_run *run, struct str body)
{
    show_as_it_came(run, body);
    buf_printf(run->why,
               "The answer of the service at %s is not of the shape that this version of herald "
               "knows.",
               run->service.url);
    return EXIT_FAILURE;
}

static int show_answer(const struct admin_run *run, struct str body)
{
    const struct record *record = run->input.route->reply;
    void *value = record ? arena_alloc(run->arena, record->size) : NULL;

    if (!run->input.command->show) {
        show_bytes(run, body);
        return EXIT_SUCCESS;
    }
    if (run->input.wants_json) {
        show_as_it_came(run, body);
        return EXIT_SUCCESS;
    }
    if (record && !decode(run, record, body, value)) return refuse_shape(run, body);
    show_value(run, value);
    return EXIT_SUCCESS;
}

/* --- A command of one fetch ------------------------------------------------------------------- */

static int fetch_once(const struct admin_run *run)
{
    const struct admin_input *input = &run->input;
    struct admin_answer answer;
    AUTO_BUF body = {0};

    buf_init(&body, BODY_MAX);
    if (admin_write_body(input, run->arena, &body, run->why)) return EXIT_WRONG_COMMAND;
    if (body.is_full) {
        buf_text(run->why, "The values are too long.");
        return EXIT_WRONG_COMMAND;
    }
    admin_fetch(&run->service, input->route->method, admin_make_target(input, run->arena),
                buf_view(&body), run->arena, &answer);
    if (body.data) secret_wipe(body.data, body.len); /* it may hold the ERP's token */
    if (admin_is_done(&answer)) return show_answer(run, answer.body);
    admin_explain(input, &run->service, &answer, run->arena, run->why);
    return EXIT_FAILURE;
}

/* --- A list in pages -------------------------------------------------------------------------- */

/* Returns false if the page has more rows than were asked for. */
static bool append_page(struct integration_list *all, const struct integration_list *page)
{
    struct integration *items = all->integrations.items;
    size_t count = page->integrations.count;

    if (count > PAGE_ROWS) return false;
    if (count > 0)
        memcpy(items + all->integrations.count, page->integrations.items, count * sizeof(*items));
    all->integrations.count += count;
    all->next_cursor = page->next_cursor;
    return true;
}

/* Shows the pages as one list. */
static int show_list(const struct admin_run *run, const struct integration_list *list)
{
    AUTO_BUF json = {0};
    struct json_writer writer;

    buf_init(&json, (size_t)PAGES_MAX * PAGE_MAX);
    if (list->next_cursor)
        buf_printf(run->why, "There are more: only the first %zu are shown.",
                   list->integrations.count);
    if (!run->input.wants_json) {
        show_value(run, list);
        return EXIT_SUCCESS;
    }
    json_writer_init(&writer, &json);
    record_encode(run->input.route->reply, list, &writer);
    show_as_it_came(run, buf_view(&json));
    return EXIT_SUCCESS;
}

static int fetch_pages(const struct admin_run *run)
{
    const struct route *route = run->input.route;
    struct integration_list all = {.next_cursor = NULL};
    struct integration_list page;
    struct admin_answer answer;

    const char *base = admin_make_target(&run->input, run->arena);
    all.integrations.items =
        arena_array(run->arena, (size_t)PAGES_MAX * PAGE_ROWS, sizeof(struct integration));
    for (int i = 0; i < PAGES_MAX && (i == 0 || all.next_cursor); i++) {
        const char *target = arena_printf(
            run->arena, "%s%climit=%d%s%s", base, strchr(base, '?') ? '&' : '?', PAGE_ROWS,
            all.next_cursor ? "&cursor=" : "", all.next_cursor ? all.next_cursor : "");
        admin_fetch(&run->service, route->method, target, STR(""), run->arena, &answer);
        if (!admin_is_done(&answer)) {
            admin_explain(&run->input, &run->service, &answer, run->arena, run->why);
            return EXIT_FAILURE;
        }
        if (!decode(run, route->reply, answer.body, &page)) return refuse_shape(run, answer.body);
        if (i == 0 && !page.next_cursor) return show_answer(run, answer.body);
        if (!append_page(&all, &page)) return refuse_shape(run, answer.body);
    }
    return show_list(run, &all);
}

/* --- A command ------------------------------------------------------------------------------- */

static int run_command(struct admin_run *run)
{
    struct admin_input *input = &run->input;
    bool is_one_page = admin_value(input, "limit") || admin_value(input, "cursor");

    if (!admin_resolve_names(input, &run->service, run->arena, run->why)) return EXIT_FAILURE;
    return input->command->is_paged && !is_one_page ? fetch_pages(run) : fetch_once(run);
}

/* --- Where, and who --------------------------------------------------------------------------- */

static enum err find_key(struct admin_run *run, struct config *config)
{
    if (config->api_key.data) {
        run->service.key = arena_text(run->arena, config->api_key.data);
        run->service.key_source = arena_printf(run->arena, "HERALD_API_KEY, from %s",
                                               config_source(config, "HERALD_API_KEY"));
        return ERR_OK;
    }
    enum err err = config_find_internal_key(config, run->arena, run->why);
    if (err) return err;
    const char *keys = config->internal_keys.data;
    run->service.key = arena_str(run->arena, (struct str){keys, strcspn(keys, ",")});
    run->service.key_source = arena_text(run->arena, config_source(config, "INTERNAL_API_KEY"));
    return ERR_OK;
}

/* The certificate of the settings is trusted, and no other (contract, section 19). */
static enum err find_pin(struct admin_run *run, const char *cert_file)
{
    struct tls_certificate certificate;

    enum err err = tls_certificate_read(cert_file, NULL, NULL, &certificate, run->why);
    if (!err) run->service.pin = arena_text(run->arena, certificate.pin);
    return err;
}

static enum err find_service(struct admin_run *run)
{
    struct config config = {0};
    struct config_installed installed = CONFIG_INSTALLED;
    enum err err = config_load_installed(run->input.setting_count, run->input.settings, &installed,
                                         run->arena, &config, run->why);
    if (!err) err = find_key(run, &config);
    if (err) config_explain_closed(&installed, run->why);
    if (err) return err;

    const char *url = run->input.url;
    run->service.url = url ? url : config_local_url(&config, run->arena);
    config_forget_secrets(&config);
    return config.tls_cert_file ? find_pin(run, config.tls_cert_file) : ERR_OK;
}

/* A creation gets an Idempotency-Key of its own where none was given. */
static void choose_idempotency_key(struct admin_run *run)
{
    const char *given = admin_value(&run->input, admin_idempotency_key.name);
    struct uuid fresh = uuid_new(clock_now_ms());

    if (!run->input.route->idem_family) return;
    run->service.idempotency_key = given ? given : uuid_text(&fresh, run->arena);
}

int admin_run(int arg_count, char **args, struct arena *arena, struct buf *out, struct buf *why)
{
    struct admin_run run = {.arena = arena, .out = out, .why = why};

    if (arg_count <= 0) {
        admin_print_help("", "", out);
        return EXIT_WRONG_COMMAND;
    }
    if (admin_parse(arg_count, args, arena, &run.input, why)) return EXIT_WRONG_COMMAND;
    if (run.input.wants_help) {
        admin_print_help(run.input.first, run.input.second, out);
        return EXIT_SUCCESS;
    }
    if (find_service(&run) || admin_read_secrets(&run.input, arena, why)) return EXIT_WRONG_COMMAND;

    const struct admin_command *command = run.input.command;
    bool is_alone = command->is_log || command->run; /* it prints by itself as it goes on */
    choose_idempotency_key(&run);
    run.service.answer_max = ANSWER_MAX;
    run.service.client = fetch_client_new(1, 0, run.service.answer_max);
    if (!is_alone) run.service.progress = progress_begin("waits for the service");
    int status = command->run      ? command->run(&run.input, &run.service, arena, out, why)
                 : command->is_log ? admin_log(&run.input, &run.service, arena, out, why)
                                   : run_command(&run);
    progress_end(run.service.progress);
    fetch_client_free(run.service.client);
    return status;
}
