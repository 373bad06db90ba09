/* --help: the tables of this program, printed. */
#include "control.h"
#include "sim/common/print.h"

#include <stdio.h>

static void print_options(const struct option_row *rows, size_t count)
{
    puts("Options");
    for (size_t i = 0; i < count; i++) {
        char left[64], text[256];
        snprintf(left, sizeof left, "--%s%s%s", rows[i].name, rows[i].value ? " " : "",
                 rows[i].value ? rows[i].value : "");
        snprintf(text, sizeof text, "%s%s%s%s", rows[i].help, rows[i].standard ? " (" : "",
                 rows[i].standard ? rows[i].standard : "", rows[i].standard ? ")" : "");
        print_row(left, 26, text);
    }
    print_text("  --help                     print this\n"
               "\n");
}

static void print_behaviours(void)
{
    puts("What a call can be told (\"what\")");
    for (int i = 0; i < BEHAVIOUR_COUNT; i++)
        print_row(behaviour_words[i], 22, behaviour_rows[i].doc);
    puts("");
}

static void print_provider(const struct provider *provider)
{
    printf("  %s, in place of %s\n", provider->name, provider->home);
    for (size_t i = 0; i < provider->method_count; i++) {
        const struct method *method = &provider->methods[i];
        bool is_bot = strcmp(provider->prefix, "bot") == 0;
        printf("    %s\n        %s /%s%s\n", method->name, method->verbs,
               is_bot ? "bot<token>/" : "", method->path);
    }
    char names[1024] = "";
    size_t len = 0;
    for (size_t i = 0; i < provider->fault_count; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s ", provider->faults[i].name);
    printf("    errors: ");
    print_wrapped(names, 12);
}

void help_print(const struct option_row *rows, size_t count)
{
    print_text(
        "provider - simulated providers of messages and flash calls\n"
        "\n"
        "  provider [--listen ADDRESS] [--control ADDRESS] [options]\n"
        "\n"
        "One port answers for all providers, at the paths of the real ones: give http://ADDRESS as "
        "the base URL of each. A second port takes the control API. Port 0 takes a free one; the "
        "first line on stdout says which. SIGTERM and SIGINT end it with exit status 0.\n"
        "\n");
    print_options(rows, count);
    print_routes(control_routes);
    print_behaviours();
    print_text("Behaviours with a count are used up first, in the order in which they came; then "
               "those without, the latest first. Any of them may have wait_ms.\n"
               "\n"
               "A record of a call: id, provider, method, at, at_ms, connection (calls over one "
               "connection share its number), recipient, code, send_id (the provider's id of the "
               "message or call), had_effect (somebody was messaged or called by it: false for a "
               "refusal and for a repeat that the provider recognised), behaviour, wait_ms, "
               "claimed, request {method, path, query, headers, body, json}, answer {status, body, "
               "length, cut} or null. The last 200,000 calls and 512 MiB of them are kept.\n"
               "\n"
               "Providers\n");
    for (size_t i = 0; providers[i]; i++)
        print_provider(providers[i]);
}
