/* Values of the parameters: checked already, so that only NULL is special. */
#include "core/page.h"

int page_limit(const char *param)
{
    long long limit = PAGE_LIMIT_DEFAULT;
    bool is_number = !param || str_to_int64(str_of(param), &limit);

    assert(is_number);
    return (int)limit;
}

struct uuid page_uuid_cursor(const char *param)
{
    struct uuid id = {0};
    bool is_uuid = !param || uuid_parse(str_of(param), &id);

    assert(is_uuid);
    return id;
}
