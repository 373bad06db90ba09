/* Prints the document of faults. Values are shown as they were sent, long ones by their beginning.
 */
#include "domain/erp/erp_faults.h"

/* Places repeat the keys of a hostile body, up to some 40 KB each. */
enum { DOCUMENT_MAX = (STREAM_FAULTS_MAX + 1) * 64 * 1024 };

static void put_input(struct json_writer *writer, const struct stream_fault *fault, struct str body)
{
    json_key(writer, "input");
    if (fault->input) {
        json_raw(writer, str_of(fault->input));
        return;
    }
    assert(fault->begin <= fault->end && fault->end <= body.len);
    struct str text = {body.data + fault->begin, (size_t)(fault->end - fault->begin)};
    struct str front = utf8_cut(text, STREAM_INPUT_MAX);
    if (text.len == 0)
        json_null(writer);
    else if (front.len == text.len)
        json_raw(writer, text);
    else
        json_str(writer, front);
}

static void put_loc(struct json_writer *writer, const char *loc)
{
    json_key(writer, "loc");
    json_array_begin(writer);
    json_text(writer, "body");
    if (loc[0]) json_raw(writer, str_of(loc));
    json_array_end(writer);
}

static void put_fault(struct json_writer *writer, const struct stream_fault *fault, struct str body)
{
    json_object_begin(writer);
    json_put_text(writer, "type", fault->type);
    put_loc(writer, fault->loc);
    json_put_text(writer, "msg", fault->message);
    put_input(writer, fault, body);
    if (fault->ctx) {
        json_key(writer, "ctx");
        json_raw(writer, str_of(fault->ctx));
    }
    json_object_end(writer);
}

const char *erp_faults_print(const struct stream_fault *faults, size_t count, bool is_truncated,
                             struct str body, struct arena *arena)
{
    static const struct stream_fault rest = {
        .type = "truncated", .message = "More faults are not shown", .loc = "", .input = "null"};
    struct json_writer writer;
    AUTO_BUF document = {0};

    buf_init(&document, DOCUMENT_MAX);
    json_writer_init(&writer, &document);
    json_object_begin(&writer);
    json_key(&writer, "detail");
    json_array_begin(&writer);
    for (size_t i = 0; i < count; i++)
        put_fault(&writer, &faults[i], body);
    if (is_truncated) put_fault(&writer, &rest, body);
    json_array_end(&writer);
    json_object_end(&writer);
    assert(!document.is_full);
    return arena_str(arena, buf_view(&document));
}

static const char *print_error(const char *why, struct arena *arena)
{
    struct json_writer writer;
    AUTO_BUF ctx = {0};

    buf_init(&ctx, 1024);
    json_writer_init(&writer, &ctx);
    json_object_begin(&writer);
    json_put_text(&writer, "error", why);
    json_object_end(&writer);
    return arena_str(arena, buf_view(&ctx));
}

const char *erp_faults_print_no_json(const char *why, uint64_t offset, struct arena *arena)
{
    struct stream_fault fault = {
        .type = "json_invalid",
        .message = "JSON decode error",
        .loc = arena_printf(arena, "%llu", (unsigned long long)offset),
        .ctx = print_error(why, arena),
        .input = "{}",
    };
    return erp_faults_print(&fault, 1, false, STR(""), arena);
}
