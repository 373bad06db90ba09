/* Flash-call templates are read once, at the start, and refused with the place and the reason if
 * anything in them could not work. */
#include "domain/channel/flash_template.h"

enum {
    CODE_MIN = 1,        /* four digits in a text: 0001 to 9999 */
    CODE_INT_MIN = 1000, /* in a number, which has no zeros in front */
    CODE_MAX = 9999,
};

bool flash_pattern_fits(const char *pattern, const char *text)
{
    struct str core = str_of(pattern);
    bool is_open_left = core.len > 0 && core.data[0] == '*';
    bool is_open_right = core.len > 1 && core.data[core.len - 1] == '*';
    size_t text_len = strlen(text);

    if (is_open_left) core = (struct str){core.data + 1, core.len - 1};
    if (is_open_right) core.len--;
    if (core.len > text_len) return false;
    if (is_open_left && is_open_right) return memmem(text, text_len, core.data, core.len) != NULL;
    if (is_open_left) return memcmp(text + text_len - core.len, core.data, core.len) == 0;
    if (is_open_right) return memcmp(text, core.data, core.len) == 0;
    return str_is(core, text);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static const char *find_preset(const char *name)
{
    for (const struct flash_preset *preset = flash_presets; preset->name; preset++) {
        if (strcmp(preset->name, name) == 0) return preset->json;
    }
    return NULL;
}

/* Ends what `why` says: names out of a template are shown without characters that could break a
 * line. */
static enum err refuse(struct buf *why, size_t from)
{
    for (size_t i = from; i < why->len; i++) {
        if (why->data[i] < ' ' || why->data[i] > '~') why->data[i] = '?';
    }
    return ERR_VALIDATION;
}

static enum err refuse_name(const char *name, struct buf *why)
{
    size_t from = why->len;

    buf_printf(why, "%.40s is no flash-call template; there are", name);
    for (const struct flash_preset *preset = flash_presets; preset->name; preset++)
        buf_printf(why, "%s %s", preset == flash_presets ? "" : ",", preset->name);
    buf_text(why, ", or a JSON object.");
    return refuse(why, from);
}

static enum err refuse_faults(const struct record_faults *faults, struct buf *why)
{
    size_t from = why->len;

    for (size_t i = 0; i < faults->count; i++) {
        const struct record_fault *row = &faults->rows[i];
        buf_printf(why, "%s%s: %s", i > 0 ? " " : "", row->path[0] ? row->path : "template",
                   row->message);
    }
    return refuse(why, from);
}

static void describe_driver(struct flash_template *template)
{
    bool is_int = flash_uses_word(&template->send->uses, FLASH_CODE_INT);

    template->driver = driver_flash_template;
    template->driver.name = template->name;
    template->driver.is_deduplicating = template->is_deduplicating;
    template->driver.chooses_code = template->mode == FLASH_LEARN;
    template->driver.code_min = is_int ? CODE_INT_MIN : CODE_MIN;
    template->driver.code_max = CODE_MAX;
    template->driver.calls_per_s = (int)template->calls_per_s;
    if (template->status) return;
    template->driver.make_status = NULL;
    template->driver.read_status = NULL;
}

enum err flash_template_read(const char *name_or_json, struct arena *arena,
                             const struct flash_template **ret_template, struct buf *why)
{
    bool is_json = name_or_json[strspn(name_or_json, " \t\r\n")] == '{';
    const char *json = is_json ? name_or_json : find_preset(name_or_json);
    struct flash_template *template = ARENA_NEW(arena, struct flash_template);
    struct record_faults *faults = ARENA_NEW(arena, struct record_faults);

    if (!json) return refuse_name(name_or_json, why);
    if (strlen(json) > FLASH_TEMPLATE_MAX) {
        buf_printf(why, "template: Must have at most %d bytes.", FLASH_TEMPLATE_MAX);
        return ERR_VALIDATION;
    }
    record_faults_init(faults, arena);
    enum err err = record_decode(&flash_template_record, str_of(arena_text(arena, json)), true,
                                 arena, template, faults);
    if (!err) flash_template_check(faults, template);
    if (err || faults->count > 0) return refuse_faults(faults, why);
    describe_driver(template);
    *ret_template = template;
    return ERR_OK;
}

const struct channel_driver *flash_template_driver(const struct flash_template *template)
{
    return &template->driver;
}

bool flash_template_uses(const struct flash_template *template, const char *placeholder)
{
    enum flash_word word = flash_word_find(str_of(placeholder));
    const struct flash_status *status = template->status;

    if (word == FLASH_WORD_COUNT) return false;
    return flash_uses_word(&template->send->uses, word) ||
           (status && flash_uses_word(&status->request->uses, word));
}
