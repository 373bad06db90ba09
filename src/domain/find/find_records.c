/* These records say how what was found looks on the wire (contract, section 18.5). */
#include "domain/event_log/event_log.h"
#include "domain/find/find_list.h"
#include "kit/json/pointer.h"

#include <stddef.h>

static const struct field query_fields[] = {
    FIELD(struct find_query, q, FIELD_STRING, FIELD_REQUIRED,
          "What is looked for: a phone number in any spelling (a plus sign is %2B in a URL), an id "
          "of whatever has one, also that of the ERP's document of an order, a messenger account, "
          "the id of a request or an event, or a part of the name of a phone or a point.",
          .min = 1, .max = FIND_QUERY_MAX, .example = "+79161234567"),
};

const struct record find_query_record = {
    .name = "SearchQuery",
    .doc = "What is looked for.",
    .size = sizeof(struct find_query),
    RECORD_FIELDS(query_fields),
};

static const struct field result_fields[] = {
    FIELD(struct find_result, type, FIELD_ENUM, FIELD_REQUIRED,
          "What it is. log: entries of the log about the request with that id; where a number is "
          "looked for, of one that was refused.",
          .words = find_type_words, .example = "otp"),
    FIELD(struct find_result, id, FIELD_STRING, FIELD_REQUIRED,
          "By what its own operations know it: an id, of a package its event_id, of an account its "
          "account_id, of a signing key its kid.",
          .example = "0192f0cc-3333-7d3e-8f00-3b2a1c0d9e8f"),
    FIELD(struct find_result, title, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED | FIELD_NULLABLE,
          "How people call it: a number, which is masked for most roles, or a name; null: it has "
          "none, or no more.",
          .example = "+7916***4567"),
    FIELD(struct find_result, state, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "Its state, in the word of its own record, of a refused request the code of its error or "
          "the reason; null: it has none.",
          .example = "sent"),
    FIELD(struct find_result, at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When it was created, of a phone when it was last seen, of a request its newest entry; "
          "null: not known."),
    FIELD(struct find_result, integration_id, FIELD_STRING, FIELD_OMIT_NULL,
          "Of a package, a refusal, a product or a client: the integration that has it.",
          .example = "0192f0cc-4444-7d3e-8f00-3b2a1c0d9e8f"),
    FIELD(struct find_result, owner_id, FIELD_STRING, FIELD_OMIT_NULL,
          "Of an account the phone that has it, of a session its operator, of a delivery its "
          "endpoint.",
          .example = "0192f0cc-4444-7d3e-8f00-3b2a1c0d9e8f"),
};

static const struct record result_record = {
    .name = "SearchResult",
    .doc = "Something that was found.",
    .size = sizeof(struct find_result),
    RECORD_FIELDS(result_fields),
};

static const struct field list_fields[] = {
    FIELD(struct find_list, results, FIELD_RECORDS, FIELD_REQUIRED,
          "At most 5 of each kind, the newest first.", .record = &result_record),
};

const struct record find_list_record = {
    .name = "SearchResults",
    .doc = "What was found.",
    .size = sizeof(struct find_list),
    RECORD_FIELDS(list_fields),
};

const char *find_text(struct work *work, const struct log_entry *entry, const char *pointer)
{
    struct json_value value;

    bool is_json = json_find(entry->fields, pointer, work->arena, &value);
    return is_json && value.type == JSON_STRING ? value.text.data : NULL;
}
