/* The service searches one store in a request (contract, section 18.5); people search everything.
 */
#include "app/admin/admin_find.h"

#include "app/admin/admin_show.h"
#include "app/api/routes.h"
#include "domain/find/find.h"
#include "kit/base/progress.h"

#include <stdlib.h>

static void append(struct find_list *list, const struct find_list *more, struct arena *arena)
{
    size_t count = list->results.count, added = more->results.count;
    struct find_result *rows = arena_array(arena, count + added + 1, sizeof(*rows));

    if (count > 0) memcpy(rows, list->results.items, count * sizeof(*rows));
    if (added > 0) memcpy(rows + count, more->results.items, added * sizeof(*rows));
    list->results = (struct record_list){rows, count + added};
}

int admin_find(const struct admin_input *input, const struct admin_service *service,
               struct arena *arena, struct buf *out, struct buf *why)
{
    const char *target = admin_make_target(input, arena);
    const char *query = strchr(target, '?');
    const char *exchange =
        arena_printf(arena, "%s%s", routes_find("searchExchange")->path, query ? query : "");
    struct find_list list, more;

    struct progress *progress = progress_begin("searches");
    bool is_done = admin_read(input, service, target, &find_list_record, arena, &list, why) &&
                   admin_read(input, service, exchange, &find_list_record, arena, &more, why);
    progress_end(progress);
    if (!is_done) return EXIT_FAILURE;
    append(&list, &more, arena);
    struct admin_view view = {.input = input, .value = &list, .arena = arena, .out = out};
    if (input->wants_json)
        show_json(&find_list_record, &list, out);
    else
        show_record(&view);
    return EXIT_SUCCESS;
}
