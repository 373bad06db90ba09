/*
 * libcurl 7.88 takes an answer that ends in the middle of its headers as whole, so the end of the
 * head is watched here. The body has fixed room instead of a buffer that grows, since a growing
 * buffer leaves copies of a code behind in freed memory.
 */
#include "kit/fetch/answer.h"

#include "kit/base/must.h"
#include "kit/base/secret.h"

#include <curl/curl.h>
#include <stdlib.h>

enum { HTTP_DATE_MAX = 63, RETRY_AFTER_MAX_S = 30 * 24 * 60 * 60 };

void answer_init(struct answer *answer, size_t body_max)
{
    *answer = (struct answer){.retry_after_ms = -1, .body_max = body_max};
    answer->body = must_malloc(body_max);
}

void answer_done(struct answer *answer)
{
    answer_clear(answer);
    free(answer->body);
}

void answer_clear(struct answer *answer)
{
    if (answer->body_len > 0) secret_wipe(answer->body, answer->body_len);
    answer->head_len = 0;
    answer->is_head_whole = false;
    answer->retry_after_ms = -1;
    answer->body_len = 0;
}

static int64_t ms_until_date(struct str value, int64_t now_ms)
{
    char text[HTTP_DATE_MAX + 1] = {0};
    if (value.len > HTTP_DATE_MAX) return -1;
    memcpy(text, value.data, value.len);

    time_t date_s = curl_getdate(text, NULL);
    if (date_s < 0) return -1;
    int64_t wait_ms = (int64_t)date_s * 1000 - now_ms;
    return wait_ms > 0 ? wait_ms : 0;
}

/* The value is a number of seconds or a date (RFC 9110, section 10.2.3). */
static int64_t parse_retry_after(struct str value, int64_t now_ms)
{
    const int64_t max_ms = (int64_t)RETRY_AFTER_MAX_S * 1000;
    long long wait_s;
    int64_t wait_ms;

    if (!str_to_int64(value, &wait_s))
        wait_ms = ms_until_date(value, now_ms);
    else if (wait_s > RETRY_AFTER_MAX_S)
        wait_ms = max_ms;
    else
        wait_ms = wait_s < 0 ? -1 : wait_s * 1000;
    return wait_ms < max_ms ? wait_ms : max_ms;
}

static void read_header(struct answer *answer, struct str line, int64_t now_ms)
{
    struct str name = str_until(line, ':');
    if (name.len == line.len || !str_is_nocase(name, "Retry-After")) return;
    struct str value = str_trim(str_behind(line, name.len + 1));
    answer->retry_after_ms = parse_retry_after(value, now_ms);
}

bool answer_add_line(struct answer *answer, struct str line, int64_t now_ms)
{
    const struct str version = STR("HTTP/");
    if (line.len > ANSWER_HEAD_MAX - answer->head_len) return false;
    answer->head_len += line.len;

    /* A status line begins a head; the one before it belonged to a 1xx answer. */
    if (line.len > version.len && memcmp(line.data, version.data, version.len) == 0) {
        answer->is_head_whole = false;
        answer->retry_after_ms = -1;
        return true;
    }
    if (answer->is_head_whole) return true; /* a trailer */
    while (line.len > 0 && (line.data[line.len - 1] == '\n' || line.data[line.len - 1] == '\r'))
        line.len--;
    if (line.len == 0)
        answer->is_head_whole = true;
    else
        read_header(answer, line, now_ms);
    return true;
}

bool answer_add_body(struct answer *answer, struct str part)
{
    if (part.len > answer->body_max - answer->body_len) return false;
    if (part.len > 0) memcpy(answer->body + answer->body_len, part.data, part.len);
    answer->body_len += part.len;
    return true;
}

struct str answer_cut(const struct answer *answer, struct str part)
{
    size_t room = answer->body_max - answer->body_len;
    return (struct str){part.data, part.len < room ? part.len : room};
}
