/* The parts of the document that are the same for every table: JSON texts. */
#pragma once

extern const char openapi_error_schema[];
extern const char openapi_oauth_error_schema[];
/* Faults of bodies that are taken as they arrive. */
extern const char openapi_detail_schema[];
extern const char openapi_detail_example[];
/* An object of parameters by name. */
extern const char openapi_parameters[];
/* An object of headers by name. */
extern const char openapi_headers[];
