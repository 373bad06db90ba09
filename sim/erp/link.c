/* Tokens, and the calls that show them. */
#include "link.h"

#include "kit/base/clock.h"
#include "kit/json/pointer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { URL_MAX = 4096, SECRET_MAX = 1024, TOKEN_EARLY_S = 30, FORM_MAX = 8192 };

/* --- Tokens ----------------------------------------------------------------------------------- */

struct tokens {
    const struct options *options;
    const struct teller *teller;
    char secret[SECRET_MAX];
    pthread_mutex_t lock; /* of what follows; held while a token is fetched */
    struct buf token;     /* NUL-terminated; empty: none */
    int64_t renew_at_ms;  /* monotonic */
    int64_t generation;   /* of the token: it counts them */
};

static bool read_secret(const struct options *options, char ret_secret[static SECRET_MAX])
{
    if (options->client_secret)
        return snprintf(ret_secret, SECRET_MAX, "%s", options->client_secret) < SECRET_MAX;
    FILE *file = fopen(options->client_secret_file, "re");
    if (!file) return false;
    bool has_line = fgets(ret_secret, SECRET_MAX, file) != NULL;
    fclose(file);
    if (has_line) ret_secret[strcspn(ret_secret, "\r\n")] = '\0';
    return has_line;
}

struct tokens *tokens_new(const struct options *options, const struct teller *teller)
{
    struct tokens *tokens = calloc(1, sizeof(*tokens));

    if (!tokens || pthread_mutex_init(&tokens->lock, NULL)) abort();
    tokens->options = options;
    tokens->teller = teller;
    buf_init(&tokens->token, HTTP_ANSWER_MAX);
    if (read_secret(options, tokens->secret)) return tokens;
    tokens_free(tokens);
    return NULL;
}

void tokens_free(struct tokens *tokens)
{
    if (!tokens) return;
    buf_done(&tokens->token);
    pthread_mutex_destroy(&tokens->lock);
    free(tokens);
}

static void put_form_field(struct buf *form, const char *name, const char *value)
{
    buf_printf(form, "%s%s=", form->len > 0 ? "&" : "", name);
    http_escape(form, value);
}

static void send_form(const struct tokens *tokens, struct http *http, struct http_answer *answer)
{
    const struct options *options = tokens->options;
    char url[URL_MAX];
    AUTO_BUF form = {0};

    buf_init(&form, FORM_MAX);
    put_form_field(&form, "grant_type", "client_credentials");
    put_form_field(&form, "client_id", options->client_id);
    put_form_field(&form, "client_secret", tokens->secret);
    put_form_field(&form, "scope", options->scope);
    snprintf(url, sizeof(url), "%s%s", options->token_url ? options->token_url : options->base_url,
             options->token_url ? "" : "/v1/oauth/token");
    struct http_call call = {
        .url = url,
        .content_type = "application/x-www-form-urlencoded",
        .body = buf_view(&form),
    };
    http_send(http, &call, answer);
}

/* False: the answer holds no token. */
static bool keep_token(struct tokens *tokens, struct str body, struct arena *arena)
{
    struct json_value token, life;
    long long life_s;

    if (!json_find(body, "/access_token", arena, &token) || token.type != JSON_STRING) return false;
    if (!json_find(body, "/expires_in", arena, &life) || life.type != JSON_NUMBER) return false;
    if (!str_to_int64(life.text, &life_s) || life_s < 0 || life_s > INT32_MAX) return false;
    int64_t early_s = life_s / 10 < TOKEN_EARLY_S ? life_s / 10 : TOKEN_EARLY_S;
    buf_clear(&tokens->token);
    buf_str(&tokens->token, token.text);
    buf_char(&tokens->token, '\0');
    tokens->renew_at_ms = clock_monotonic_ms() + (life_s - early_s) * 1000;
    tokens->generation++;
    return true;
}

/* False: `answer` says why there is none. */
static bool fetch_token(struct tokens *tokens, struct http *http, struct http_answer *answer)
{
    struct arena arena;

    send_form(tokens, http, answer);
    arena_init(&arena);
    bool is_kept = answer->status == 200 && keep_token(tokens, buf_view(&answer->body), &arena);
    arena_done(&arena);
    if (answer->status == 200 && !is_kept) {
        answer->status = 0;
        answer->problem = "the token endpoint's answer is not readable";
    }
    tell(tokens->teller, &(struct happening){.kind = HAPPENED_TOKEN,
                                             .http_status = answer->status,
                                             .outcome = answer->problem,
                                             .us = answer->took_us});
    return is_kept;
}

/* A copy of a token that is later than number `after`, NUL-terminated in `ret_token`, and its
 * number. False: `answer` says why there is none. */
static bool take_token(struct tokens *tokens, struct http *http, int64_t after,
                       struct buf *ret_token, int64_t *ret_generation, struct http_answer *answer)
{
    pthread_mutex_lock(&tokens->lock);
    bool is_good = tokens->token.len > 0 && tokens->generation > after &&
                   clock_monotonic_ms() < tokens->renew_at_ms;
    if (!is_good) is_good = fetch_token(tokens, http, answer);
    if (is_good) {
        buf_clear(ret_token);
        buf_str(ret_token, buf_view(&tokens->token));
        *ret_generation = tokens->generation;
    }
    pthread_mutex_unlock(&tokens->lock);
    return is_good;
}

/* --- Calls ------------------------------------------------------------------------------------ */

struct link {
    const struct options *options;
    struct tokens *tokens;
    struct http *http;
};

struct link *link_new(const struct options *options, struct tokens *tokens, int stop_fd)
{
    struct link *link = calloc(1, sizeof(*link));

    if (!link) abort();
    *link = (struct link){options, tokens, http_new(options->timeout_ms, stop_fd)};
    if (link->http) return link;
    link_free(link);
    return NULL;
}

void link_free(struct link *link)
{
    if (!link) return;
    http_free(link->http);
    free(link);
}

void link_answer_init(struct link_answer *answer)
{
    *answer = (struct link_answer){0};
    http_answer_init(&answer->http);
}

void link_answer_done(struct link_answer *answer)
{
    http_answer_done(&answer->http);
}

static void forget(struct link_answer *answer)
{
    link_answer_done(answer);
    link_answer_init(answer);
}

/* The word at /status, if it is one: nothing else of the service's text is shown as it comes. */
static void read_status_word(struct link_answer *answer)
{
    struct json_value value;
    struct arena arena;

    if (answer->http.status < 200 || answer->http.status > 299) return;
    arena_init(&arena);
    if (json_find(buf_view(&answer->http.body), "/status", &arena, &value) &&
        value.type == JSON_STRING && value.text.len < sizeof(answer->status_word) &&
        strspn(value.text.data, "abcdefghijklmnopqrstuvwxyz_") == value.text.len)
        memcpy(answer->status_word, value.text.data, value.text.len + 1);
    arena_done(&arena);
}

/* Makes the call with a token; once more with another if that one was refused. */
static void send_with_token(struct link *link, struct http_call *call, struct link_answer *answer)
{
    int64_t generation = 0;
    AUTO_BUF token = {0};

    buf_init(&token, HTTP_ANSWER_MAX);
    for (int round = 0; round < 2; round++) {
        forget(answer); /* of a refused token */
        if (!take_token(link->tokens, link->http, generation, &token, &generation, &answer->http)) {
            answer->is_of_token = true;
            return;
        }
        forget(answer); /* of the token endpoint */
        call->bearer = token.data;
        http_send(link->http, call, &answer->http);
        if (answer->http.status != 401) break;
    }
    read_status_word(answer);
}

static void begin_url(const struct link *link, struct buf *url)
{
    buf_init(url, URL_MAX);
    buf_printf(url, "%s/api/v1/integrations/erp/", link->options->base_url);
    http_escape(url, link->options->integration_id);
}

void link_post(struct link *link, const struct package *package, struct str body, int64_t attempt,
               struct link_answer *answer)
{
    const struct options *options = link->options;
    AUTO_BUF url = {0}, key = {0};

    begin_url(link, &url);
    buf_text(&url, package->type == PACKAGE_SNAPSHOT ? "/catalog-snapshot" : "/changes");
    buf_char(&url, '\0');
    buf_init(&key, URL_MAX);
    buf_printf(&key, "%s%s", options->has_wrong_key ? "not-" : "", package->event_id);
    buf_char(&key, '\0');
    struct http_call call = {
        .url = url.data,
        .idempotency_key = key.data,
        .content_type = "application/json",
        .body = body,
        .bytes_per_s = options->bytes_per_s,
    };
    if (attempt <= options->break_count)
        call.break_after = 1 + body.len * (size_t)options->break_percent / 100;
    send_with_token(link, &call, answer);
}

void link_read_status(struct link *link, const char *event_id, struct link_answer *answer)
{
    AUTO_BUF url = {0};

    begin_url(link, &url);
    buf_text(&url, "/events/");
    http_escape(&url, event_id);
    buf_char(&url, '\0');
    send_with_token(link, &(struct http_call){.url = url.data}, answer);
}
