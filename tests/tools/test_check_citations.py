"""tools/check_citations on a small contract: each form of a citation, and each fault."""

import pytest
import tool

CONTRACT = """\
    # The contract
    ## Doc A
    ### Doc A, section 1: what it does
    1. A fleet of phones.
    2. Calls.
    ### Doc A, section 4: operations
    #### Phone fleet
    #### Log stream and health
    **Log stream.** Entries come as events.
    ## Doc B
    ### Doc B, section 5: authentication
    1. One.
    2. Two.
    ## The contract
    ### Contract, section 1: conventions
    #### Keys
    #### Exception 1: faults in a package
    ### Contract, section 2: records
    | OTPChallenge | a code |
    #### Rule 1: choosing
    #### Rule 2: one at a time
    #### Rule 3: three
    ### Contract, section 3: channels
    ### Contract, section 10: keys
    #### 10.1 Keys
    #### 10.2 Roles
"""


def check(root, comment, name="src/a.c", contract=CONTRACT):
    tool.write(root, {"docs/contract.md": contract, name: comment})
    return tool.run("check_citations", root)


def test_this_tree_keeps_its_citations():
    status, lines = tool.run("check_citations")
    assert status == 0, lines


GOOD = [
    "doc A, section 4",
    "doc A, sections 1 and 4",
    "doc A, sections 1, 4",
    'doc A, section 4 "Phone fleet"',
    'doc A, section 4, "Log stream" and "Phone fleet"',
    'doc A, section 4 "phone\n * fleet"; contract, section 2',
    "doc A, section 1 (2)",
    "doc B, section 5.2; doc B section 5, rule 1",
    "contract, sections 1 to 3",
    "contract, section 2, rules 1, 2 and 3",
    "contract, section 2, rules 1 to 3, and section 3",
    "contract, section 2,\n * rule 2",
    "Contract, section 1, exception 1",
    "contract, section 1, Keys",
    "contract, section 2, OTPChallenge.sends",
    'the contract (section 1 "Keys")',
    "contract, section 10.2",
    "the contract says so, and so does doc B",
    "contract, section 2, rule 1; the same goes for rule 3",
    "RFC 6749, section 5.2; RFC 9112, section 6.3, rule 4; 3GPP TS 23.038, section 6.2.1",
    "RFC 9112, section 6.3 (section 6.1)",
    "contract_error, a word of the API",
]


@pytest.mark.parametrize("citation", GOOD)
def test_good_citation_passes(tmp_path, citation):
    status, lines = check(tmp_path, f"/*\n * Why ({citation}).\n */\nint a;\n")
    assert status == 0, lines
    assert lines == ["check_citations: 2 files, 0 faults"]


BAD = {
    "contract, section 4": "has only sections 1, 2, 3, 10 of it",
    "doc B, section 4": "has only sections 5 of it",
    "contract, sections 1 to 4": "cites contract, section 4,",
    "contract, section 2, rule 4": "has no rule 4 there",
    "contract, section 2, rules 1 to 4": "has no rule 4 there",
    "contract, section 2, rule 1, and section 8": "cites contract, section 8,",
    "contract, section 10.3": "cites contract, section 10, rule 3,",
    "doc B, section 5.3": "cites doc B, section 5, rule 3,",
    "contract, section 1, exception 2": "has none of that number there",
    'doc A, section 4 "Messages"': "has no such title there",
    'doc A, section 1 "Phone fleet"': "has no such title there",
    "contract, section 2, rule 1; and rule 4": "has no rule 4 there",
    "contract, 10.1": '"contract, 10.1" is no citation',
    "contract 2, rule 1": '"contract 2, rule 1" is no citation',
    "contract-2 section 10.1": '"contract-2 section 10.1" is no citation',
    "doc A 4": '"doc A 4" is no citation',
    "contract, rule 1": '"contract, rule 1" is no citation',
    "rule 1": '"rule 1" does not say of what',
    "section 2": '"section 2" does not say of what',
}


@pytest.mark.parametrize("citation", BAD)
def test_fault_is_named(tmp_path, citation):
    status, lines = check(tmp_path, f"int a; /* no fault */\n\n/* Why ({citation}). */\n")
    assert status == 1
    assert len(lines) == 2, lines
    assert lines[0].startswith("src/a.c:3: ")
    assert BAD[citation] in lines[0]
    assert lines[1].endswith(" 1 faults")


@pytest.mark.parametrize("name, text", [
    ("tests/a.py", '"""Why (contract, section 7)."""\n'),
    ("tests/a.py", 'def run():\n    """Why.\n\n    Contract, section 7.\n    """\n'),
    ("tests/a.py", 'naïve = "é"  # contract, section 7\n'),
    ("sim/a.h", "// contract, section 7\n"),
    ("src/a.def", "/* contract, section 7 */\n"),
    ("docs/a.md", "The rule is in contract, section 7.\n"),
    ("README.md", "The rule is in contract, section 7.\n"),
])
def test_each_kind_of_file_is_read(tmp_path, name, text):
    status, lines = check(tmp_path, text, name)
    assert status == 1
    assert lines[0].startswith(f"{name}:") and "section 7" in lines[0]


@pytest.mark.parametrize("name, text", [
    ("src/a.c", 'const char *a = "contract, section 7"; /* why */\n'),
    ("src/a.c", "/* of the contract */ int section_7; /* section_7 */\n"),
    ("tests/a.py", 'a = "contract, section 7"\n'),
    ("build/a.c", "/* contract, section 7 */\n"),
])
def test_code_is_no_citation(tmp_path, name, text):
    assert check(tmp_path, text, name)[0] == 0


@pytest.mark.parametrize("more, fault", [
    ("    ### Contract, section 2: again\n", "Contract, section 2 is there twice"),
    ("    #### 10.2 Roles again\n", "section 10 has two rules 2"),
    ("    #### 8.1 Elsewhere\n", "8.1 stands in section 10"),
])
def test_number_that_means_two_things_is_named(tmp_path, more, fault):
    status, lines = check(tmp_path, "", contract=CONTRACT + more)
    assert status == 1
    assert fault in lines[0]
