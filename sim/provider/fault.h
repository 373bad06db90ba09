/* Faults: the ways in which a provider refuses. */
#pragma once

/* It is herald's business what it makes of a fault; this is what a behaviour can ask for. */
enum fault_kind {
    FAULT_NONE,
    FAULT_REQUEST, /* the request is wrong */
    FAULT_CREDENTIALS,
    FAULT_BALANCE,
    FAULT_RECIPIENT, /* will never be reached */
    FAULT_RATE,
    FAULT_SERVER,
    FAULT_REPEAT, /* was sent before */
};

struct fault {
    const char *name; /* as the provider's documentation and the control API call it */
    enum fault_kind kind;
    int http_status;
    const char *text; /* what the wire says besides the name; NULL: nothing */
};
