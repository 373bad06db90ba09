"""What every program here does around its library: the case comes in as JSON on stdin, what the
library made of herald's answers goes out as JSON on stdout."""

import json
import sys


def read_case():
    return json.load(sys.stdin)


def report(answer):
    json.dump(answer, sys.stdout, default=str)
