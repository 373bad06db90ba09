/* Bodies of packages that come in, and the faults that are told of them. */
#pragma once

#include "domain/erp/erp_gate.h"
#include "domain/erp/erp_intake.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD         "\"event_id\":\"e:1\",\"generated_at\":\"2026-11-21T04:33:00Z\""
#define CATEGORIES   "\"categories\":[{\"id\":\"c\",\"name\":\"C\"}]"
#define VARIANTS     "\"variants\":[{\"id\":\"v\",\"price\":1.5}]"
#define PRODUCT      "{\"id\":\"p\",\"name\":\"P\",\"category_id\":\"c\"," VARIANTS "}"
#define SNAPSHOT     "{" HEAD "," CATEGORIES ",\"products\":[" PRODUCT "]}"
#define PRICE_ROW    "{\"product_id\":\"p\",\"variant_id\":\"v\",\"price\":1}"
#define CHANGES      "{" HEAD ",\"prices\":[" PRICE_ROW "]}"
#define DETAIL(rows) "{\"detail\":[" rows "]}"

struct bench {
    struct service service;
    struct erp_setup erp;
    struct arena arena;
};

static inline int begin(void **state)
{
    struct bench *bench = calloc(1, sizeof(*bench));
    assert_non_null(bench);
    arena_init(&bench->arena);
    bench->service.erp = &bench->erp;
    bench->erp.packs = pack_pool_new();
    bench->erp.gate = erp_gate_new();
    *state = bench;
    return 0;
}

static inline int end(void **state)
{
    struct bench *bench = *state;
    pack_pool_free(bench->erp.packs);
    erp_gate_free(bench->erp.gate);
    arena_done(&bench->arena);
    free(bench);
    return 0;
}

static const struct uuid integrations[] = {{{1}}, {{2}}, {{3}}};

static inline struct erp_intake *new_intake(struct bench *bench, enum erp_package_type type,
                                            int64_t length)
{
    struct erp_intake *intake = NULL;
    assert_int_equal(erp_intake_new(&bench->service, &integrations[0], type, length,
                                    &(struct body_ending){NULL, NULL}, &intake),
                     ERR_OK);
    return intake;
}

/* Feeds it in pieces of `piece` bytes, as far as it goes. */
static inline void feed(struct erp_intake *intake, struct str text, size_t piece)
{
    while (text.len > 0) {
        size_t len = piece < text.len ? piece : text.len;
        if (!erp_intake_take(intake, (struct str){text.data, len})) return;
        text.data += len;
        text.len -= len;
    }
    erp_intake_end(intake);
}

static inline struct erp_intake *take_text(struct bench *bench, enum erp_package_type type,
                                           const char *text)
{
    struct erp_intake *intake = new_intake(bench, type, -1);
    feed(intake, str_of(text), SIZE_MAX);
    return intake;
}

static inline enum err check(struct bench *bench, struct erp_intake *intake,
                             const char **ret_detail)
{
    *ret_detail = NULL;
    enum err err = erp_intake_check_form(intake, &bench->arena, ret_detail);
    return err ? err : erp_intake_check_content(intake, false, &bench->arena, ret_detail);
}

/* The document of faults; "" for none. */
static const char *faults_of(struct bench *bench, enum erp_package_type type, const char *text)
{
    struct erp_intake *intake = take_text(bench, type, text);
    const char *detail;
    enum err err = check(bench, intake, &detail);
    assert_int_equal(err, detail ? ERR_VALIDATION : ERR_OK);
    assert_int_equal(erp_intake_is_clean(intake), !detail);
    erp_intake_free(intake);
    return detail ? detail : "";
}

static inline void assert_faults(struct bench *bench, enum erp_package_type type, const char *text,
                                 const char *expected)
{
    assert_string_equal(faults_of(bench, type, text), expected);
}
