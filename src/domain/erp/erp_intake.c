/*
 * A body is counted, packed and decoded piece by piece. Categories and definitions that stand
 * behind the products in the text (JSON has no order) make a second reading necessary, since what a
 * product refers to can only be looked up in whole lists. So do variants that choose from option
 * axes which the package does not have.
 */
#include "domain/erp/erp_intake.h"

#include "domain/catalog/catalog_check.h"
#include "domain/erp/erp_faults.h"
#include "domain/erp/erp_gate.h"
#include "domain/erp/erp_warnings.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"

#include <stdlib.h>

/* One string or number may be so long: doc B gives texts no limit but that of the body. */
enum { TOKEN_MAX = ERP_BODY_MAX };

enum intake_state {
    INTAKE_OPEN,     /* more is to come */
    INTAKE_WHOLE,    /* it is JSON from the first byte to the last */
    INTAKE_NO_JSON,  /* the stream knows why */
    INTAKE_TOO_LONG, /* more than ERP_BODY_MAX, or announced so */
    INTAKE_CROWDED,  /* grew large without announcing it where there was no place, or lost its own;
                        or there is no memory for it */
};

struct erp_intake {
    struct erp_gate *gate;
    struct erp_place place;
    bool is_through_gate; /* the body is large, and has or had that place */
    enum erp_package_type type;
    enum intake_state state;
    bool keeps_absent; /* what the integration says, in the second reading */
    bool has_deferred; /* references or choices that wait for the second reading */
    uint64_t length;   /* bytes that came */
    int64_t announced; /* bytes; -1: nothing was */
    struct record_stream *stream;
    struct catalog_check *check; /* of a snapshot */
    struct erp_warnings warnings;
    const char *const *vat_rates;
    struct pack_pool *packs;
    struct pack *pack;
    struct str packed;
};

static const struct field *list_of(const struct record *items)
{
    const struct record *record = &erp_snapshot_record;

    for (size_t i = 0; i < record->field_count; i++) {
        if (record->fields[i].record == items) return &record->fields[i];
    }
    return NULL;
}

/* Returns whether the lists that the product refers to were read before it. */
static bool can_look_up(const struct record_stream *stream, const struct catalog_product *product)
{
    if (product->category_id && !record_stream_has(stream, list_of(&catalog_category_record)))
        return false;
    return product->attributes.count == 0 ||
           record_stream_has(stream, list_of(&catalog_definition_record));
}

/* Only the transaction knows whether variants may choose from option axes that the catalog keeps
 * (contract, section 5 "What a package does not say"). */
static void check_product(struct erp_intake *intake, const struct stream_item *item)
{
    const struct catalog_product *product = item->value;

    catalog_check_product(intake->check, intake->stream, product);
    if (catalog_check_lacks_axes(product, item->seen))
        intake->has_deferred = true;
    else
        catalog_check_choices(intake->check, intake->stream, product);
    if (can_look_up(intake->stream, product))
        catalog_check_references(intake->check, intake->stream, product);
    else
        intake->has_deferred = true;
    erp_warnings_look_at(&intake->warnings, item);
}

static void take_remark(void *arg, struct record_stream *stream, const struct stream_remark *remark)
{
    struct erp_intake *intake = arg;
    erp_warnings_take(&intake->warnings, stream, remark);
}

/* Rows of changes have no rules beyond those of their tables. */
static void check_item(void *arg, struct record_stream *stream, const struct stream_item *item)
{
    struct erp_intake *intake = arg;
    const struct record *record = item->list->record;

    if (record == &catalog_category_record)
        catalog_check_category(intake->check, stream, item->value);
    else if (record == &catalog_definition_record)
        catalog_check_definition(intake->check, stream, item->value);
    else if (record == &catalog_product_record)
        check_product(intake, item);
}

static struct record_stream_options options_of(enum erp_package_type type,
                                               const char *const *vat_rates)
{
    return (struct record_stream_options){
        .record = type == ERP_PACKAGE_SNAPSHOT ? &erp_snapshot_record : &erp_changes_record,
        .token_max = TOKEN_MAX,
        .skips_mark = true, /* contract, section 1 */
        .words = vat_rates,
    };
}

static bool pass_gate(struct erp_intake *intake)
{
    intake->is_through_gate = erp_gate_enter(intake->gate, &intake->place, clock_monotonic_ms());
    return intake->is_through_gate;
}

enum err erp_intake_new(struct service *service, const struct uuid *integration_id,
                        enum erp_package_type type, int64_t length,
                        const struct body_ending *ending, struct erp_intake **ret_intake)
{
    struct record_stream_options options = options_of(type, service->erp->vat_rates);
    bool is_too_long = length > ERP_BODY_MAX;
    bool is_large = length > ERP_BODY_LARGE && !is_too_long;

    struct erp_intake *intake = must_calloc(1, sizeof(*intake));
    intake->gate = service->erp->gate;
    intake->packs = service->erp->packs;
    intake->place = (struct erp_place){.integration_id = *integration_id, .ending = *ending};
    intake->type = type;
    intake->announced = length;
    intake->vat_rates = service->erp->vat_rates;
    if (is_large && !pass_gate(intake)) {
        free(intake);
        return ERR_OVERLOADED;
    }
    *ret_intake = intake;
    if (is_too_long) {
        intake->state = INTAKE_TOO_LONG;
        return ERR_OK;
    }
    options.on_item = check_item;
    options.on_remark = take_remark;
    options.arg = intake;
    erp_warnings_init(&intake->warnings, type);
    intake->stream = record_stream_new(&options);
    if (type == ERP_PACKAGE_SNAPSHOT) intake->check = catalog_check_new();
    intake->pack = pack_begin(service->erp->packs, is_large);
    return ERR_OK;
}

static void drop_contents(struct erp_intake *intake)
{
    record_stream_free(intake->stream);
    catalog_check_free(intake->check);
    pack_done(intake->pack);
    intake->stream = NULL;
    intake->check = NULL;
    intake->pack = NULL;
}

void erp_intake_free(struct erp_intake *intake)
{
    if (!intake) return;
    if (intake->is_through_gate) erp_gate_leave(intake->gate, &intake->place);
    drop_contents(intake);
    erp_warnings_done(&intake->warnings);
    free(intake);
}

enum erp_package_type erp_intake_type(const struct erp_intake *intake)
{
    return intake->type;
}

/* A body that did not announce its length turns out to be large by its bytes, or by the memory that
 * it takes. */
static bool is_let_in(struct erp_intake *intake, size_t bytes)
{
    if (intake->is_through_gate)
        return erp_gate_note(intake->gate, &intake->place, bytes, clock_monotonic_ms());
    size_t memory = record_stream_memory(intake->stream);
    if (intake->check) memory += catalog_check_memory(intake->check);
    bool is_large = intake->length > ERP_BODY_LARGE || memory > ERP_MEMORY_LARGE;
    return !is_large || pass_gate(intake);
}

static enum intake_state no_room(const struct erp_intake *intake)
{
    return pack_lacks_memory(intake->pack) ? INTAKE_CROWDED : INTAKE_TOO_LONG;
}

static enum intake_state decode(struct erp_intake *intake, struct str bytes, bool is_last)
{
    enum stream_state state = record_stream_feed(intake->stream, bytes, is_last);

    if (state == STREAM_FAULT) return INTAKE_NO_JSON;
    bool has_all_ids = !intake->check || !catalog_check_lacks_memory(intake->check);
    return state == STREAM_LACKS_MEMORY || !has_all_ids ? INTAKE_CROWDED : INTAKE_OPEN;
}

/* JSON that ends before its body does is none. */
static enum intake_state take(struct erp_intake *intake, struct str bytes)
{
    intake->length += bytes.len;
    if (intake->length > ERP_BODY_MAX) return INTAKE_TOO_LONG;
    if (memory_is_short()) return INTAKE_CROWDED;
    if (!pack_add(intake->pack, bytes)) return no_room(intake);
    enum intake_state state = decode(intake, bytes, false);
    return state == INTAKE_OPEN && !is_let_in(intake, bytes.len) ? INTAKE_CROWDED : state;
}

/* No more bytes count: from now on nobody else gets the place of this body. */
static void keep_place(struct erp_intake *intake)
{
    if (intake->is_through_gate && !erp_gate_keep(intake->gate, &intake->place))
        intake->state = INTAKE_CROWDED;
}

bool erp_intake_take(struct erp_intake *intake, struct str bytes)
{
    if (intake->state != INTAKE_OPEN) return false;
    intake->state = take(intake, bytes);
    if (intake->state == INTAKE_OPEN) return true;
    keep_place(intake);
    if (intake->state == INTAKE_CROWDED) drop_contents(intake); /* others may lack it */
    return false;
}

/* There has to be at least one row (contract, section 5), unless a list that could have some is at
 * fault itself. */
static void check_row_count(struct erp_intake *intake)
{
    const struct erp_envelope *envelope = record_stream_value(intake->stream);

    if (intake->type != ERP_PACKAGE_DELTA) return;
    if (envelope->stocks.count > 0 || envelope->prices.count > 0) return;
    if (record_stream_has_fault(intake->stream, "")) return;
    if (record_stream_has_fault(intake->stream, "\"stocks\"")) return;
    record_stream_fault(intake->stream, &(struct stream_fault){
                                            .type = "too_short",
                                            .message = "List should have at least 1 item after "
                                                       "validation, not 0",
                                            .loc = "\"prices\"",
                                            .ctx = "{\"field_type\":\"List\",\"min_length\":1,"
                                                   "\"actual_length\":0}",
                                            .input = "[]",
                                        });
}

static enum intake_state finish(struct erp_intake *intake)
{
    enum intake_state state = decode(intake, STR(""), true);

    if (state != INTAKE_OPEN) return state;
    intake->packed = pack_finish(intake->pack);
    if (!intake->packed.data) return no_room(intake);
    check_row_count(intake);
    return INTAKE_WHOLE;
}

void erp_intake_end(struct erp_intake *intake)
{
    if (intake->state != INTAKE_OPEN) return;
    keep_place(intake);
    if (intake->state == INTAKE_OPEN) intake->state = finish(intake);
    if (intake->state == INTAKE_CROWDED) drop_contents(intake);
}

static size_t count_faults(const struct record_stream *stream)
{
    size_t count;
    bool is_truncated;

    (void)record_stream_faults(stream, &count, &is_truncated);
    return count;
}

bool erp_intake_is_clean(const struct erp_intake *intake)
{
    return intake->state == INTAKE_WHOLE && !intake->has_deferred &&
           count_faults(intake->stream) == 0;
}

/* --- What a refusal tells of it --------------------------------------------------------------- */

int64_t erp_intake_length(const struct erp_intake *intake)
{
    return intake->announced >= 0 ? intake->announced : (int64_t)intake->length;
}

const char *erp_intake_find_event_id(const struct erp_intake *intake)
{
    const struct erp_envelope *envelope =
        intake->stream ? record_stream_value(intake->stream) : NULL;
    return envelope ? envelope->event_id : NULL;
}

/* Writes `"products",0,"id"` as products.0.id. */
static const char *plain_place(const char *loc, struct arena *arena)
{
    char *text = arena_text(arena, loc), *out = text;

    for (const char *p = loc; *p; p++) {
        if (*p == '"') continue;
        *out++ = *p == ',' ? '.' : *p;
    }
    *out = '\0';
    return text;
}

struct record_list erp_intake_list_faults(const struct erp_intake *intake, size_t max,
                                          struct arena *arena)
{
    struct erp_refusal_fault *rows = arena_array(arena, max, sizeof(*rows));
    const struct stream_fault *faults = NULL;
    size_t count = 0;
    bool is_truncated;

    if (intake->state == INTAKE_NO_JSON) {
        *rows = (struct erp_refusal_fault){
            .type = "json_invalid",
            .loc = arena_printf(arena, "byte %llu",
                                (unsigned long long)record_stream_offset(intake->stream)),
            .message = arena_text(arena, record_stream_why(intake->stream)),
        };
        return (struct record_list){rows, 1};
    }
    if (intake->state == INTAKE_WHOLE)
        faults = record_stream_faults(intake->stream, &count, &is_truncated);
    if (count > max) count = max;
    for (size_t i = 0; i < count; i++)
        rows[i] = (struct erp_refusal_fault){faults[i].type, plain_place(faults[i].loc, arena),
                                             faults[i].message};
    return (struct record_list){rows, count};
}

/* --- In the transaction ----------------------------------------------------------------------- */

enum err erp_intake_check_form(struct erp_intake *intake, struct arena *arena,
                               const char **ret_detail)
{
    switch (intake->state) {
    case INTAKE_WHOLE:
        return ERR_OK;
    case INTAKE_TOO_LONG:
        return ERR_PAYLOAD_TOO_LARGE;
    case INTAKE_CROWDED:
        return ERR_OVERLOADED;
    case INTAKE_NO_JSON:
        *ret_detail = erp_faults_print_no_json(record_stream_why(intake->stream),
                                               record_stream_offset(intake->stream), arena);
        return ERR_VALIDATION;
    case INTAKE_OPEN:
        break;
    }
    return ERR_INTERNAL;
}

static const struct erp_envelope *envelope_of(const struct erp_intake *intake)
{
    assert(intake->state == INTAKE_WHOLE);
    return record_stream_value(intake->stream);
}

const char *erp_intake_event_id(const struct erp_intake *intake)
{
    return envelope_of(intake)->event_id;
}

/* Checks what was put off in the first reading, which the same sequence of the text shows. Its
 * faults go to those of the first reading. */
static void check_deferred(void *arg, struct record_stream *stream, const struct stream_item *item)
{
    struct erp_intake *intake = arg;
    size_t before = count_faults(stream), after;
    bool is_truncated;

    if (item->list->record != &catalog_product_record) return;
    if (!intake->keeps_absent && catalog_check_lacks_axes(item->value, item->seen))
        catalog_check_choices(intake->check, stream, item->value);
    if (!can_look_up(stream, item->value))
        catalog_check_references(intake->check, stream, item->value);
    const struct stream_fault *faults = record_stream_faults(stream, &after, &is_truncated);
    for (size_t i = before; i < after; i++)
        record_stream_fault(intake->stream, &faults[i]);
}

static enum err read_again(struct erp_intake *intake, struct str body)
{
    struct record_stream_options options = options_of(intake->type, intake->vat_rates);

    options.on_item = check_deferred;
    options.arg = intake;
    struct record_stream *stream = record_stream_new(&options);
    enum stream_state state = record_stream_feed(stream, body, true);
    record_stream_free(stream);
    if (state != STREAM_END) return state == STREAM_LACKS_MEMORY ? ERR_OVERLOADED : ERR_INTERNAL;
    intake->has_deferred = false;
    return ERR_OK;
}

enum err erp_intake_check_content(struct erp_intake *intake, bool keeps_absent, struct arena *arena,
                                  const char **ret_detail)
{
    AUTO_BUF body = {0};
    size_t count;
    bool is_truncated;

    buf_init_large(&body, ERP_BODY_MAX);
    if (erp_intake_is_clean(intake)) return ERR_OK;
    intake->keeps_absent = keeps_absent;
    enum err err = unpack(intake->packs, intake->packed, ERP_BODY_MAX, &body);
    if (!err && intake->has_deferred) err = read_again(intake, buf_view(&body));
    if (err) return err;
    const struct stream_fault *faults = record_stream_faults(intake->stream, &count, &is_truncated);
    if (count == 0) return ERR_OK;
    *ret_detail = erp_faults_print(faults, count, is_truncated, buf_view(&body), arena);
    return ERR_VALIDATION;
}

struct erp_body erp_intake_body(struct erp_intake *intake)
{
    const struct erp_envelope *envelope = envelope_of(intake);
    bool is_snapshot = intake->type == ERP_PACKAGE_SNAPSHOT;
    size_t row_count = is_snapshot ? envelope->products.count + envelope->categories.count
                                   : envelope->prices.count + envelope->stocks.count;

    return (struct erp_body){
        .packed = intake->packed,
        .length = (int64_t)intake->length,
        .row_count = (int64_t)row_count,
        .generated_at = envelope->generated_at,
        .warnings = {intake->warnings.rows, intake->warnings.count},
    };
}
