/* Little that sd-bus leaves to its users: properties read by a table, and calls whose context is
 * freed with them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-bus.h>

#define MM_NAME "org.freedesktop.ModemManager1"
#define MM_ROOT "/org/freedesktop/ModemManager1"

/* A row says where a property goes. `type` is that of D-Bus: s and o fill a text of `size` bytes,
 * cut to fit; u and i an int64_t. "S" is the first text of an array, "U" the first number of a pair
 * (ub). */
struct bus_property {
    const char *name;
    char type;
    size_t offset, size;
};

#define BUS_TEXT(owner, member, property)                                      \
    {                                                                          \
        (property), 's', offsetof(owner, member), sizeof(((owner *)0)->member) \
    }
#define BUS_VALUE(owner, member, property, type_of)                     \
    {                                                                   \
        (property), (type_of), offsetof(owner, member), sizeof(int64_t) \
    }

/* Reads a dictionary a{sv} into `ret_owner`. What has no row, or another type, is passed over.
 * Returns below 0 for a message of another form. */
int bus_read_properties(sd_bus_message *message, const struct bus_property *rows, size_t count,
                        void *ret_owner);

/* Sends a call, whose reply or error `done` gets. Takes `take_context`, which is freed with it,
 * also where no reply ever came; the message stays the caller's. Returns below 0 if it was not
 * sent. */
int bus_ask(sd_bus *bus, sd_bus_message *message, sd_bus_message_handler_t done, int timeout_s,
            void *take_context);
/* Asks for all properties of an interface. */
int bus_ask_properties(sd_bus *bus, const char *path, const char *interface,
                       sd_bus_message_handler_t done, void *take_context);
/* Calls a method of ModemManager without arguments, or with one object, whose reply nobody needs.
 */
void bus_order(sd_bus *bus, const char *path, const char *interface, const char *method,
               const char *object);

#define AUTO_MESSAGE __attribute__((cleanup(sd_bus_message_unrefp))) sd_bus_message
