/* The operations of pairing, and the page that a QR code leads to (contract, section 15.1). */
#include "core/request.h"
#include "domain/fleet/pairing.h"

static enum err handle_create(struct request *rq)
{
    struct pairing pairing;
    enum err err = pairing_create(&rq->work, &rq->path_ids[0], &pairing);
    return reply_with(rq, err, &pairing);
}

static enum err handle_use(struct request *rq)
{
    const struct pairing_input *input = rq->body;
    struct rotated_key key;
    bool is_wrong;

    enum err err = pairing_use(&rq->work, str_of(input->code), &key, &is_wrong);
    if (err) return err;
    if (is_wrong)
        reply_refusal(rq, ERR_UNAUTHORIZED);
    else
        reply_record(rq, &key);
    return ERR_OK;
}

/* The URL of the service is that of a setting, and may have anything in it. */
static void put_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("<>&\"", *text))
            buf_printf(out, "&#%d;", *text);
        else
            buf_char(out, *text);
    }
}

static void put_value(struct buf *out, const char *name, const char *value, const char *rest)
{
    buf_printf(out, "<dt>%s</dt><dd><code>", name);
    put_text(out, value);
    put_text(out, rest);
    buf_text(out, "</code></dd>");
}

static enum err handle_page(struct request *rq)
{
    const struct pairing_input *input = rq->query;
    struct buf *out = &rq->reply;

    buf_text(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                  "<meta name=\"robots\" content=\"noindex\"><title>Pair a phone</title><style>"
                  ":root{color-scheme:light dark}body{font:18px/1.5 system-ui,sans-serif;"
                  "max-width:32rem;margin:0 auto;padding:1rem}dd{margin:0 0 1rem}"
                  "code{font-size:1.25em;overflow-wrap:anywhere;user-select:all}"
                  "</style></head><body><h1>Pair a phone</h1>"
                  "<p>Enter this in the application of the phone:</p><dl>");
    put_value(out, "Address of herald", rq->work.service->fleet->own_url, "");
    put_value(out, "API URL, in the app SMSGate", rq->work.service->fleet->own_url, "/smsgate/v1");
    put_value(out, "Code", input->code ? input->code : "the 8 digits that you were told", "");
    buf_text(out, "</dl><p>The code is good once, and for 10 minutes. The key that the phone had "
                  "before ends when the code is used.</p></body></html>\n");
    rq->reply_type = "text/html; charset=utf-8";
    rq->status = rq->route->status;
    return ERR_OK;
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/internal/v1/devices/{id}/pair",
        .operation_id = "pairDevice",
        .role = ROLE_OPERATOR,
        .action = "device.pair",
        .tag = "Fleet",
        .summary = "Make a pairing code for a phone",
        .description = "Somebody enters the code on the phone within 10 minutes, or reads the link "
                       "from the QR code. The phone gets a new key by it, and the one before it "
                       "ends. A phone has one code at a time, which is good once.",
        .status = 201,
        .reply_doc = "The code, shown this once.",
        .reply = &pairing_record,
        .handle = handle_create,
    },
    {
        .method = "POST",
        .path = "/pair",
        .operation_id = "useDevicePairing",
        .action = "pairing.use",
        .tag = "Phones",
        .summary = "Get a key by a pairing code",
        .description = "The key that the phone had before is refused from now on. 20 wrong codes "
                       "within 10 minutes, from wherever they come, end all open ones.",
        .auth = AUTH_PAIRING,
        .access = ACCESS_READ_FIRST,
        .body = &pairing_input_record,
        .reply_doc = "The new key, shown this once.",
        .reply = &rotated_key_record,
        .handle = handle_use,
    },
    {
        .method = "GET",
        .path = "/pair",
        .operation_id = "getPairingPage",
        .tag = "Phones",
        .summary = "What to enter on a phone",
        .description = "The page that the QR code of a pairing leads to.",
        .auth = AUTH_NONE,
        .access = ACCESS_NONE,
        .query = &pairing_page_query,
        .reply_doc = "The page.",
        .reply_type = "text/html; charset=utf-8",
        .handle = handle_page,
    },
};

const struct route_table pairing_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
