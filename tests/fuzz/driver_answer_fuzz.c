/*
 * Answers of providers, and flash-call templates. The first byte of the input chooses a driver (the
 * last choice reads the input as a template, which then makes a request and reads the input as its
 * answer), the second the HTTP status. Aborts where an answer shows the token or breaks a line,
 * where a send that is done lacks what it needs, and where a request is not well-formed.
 */
#include "domain/channel/driver.h"
#include "kit/json/pointer.h"

#include <stdio.h>
#include <stdlib.h>

enum { INPUT_MAX = 20000, HEAD_LEN = 2 };

#define TOKEN "12345:made-up"

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static bool is_shown_safely(const char *text)
{
    if (!text) return true;
    for (const char *at = text; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7F) return false;
    }
    return !strstr(text, TOKEN);
}

static void check_answer(const struct channel_driver *driver, const struct channel_answer *answer)
{
    require(answer->outcome <= OUTCOME_UNKNOWN, "no outcome");
    require(answer->progress <= PROGRESS_FAILED, "no progress");
    require(answer->wait_ms >= 0 && answer->wait_ms <= 24 * 60 * 60 * 1000, "a wait without end");
    require(is_shown_safely(answer->error), "an error that cannot be shown");
    require(is_shown_safely(answer->provider_id), "an id that cannot be shown");
    require(answer->outcome == OUTCOME_DONE || answer->error, "a failure without a reason");
    if (!answer->learned_code) return;
    require(driver->chooses_code, "a code that nobody chose");
    require(strspn(answer->learned_code, "0123456789") == 4 && !answer->learned_code[4],
            "a code that is none");
}

static void read_all(const struct channel_driver *driver, const struct driver_config *config,
                     const struct fetch *fetch, struct arena *arena)
{
    struct channel_answer answer;

    memset(&answer, 0x55, sizeof(answer));
    driver->read_send(config, fetch, arena, &answer);
    check_answer(driver, &answer);
    if (!driver->read_status) return;
    memset(&answer, 0x55, sizeof(answer));
    driver->read_status(config, fetch, arena, &answer);
    require(answer.outcome != OUTCOME_UNKNOWN, "a status that may not be asked for again");
    check_answer(driver, &answer);
}

/* Visible ASCII throughout, and a body of JSON that is JSON. */
static void check_request(const struct fetch *fetch, struct arena *arena)
{
    struct json_value value;
    bool is_json = false;

    for (const char *at = fetch->url; *at; at++)
        require(*at > ' ' && *at <= '~', "a URL that is none");
    for (const struct fetch_header *header = fetch->headers; header->name; header++) {
        for (const char *at = header->value; *at; at++)
            require(*at >= ' ' && *at <= '~', "a header that breaks its line");
        if (strcmp(header->value, "application/json") == 0)
            is_json = strcmp(header->name, "Content-Type") == 0;
    }
    if (is_json) require(json_find(fetch->body, "", arena, &value), "a body that is no JSON");
}

/* A template that is taken works. */
static const struct channel_driver *read_template(struct driver_config *config, const char *text,
                                                  struct arena *arena)
{
    static const struct channel_content content = {
        .recipient = "+79161234567", .code = "0042", .ttl_s = 300, .provider_id = "id\"{key}"};
    AUTO_BUF why = {0};
    struct fetch fetch = {0};

    buf_init(&why, INPUT_MAX);
    if (flash_template_read(text, arena, &config->template, &why)) {
        require(why.len > 0, "a refusal without a reason");
        return NULL;
    }
    const struct channel_driver *driver = flash_template_driver(config->template);
    driver->make_send(config, &content, arena, &fetch);
    check_request(&fetch, arena);
    if (driver->make_status) {
        driver->make_status(config, &content, arena, &fetch);
        check_request(&fetch, arena);
    }
    return driver;
}

static const struct channel_driver *choose(struct driver_config *config, uint8_t choice,
                                           const char *text, struct arena *arena)
{
    static const struct channel_driver *const drivers[] = {&driver_telegram_gateway,
                                                           &driver_telegram_bot, &driver_ucaller};
    static const char *const presets[] = {"smsru", "unibell", "plusofon", "zvonok", "smsc"};
    enum { DRIVERS = sizeof(drivers) / sizeof(*drivers) };
    enum { PRESETS = sizeof(presets) / sizeof(*presets) };
    int index = choice % (DRIVERS + PRESETS + 1);

    if (index < DRIVERS) return drivers[index];
    index -= DRIVERS;
    return read_template(config, index < PRESETS ? presets[index] : text, arena);
}

/* 200 and 2xx first of all, then every other class. */
static int status_of(uint8_t choice)
{
    static const int statuses[] = {200, 200, 200, 201, 302, 400, 401, 403, 404, 429, 500, 503};
    return statuses[choice % (sizeof(statuses) / sizeof(*statuses))];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct secret token = {(char[]){TOKEN}, sizeof(TOKEN) - 1};
    struct driver_config config = {
        .base_url = "https://x.test", .token = &token, .service_id = "777"};
    struct arena arena;

    if (size < HEAD_LEN || size > INPUT_MAX) return 0;
    arena_init(&arena);
    struct fetch fetch = {
        .end = FETCH_ANSWERED, .status = status_of(data[1]), .retry_after_ms = -1};
    buf_init(&fetch.answer, INPUT_MAX);
    buf_append(&fetch.answer, data + HEAD_LEN, size - HEAD_LEN);
    const char *text = arena_str(&arena, buf_view(&fetch.answer));
    const struct channel_driver *driver = choose(&config, data[0], text, &arena);
    if (driver) read_all(driver, &config, &fetch, &arena);
    buf_done(&fetch.answer);
    arena_done(&arena);
    return 0;
}
