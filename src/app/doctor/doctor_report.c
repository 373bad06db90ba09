/* Lines are kept, masked and printed for people and for programs. */
#include "app/doctor/doctor_report.h"

#include "kit/base/mask.h"
#include "kit/base/terminal.h"

enum { STATUS_COLUMNS = 6, CHECK_COLUMNS = 12, MESSAGE_COLUMNS_MIN = 20 };

const char *const doctor_status_words[] = {"ok", "warn", "fail", NULL};

void doctor_report_add(struct doctor_report *report, const char *check, enum doctor_status status,
                       const char *message)
{
    if (report->count == DOCTOR_LINES_MAX) return;
    report->lines[report->count++] = (struct doctor_line){
        .status = status,
        .check = check,
        .message = arena_text(report->arena, mask_text(mask_secrets, message, report->arena)),
    };
}

enum doctor_status doctor_report_worst(const struct doctor_report *report)
{
    enum doctor_status worst = DOCTOR_OK;

    for (size_t i = 0; i < report->count; i++) {
        if (report->lines[i].status > worst) worst = report->lines[i].status;
    }
    return worst;
}

/* Prints words on as many lines as they need, each below the first. */
static void print_wrapped(struct str text, size_t columns, struct buf *out)
{
    size_t column = 0;

    while (text.len > 0) {
        struct str word = str_until(text, ' ');
        size_t width = terminal_width(word);
        if (column > 0 && column + 1 + width > columns) {
            buf_printf(out, "\n%*s", STATUS_COLUMNS + CHECK_COLUMNS, "");
            column = 0;
        }
        if (column > 0) buf_char(out, ' ');
        buf_str(out, word);
        column += width + (column > 0);
        text = str_behind(text, word.len + (word.len < text.len));
    }
    buf_char(out, '\n');
}

void doctor_report_print(const struct doctor_report *report, size_t columns, struct buf *out)
{
    const size_t margin = STATUS_COLUMNS + CHECK_COLUMNS;
    size_t room = columns >= margin + MESSAGE_COLUMNS_MIN ? columns - margin : SIZE_MAX / 2;

    for (size_t i = 0; i < report->count; i++) {
        const struct doctor_line *line = &report->lines[i];
        AUTO_BUF shown = {0};
        buf_init(&shown, 6 * strlen(line->message) + 1);
        terminal_escape(str_of(line->message), "", &shown);
        buf_printf(out, "%-*s%-*s", STATUS_COLUMNS, doctor_status_words[line->status],
                   CHECK_COLUMNS, line->check);
        print_wrapped(buf_view(&shown), room, out);
    }
}

void doctor_report_write(const struct doctor_report *report, struct json_writer *writer)
{
    json_array_begin(writer);
    for (size_t i = 0; i < report->count; i++) {
        const struct doctor_line *line = &report->lines[i];
        json_object_begin(writer);
        json_put_text(writer, "check", line->check);
        json_put_text(writer, "status", doctor_status_words[line->status]);
        json_put_text(writer, "message", line->message);
        json_object_end(writer);
    }
    json_array_end(writer);
}
