/* The verdict of http_parser. */
#include "http_judge.h"

#include <http_parser.h>

/* An unknown method is no refusal: any token is a method to us, and routes answer it with 405. */
bool http_judge_refuses(struct str bytes)
{
    http_parser parser;
    http_parser_settings settings;

    http_parser_settings_init(&settings);
    http_parser_init(&parser, HTTP_REQUEST);
    http_parser_execute(&parser, &settings, bytes.data, bytes.len);
    enum http_errno error = HTTP_PARSER_ERRNO(&parser);
    return error != HPE_OK && error != HPE_INVALID_METHOD;
}
