/* Rules say what is missing where a body names it; of a path its last parameter tells. */
#include "core/missing.h"

#include "kit/base/macros.h"

/* The rows of what lies within something else come first. */
static const struct {
    const char *place; /* in the path of a route */
    struct missing missing;
} places[] = {
    {"/deliveries/{", {"delivery", "This webhook endpoint has no such delivery."}},
    {"/sessions/{", {"session", "This operator has no such session."}},
    {"/events/{", {"event_id", "This integration has no package with this event_id."}},
    {"/products/{", {"product_id", "The catalog of this integration has no such product."}},
    {"/signing-keys/{", {"kid", "No signing key with this kid is published."}},
    {"/clients/{", {"client", "There is no such workload client."}},
    {"/devices/{", {"device", "There is no such phone."}},
    {"/challenges/{", {"challenge", "There is no such challenge."}},
    {"/otp/{", {"otp", "There is no such code."}},
    {"/device/v1/", {"task", "This phone has no such task."}},
    {"/messages/{", {"message", "There is no such message."}},
    {"/orders/{", {"order", "There is no such order."}},
    {"/integrations/", {"integration", "There is no such integration."}},
    {"/api-keys/{", {"api_key", "There is no such API key."}},
    {"/operators", {"operator", "There is no such operator."}},
    {"/jobs/{", {"job", "There is no such job."}},
    {"/webhook-endpoints/{", {"webhook_endpoint", "There is no such webhook endpoint."}},
    {"/callbacks/", {"send", "No send of herald's has this id."}},
    {"/callgate/", {"device", "There is no such phone."}},
};

static const struct missing no_path = {
    "path", "No operation has this path. Ids in a path are UUIDs; GET /openapi.json lists all."};

static struct missing missing_at(const struct route *route)
{
    for (size_t i = 0; route && i < COUNT_OF(places); i++) {
        if (strstr(route->path, places[i].place)) return places[i].missing;
    }
    return no_path;
}

struct missing missing_of(enum err err, const struct route *route)
{
    static const struct {
        enum err err;
        const char *what;
    } named[] = {
        {ERR_NUMBER_NOT_FOUND, "gateway_number"},
        {ERR_ACCOUNT_NOT_FOUND, "account_id"},
        {ERR_INTEGRATION_NOT_FOUND, "integration"},
    };

    for (size_t i = 0; i < COUNT_OF(named); i++) {
        if (err == named[i].err) return (struct missing){named[i].what, err_info(err)->sentence};
    }
    return err == ERR_NOT_FOUND ? missing_at(route) : (struct missing){NULL, NULL};
}
