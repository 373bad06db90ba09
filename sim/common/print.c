/* Printing what the tables of a program say of themselves. */
#include "print.h"

#include <stdio.h>

enum { COLUMNS = 79, HANGING = 4 };

/* The first line stands where the cursor is, at column `indent`. */
static void print_words(const char *text, size_t len, int indent)
{
    const char *end = text + len;
    int column = indent;

    while (text < end) {
        int word = 0;
        while (text + word < end && text[word] != ' ')
            word++;
        bool is_first = column == indent;
        if (!is_first && column + 1 + word > COLUMNS) {
            printf("\n%*s", indent, "");
            column = indent;
            is_first = true;
        }
        printf("%s%.*s", is_first ? "" : " ", word, text);
        column += word + !is_first;
        for (text += word; text < end && *text == ' ';)
            text++;
    }
    putchar('\n');
}

void print_text(const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n"), indent = strspn(text, " ");
        int column = indent > 0 ? (int)indent + HANGING : 0;
        printf("%*s", (int)indent, "");
        print_words(text + indent, len - indent, column);
        text += len + (text[len] == '\n');
    }
}

void print_wrapped(const char *text, int indent)
{
    print_words(text, strlen(text), indent);
}

void print_row(const char *left, int width, const char *text)
{
    printf("  %-*s ", width, left);
    print_wrapped(text, width + 3);
}

void print_routes(const struct route *const *tables)
{
    puts("Control API (JSON; 204 where there is nothing to say, 422 with {\"error\"} for a\n"
         "fault)");
    for (size_t i = 0; tables[i]; i++) {
        for (const struct route *route = tables[i]; route->verb; route++) {
            char left[64];
            snprintf(left, sizeof left, "%-4s %s", route->verb, route->path);
            print_row(left, 26, route->doc);
        }
    }
    puts("");
}
