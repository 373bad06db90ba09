/* The innermost records of a catalog. Each is there twice, since the schema of what is sent differs
 * from that of what is answered: what may be left out there is always here. */
#pragma once

#include "domain/catalog/catalog.h"

extern const struct record catalog_tax_input_record, catalog_tax_record;
extern const struct record catalog_marking_input_record, catalog_marking_record;
extern const struct record catalog_value_input_record, catalog_value_record;
extern const struct record catalog_choice_input_record, catalog_choice_record;

/* Of catalog_input_records.c. */
extern const struct record catalog_attribute_input_record;
