/* Phones are listed, and looked for by a part of their name or of a number. */
#include "domain/fleet/fleet.h"
#include "domain/fleet/fleet_account.h"
#include "domain/fleet/fleet_db.h"
#include "kit/base/fold.h"

enum {
    LIST_CHUNK = 500,    /* a list with a filter reads so many phones at once */
    NUMBER_PART_MIN = 3, /* fewer digits are no part of a number */
};

/* Tells whether the text has the part, whatever the case of their letters. */
static bool has_part(struct str text, struct str part)
{
    for (; text.len > 0; utf8_take(&text)) {
        struct str rest = text, wanted = part;
        while (rest.len > 0 && wanted.len > 0) {
            if (fold_point(utf8_take(&rest)) != fold_point(utf8_take(&wanted))) break;
            if (wanted.len == 0) return true;
        }
    }
    return false;
}

/* A part of a number, as people write one: +7 (916) 000-00-01, 8 916 000 00 01, 000 00 01. The
 * search for everything takes longer texts; no number is so long. */
static bool read_number_part(const char *text, char ret_part[static DEVICE_QUERY_MAX + 1])
{
    char number[PHONE_MAX + 1];
    size_t len = 0, digits = 0;

    for (const char *p = text; *p; p++) {
        bool is_of_number = str_is_digit(*p) || (*p == '+' && len == 0);
        digits += str_is_digit(*p);
        if (is_of_number && len == DEVICE_QUERY_MAX) return false;
        if (is_of_number)
            ret_part[len++] = *p;
        else if (!strchr(" ()-.", *p))
            return false;
    }
    ret_part[len] = '\0';
    if (phone_normalize((struct str){ret_part, len}, number))
        memcpy(ret_part, number, strlen(number) + 1);
    return digits >= NUMBER_PART_MIN;
}

/* A list is asked for these. */
struct wish {
    const struct fleet_query *query;
    bool has_number;
    char number[DEVICE_QUERY_MAX + 1]; /* a part of one */
};

static bool is_wished(const struct wish *wish, const struct device *device)
{
    const struct fleet_query *query = wish->query;
    const struct device_number *numbers = device->numbers.items;
    bool is_ready = false, is_found = query->q && has_part(str_of(device->name), str_of(query->q));

    for (size_t i = 0; i < device->numbers.count; i++) {
        is_ready |= device->enabled && numbers[i].sim_ready;
        is_found |= wish->has_number && strstr(numbers[i].number, wish->number);
    }
    return (query->ready < 0 || query->ready == is_ready) &&
           (query->enabled < 0 || query->enabled == device->enabled) && (!query->q || is_found);
}

/* Reads on until the page is full or the fleet has ended; one phone more is read if there is one.
 */
static enum err select_wished(struct work *work, const struct wish *wish, struct uuid after,
                              struct record_list *ret_devices)
{
    struct record_list chunk;
    int64_t limit = wish->query->limit + 1;

    do {
        chunk = (struct record_list){0};
        enum err err = device_select(work, &after, LIST_CHUNK, &chunk);
        if (err) return err;
        const struct device *rows = chunk.items;
        for (size_t i = 0; i < chunk.count && (int64_t)ret_devices->count < limit; i++) {
            after = rows[i].id;
            if (!is_wished(wish, &rows[i])) continue;
            struct device *device = fleet_list_add(work->arena, ret_devices, sizeof(*device));
            *device = rows[i];
        }
    } while (chunk.count == LIST_CHUNK && (int64_t)ret_devices->count < limit);
    return ERR_OK;
}

enum err fleet_list(struct work *work, const struct fleet_query *query,
                    struct device_list *ret_list)
{
    static const struct page_key by_id = PAGE_BY_ID(struct device, id);
    bool wants_all = query->ready < 0 && query->enabled < 0 && !query->q;
    struct wish wish = {.query = query};
    struct page_place after = {0};

    wish.has_number = query->q && read_number_part(query->q, wish.number);
    enum err err = page_begin(query->cursor, &by_id, &after);
    if (!err)
        err = wants_all ? device_select(work, &after.id, query->limit + 1, &ret_list->devices)
                        : select_wished(work, &wish, after.id, &ret_list->devices);
    if (err) return err;
    ret_list->next_cursor = page_end(query->limit, &by_id, &ret_list->devices, work->arena);
    return fleet_show_accounts(work, ret_list->devices.items, ret_list->devices.count);
}

/* --- One question ----------------------------------------------------------------------------- */

static enum err find_by_number(struct work *work, const char *number,
                               struct record_list *ret_devices)
{
    struct device *device = ARENA_NEW(work->arena, struct device);
    int64_t changes;

    enum err err = fleet_read_by_number(work, number, device, &changes);
    *ret_devices = (struct record_list){device, err ? 0 : 1};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* Reads whole those phones that are wished by their names and numbers. One may go meanwhile, where
 * each statement sees its own moment. */
static enum err read_wished(struct work *work, const struct wish *wish,
                            const struct record_list *named, struct record_list *ret_devices)
{
    struct device *devices = arena_array(work->arena, (size_t)wish->query->limit, sizeof(*devices));
    const struct device *rows = named->items;
    size_t count = 0;

    for (size_t i = 0; i < named->count && (int64_t)count < wish->query->limit; i++) {
        if (!is_wished(wish, &rows[i])) continue;
        enum err err = fleet_read(work, &rows[i].id, &devices[count]);
        if (err && err != ERR_NOT_FOUND) return err;
        if (!err) count++;
    }
    *ret_devices = (struct record_list){devices, count};
    return ERR_OK;
}

enum err fleet_find(struct work *work, const char *q, int64_t max, struct record_list *ret_devices)
{
    struct fleet_query query = {.limit = max, .ready = -1, .enabled = -1, .q = q};
    struct wish wish = {.query = &query};
    struct record_list named = {0};
    char number[PHONE_MAX + 1];

    if (phone_read(str_of(q), number)) return find_by_number(work, number, ret_devices);
    wish.has_number = read_number_part(q, wish.number);
    enum err err = device_select_named(work, FLEET_FOUND_AMONG, &named);
    return err ? err : read_wished(work, &wish, &named, ret_devices);
}
