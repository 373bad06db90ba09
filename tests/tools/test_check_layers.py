"""tools/check_layers on small trees, good and bad, under the real tools/layers.txt."""

import pytest
import tool

GOOD = {
    "src/errors.def": 'ERR(OK, 200, "ok", "Done.")\n',
    "src/kit/base/err.h": '#include "errors.def"\n#include <assert.h>\n',
    "src/kit/json/reader.h": '#include "kit/base/err.h"\n',
    "src/kit/http/server.h": '#include "kit/base/err.h"\n',
    "src/kit/fetch/fetch.h": '#include "kit/base/err.h"\n',
    "src/kit/db/db.h": '#include "kit/base/err.h"\n',
    "src/kit/db/sqlite.c": '#include <sqlite3.h>\nconst char *sql = "SELECT 1";\n',
    "src/kit/job/job.c": '#include "kit/db/db.h"\nconst char *sql = "DELETE FROM job";\n',
    "src/core/request.h": '#include "kit/http/server.h"\n#include "kit/json/reader.h"\n',
    "src/domain/event_log/event_log.h": '#include "kit/db/db.h"\n',
    "src/domain/otp/otp.h": '#include "kit/db/db.h"\n',
    "src/domain/otp/otp.c": '#include "domain/otp/otp.h"\n#include "domain/event_log/event_log.h"\n',
    "src/domain/otp/otp_db.c": """\
        #include "domain/otp/otp.h"
        const char *sql = "INSERT INTO otp (id) "
                          "VALUES ($1)";
        """,
    "src/domain/otp/otp_http.c": '#include "core/request.h"\n#include "domain/otp/otp.h"\n',
    "src/domain/otp/otp_job.c": '#include "kit/fetch/fetch.h"\n#include <curl/curl.h>\n',
    "src/app/jobs/worker.c": '#include <curl/curl.h>\n#include "domain/otp/otp.h"\n',
    "src/app/api/routes.h": '#include "core/request.h"\n',
    "src/main.c": '#include "app/api/routes.h"\n',
    "sim/phone/phone.h": '#include "kit/json/reader.h"\n',
    "sim/phone/phone.c": '#include "phone.h"\n#include <curl/curl.h>\n',
    "tests/unit/otp_test.c": '#include "domain/otp/otp.h"\nconst char *sql = "SELECT 1";\n',
}


def check(root, changes=None, rules=None):
    layers = (tool.ROOT / "tools" / "layers.txt").read_text(encoding="utf-8")
    tool.write(root, {**GOOD, **(changes or {}), "tools/layers.txt": rules or layers})
    return tool.run("check_layers", root)


def test_this_tree_keeps_its_layers():
    status, lines = tool.run("check_layers")
    assert status == 0, lines


def test_good_tree_passes(tmp_path):
    status, lines = check(tmp_path)
    assert (status, lines) == (0, [f"check_layers: {len(GOOD)} files, 0 faults"])


BAD = {
    "kit knows the domain": (
        {"src/kit/db/db.c": '/* why\n */\n#include "domain/otp/otp.h"\n'},
        ["src/kit/db/db.c:3:", "kit/db -> domain/otp", "move the code"],
    ),
    "kit knows the app": (
        {"src/kit/base/err.c": '#include "app/api/routes.h"\n'},
        ["src/kit/base/err.c:1:", "kit/base -> app"],
    ),
    "an arrow between rooms of the kit": (
        {"src/kit/json/reader.c": '#include "kit/http/server.h"\n'},
        ["src/kit/json/reader.c:1:", "kit/json -> kit/http"],
    ),
    "a domain that runs back": (
        {"src/domain/event_log/event_log.c": '#include "domain/otp/otp.h"\n'},
        ["src/domain/event_log/event_log.c:1:", "domain/event_log -> domain/otp"],
    ),
    "a domain knows the app": (
        {"src/domain/otp/otp_http.c": '\n#include "app/api/routes.h"\n'},
        ["src/domain/otp/otp_http.c:2:", "domain/otp -> app"],
    ),
    "the simulator knows the domain": (
        {"sim/phone/phone.c": '#include "domain/otp/otp.h"\n'},
        ["sim/phone/phone.c:1:", "sim -> domain/otp"],
    ),
    "SQL among the rules": (
        {"src/domain/otp/otp.c": 'int a;\nconst char *sql =\n    "UPDATE otp SET state = $2";\n'},
        ["src/domain/otp/otp.c:3:", "SQL text (UPDATE", "*_db.c"],
    ),
    "SQL in a handler": (
        {"src/domain/otp/otp_http.c": 'const char *sql = "SELECT id FROM otp";\n'},
        ["src/domain/otp/otp_http.c:1:", "SQL text (SELECT"],
    ),
    "SQL in the app": (
        {"src/app/jobs/worker.c": 'const char *sql = "WITH due AS (SELECT 1) SELECT 2";\n'},
        ["src/app/jobs/worker.c:1:", "SQL text (WITH"],
    ),
    "SQL in the JSON reader": (
        {"src/kit/json/reader.c": 'const char *sql = "DELETE FROM otp";\n'},
        ["src/kit/json/reader.c:1:", "SQL text (DELETE"],
    ),
    "curl among the rules": (
        {"src/domain/otp/otp.c": "#include <curl/curl.h>\n"},
        ["src/domain/otp/otp.c:1:", "<curl/curl.h>"],
    ),
    "curl in a transaction": (
        {"src/domain/otp/otp_http.c": "#include <curl/multi.h>\n"},
        ["src/domain/otp/otp_http.c:1:", "<curl/multi.h>"],
    ),
    "a call out in a transaction": (
        {"src/domain/otp/otp_http.c": '#include "kit/fetch/fetch.h"\n'},
        ["src/domain/otp/otp_http.c:1:", "domain/otp/otp_http.c -> kit/fetch/fetch.h"],
    ),
    "an engine outside kit/db": (
        {"src/domain/otp/otp_db.c": "#include <sqlite3.h>\n"},
        ["src/domain/otp/otp_db.c:1:", "<sqlite3.h>"],
    ),
    "JSON among the rules": (
        {"src/domain/otp/otp.c": '#include "kit/json/reader.h"\n'},
        ["src/domain/otp/otp.c:1:", "domain/otp/otp.c -> kit/json/reader.h"],
    ),
    "HTTP among the rules": (
        {"src/domain/otp/otp.c": '#include "kit/http/server.h"\n'},
        ["src/domain/otp/otp.c:1:", "domain/otp/otp.c -> kit/http/server.h"],
    ),
    "a header by its short path": (
        {"src/domain/otp/otp.c": '#include "otp.h"\n'},
        ["src/domain/otp/otp.c:1:", 'write "domain/otp/otp.h"'],
    ),
    "a header that is not there": (
        {"src/domain/otp/otp.c": '#include "domain/otp/gone.h"\n'},
        ["src/domain/otp/otp.c:1:", '"domain/otp/gone.h"'],
    ),
    "a room without a row": (
        {"src/domain/weather/weather.c": "int a;\n"},
        ["src/domain/weather/weather.c:1:", "add a row"],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_fault_is_named(tmp_path, name):
    changes, wanted = BAD[name]
    status, lines = check(tmp_path, changes)
    assert status == 1
    assert len(lines) == 2, lines
    assert all(part in lines[0] for part in wanted), lines[0]
    assert lines[1].endswith(" 1 faults")


CIRCLE = {
    "src/domain/otp/otp.c": 'enum err otp_send(int a)\n{\n    return otp_list(a);\n}\n',
    "src/domain/otp/otp_list.c": (
        "static int twice(int a)\n{\n    return a + a;\n}\n\n"
        "int otp_list(int a)\n{\n    return twice(a) ? otp_ask(a) : 0;\n}\n"
    ),
    "src/domain/otp/otp_ask.c": "int otp_ask(int a)\n{\n    return otp_send(a - 1);\n}\n",
}


def rules_that_bear_no_circle():
    layers = (tool.ROOT / "tools" / "layers.txt").read_text(encoding="utf-8")
    return "".join(row for row in layers.splitlines(True) if not row.startswith("circle"))


def test_circle_of_files_is_named_with_what_ties_it(tmp_path):
    status, lines = check(tmp_path, CIRCLE, rules=rules_that_bear_no_circle())
    assert status == 1 and len(lines) == 2, lines
    assert lines[0].startswith("src/domain/otp/otp.c:1: is in a circle of 3 files ")
    assert "domain/otp/otp_ask.c calls otp_send of domain/otp/otp.c" in lines[0]


def test_circle_that_the_rules_bear_is_none(tmp_path):
    borne = rules_that_bear_no_circle() + "circle domain/otp/otp_ask.c: it answers by itself\n"
    assert check(tmp_path, CIRCLE, rules=borne)[0] == 0


def test_same_name_in_text_or_static_is_no_circle(tmp_path):
    changes = {
        **CIRCLE,
        "src/domain/otp/otp_ask.c": (
            "static int otp_send(int a)\n{\n    return a;\n}\n\n"
            "int otp_ask(int a)\n{\n    return say(\"otp_list\", a); /* otp_list */\n}\n"
        ),
    }
    changes["src/domain/otp/otp.c"] = "int otp_send_all(int a)\n{\n    return otp_list(a);\n}\n"
    assert check(tmp_path, changes)[0] == 0


def test_comments_and_plain_words_are_no_faults(tmp_path):
    harmless = """\
        /* "SELECT 1" and
         * #include "app/api/routes.h"
         */
        // #include <curl/curl.h>
        const char quote = '"'; /* a quote opens no string: "UPDATE x" */
        const char *hint = "UPDATED by an operator; SELECTED \\"DELETE FROM x\\"";
        """
    assert check(tmp_path, {"src/domain/otp/otp.c": harmless})[0] == 0


def test_build_folders_are_not_looked_at(tmp_path):
    assert check(tmp_path, {"build-san/src/main.c": '#include "nowhere.h"\n'})[0] == 0


@pytest.mark.parametrize(
    "rules, wanted",
    [
        ("room kit/db: kit/base\nroom kit/base:\n", "line 1: kit/db names kit/base"),
        ("room kit/base:\nroom kit/base:\n", "line 2: room kit/base has a row already"),
        ("# rooms\nkit/base -> nothing\n", "line 2: write"),
    ],
)
def test_wrong_rules_are_named(tmp_path, rules, wanted):
    status, lines = check(tmp_path, rules=rules)
    assert status == 1
    assert len(lines) == 1 and lines[0].startswith(f"tools/layers.txt: {wanted}"), lines
