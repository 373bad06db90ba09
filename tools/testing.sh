# shellcheck shell=sh
# The tests of ./dev: its parts, the gate, and everything. dev reads this; it is no command.

# step NAME COMMAND...: shows and keeps what the runner prints, how it ended and after how long.
step() {
    name=$1
    shift
    say "$name"
    begun=$(date +%s)
    {
        status=0
        ( # what begins so is a setting to herald, so no other command has it
            export HERALD_TEST_JOURNAL="$results/$name.tests"
            "$@"
        ) 2>&1 || status=$?
        echo "$status $(($(date +%s) - begun))" >"$results/$name.status"
    } | tee "$results/$name.log"
}

# fetched PART COMMAND...: has what a part needs fetched. Returns 1 where it cannot be had: the part is
# NOT RUN where tools/fetch says that a registry is to blame, and a failed step otherwise.
fetched() {
    part=$1
    shift
    status=0
    fetch_log=$results/$part.fetch
    limit 1800 "$@" >"$fetch_log" 2>&1 || status=$?
    [ "$status" -ne 0 ] || return 0
    if [ "$status" -eq 75 ]; then
        echo "what it needs could not be fetched; see $fetch_log" >"$results/$part.not-run"
    else
        mv "$fetch_log" "$results/$part.log"
        echo "$status" >"$results/$part.status"
    fi
    return 1
}

# limit SECONDS COMMAND...: ends a run that hangs, with all its children. At a terminal they stay in
# the foreground, where Ctrl-C reaches them.
limit() {
    seconds=$1
    shift
    if [ -t 0 ]; then
        timeout --foreground -k 30 "$seconds" "$@"
    else
        timeout -k 30 "$seconds" "$@"
    fi
}

# units BUILD-FOLDER OPTION [WRAPPER...]: more at once than cores, since many wait. The option is
# meson's ('' for none). What meson keeps to its log, the assertions that failed, is shown too.
units() {
    programs=$1
    option=$2
    shift 2
    # shellcheck disable=SC2086 # a word or none
    limit 1200 "$@" tools/with_postgres --no-fsync \
        meson test -C "$programs" --no-rebuild --num-processes 6 --print-errorlogs $option && return
    grep -h -A 3 '^not ok ' "$programs"/meson-logs/testlog*.txt
    return 1
}

# The thread sanitizer wants addresses for itself that Linux, which shuffles them, may give away.
unshuffled() {
    if setarch -R true 2>/dev/null; then echo setarch -R; fi
}

export TSAN_OPTIONS="suppressions=$root/tests/threads.supp"

crash_rounds= # as the tests have it
tier=         # every test

# What a step of scenarios may take; they take less than a fifth of it, and 100 files are a step: each
# begins with a server and six empty processes, and ends with those that wait for the last one.
scenario_seconds=3600

# Scenarios mostly wait, so there are more at once than cores: four leave half of two idle. A file's
# scenarios on one engine share a herald, and stay together.
at_once='-n 6 --dist loadgroup'

# Of the console: a walk over its pages takes up to five minutes, and two go at once. The gate has some of them.
console_looks= # each role in each language and scheme: HERALD_CONSOLE_ALL=1
console_seconds=1800

# scenarios BUILD-FOLDER PYTEST-ARGUMENT...: against the programs in that folder, on both engines.
scenarios() {
    programs=$root/$1
    shift
    # shellcheck disable=SC2086 # a word or none
    limit "$scenario_seconds" tools/with_postgres --no-fsync env HERALD_TEST_REQUIRE_POSTGRES=1 $crash_rounds \
        HERALD_TEST_TIER="$tier" HERALD_BINARY="$programs/herald" python3 -m pytest -p no:cacheprovider "$@"
}

test_units() {
    build_sanitized
    step 'unit-sanitized' units build-san ''
    step 'unit-tools' limit 600 python3 -m pytest -q -p no:cacheprovider -n 4 tests/tools
    step 'unit-sim' limit 600 env HERALD_PROVIDER="$root/build-san/sim/provider" \
        HERALD_SIM_ERP="$root/build-san/sim/erp" HERALD_SIM_HOOK="$root/build-san/sim/hook" \
        python3 -m pytest -q -p no:cacheprovider -n 4 tests/sim
}

test_scenarios() {
    build_sanitized
    no_console=
    if ! has_console build-san; then
        echo 'herald was built without it; its registry could not be reached' >"$results/console-scenarios.not-run"
        no_console=$(grep -l 'harness.console' tests/scenario/test_*.py | sed 's/^/--ignore=/')
    fi
    if [ $# -gt 0 ]; then # a part that was asked for goes one by one
        # shellcheck disable=SC2086 # a list of words
        step 'scenario' scenarios build-san $no_console tests/scenario "$@"
        return
    fi
    number=0
    for files in $(printf '%s\n' tests/scenario/test_*.py | xargs -n 100 | tr ' ' ','); do
        number=$((number + 1))
        # shellcheck disable=SC2046,SC2086 # lists of words
        step "scenario-$number" scenarios build-san $at_once $no_console $(echo "$files" | tr ',' ' ')
    done
}

has_console() {
    ! grep -q 'console_file_count = 0' "$1/console/console.c"
}

# USB modems: against Debian's own ModemManager on a D-Bus of its own.
test_modems() {
    build_sanitized
    step 'modem' limit 600 env HERALD_TEST_TIER="$tier" HERALD_BINARY="$root/build-san/herald" \
        python3 -m pytest -q -p no:cacheprovider -n 4 tests/modem "$@"
}

# OAuth clients that nobody here wrote, from their own registries.
test_tokens() {
    # shellcheck disable=SC2086
    need 'to test tokens' $packages_venv
    need_npm 'to test tokens'
    need_go 'to test tokens'
    build_sanitized
    fetched 'tokens' tools/install_judges tests/tokens build/tokens || return 0
    step 'tokens' scenarios build-san tests/tokens "$@"
}

# Receivers of webhooks that stand on the libraries of Standard Webhooks.
test_webhooks() {
    # shellcheck disable=SC2086
    need 'to test webhooks' $packages_venv
    need_npm 'to test webhooks'
    build_sanitized
    fetched 'webhooks' tools/install_judges tests/webhooks build/webhooks || return 0
    step 'webhooks' scenarios build-san tests/webhooks "$@"
}

# The OpenAPI document and the service, each against the other. At full speed: most of the time goes
# into making requests.
test_schema() {
    # shellcheck disable=SC2086
    need 'to test the OpenAPI document' $packages_venv
    build_release
    fetched 'schema' tools/install_venv tests/schema/requirements.txt build/schema || return 0
    [ $# -gt 0 ] || set -- -n 2 # each engine has a core
    step 'schema' scenarios build tests/schema "$@"
}

# Clients that generators make of the OpenAPI document, and the Bruno collection, against the service.
test_clients() {
    # shellcheck disable=SC2086
    need 'to test generated clients' $packages_venv
    need_npm 'to test generated clients'
    need_go 'to test generated clients'
    build_release
    fetched 'clients' tools/make_clients build/herald build/clients || return 0
    step 'clients' scenarios build tests/clients "$@"
}

# The console: its types and sentences, and Chromium on every page. At full speed, as people use it.
test_console() {
    # shellcheck disable=SC2086
    need 'to test the console' $packages_console
    need_npm 'to test the console'
    build_release
    fetched 'console' tools/install_console_tests build/console-tests || return 0
    if ! has_console build; then
        echo 'herald was built without it; its registry could not be reached' >"$results/console.not-run"
        return 0
    fi
    # shellcheck disable=SC2086 # a word or none
    step 'console' limit "$console_seconds" env HERALD_TEST_TIER="$tier" HERALD_BINARY="$root/build/herald" \
        HERALD_CONSOLE_SHOTS="$results/console-shots" $console_looks \
        python3 -m pytest -p no:cacheprovider -n 2 -c tests/console/pytest.ini tests/console "$@"
}

# Some of what crosses threads most, under their sanitizer; but not where the monotonic clock is
# moved, which its own waits do not know of. It makes the processes of a cluster so slow that no more
# than four scenarios go at once.
test_threads() {
    build_threads
    # shellcheck disable=SC2046 # two words or none
    step 'unit-threads' units build-tsan --no-suite=alone $(unshuffled)
    step 'scenario-threads' scenario_threads
}

scenario_threads() {
    # shellcheck disable=SC2046 # words
    limit 600 $(unshuffled) tools/with_postgres --no-fsync env HERALD_TEST_REQUIRE_POSTGRES=1 \
        HERALD_BINARY="$root/build-tsan/herald" python3 -m pytest -q -p no:cacheprovider \
        -n 4 --dist loadgroup \
        tests/scenario/test_races.py tests/scenario/test_erp_races.py \
        tests/scenario/test_logs.py tests/scenario/test_log_crowd.py \
        tests/scenario/test_order_lanes.py tests/scenario/test_stop.py \
        -k 'not test_outage_and_its_end_are_told'
}

# What sanitizers cannot tell, since they keep memory of their own. Memory that runs out while a body is
# read does not hang on the engine, so the gate has it on one.
few=
test_release_scenarios() {
    build_release
    # shellcheck disable=SC2086 # a list of words
    step 'scenario-release' scenarios build $at_once -k "$few" \
        tests/scenario/test_erp_hostile.py tests/scenario/test_dropped.py \
        tests/scenario/test_unread.py tests/scenario/test_hardening.py \
        tests/scenario/test_memory.py tests/scenario/test_small_limits.py \
        tests/scenario/test_metrics_cost.py
    step 'modem-release' limit 600 env HERALD_BINARY="$root/build/herald" \
        python3 -m pytest -q -p no:cacheprovider tests/modem/test_crowd.py
    step 'walk' limit 600 env HERALD_BUILD="$root/build" \
        python3 -m pytest -q -p no:cacheprovider tests/walk
}

# The races and crashes at full speed, where they meet differently, and 20 crashes each; of packages
# twice as many; campaigns have more. Power cuts ask the disk, which is no other at full speed, and the
# gate has some.
test_release_crashes() {
    build_release
    crash_rounds="HERALD_CRASH_ROUNDS=${HERALD_CRASH_ROUNDS:-20}"
    # shellcheck disable=SC2086 # a list of words
    step 'crashes-release' scenarios build $at_once -k 'not power_cut' \
        tests/scenario/test_crash.py tests/scenario/test_channel_crash.py \
        tests/scenario/test_races.py tests/scenario/test_catalog_crash.py \
        tests/scenario/test_order_crash.py
    crash_rounds=
}

test_memcheck() {
    build_release
    step 'memcheck' memcheck
}

# What sanitizers do not see: memory that nobody set. SQLite's half, since valgrind takes its time.
memcheck() {
    limit 900 env HERALD_BINARY="$root/tools/herald_memcheck" \
        HERALD_PROVIDER="$root/build/sim/provider" HERALD_SIM_ERP="$root/build/sim/erp" \
        python3 -m pytest -q -p no:cacheprovider -n 4 --dist loadgroup -k sqlite \
        tests/scenario/test_otp.py tests/scenario/test_fallback.py tests/scenario/test_logs.py \
        tests/scenario/test_catalog_apply.py tests/scenario/test_order_answers.py \
        tests/scenario/test_tokens.py
}

# test_gate TIER: 'gate' for what tests/tiers.txt has in the gate, '' for all scenarios.
test_gate() {
    test_units
    tier=$1
    test_scenarios
    test_console
    test_modems
    few=${tier:+not (grow_in_memory and postgres)}
    tier=
    test_webhooks
    test_clients
    test_release_scenarios
}

do_test() {
    part=${1:-gate}
    [ $# -eq 0 ] || shift
    # shellcheck disable=SC2086
    need 'to test' $packages_build $packages_modem $packages_test $packages_modem_test
    # Each pytest writes down what it does (tests/journal.py), leaves out what is not in the gate where
    # that is wanted (tests/tiers.py), ends a test that takes ten minutes, and stops after 20 failures.
    export PYTHONPATH="$root/tests" PYTEST_ADDOPTS='-p journal -p tiers --timeout=600 --maxfail=20'
    mkdir -p "$results"
    find "$results" -type f ! -name 'check-*.not-run' -delete
    case $part in
    unit) test_units ;;
    scenario) test_scenarios "$@" ;;
    modem) test_modems "$@" ;;
    tokens) test_tokens "$@" ;;
    webhooks) test_webhooks "$@" ;;
    schema) test_schema "$@" ;;
    clients) test_clients "$@" ;;
    console) test_console "$@" ;;
    threads) test_threads ;;
    gate) test_gate gate ;;
    full)
        console_looks=HERALD_CONSOLE_ALL=1
        console_seconds=5400
        do_check full
        test_gate ''
        test_schema
        test_tokens
        test_threads
        test_release_crashes
        test_memcheck
        ;;
    *) fail "no such part of the tests: $part (unit, scenario, modem, tokens, webhooks, schema, clients, console, threads, full, or nothing for the gate)" ;;
    esac
    echo
    tools/second_look "$results" unit-sanitized=build-san unit-threads=build-tsan
    tools/sum_tests "$results"
}
