/* Operators are shown as facts, with their link last, since it is to be copied. */
#include "app/admin/admin_show.h"
#include "core/role.h"
#include "domain/operator/operator.h"
#include "kit/base/macros.h"

void show_operator_link(const struct admin_view *view)
{
    const struct operator* op = view->value;
    const char *const cells[][2] = {
        {"id", uuid_text(&op->id, view->arena)},
        {"name", op->name},
        {"role", role_words[op->role]},
    };
    bool is_url = strncmp(op->link, "http", 4) == 0;

    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
    buf_printf(view->out, "\nThis link sets the password, once, until %s:\n\n%s\n",
               show_time(op->link_until, view->arena), op->link);
    if (!is_url)
        buf_text(view->out, "\nThe process that answered has no console: put the address of one "
                            "before it (HERALD_CONSOLE_LISTEN).\n");
}

void show_operator_removed(const struct admin_view *view)
{
    buf_printf(view->out, "The operator %s is removed, and logged out within 10 seconds.\n",
               view->input->ids[0]);
}

void show_sessions_ended(const struct admin_view *view)
{
    (void)view;
    buf_text(view->out, "Logged out, on every process within 10 seconds.\n");
}
