/* Each line is checked by itself, and the first that is wrong is told with its number. */
#include "modem/config.h"

#include "kit/base/macros.h"
#include "kit/base/text_file.h"
#include "kit/json/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { FILE_MAX = 64 * 1024, ICCID_MAX = 20, POLL_MAX_S = 30 };

bool config_is_number(const char *text)
{
    size_t len = strlen(text);

    if (text[0] != '+' || len < 9 || len > 16 || text[1] == '0') return false;
    return strspn(text + 1, "0123456789") == len - 1;
}

const struct config_sim *config_find(const struct config *config, const char *iccid,
                                     const char *imei)
{
    const char *const names[] = {iccid, imei};

    for (size_t n = 0; n < COUNT_OF(names); n++)
        for (size_t i = 0; i < config->sim_count && names[n][0]; i++)
            if (strcmp(config->sims[i].name, names[n]) == 0) return &config->sims[i];
    return NULL;
}

/* --- The rows --------------------------------------------------------------------------------- */

static const char *take_url(struct config *config, const char *value)
{
    bool is_web = strncmp(value, "https://", 8) == 0 || strncmp(value, "http://", 7) == 0;

    if (!is_web || !str_is_visible(str_of(value)) || strpbrk(value, "?#@"))
        return "must be a URL such as https://herald.example, without user, query and fragment";
    config->url = value;
    return NULL;
}

static const char *take_ca_file(struct config *config, const char *value)
{
    if (access(value, R_OK) != 0) return "must name a PEM file that can be read";
    config->ca_file = value;
    return NULL;
}

static const char *take_state_dir(struct config *config, const char *value)
{
    if (value[0] != '/') return "must be a folder, from / on";
    config->state_dir = value;
    return NULL;
}

static const char *take_poll(struct config *config, const char *value)
{
    bool is_number = str_to_int64(str_of(value), &config->poll_seconds);
    bool is_good = is_number && config->poll_seconds >= 1 && config->poll_seconds <= POLL_MAX_S;
    return is_good ? NULL : "must be 1 to 30 seconds";
}

static const struct {
    const char *name;
    const char *(*take)(struct config *config, const char *value);
} rows[] = {
    {"HERALD_URL", take_url},
    {"HERALD_CA_FILE", take_ca_file},
    {"HERALD_MODEM_STATE_DIR", take_state_dir},
    {"HERALD_MODEM_POLL_SECONDS", take_poll},
};

/* HERALD_DEVICE_KEY, or HERALD_DEVICE_KEY_2 to _8. */
static const char *take_key(struct config *config, const char *rest, const char *value)
{
    long long place = 1;

    if (rest[0] && (rest[0] != '_' || !str_to_int64(str_of(rest + 1), &place) || place < 2 ||
                    place > CONFIG_KEYS_MAX))
        return "is no setting; further keys are HERALD_DEVICE_KEY_2 to HERALD_DEVICE_KEY_8";
    if (!value[0]) return NULL;
    if (!str_is_visible(str_of(value)) || strlen(value) > 200)
        return "must be a device key, as `herald admin devices register` shows it (hd_...)";
    config->keys[place - 1] = value;
    return NULL;
}

/* SIM_<ICCID or IMEI>=+79161234567, and the place of its key where that is not the first. */
static const char *take_sim(struct config *config, char *name, char *value)
{
    size_t digits = strspn(name, "0123456789");
    long long key = 1;
    char *space = strchr(value, ' ');

    if (digits < 14 || digits > ICCID_MAX || name[digits])
        return "must have the ICCID of a SIM or the IMEI of a modem behind SIM_: 14 to 20 digits";
    if (!value[0]) return NULL;
    if (space) *space = '\0';
    bool has_key = !space || str_to_int64(str_trim(str_of(space + 1)), &key);
    if (!config_is_number(value) || !has_key || key < 1 || key > CONFIG_KEYS_MAX)
        return "must be a number such as +79161234567, and behind a space 2 for "
               "HERALD_DEVICE_KEY_2";
    if (config->sim_count == CONFIG_SIMS_MAX) return "is one too many: 64 SIMs are served";
    if (config_find(config, name, "")) return "is there twice";
    config->sims[config->sim_count++] =
        (struct config_sim){.name = name, .number = value, .key = (size_t)key - 1};
    return NULL;
}

/* An empty value is an unset one. */
static const char *take_row(struct config *config, char *name, char *value)
{
    static const char key_name[] = "HERALD_DEVICE_KEY";

    if (strncmp(name, key_name, sizeof key_name - 1) == 0)
        return take_key(config, name + sizeof key_name - 1, value);
    if (strncmp(name, "SIM_", 4) == 0) return take_sim(config, name + 4, value);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strcmp(name, rows[i].name) == 0) return value[0] ? rows[i].take(config, value) : NULL;
    return "is no setting of herald-modem; docs/phones.md lists them";
}

/* --- The file --------------------------------------------------------------------------------- */

static bool read_file(const char *path, struct arena *arena, struct str *ret_text,
                      const char **ret_fault)
{
    AUTO_BUF text = {0};
    const char *why = NULL;

    buf_init(&text, FILE_MAX);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || !text_file_read(fd, &text))
        why = errno == EFBIG ? "it is above 64 KiB" : strerror(errno);
    if (fd >= 0) close(fd);
    const char *copy = arena_str(arena, buf_view(&text)), *end = copy + text.len;
    if (!why && (memchr(copy, '\0', text.len) || !utf8_is_valid(copy, end))) why = "it is no text";
    *ret_text = (struct str){copy, why ? 0 : text.len};
    if (why) *ret_fault = arena_printf(arena, "%s cannot be read: %s.", path, why);
    return !why;
}

/* Checks what no single line can tell. */
static const char *check_whole(const struct config *config, struct arena *arena)
{
    if (!config->url) return "HERALD_URL is missing: where herald answers.";
    if (!config->keys[0]) return "HERALD_DEVICE_KEY is missing: the key of a device of herald.";
    for (size_t i = 0; i < config->sim_count; i++) {
        const struct config_sim *sim = &config->sims[i];
        if (!config->keys[sim->key])
            return arena_printf(arena, "SIM_%s asks for HERALD_DEVICE_KEY_%zu, which is missing.",
                                sim->name, sim->key + 1);
        for (size_t j = 0; j < i; j++)
            if (strcmp(sim->number, config->sims[j].number) == 0)
                return arena_printf(arena, "SIM_%s and SIM_%s have the same number.",
                                    config->sims[j].name, sim->name);
    }
    return NULL;
}

bool config_read(const char *path, struct arena *arena, struct config *ret_config,
                 const char **ret_fault)
{
    struct config config = {.state_dir = "/var/lib/herald-modem", .poll_seconds = 5};
    struct text_setting setting = {0};
    struct str rest;

    *ret_fault = NULL;
    if (!read_file(path, arena, &rest, ret_fault)) return false;
    while (text_next_setting(&rest, &setting)) {
        char *name = arena_str(arena, setting.name);
        const char *fault = setting.value.data
                                ? take_row(&config, name, arena_str(arena, setting.value))
                                : "is no KEY=value";
        if (!fault) continue;
        *ret_fault = arena_printf(arena, "%s, line %d: %s %s.", path, setting.line, name, fault);
        return false;
    }
    *ret_fault = check_whole(&config, arena);
    *ret_config = config;
    return !*ret_fault;
}
