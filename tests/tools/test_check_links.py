"""tools/check_links on small pages."""

import pytest
import tool

PAGES = {
    "README.md": "# herald\n## A first code\n## A first code\n### What is `new`, and why?\n",
    "docs/deploy.md": "# Deploying\n```sh\n# no heading\n```\n",
    "docs/erp/README.md": "# ERP\n",
    "LICENSE": "",
}


def check(root, text, name="docs/a.md"):
    tool.write(root, {**PAGES, name: text})
    return tool.run("check_links", root)


def test_links_of_this_tree_lead_somewhere():
    status, lines = tool.run("check_links")
    assert status == 0, lines


@pytest.mark.parametrize("link", [
    "deploy.md", "../README.md", "erp/README.md", "erp", "../LICENSE", "deploy.md#deploying",
    "/docs/deploy.md", "../README.md#a-first-code", "../README.md#a-first-code-1",
    "../README.md#what-is-new-and-why", "#here", "https://example.com/nowhere", "mailto:a@example.com",
])
def test_good_link_passes(tmp_path, link):
    assert check(tmp_path, f"# Here\nSee [this]({link}).\n")[0] == 0


@pytest.mark.parametrize("link, fault", [
    ("nowhere.md", "leads to no file"),
    ("README.md", "leads to no file"),
    ("../../etc/passwd", "leaves this repository"),
    ("#there", "leads to no heading of docs/a.md"),
    ("deploy.md#no-heading", "leads to no heading of docs/deploy.md"),
    ("../README.md#a-first-code-2", "leads to no heading of README.md"),
])
def test_fault_is_named(tmp_path, link, fault):
    status, lines = check(tmp_path, f"# Here\n\nSee [this\nthing]({link}).\n")
    assert status == 1
    assert lines[0] == f"docs/a.md:3: the link {link} {fault}"
    assert lines[1].endswith(" 1 faults")


@pytest.mark.parametrize("text", [
    "```md\n[this](nowhere.md)\n```\n", "Write `[this](nowhere.md)`.\n"])
def test_code_holds_no_links(tmp_path, text):
    assert check(tmp_path, text)[0] == 0


def test_build_folders_are_free(tmp_path):
    assert check(tmp_path, "[this](nowhere.md)\n", "build-san/a.md")[0] == 0
