/* What the ends of calls mean for a send (contract, section 3). */
#include "domain/channel/driver.h"

/* Bytes went out and nothing is known of them. */
static enum channel_outcome outcome_of_silence(const struct channel_driver *driver)
{
    return driver->is_deduplicating ? OUTCOME_RETRYABLE : OUTCOME_UNKNOWN;
}

static enum channel_outcome outcome_of_end(const struct channel_driver *driver,
                                           const struct fetch_call *call)
{
    switch (call->end) {
    case FETCH_NOT_SENT:
        return OUTCOME_RETRYABLE;
    case FETCH_CANCELED:
        return call->was_sent ? outcome_of_silence(driver) : OUTCOME_RETRYABLE;
    case FETCH_ANSWERED:
    case FETCH_UNKNOWN:
        return outcome_of_silence(driver);
    }
    return OUTCOME_UNKNOWN;
}

bool driver_read_end(const struct channel_driver *driver, const struct fetch_call *call,
                     struct channel_answer *ret_answer)
{
    if (call->end == FETCH_ANSWERED) return false;
    *ret_answer = (struct channel_answer){
        .outcome = outcome_of_end(driver, call),
        .error = call->error ? call->error : "the call was given up",
    };
    return true;
}
