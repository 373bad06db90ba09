/* Every reply is read once, from its front to its end. */
#include "modem/bus.h"

#include "kit/base/must.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_TIMEOUT_S = 60, ASK_TIMEOUT_S = 30 };

static const char *const signature_of[128] = {
    ['s'] = "s", ['o'] = "o", ['u'] = "u", ['i'] = "i", ['S'] = "as", ['U'] = "(ub)"};

/* ICCID, number and path may come as s or as o. */
static int read_text(sd_bus_message *message, char type, char *ret_text, size_t size)
{
    const char *text = "";
    int done = sd_bus_message_read_basic(message, type, &text);

    if (done >= 0) snprintf(ret_text, size, "%s", text ? text : "");
    return done;
}

static int read_number(sd_bus_message *message, char type, int64_t *ret_number)
{
    int32_t value = 0; /* as wide as u */
    int done = sd_bus_message_read_basic(message, type, &value);

    *ret_number = type == 'u' ? (int64_t)(uint32_t)value : value;
    return done;
}

/* The rest of the list is passed over. */
static int read_first_text(sd_bus_message *message, char *ret_text, size_t size)
{
    int done = sd_bus_message_enter_container(message, 'a', "s");

    ret_text[0] = '\0';
    if (done >= 0) done = read_text(message, 's', ret_text, size);
    while (done > 0)
        done = sd_bus_message_skip(message, "s");
    return done < 0 ? done : sd_bus_message_exit_container(message);
}

static int read_value(sd_bus_message *message, const struct bus_property *row, char type, void *to)
{
    switch (row->type) {
    case 's':
        return read_text(message, type, to, row->size);
    case 'S':
        return read_first_text(message, to, row->size);
    case 'U': {
        int flag;
        int done = sd_bus_message_enter_container(message, 'r', "ub");
        if (done >= 0) done = read_number(message, 'u', to);
        if (done >= 0) done = sd_bus_message_read_basic(message, 'b', &flag);
        return done < 0 ? done : sd_bus_message_exit_container(message);
    }
    default:
        return read_number(message, row->type, to);
    }
}

static const struct bus_property *find_row(const struct bus_property *rows, size_t count,
                                           const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

/* Reads one variant, or passes it over. */
static int take_value(sd_bus_message *message, const struct bus_property *row, void *owner)
{
    const char *contents;
    char kind;
    int done = sd_bus_message_peek_type(message, &kind, &contents);

    if (done < 0) return done;
    const char *wanted = row ? signature_of[(unsigned char)row->type] : NULL;
    bool fits =
        row && (strcmp(contents, wanted) == 0 || (row->type == 's' && strcmp(contents, "o") == 0));
    if (!fits) return sd_bus_message_skip(message, "v");
    char type = contents[0];
    char signature[8];
    snprintf(signature, sizeof signature, "%s", contents);
    done = sd_bus_message_enter_container(message, 'v', signature);
    if (done >= 0) done = read_value(message, row, type, (char *)owner + row->offset);
    return done < 0 ? done : sd_bus_message_exit_container(message);
}

int bus_read_properties(sd_bus_message *message, const struct bus_property *rows, size_t count,
                        void *ret_owner)
{
    int done = sd_bus_message_enter_container(message, 'a', "{sv}");

    while (done >= 0 && (done = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
        const char *name;
        done = sd_bus_message_read_basic(message, 's', &name);
        if (done >= 0) done = take_value(message, find_row(rows, count, name), ret_owner);
        if (done >= 0) done = sd_bus_message_exit_container(message);
    }
    return done < 0 ? done : sd_bus_message_exit_container(message);
}

int bus_ask(sd_bus *bus, sd_bus_message *message, sd_bus_message_handler_t done, int timeout_s,
            void *take_context)
{
    sd_bus_slot *slot = NULL;
    int sent = sd_bus_call_async(bus, &slot, message, done, take_context,
                                 (uint64_t)timeout_s * 1000 * 1000);
    if (sent < 0) {
        free(take_context);
        return sent;
    }
    sd_bus_slot_set_destroy_callback(slot, free);
    sd_bus_slot_set_floating(slot, 1);
    sd_bus_slot_unref(slot);
    return sent;
}

int bus_ask_properties(sd_bus *bus, const char *path, const char *interface,
                       sd_bus_message_handler_t done, void *take_context)
{
    AUTO_MESSAGE *message = NULL;
    int made = sd_bus_message_new_method_call(bus, &message, MM_NAME, path,
                                              "org.freedesktop.DBus.Properties", "GetAll");
    if (made >= 0) made = sd_bus_message_append(message, "s", interface);
    if (made >= 0) return bus_ask(bus, message, done, ASK_TIMEOUT_S, take_context);
    free(take_context);
    return made;
}

static int ignore_reply(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    (void)reply, (void)context, (void)error;
    return 0;
}

void bus_order(sd_bus *bus, const char *path, const char *interface, const char *method,
               const char *object)
{
    AUTO_MESSAGE *message = NULL;
    int made = sd_bus_message_new_method_call(bus, &message, MM_NAME, path, interface, method);

    if (made >= 0 && object) made = sd_bus_message_append(message, "o", object);
    if (made >= 0) bus_ask(bus, message, ignore_reply, ORDER_TIMEOUT_S, NULL);
}
