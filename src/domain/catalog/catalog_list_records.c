/* Categories and attribute definitions as operators read them. */
#include "domain/catalog/catalog_part_records.h"

#include <stddef.h>

#define EXAMPLE_TIME "\"2026-11-21T04:33:00.123Z\""
#define ARCHIVED_DOC "Whether the newest snapshot does not have it."
#define UPDATED_DOC  "When it last changed, was archived or came back."
#define CURSOR_DOC   "Where the next page begins; null on the last one."

enum { ALWAYS = FIELD_REQUIRED, OR_NULL = FIELD_REQUIRED | FIELD_NULLABLE };

/* --- Categories ------------------------------------------------------------------------------- */

static const struct field category_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_category_view, id),
     .doc = "The ERP's id of the category.",
     .example = "\"c-17\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_category_view, name),
     .doc = "What people call it.",
     .example = "\"Milk\""},
    {.name = "archived",
     .type = FIELD_BOOLEAN,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_category_view, is_archived),
     .doc = ARCHIVED_DOC,
     .example = "false"},
    {.name = "updated_at",
     .type = FIELD_TIME,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_category_view, updated_at),
     .doc = UPDATED_DOC,
     .example = EXAMPLE_TIME},
};

static const struct record category_view_record = {
    .name = "CatalogCategory",
    .doc = "A category of a catalog.",
    .size = sizeof(struct catalog_category_view),
    RECORD_FIELDS(category_fields),
};

static const struct field category_list_fields[] = {
    {.name = "categories",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_page, items),
     .record = &category_view_record,
     .doc = "The categories in order of their ids."},
    {.name = "next_cursor",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_page, next_cursor),
     .doc = CURSOR_DOC,
     .example = "null"},
};

const struct record catalog_category_list_record = {
    .name = "CatalogCategoryList",
    .doc = "A page of categories.",
    .size = sizeof(struct catalog_page),
    RECORD_FIELDS(category_list_fields),
};

/* --- Definitions ------------------------------------------------------------------------------ */

static const struct field definition_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, definition.id),
     .doc = "The ERP's id of the definition.",
     .example = "\"a-3\""},
    {.name = "code",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_definition_view, definition.code),
     .doc = "The ERP's internal code.",
     .example = "\"000000003\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, definition.name),
     .doc = "What people call it.",
     .example = "\"Brand\""},
    {.name = "type",
     .type = FIELD_ENUM,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, definition.type),
     .words = catalog_value_type_words,
     .doc = "What its values are.",
     .example = "\"enum\""},
    {.name = "unit",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_definition_view, definition.unit),
     .doc = "The unit of its values.",
     .example = "null"},
    {.name = "canonical_code",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_definition_view, definition.canonical_code),
     .doc = "What it means, by agreement with the ERP.",
     .example = "\"brand\""},
    {.name = "values",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, definition.values),
     .record = &catalog_value_record,
     .doc = "The allowed values of an enum; else none."},
    {.name = "archived",
     .type = FIELD_BOOLEAN,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, is_archived),
     .doc = ARCHIVED_DOC,
     .example = "false"},
    {.name = "updated_at",
     .type = FIELD_TIME,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, updated_at),
     .doc = UPDATED_DOC,
     .example = EXAMPLE_TIME},
};

static const struct record definition_view_record = {
    .name = "CatalogAttributeDefinition",
    .doc = "What products may say of themselves by an attribute.",
    .size = sizeof(struct catalog_definition_view),
    RECORD_FIELDS(definition_fields),
};

static const struct field definition_list_fields[] = {
    {.name = "attribute_definitions",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_page, items),
     .record = &definition_view_record,
     .doc = "The definitions in order of their ids."},
    {.name = "next_cursor",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_page, next_cursor),
     .doc = CURSOR_DOC,
     .example = "null"},
};

const struct record catalog_definition_list_record = {
    .name = "CatalogAttributeDefinitionList",
    .doc = "A page of attribute definitions.",
    .size = sizeof(struct catalog_page),
    RECORD_FIELDS(definition_list_fields),
};
