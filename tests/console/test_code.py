"""The modules of the console: their types, their sentences, their size."""

import functools
import gzip
import json
import re
import shutil
import subprocess
from collections import Counter

import pytest
from conftest import CONSOLE, FOLDER, ROOT
from harness.console import fetch_file
from harness.site import BINARY, clean_environment

MODULES = sorted(p for p in CONSOLE.rglob("*.js") if "node_modules" not in p.parts)
WORDS = sorted((CONSOLE / "words").glob("*.js"))
LINES_MAX = 300
GZIP_MAX = 150 * 1024


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, env=clean_environment(), capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def read_area(path):
    text = path.read_text(encoding="utf-8")
    body = text[text.index("= {") + 2 : text.rindex("};") + 1]
    plain = re.sub(r"^\s*//.*$", "", body, flags=re.M)
    return json.loads(re.sub(r",(\s*})", r"\1", plain), object_pairs_hook=list)


def read_sentences():
    rows = [row for path in WORDS for row in read_area(path)]
    assert len(dict(rows)) == len(rows), [key for key, n in Counter(key for key, _ in rows).items() if n > 1]
    return dict(rows)


# Words of the API, and the group of sentences that has one for each of them.
SAID = (("OTPChallenge", "state", "otp"), ("OTPChallenge", "channel", "channel"),
        ("TimelineStep", "step", "step"), ("TimelineStep", "outcome", "outcome"),
        ("Challenge", "state", "call"), ("Message", "state", "message"),
        ("Message", "channel", "channel"),
        ("OrderDelivery", "state", "order"), ("DeviceAccount", "state", "messenger"),
        ("ERPEventDetails", "status", "package"),
        ("ERPEventDetails", "event_type", "kind"), ("OrderAttempt", "outcome", "outcome"),
        ("CatalogVariant", "measure_unit", "unit"), ("Trouble", "kind", "trouble"),
        ("LogEntry", "level", "level"), ("Operator", "role", "frame.role"))
# Words of the audit, which stand in the program alone.
OF_THE_AUDIT = ("deed", "target")


@functools.cache
def schemas():
    return json.loads(run(str(BINARY), "openapi", cwd=ROOT))["components"]["schemas"]


def words_of(schema, name):
    found = json.dumps(schemas()[schema]["properties"][name])
    listed = re.search(r'"enum": (\[[^\]]*\])', found)
    return json.loads(listed[1]) if listed else schemas()[re.search(r"schemas/(\w+)", found)[1]]["enum"]


def words_of_enums():
    return {word for found in re.findall(r'"enum": (\[[^\]]*\])', json.dumps(schemas())) for word in json.loads(found)}


def words_of_program():
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.[ch]"))
    return set(re.findall(r'"(\w+(?:\.\w+)?)"', text))


def codes_of_errors():
    """And the reasons that stand beside some."""
    text = (ROOT / "src" / "errors.def").read_text(encoding="utf-8")
    return set(re.findall(r'[ (]"(\w+)",', text))


def read_uses():
    """What the modules say, as far as it is written out; and the beginning and the end of what they put together,
    with the words of that module, of which one may stand between the two."""
    keys, forms = set(), {}
    for path in MODULES:
        if path in WORDS:
            continue
        text = path.read_text(encoding="utf-8")
        keys |= set(re.findall(r'"([a-z]+(?:\.[a-zA-Z_]+)+)"', text))
        own = set(re.findall(r'"([\w-]+)"|\b(\w+):', text))
        parts = re.findall(r"`([a-z_.]+\.)\$\{[^}]*\}([a-z_.]*)`", text)
        parts += [(f"{name}.", "") for name in re.findall(r'(?:group=|wordsOf\(|sayWord\()(?:[^"()]*\? )?"([a-z]+)"', text)]
        if "sayWord(GROUPS" in text or "KINDS[" in text:  # which name groups in a table of their own
            parts += [(f"{name}.", "") for name in re.findall(r': "([a-z]+)"', text)]
        for part in parts:
            forms.setdefault(part, set()).update(*own)
    return keys, forms


def used_keys(sentences):
    keys, forms = read_uses()
    known = {}
    for schema, name, group in SAID:
        known.setdefault(group, set()).update(words_of(schema, name))
    known |= dict.fromkeys(OF_THE_AUDIT, words_of_program())
    known["refused"] = codes_of_errors() | {"title", "log"}
    known["refusal"] = codes_of_errors()
    enums = words_of_enums()
    for (begin, end), own in forms.items():
        words = known.get(begin[:-1], enums | own)
        keys |= {key for key in sentences if key.startswith(begin) and key.endswith(end) and key[len(begin):len(key) - len(end)] in words}
    return keys


def test_types(tmp_path):
    """tsc over JSDoc, with the types of the OpenAPI document."""
    shutil.copytree(CONSOLE, tmp_path / "console", ignore=shutil.ignore_patterns("node_modules"))
    shutil.copy(ROOT / "tests" / "console" / "tsconfig.json", tmp_path)
    (tmp_path / "openapi.json").write_text(run(str(BINARY), "openapi", cwd=tmp_path))
    tools = FOLDER / "node_modules" / ".bin"
    run(tools / "openapi-typescript", "openapi.json", "-o", "console/openapi.d.ts", cwd=tmp_path)
    run(tools / "tsc", "-p", "tsconfig.json", cwd=tmp_path)


def test_no_sentence_is_missing_or_unused():
    sentences = read_sentences()
    areas = {name.split(".")[0] for name in sentences}
    written, _ = read_uses()
    assert {key for key in written if key.split(".")[0] in areas and key not in sentences and "herald" not in key} == set()
    assert set(sentences) - used_keys(sentences) == set()


def test_a_sentence_that_nobody_says_is_found():
    """Also one of a group of which the others are said."""
    more = dict.fromkeys(("fleet.all", "otp.failed", "trouble.sim_silent.why", "nobody.says"), ["", ""])
    assert set(more) - used_keys(more) == set(more)


@pytest.mark.parametrize("key, row", read_sentences().items())
def test_sentence_is_whole_in_both_languages(key, row):
    assert len(row) in (2, 5), key
    half = len(row) // 2 + len(row) % 2
    russian, english = row[:half], row[half:]
    names = [set(re.findall(r"\{(\w+)\}", text)) for text in row]
    assert all(text.strip() == text and text for text in row), key
    assert set().union(*names[:half]) == set().union(*names[half:]), key
    assert not any(re.search("[а-яё]", text.lower()) for text in english) or key == "frame.language"
    assert not any('"' in text for text in russian), f"{key}: quotes are « »"


def test_no_sentence_sends_to_the_command_line():
    """What can be done is done on a page: who reads it may never have used a terminal."""
    assert [key for key, row in read_sentences().items() if any("herald admin" in text for text in row)] == []


def test_every_word_of_a_state_has_its_sentence():
    """States of codes, of sends and steps of timelines are words of the API."""
    sentences = read_sentences()
    missing = {f"{group}.{word}" for schema, name, group in SAID for word in words_of(schema, name)} - set(sentences)
    assert missing <= {"frame.role.core"}, missing


def test_no_module_is_too_long():
    for path in MODULES:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES_MAX, path.name


def test_all_together_is_light(site, console):
    _, _, page = fetch_file(console[1], "/console/")
    folder = re.search(r'"([0-9a-f]{12})/', page.decode())[1]
    total = len(gzip.compress(page))
    names = [p.relative_to(CONSOLE).as_posix() for p in CONSOLE.rglob("*")
             if p.suffix in (".js", ".css", ".svg") and "node_modules" not in p.parts]
    for name in [*names, "lib/preact.js", "lib/uplot.js", "lib/uplot.css"]:
        status, _, body = fetch_file(console[1], f"/console/{folder}/{name}", Accept_Encoding="gzip")
        assert status == 200, name
        total += len(body)
    assert total <= GZIP_MAX, total
