"""The console proves the chain of the audit as the contract has it (section 10.3)."""

import copy
import hashlib
import json
import shutil
import subprocess

import pytest

from conftest import CONSOLE, ROOT
from harness.tools import fresh_key

ODD_NAME = 'Анна "\\</script> \u2028\u0085\u007f\u202e𝄞'


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """The two modules as node imports them."""
    folder = tmp_path_factory.mktemp("modules")
    for name in ("blake2b", "chain"):
        text = (CONSOLE / f"{name}.js").read_text(encoding="utf-8")
        (folder / f"{name}.mjs").write_text(text.replace("blake2b.js", "blake2b.mjs"))
    return folder


def run_node(script, *arguments, given=""):
    done = subprocess.run(["node", script, *map(str, arguments)], input=given, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def chain(site):
    """The pages of a chain, each by the cursor that asks for it; records with all kinds of text."""
    core = site.core()
    for number in range(5):
        made = core.post("/internal/v1/api-keys", {"name": f"{ODD_NAME} {number}", "role": "core"})
        core.request("POST", f"/internal/v1/api-keys/{made.expect(201)['id']}/revoke").expect(204)
    pages, cursor = {}, ""
    while cursor is not None:
        page = core.audit(f"?limit=4&cursor={cursor}" if cursor else "?limit=4").expect(200)
        pages[cursor] = page
        cursor = page["next_cursor"]
    assert len(pages) > 2
    return pages


def prove(modules, *chains):
    assert shutil.which("node")
    return run_node(ROOT / "tests" / "console" / "chain.mjs", modules, given=json.dumps(chains))


def test_hash_is_blake2b(modules, tmp_path):
    lengths = [0, 1, 8, 127, 128, 129, 255, 256, 257, 1000]
    script = tmp_path / "hash.mjs"
    script.write_text(f"""
        import {{ blake2b }} from {json.dumps((modules / "blake2b.mjs").as_uri())};
        const bytes = (length) => Uint8Array.from({{ length }}, (_, index) => (index * 7 + length) % 256);
        console.log(JSON.stringify({lengths}.map((length) => blake2b(bytes(length)))));
    """)
    wanted = [hashlib.blake2b(bytes((i * 7 + n) % 256 for i in range(n)), digest_size=32).hexdigest()
              for n in lengths]
    assert run_node(script) == wanted


def test_chain_that_nobody_touched_is_whole(modules, chain):
    verdict, = prove(modules, chain)
    count = sum(len(page["records"]) for page in chain.values())
    assert verdict == {"checked": count, "faults": [], "isDone": True}


def tampered(chain, change):
    """The chain after a change of its records, as one list."""
    pages = copy.deepcopy(chain)
    rows = [record for page in pages.values() for record in page["records"]]
    seq = change(rows)
    first = next(iter(pages.values()))
    return {"": {**first, "records": rows, "next_cursor": None}}, seq


def change_text(rows):
    rows[3]["changes"][0]["to"] = "somebody else"
    return rows[3]["seq"]


def change_actor(rows):
    rows[5]["actor"]["name"] = "innocent"
    return rows[5]["seq"]


def remove_one(rows):
    del rows[4]
    return rows[3]["seq"]


def remove_newest(rows):
    return rows.pop(0)["seq"]


def remove_all(rows):
    newest = rows[0]["seq"]
    rows.clear()
    return newest


def swap_two(rows):
    rows[2], rows[3] = rows[3], rows[2]
    return rows[3]["seq"]


def forge(rows):
    """A record with a hash of its own does not fit the one behind it."""
    rows[4]["action"], rows[4]["hash"] = "otp.reveal", hashlib.sha256(fresh_key().encode()).hexdigest()
    return rows[3]["seq"]


@pytest.mark.parametrize("change", [change_text, change_actor, remove_one, remove_newest, remove_all,
                                    swap_two, forge])
def test_what_was_tampered_with_is_named(modules, chain, change):
    pages, seq = tampered(chain, change)
    verdict, = prove(modules, pages)
    assert seq in verdict["faults"], verdict
