/* What --help says of the verb `serve`: its tables, printed. */
#include "serve.h"
#include "sim.h"
#include "sim/common/print.h"

#include <stdio.h>

void serve_print_help(void)
{
    puts("\nerp serve takes orders at --order-path and answers GET /svc/v1/health, both with\n"
         "Authorization: Bearer TOKEN. It makes one document of each order, by its uuid, however\n"
         "often it comes, and takes no order that is not exactly as agreed. The first line on\n"
         "stdout says where it serves; port 0 takes a free one.\n");
    print_routes(control_routes);
    puts("What a call can be told (\"what\")");
    for (int i = 0; i < BEHAVIOUR_COUNT; i++)
        print_row(behaviour_words[i], 22, behaviour_rows[i].doc);
    puts(
        "\nBehaviours with a count are used up first, in the order in which they came; then those\n"
        "without, the latest first; then --misbehave. Any of them may have wait_ms, http_status\n"
        "and retry_after (the text of that header); taken says whether a document is made;\n"
        "accepted and order_id change what the answer says.\n\n"
        "A record of a call: id, method (order, health, redirected or unknown), at_ms, connection\n"
        "(calls over one connection share its number), order (the uuid of the key), behaviour,\n"
        "had_effect (it made a document), claimed, request {method, path, query, headers (a list\n"
        "where one came more than once), body, digest}, answer {status, length, cut}, or null\n"
        "while it waits and where none was given. The last 200,000 calls and 512 MiB of them are\n"
        "kept.");
}
