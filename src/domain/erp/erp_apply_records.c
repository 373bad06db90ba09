/* What came of a package, as it is stored. */
#include "domain/erp/erp_apply_records.h"

enum { ERRORS_MAX = 1024 * 1024 }; /* CATALOG_FAULTS_MAX rows of two ids each are far below */

static const char *encode(struct arena *arena, const struct record *record, const void *value)
{
    struct json_writer writer;
    AUTO_BUF out = {0};
    buf_init(&out, ERRORS_MAX);
    json_writer_init(&writer, &out);
    record_encode(record, value, &writer);
    assert(!out.is_full);
    return arena_str(arena, buf_view(&out));
}

const char *erp_encode_result(struct arena *arena, const struct catalog_result *result)
{
    return encode(arena, &catalog_result_record, result);
}

const char *erp_encode_errors(struct arena *arena, const struct record_list *faults)
{
    struct erp_error_list list = {.errors = *faults};
    return faults->count > 0 ? encode(arena, &erp_error_list_record, &list) : NULL;
}
