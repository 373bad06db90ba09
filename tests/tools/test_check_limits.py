"""tools/check_limits at each limit and one past it."""

import pytest
import tool


def check(root, files):
    tool.write(root, files)
    return tool.run("check_limits", root)


def c_function(length):
    """A function of `length` lines, its two-line signature and its braces among them."""
    body = ["    call();"] * (length - 4)
    return "\n".join(["static int sum_all(int first,", "        int second)", "{", *body, "}", ""])


def sh_function(length):
    return "\n".join(["sum_all() {", *["    true"] * (length - 2), "}", ""])


def python_function(length):
    return "\n".join(["def sum_all():", *["    pass"] * (length - 1), ""])


FUNCTIONS = {"x.c": c_function, "x.h": c_function, "x.sh": sh_function, "x.py": python_function}


def test_this_tree_keeps_its_limits():
    status, lines = tool.run("check_limits")
    assert status == 0, lines


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_of_70_lines_passes(tmp_path, name):
    assert check(tmp_path, {name: FUNCTIONS[name](70)}) == (0, ["check_limits: 1 files, 0 faults"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_of_71_lines_is_named(tmp_path, name):
    status, lines = check(tmp_path, {name: "\n" + FUNCTIONS[name](71)})
    assert status == 1
    assert lines[0].startswith(f"{name}:2: sum_all has 71 lines, 70 is the end")
    assert lines[1] == "check_limits: 1 files, 1 faults"


def test_only_the_long_one_of_two_functions_is_named(tmp_path):
    table = "static const int rows[] = {\n" + "    1,\n" * 100 + "};\n\n"
    text = table + c_function(10) + "\n" + c_function(80).replace("sum_all", "walk") + c_function(9)
    status, lines = check(tmp_path, {"x.c": text})
    assert status == 1
    assert [line.split(";")[0] for line in lines[:-1]] == [
        "x.c:115: walk has 80 lines, 70 is the end"
    ]


@pytest.mark.parametrize("name", ["x.c", "x.h", "x.py", "x.sh"])
def test_file_of_600_lines_passes_and_601_is_named(tmp_path, name):
    mark = "# " if name[-1] in "yh" and name != "x.h" else "// "
    assert check(tmp_path, {name: f"{mark}line\n" * 600})[0] == 0
    status, lines = check(tmp_path, {name: f"{mark}line\n" * 601})
    assert status == 1
    assert lines[0].startswith(f"{name}: has 601 lines, 600 is the end")


@pytest.mark.parametrize("shebang", ["#!/bin/sh", "#!/usr/bin/python3", "#!/usr/bin/env python3"])
def test_script_without_suffix_is_known_by_its_first_line(tmp_path, shebang):
    status, lines = check(tmp_path, {"tools/script": f"{shebang}\n" + "true\n" * 600})
    assert status == 1
    assert lines[0].startswith("tools/script: has 601 lines")


def test_line_of_100_columns_passes_and_101_is_named(tmp_path):
    assert check(tmp_path, {"x.c": "/* " + "é" * 94 + " */\n"})[0] == 0
    status, lines = check(tmp_path, {"x.c": "int a;\n/* " + "é" * 95 + " */\n"})
    assert status == 1
    assert lines[0] == "x.c:2: has 101 columns, 100 is the end"


def test_other_files_and_build_folders_are_free(tmp_path):
    long = "x" * 200 + "\n"
    files = ["notes.txt", "table.json", "build/x.c", "build-san/x.c", "web/node_modules/x.c"]
    assert check(tmp_path, {name: long * 700 for name in files})[0] == 0


@pytest.mark.parametrize("line", ["AUTO_BUF out;", "AUTO_BUF one = {0}, two;", "AUTO_STMT stmt;"])
def test_what_frees_itself_has_a_value_from_its_start(tmp_path, line):
    text = f"int sum(void)\n{{\n    {line}\n    return 1;\n}}\n"
    status, lines = check(tmp_path, {"x.c": text})
    assert (status, lines[0]) == (1, "x.c:3: frees itself and has no value yet; begin it with one")
    with_values = line.replace("out;", "out = {0};").replace("two;", "two = {0};").replace(
        "stmt;", "stmt = NULL;")
    assert check(tmp_path, {"x.c": text.replace(line, with_values)})[0] == 0


def c_functions(short, long):
    """A file of functions with bodies of 3 lines, and of 4."""
    bodies = [3] * short + [4] * long
    return "\n".join(
        f"static int sum_{number}(void)\n{{\n" + "    call();\n" * lines + "}\n"
        for number, lines in enumerate(bodies)
    )


def test_lengths_of_functions_of_src_are_said(tmp_path):
    status, lines = check(tmp_path, {"src/x.c": c_functions(1, 9), "tests/y.c": c_functions(9, 0)})
    assert status == 0
    assert lines[0] == "src: 10 functions of 3.9 lines on average, 10.0 % of at most 3"


def test_too_many_splinters_are_named(tmp_path):
    status, lines = check(tmp_path, {"src/x.c": c_functions(9, 1)})
    assert status == 1
    assert "is the end" in lines[0] and "90.0 % of at most 3" in lines[1]
