/* This prints what --help says of the verb `serve`: its tables. */
#include "serve.h"
#include "sim.h"
#include "sim/common/print.h"

#include <stdio.h>

void serve_print_help(void)
{
    print_text("\n"
               "erp serve takes orders at --order-path and answers GET /svc/v1/health, both with "
               "Authorization: Bearer TOKEN. It makes one document of each order, by its uuid, "
               "however often it comes, and takes no order that is not exactly as agreed. The "
               "first line on stdout says where it serves; port 0 takes a free one.\n"
               "\n");
    print_routes(control_routes);
    puts("What a call can be told (\"what\")");
    for (int i = 0; i < BEHAVIOUR_COUNT; i++)
        print_row(behaviour_words[i], 22, behaviour_rows[i].doc);
    print_text("\n"
               "Behaviours with a count are used up first, in the order in which they came; then "
               "those without, the latest first; then --misbehave. Any of them may have wait_ms, "
               "http_status and retry_after (the text of that header); taken says whether a "
               "document is made; accepted and order_id change what the answer says.\n"
               "\n"
               "A record of a call: id, method (order, health, redirected or unknown), at_ms, "
               "connection (calls over one connection share its number), order (the uuid of the "
               "key), behaviour, had_effect (it made a document), claimed, request {method, path, "
               "query, headers (a list where one came more than once), body, digest}, answer "
               "{status, length, cut}, or null while it waits and where none was given. The last "
               "200,000 calls and 512 MiB of them are kept.\n");
}
