/* The delivery of orders: what each answer of an ERP leads to (doc B, section 4 "Service reaction
 * to the ERP order response"), attempt by attempt. */
#include "app/setup/migrations.h"
#include "order_stage.h"

static const struct reaction documents = {0};

static void forget_orders(struct stage *stage)
{
    sql(stage, "DELETE FROM order_attempt");
    sql(stage, "DELETE FROM order_body");
    sql(stage, "DELETE FROM order_delivery");
}

/* --- One order -------------------------------------------------------------------------------- */

static void assert_accepted(struct stage *stage, const struct uuid *id, int attempts)
{
    struct order_delivery delivery = delivery_of(stage, id);
    assert_string_equal(order_state_words[delivery.state], "accepted");
    assert_int_equal(delivery.attempts, attempts);
    assert_int_equal(delivery.next_attempt_at, 0);
    assert_string_equal(delivery.erp_order_id, "d-0");
    assert_string_equal(delivery.erp_number, "N0");
    assert_null(delivery.last_error);
    assert_int_equal(count_of(stage, "order_body"), 0);
}

static void an_order_becomes_a_document(struct store *store)
{
    struct stage stage;
    char key[UUID_TEXT_LEN + 1], line[100];
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    start(&stage);
    int64_t before_ms = clock_now_ms();
    struct uuid id = order_one(&stage, &integration);
    await_state(&stage, "accepted", 1);
    assert_accepted(&stage, &id, 1);

    uuid_format(&id, key);
    const char *request = stage.erp->posts[0].request;
    assert_memory_equal(request, "POST /svc/v1/orders HTTP/1.1\r\n", 30);
    assert_non_null(strstr(request, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(request, "\r\nAuthorization: Bearer " ERP_TOKEN "\r\n"));
    snprintf(line, sizeof line, "\r\nIdempotency-Key: %s\r\n", key);
    assert_non_null(strstr(request, line));
    struct order order;
    const char *body = strstr(request, "\r\n\r\n") + 4;
    assert_string_equal(decode_order(stage.world.arena, SAMPLE_ORDER, &order), "");
    order.id = id;
    assert_string_equal(body, order_body_write(&order, stage.world.arena));

    struct order_attempt attempt = attempt_of(&stage, &id, 1);
    assert_int_equal(attempt.status, 200);
    assert_string_equal(order_outcome_words[attempt.outcome], "accepted");
    assert_true(attempt.started_at >= before_ms && attempt.started_at <= clock_now_ms());
    assert_true(attempt.duration_ms >= 0 && attempt.duration_ms < PATIENCE_MS);
    assert_null(attempt.error);
    end(&stage);
}

/* --- The table of reactions ------------------------------------------------------------------- */

static const struct {
    struct reaction reaction;
    const char *state, *outcome;
    int status;                /* of the attempt */
    int64_t least_ms, most_ms; /* until the next one */
} rows[] = {
    {{.body = "{\"accepted\":true,\"order_id\":\"x\"}"}, "accepted", "accepted", 200, 0, 0},
    {{.status = 201, .body = "{\"accepted\":true,\"order_id\":\"x\"}"},
     "accepted",
     "accepted",
     201,
     0,
     0},
    {{.body = "{\"accepted\":false}"}, "rejected", "rejected", 200, 0, 0},
    {{.body = "{\"accepted\":true}"}, "queued", "contract_error", 200, 700, 1300},
    {{.body = "{\"accepted\":true,\"order_id\":\"\"}"}, "queued", "contract_error", 200, 700, 1300},
    {{.body = "not json"}, "queued", "contract_error", 200, 700, 1300},
    {{.status = 204, .body = ""}, "queued", "contract_error", 204, 700, 1300},
    {{.status = 302, .headers = "Location: /elsewhere\r\n", .body = ""},
     "queued",
     "refused",
     302,
     700,
     1300},
    {{.status = 400, .body = "no"}, "queued", "refused", 400, 700, 1300},
    {{.status = 401, .body = ""}, "queued", "refused", 401, 700, 1300},
    {{.status = 404, .body = ""}, "queued", "refused", 404, 700, 1300},
    {{.status = 409, .body = "{\"accepted\":true,\"order_id\":\"x\"}"},
     "queued",
     "refused",
     409,
     700,
     1300},
    {{.status = 422, .body = "{\"accepted\":false}"}, "queued", "refused", 422, 700, 1300},
    {{.status = 429, .headers = "Retry-After: 30\r\n", .body = ""},
     "queued",
     "refused",
     429,
     29000,
     31000},
    {{.status = 500, .body = ""}, "queued", "refused", 500, 700, 1300},
    {{.status = 503, .headers = "Retry-After: 7200\r\n", .body = ""},
     "queued",
     "refused",
     503,
     3599000,
     3601000},
    {{.is_cut = true}, "queued", "unknown", -1, 700, 1300},
};

static void assert_row(struct stage *stage, size_t i, const struct uuid *id)
{
    struct order_delivery delivery = delivery_of(stage, id);
    struct order_attempt attempt = attempt_of(stage, id, 1);
    int64_t wait_ms = delivery.next_attempt_at - delivery.updated_at;
    bool is_queued = strcmp(rows[i].state, "queued") == 0;

    assert_int_equal(delivery.attempts, 1);
    assert_string_equal(order_outcome_words[attempt.outcome], rows[i].outcome);
    assert_int_equal(attempt.status, rows[i].status);
    if (is_queued && (wait_ms < rows[i].least_ms || wait_ms > rows[i].most_ms))
        fail_msg("row %zu waits %lld ms", i, (long long)wait_ms);
    if (!is_queued) assert_int_equal(delivery.next_attempt_at, 0);
    assert_int_equal(delivery.last_error != NULL, strcmp(rows[i].state, "accepted") != 0);
    assert_int_equal(count_of(stage, "order_body"), strcmp(rows[i].state, "accepted") != 0);
    assert_int_equal(count_of(stage, "order_delivery WHERE body_until IS NOT NULL"),
                     strcmp(rows[i].state, "rejected") == 0);
}

static void the_table_of_reactions(struct store *store)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct stage stage;
        begin(&stage, store, rows[i].reaction);
        struct uuid integration = integrate(&stage);
        start(&stage);
        struct uuid id = order_one(&stage, &integration);
        await_count(&stage, "order_attempt", 1);
        await_state(&stage, rows[i].state, 1);
        assert_row(&stage, i, &id);
        assert_int_equal(stage.erp->orders, 1);
        end(&stage);
        forget_orders(&stage);
    }
}

/* --- Doubt ------------------------------------------------------------------------------------ */

/* Its answer comes after our time-out: the document is there, and a repeat gives it back. */
static void a_document_made_too_late_is_found_by_the_repeat(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    stage.erp->first[0] = (struct reaction){.is_slow = true};
    stage.erp->first_count = 1;
    struct uuid integration = integrate_at(&stage, stage.erp->server->port, 1);
    start(&stage);
    struct uuid id = order_one(&stage, &integration);
    await_retry(&stage, 1);
    struct order_attempt attempt = attempt_of(&stage, &id, 1);
    assert_string_equal(order_outcome_words[attempt.outcome], "unknown");
    assert_int_equal(attempt.status, -1);
    assert_string_equal(attempt.error, "the time was up");
    assert_int_equal(count_documents(stage.erp), 1);

    hurry(&stage);
    await_state(&stage, "accepted", 1);
    assert_accepted(&stage, &id, 2);
    assert_int_equal(count_documents(stage.erp), 1);
    assert_int_equal(stage.erp->post_count, 2);
    /* The same bytes, the whole request. */
    assert_string_equal(stage.erp->posts[0].request, stage.erp->posts[1].request);
    end(&stage);
}

static void an_answer_that_is_too_large_is_no_answer(struct store *store)
{
    struct stage stage;
    char *huge = calloc(1, ORDER_ANSWER_MAX + 2);
    begin(&stage, store, documents);
    memset(huge, ' ', ORDER_ANSWER_MAX + 1);
    stage.erp->first[0] = (struct reaction){.headers = "Connection: close\r\n", .body = huge};
    stage.erp->first_count = 1;
    struct uuid integration = integrate(&stage);
    start(&stage);
    struct uuid id = order_one(&stage, &integration);
    await_retry(&stage, 1);
    assert_string_equal(order_outcome_words[attempt_of(&stage, &id, 1).outcome], "unknown");
    hurry(&stage);
    await_state(&stage, "accepted", 1);
    end(&stage);
    free(huge);
}

static void an_address_that_is_not_allowed_is_not_fetched_from(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    assert_true(networks_parse(STR("public,private"), &stage.networks));
    struct uuid integration = integrate(&stage);
    start(&stage);
    struct uuid id = order_one(&stage, &integration);
    await_retry(&stage, 1);
    struct order_attempt attempt = attempt_of(&stage, &id, 1);
    assert_string_equal(order_outcome_words[attempt.outcome], "not_sent");
    assert_string_equal(attempt.error, "the address is not allowed");
    assert_int_equal(stage.erp->server->connections, 0);
    end(&stage);
}

/* It was given while the setting was on. */
static void an_http_address_is_not_fetched_from_unless_allowed(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    stage.world.integrations.may_use_http = false;
    start(&stage);
    struct uuid id = order_one(&stage, &integration);
    await_retry(&stage, 1);
    struct order_attempt attempt = attempt_of(&stage, &id, 1);
    assert_string_equal(order_outcome_words[attempt.outcome], "not_sent");
    assert_string_equal(attempt.error,
                        "the address is not https, and the setting HERALD_ERP_ALLOW_HTTP is off");
    assert_int_equal(stage.erp->server->connections, 0);
    assert_int_equal(count_of(&stage, "order_lane WHERE failures = 1"), 1);
    end(&stage);
}

/* As a worker leaves it that died during the fetch. */
static void an_attempt_left_behind_is_followed_by_another(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    struct uuid id = order_one(&stage, &integration);
    sql(&stage, "UPDATE order_delivery SET state = 'delivering', attempts = 1, due_at = 1");
    start(&stage);
    await_state(&stage, "accepted", 1);
    assert_accepted(&stage, &id, 2);
    struct order_attempt attempt = attempt_of(&stage, &id, 1);
    assert_string_equal(order_outcome_words[attempt.outcome], "unknown");
    assert_string_equal(attempt.error, "a worker ended during the fetch");
    assert_string_equal(order_outcome_words[attempt_of(&stage, &id, 2).outcome], "accepted");
    end(&stage);
}

/* It is recorded whatever the order has become meanwhile. */
static void a_late_acceptance_is_true(struct store *store)
{
    const char *const meanwhile[] = {
        "UPDATE order_delivery SET attempts = 2, due_at = due_at + 60000",
        "UPDATE order_delivery SET attempts = 2, state = 'queued', due_at = due_at + 60000,"
        " last_error = 'HTTP 500'",
        "UPDATE order_delivery SET attempts = 2, state = 'failed', due_at = NULL",
        "UPDATE order_delivery SET attempts = 2, state = 'rejected', due_at = NULL,"
        " last_error = 'Closed'",
    };
    for (size_t i = 0; i < COUNT_OF(meanwhile); i++) {
        struct stage stage;
        begin(&stage, store, (struct reaction){.is_slow = true});
        struct uuid integration = integrate(&stage);
        start(&stage);
        struct uuid id = order_one(&stage, &integration);
        await_number(&stage.erp->orders, 1);
        sql(&stage, meanwhile[i]);
        stage.erp->is_let_go = true;
        await_state(&stage, "accepted", 1);
        assert_accepted(&stage, &id, 2);
        end(&stage);
        forget_orders(&stage);
    }
}

/* Two documents: nobody but people can mend that. */
static void a_second_document_is_told(struct store *store)
{
    const char *const known[] = {"d-0", "another"};
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct stage stage;
        begin(&stage, store, (struct reaction){.is_slow = true});
        sql(&stage, "DELETE FROM log_entry");
        struct uuid integration = integrate(&stage);
        start(&stage);
        struct uuid id = order_one(&stage, &integration);
        await_number(&stage.erp->orders, 1);
        sql(&stage, arena_printf(stage.world.arena,
                                 "UPDATE order_delivery SET attempts = 2, state = 'accepted',"
                                 " due_at = NULL, erp_order_id = '%s'",
                                 known[i]));
        stage.erp->is_let_go = true;
        await_count(&stage, "order_attempt WHERE outcome = 'accepted'", 1);
        assert_string_equal(delivery_of(&stage, &id).erp_order_id, known[i]);
        end(&stage);
        assert_int_equal(
            count_of(&stage, "log_entry WHERE level = 3 AND message LIKE '%two documents%'"), i);
        forget_orders(&stage);
    }
}

static void other_late_answers_change_nothing(struct store *store)
{
    const struct reaction late[] = {
        {.is_slow = true, .body = "{\"accepted\":false}"},
        {.is_slow = true, .status = 500, .body = ""},
    };
    for (size_t i = 0; i < COUNT_OF(late); i++) {
        struct stage stage;
        begin(&stage, store, late[i]);
        struct uuid integration = integrate(&stage);
        start(&stage);
        struct uuid id = order_one(&stage, &integration);
        await_number(&stage.erp->orders, 1);
        sql(&stage, "UPDATE order_delivery SET attempts = 2, due_at = due_at + 60000");
        stage.erp->is_let_go = true;
        await_count(&stage, "order_attempt", 1);
        struct order_delivery delivery = delivery_of(&stage, &id);
        assert_int_equal(delivery.state, ORDER_DELIVERING);
        assert_int_equal(delivery.attempts, 2);
        assert_int_equal(count_of(&stage, "order_body"), 1);
        end(&stage);
        forget_orders(&stage);
    }
}

static void what_is_accepted_stays(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.is_slow = true, .body = "{\"accepted\":false}"});
    struct uuid integration = integrate(&stage);
    start(&stage);
    struct uuid id = order_one(&stage, &integration);
    await_number(&stage.erp->orders, 1);
    sql(&stage, "UPDATE order_delivery SET state = 'accepted', due_at = NULL, erp_order_id = 'd'");
    stage.erp->is_let_go = true;
    await_count(&stage, "order_attempt", 1);
    assert_int_equal(delivery_of(&stage, &id).state, ORDER_ACCEPTED);
    assert_string_equal(delivery_of(&stage, &id).erp_order_id, "d");
    end(&stage);
}

/* --- The schedule ----------------------------------------------------------------------------- */

/* Only attempts that failed count, and not those before an operator's retry. */
static void the_schedule_counts_failures(struct store *store)
{
    const struct {
        const char *before;
        bool is_retried;
        int64_t least_ms, most_ms;
    } rows_of_waits[] = {
        {"attempts = 6, state = 'delivering', due_at = 1", false, 700, 1300},
        {"attempts = 870, failures = 870, state = 'failed', due_at = NULL", true, 700, 1300},
        {"attempts = 7, failures = 1", false, 3900, 6100},
        {"attempts = 7, failures = 6", false, 239000, 361000},
    };
    for (size_t i = 0; i < COUNT_OF(rows_of_waits); i++) {
        struct stage stage;
        begin(&stage, store, (struct reaction){.status = 503, .body = "", .makes_none = true});
        struct uuid integration = integrate(&stage);
        struct uuid id = order_one(&stage, &integration);
        sql(&stage, arena_printf(stage.world.arena, "UPDATE order_delivery SET %s",
                                 rows_of_waits[i].before));
        if (rows_of_waits[i].is_retried) retry(&stage, id);
        start(&stage);
        await_number(&stage.erp->orders, 1);
        await_state(&stage, "queued", 1);
        struct order_delivery delivery = delivery_of(&stage, &id);
        int64_t wait_ms = delivery.next_attempt_at - delivery.updated_at;
        if (wait_ms < rows_of_waits[i].least_ms || wait_ms > rows_of_waits[i].most_ms)
            fail_msg("row %zu waits %lld ms", i, (long long)wait_ms);
        end(&stage);
        forget_orders(&stage);
    }
}

/* --- The end of its time ---------------------------------------------------------------------- */

static void after_its_time_an_order_fails_and_can_be_retried(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    stage.erp->first[0] = (struct reaction){.status = 500, .body = "", .makes_none = true};
    stage.erp->first_count = 1;
    struct uuid integration = integrate(&stage);
    struct uuid id = order_one(&stage, &integration);
    sql(&stage, "UPDATE order_delivery SET give_up_at = created_at");
    start(&stage);
    await_state(&stage, "failed", 1);
    assert_int_equal(delivery_of(&stage, &id).next_attempt_at, 0);
    assert_string_equal(delivery_of(&stage, &id).last_error, "HTTP 500");
    assert_int_equal(count_of(&stage, "order_body"), 1);
    sleep_ms(LINGER_MS);
    assert_int_equal(stage.erp->orders, 1);

    retry(&stage, id);
    await_state(&stage, "accepted", 1);
    assert_accepted(&stage, &id, 2);
    end(&stage);
    assert_int_equal(count_of(&stage, "log_entry WHERE level = 3 AND message LIKE 'order failed%'"),
                     1);
}

static void the_last_attempt_is_at_the_end(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.status = 500, .body = ""});
    struct uuid integration = integrate(&stage);
    struct uuid id = order_one(&stage, &integration);
    sql(&stage,
        "UPDATE order_delivery SET attempts = 20, failures = 20, give_up_at = created_at + 20000");
    start(&stage);
    await_retry(&stage, 21);
    struct order_delivery delivery = delivery_of(&stage, &id);
    assert_int_equal(delivery.next_attempt_at, delivery.created_at + 20000);
    end(&stage);
}

/* It asks to be left alone for longer than there is time. */
static void a_wait_beyond_its_time_is_the_end(struct store *store)
{
    struct stage stage;
    begin(&stage, store,
          (struct reaction){.status = 503, .headers = "Retry-After: 60\r\n", .body = ""});
    struct uuid integration = integrate(&stage);
    order_one(&stage, &integration);
    sql(&stage, "UPDATE order_delivery SET give_up_at = created_at + 20000");
    start(&stage);
    await_state(&stage, "failed", 1);
    end(&stage);
}

static void an_order_without_a_body_fails(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    struct uuid id = order_one(&stage, &integration);
    sql(&stage, "DELETE FROM order_body");
    start(&stage);
    await_state(&stage, "failed", 1);
    assert_string_equal(delivery_of(&stage, &id).last_error, "the stored body cannot be read");
    assert_int_equal(stage.erp->orders, 0);
    end(&stage);
}

/* --- The log ---------------------------------------------------------------------------------- */

/* An ERP that sends the order and the token back. */
static void what_is_personal_stays_out_of_the_log(struct store *store)
{
    struct stage stage;
    begin(&stage, store,
          (struct reaction){.status = 401,
                            .body = "{\"error\":{\"message\":\"Anna Karenina +79161234567 "
                                    "Tverskaya 17 Ring twice " ERP_TOKEN "\"}}"});
    struct uuid integration = integrate(&stage);
    start(&stage);
    order_some(&stage, &integration, 3);
    await_count(&stage, "order_attempt", 3);
    stop(&stage);
    assert_true(count_of(&stage, "log_entry") >= 2);
    assert_int_equal(count_said(&stage, "refuses our token"), 1);
    assert_int_equal(count_of(&stage, "log_entry WHERE message LIKE '%refuses our token%' AND "
                                      "level = 3"),
                     1);
    const char *const personal[] = {"Anna",      "Karenina", "9161234567", "1234567",
                                    "Tverskaya", "Ring",     ERP_TOKEN};
    for (size_t i = 0; i < COUNT_OF(personal); i++) {
        const char *where =
            arena_printf(stage.world.arena, "log_entry WHERE fields LIKE '%%%s%%'", personal[i]);
        if (count_of(&stage, where) != 0) fail_msg("the log holds %s", personal[i]);
    }
    end(&stage);
}

int main(void)
{
    const struct store_case cases[] = {
        {"an order becomes a document", an_order_becomes_a_document, 0},
        {"the table of reactions", the_table_of_reactions, 0},
        {"a document made too late is found by the repeat",
         a_document_made_too_late_is_found_by_the_repeat, 0},
        {"an answer that is too large is no answer", an_answer_that_is_too_large_is_no_answer, 0},
        {"an address that is not allowed is not fetched from",
         an_address_that_is_not_allowed_is_not_fetched_from, 0},
        {"an http address is not fetched from unless allowed",
         an_http_address_is_not_fetched_from_unless_allowed, 0},
        {"an attempt left behind is followed by another",
         an_attempt_left_behind_is_followed_by_another, 0},
        {"a late acceptance is true", a_late_acceptance_is_true, 0},
        {"other late answers change nothing", other_late_answers_change_nothing, 0},
        {"a second document is told", a_second_document_is_told, 0},
        {"what is accepted stays", what_is_accepted_stays, 0},
        {"the schedule counts failures", the_schedule_counts_failures, 0},
        {"after its time an order fails and can be retried",
         after_its_time_an_order_fails_and_can_be_retried, 0},
        {"the last attempt is at the end", the_last_attempt_is_at_the_end, 0},
        {"a wait beyond its time is the end", a_wait_beyond_its_time_is_the_end, 0},
        {"an order without a body fails", an_order_without_a_body_fails, 0},
        {"what is personal stays out of the log", what_is_personal_stays_out_of_the_log, 0},
    };
    return store_run_cases("order_job", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
