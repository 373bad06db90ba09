/* A server that is down answers no fetch. So after some failures it is left alone, and its fetches
 * come back one by one: there is no storm when it is up again. */
#include "kit/job/circuit.h"

#include "kit/base/clock.h"

bool circuit_is_open(const struct circuit *circuit)
{
    return circuit->probe_at != 0;
}

bool circuit_is_half_open(const struct circuit *circuit)
{
    return circuit->probe_at == 0 && circuit->failures >= CIRCUIT_FAILURES;
}

int64_t circuit_wait_ms(const struct circuit *circuit, int64_t now_ms)
{
    if (!circuit_is_open(circuit)) return 0;
    return clock_left_ms(circuit->probe_at, now_ms);
}

bool circuit_is_probe_due(const struct circuit *circuit, int64_t now_ms)
{
    return circuit_is_open(circuit) && circuit_wait_ms(circuit, now_ms) == 0;
}

void circuit_begin_probe(struct circuit *circuit, int64_t now_ms)
{
    circuit->probe_at = now_ms + CIRCUIT_OPEN_MS;
}

void circuit_pass_probe(struct circuit *circuit)
{
    circuit->probe_at = 0;
}

enum circuit_change circuit_count_failure(struct circuit *circuit, int weight, int64_t now_ms)
{
    if (circuit_wait_ms(circuit, now_ms) > 0) return CIRCUIT_SAME;
    circuit->failures += weight;
    if (circuit_is_open(circuit) || circuit->failures >= CIRCUIT_FAILURES) {
        circuit->probe_at = now_ms + CIRCUIT_OPEN_MS;
        return CIRCUIT_OPENED;
    }
    return circuit->failures == weight ? CIRCUIT_FAILING : CIRCUIT_SAME;
}

enum circuit_change circuit_count_success(struct circuit *circuit)
{
    bool was_closed = !circuit_is_open(circuit) && !circuit_is_half_open(circuit);
    bool was_failing = circuit->failures > 0;

    *circuit = (struct circuit){0};
    if (!was_closed) return CIRCUIT_CLOSED;
    return was_failing ? CIRCUIT_RECOVERED : CIRCUIT_SAME;
}
