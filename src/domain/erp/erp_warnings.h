/*
 * Things that a package says and nobody takes, or that were probably not meant, are told with its
 * status (contract, section 5 "Warnings"): a row for each kind and place in the form, however many
 * products have it. It refuses nothing. Rows are found while the body is read.
 */
#pragma once

#include "domain/erp/erp.h"
#include "kit/json/record_stream.h"

/* A place in the form: a property of the object that is a value of this field. */
struct warning_place {
    const struct field *holder; /* NULL: the object is the body */
    struct str key;
};

struct erp_warnings {
    bool is_snapshot;
    struct arena arena; /* of the texts of the rows */
    struct erp_warning rows[ERP_WARNINGS_MAX];
    struct warning_place places[ERP_WARNINGS_MAX];
    size_t count;
};

void erp_warnings_init(struct erp_warnings *warnings, enum erp_package_type type);
void erp_warnings_done(struct erp_warnings *warnings);

/* Takes a remark of the stream that reads the body; and looks at a whole product of it. */
void erp_warnings_take(struct erp_warnings *warnings, const struct record_stream *stream,
                       const struct stream_remark *remark);
void erp_warnings_look_at(struct erp_warnings *warnings, const struct stream_item *product);
