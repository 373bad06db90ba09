"""Every SQL statement of herald: the string literals of its binary that begin as one does.

Statements are literals, put together by the compiler at the most: kit/db keeps what it prepared by
the address of its text. (The linker lays a literal that is the end of another one into that: a
statement that ends another one is seen as part of it.)
"""

import re

TEXT = re.compile(rb"[\n\x20-\x7e]{7,}(?=\0)")
VERB = r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|VALUES|REPLACE INTO)"
# What lies before it may be letters and have no end: a number, or an array of characters.
STATEMENT = re.compile(rf"(?:.*?[^ \n(])??({VERB} .+)", re.DOTALL)
HELD_STATEMENT = re.compile(
    r"SELECT .+\bFROM\b|INSERT INTO \w+ \(|UPDATE \w+ SET |DELETE FROM ", re.DOTALL
)
DIRECTIVE = re.compile(r"%(?:[dqQsuz]|l+[du])")


def literals_of(binary):
    return {found.group().decode() for found in TEXT.finditer(binary.read_bytes())}


def statements_of(binary):
    found = (STATEMENT.fullmatch(text) for text in literals_of(binary))
    return sorted({match[1] for match in found if match})


def parts_of(binary):
    """Literals that hold a statement and do not begin as one, migrations aside: nobody knows what
    becomes of them."""
    return sorted(
        text
        for text in literals_of(binary)
        if HELD_STATEMENT.search(text)
        and not STATEMENT.fullmatch(text)
        and not text.startswith("-- stores: ")
    )


def is_format(statement):
    """printf makes the statement of it."""
    return bool(DIRECTIVE.search(statement))
