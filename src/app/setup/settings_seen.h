/*
 * A process remembers in the verification store what it was started with, so that its next start
 * finds which settings have changed and leaves a record of the audit (contract, section 10.3).
 * Secrets are remembered by a keyed hash alone.
 */
#pragma once

#include "app/setup/config.h"
#include "core/work.h"

/* Lists what a process is started with, in the arena: copies, since secrets are forgotten and a
 * port is filled in. Call it once service->vault has the key of its database. */
struct record_list settings_look(const struct config *config, const struct vault *vault,
                                 struct arena *arena);

/* Compares with the start before, records what changed, and remembers. service->process has signed
 * on. It blocks. A failure is logged; then the next start records it. */
void settings_record(struct service *service, struct record_list settings);
