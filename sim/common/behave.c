/* Reading what a call is told. */
#include "behave.h"

enum { HTTP_STATUS_MIN = 200 };

int behave_check(struct control_request *request, const struct behave_input *input,
                 enum shape *ret_shape)
{
    *ret_shape = (enum shape)control_word(shape_words, input->shape ? input->shape : "html");
    if (*ret_shape == SHAPE_COUNT) return control_refuse(request, 422, "shape: no such word");
    if (input->http_status > 0 && input->http_status < HTTP_STATUS_MIN)
        return control_refuse(request, 422, "http_status: from 200 to 599");
    if (input->count == 0)
        return control_refuse(request, 422, "count: from 1 on; leave it out for all");
    return 0;
}
