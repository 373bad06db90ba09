/* Words are laid out in lines of 80 columns, indented from the second line on. */
#include "app/admin/admin_show.h"
#include "kit/base/terminal.h"
#include "kit/json/utf8.h"

enum { LAST_COLUMN = 80 };

void show_next_line(struct show_lines *lines)
{
    buf_printf(lines->out, "\n%*s", (int)lines->indent, "");
    lines->column = lines->indent;
}

/* A word that no line has room for goes on in the next ones. */
static void put_word(struct show_lines *lines, struct str word)
{
    size_t width = terminal_width(word);
    bool is_first = lines->column == lines->indent;

    if (!is_first && lines->column + 1 + width > LAST_COLUMN)
        show_next_line(lines);
    else if (!is_first) {
        buf_char(lines->out, ' ');
        lines->column++;
    }
    for (const char *p = word.data, *end = p + word.len; p < end;) {
        int len = utf8_measure(p, end);
        struct str letter = {p, (size_t)(len > 0 ? len : 1)};
        size_t columns = terminal_width(letter);
        if (lines->column + columns > LAST_COLUMN) show_next_line(lines);
        buf_str(lines->out, letter);
        p += letter.len;
        lines->column += columns;
    }
}

void show_words(struct show_lines *lines, const char *text)
{
    for (const char *p = text; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        put_word(lines, (struct str){p, len});
        p += len;
    }
}

const char *show_safe(struct str text, struct arena *arena)
{
    AUTO_BUF escaped = {0};

    buf_init(&escaped, 6 * text.len);
    terminal_escape(text, "", &escaped);
    return arena_str(arena, buf_view(&escaped));
}
