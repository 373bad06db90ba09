/* Printing what the tables of a program say of themselves. */
#include "print.h"

#include <stdio.h>

enum { COLUMNS = 96 };

void print_wrapped(const char *text, int indent)
{
    int column = indent;

    while (*text) {
        int len = (int)strcspn(text, " ");
        bool is_first = column == indent;
        if (!is_first && column + 1 + len > COLUMNS) {
            printf("\n%*s", indent, "");
            column = indent;
            is_first = true;
        }
        printf("%s%.*s", is_first ? "" : " ", len, text);
        column += len + !is_first;
        text += len + strspn(text + len, " ");
    }
    putchar('\n');
}

void print_row(const char *left, int width, const char *text)
{
    printf("  %-*s ", width, left);
    print_wrapped(text, width + 3);
}

void print_routes(const struct route *const *tables)
{
    puts("Control API (JSON; 204 where there is nothing to say, 422 with {\"error\"} for a fault)");
    for (size_t i = 0; tables[i]; i++) {
        for (const struct route *route = tables[i]; route->verb; route++) {
            char left[64];
            snprintf(left, sizeof left, "%-4s %s", route->verb, route->path);
            print_row(left, 26, route->doc);
        }
    }
    puts("");
}
