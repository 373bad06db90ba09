/*
 * The PDUs of 3GPP TS 23.040 that a modem takes and gives: SMS-SUBMIT with its parts, and
 * SMS-STATUS-REPORT.
 */
#pragma once

#include "kit/base/buf.h"

enum { PDU_NUMBER_MAX = 24, PDU_TEXT_MAX = 2048, PDU_HEX_MAX = 512 };

/* One part of an SMS that is sent. */
struct pdu_submit {
    char recipient[PDU_NUMBER_MAX];
    bool wants_report;
    unsigned group, part, parts; /* of a text in parts; 0, 1, 1 without */
    char text[PDU_TEXT_MAX];     /* of this part, UTF-8 */
};

/* Reads the hexadecimal text of AT+CMGS, whose first octet is the length of the service centre's
 * number. Returns false for what is no SMS-SUBMIT. */
bool pdu_read_submit(struct str hex, struct pdu_submit *ret_submit);

/* Writes a status report in hexadecimal and returns its length in octets without the service
 * centre, as +CDS names it. `status` is TP-ST: 0 is delivered, 0x40 and more is failed. */
size_t pdu_write_report(struct buf *out, unsigned reference, const char *recipient,
                        unsigned status);
