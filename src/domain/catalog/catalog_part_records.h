/* The innermost records of a catalog. ERPs send the same fields that operators read, so each pair
 * of records has one table. It has two names, since a field that may be left out of what is sent is
 * always there in what is answered. */
#pragma once

#include "domain/catalog/catalog.h"

extern const struct record catalog_tax_input_record, catalog_tax_record;
extern const struct record catalog_marking_input_record, catalog_marking_record;
extern const struct record catalog_value_input_record, catalog_value_record;
extern const struct record catalog_choice_input_record, catalog_choice_record;

/* This one stands in catalog_input_records.c. */
extern const struct record catalog_attribute_input_record;
