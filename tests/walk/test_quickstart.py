"""README's first code, docs/quickstart.md and other pages do what they say, command by command."""

import os
import re
import socket

import pytest

from test_walk import BUILD, ROOT
from typed import Reader, Terminal, blocks_of


@pytest.fixture
def folder(tmp_path):
    """A fresh clone that was built."""
    (tmp_path / "build").symlink_to(BUILD)
    return tmp_path


@pytest.fixture
def reader(folder):
    ports = {}

    def port_for(documented):
        if documented not in ports:
            with socket.create_server(("127.0.0.1", 0)) as server:
                ports[documented] = server.getsockname()[1]
        return ports[documented]

    def translate(text):
        text = text.replace("sim/erp serve ", "sim/erp serve --control 127.0.0.1:0 ")
        return re.sub(r"127\.0\.0\.1:(80\d\d)", lambda at: f"127.0.0.1:{port_for(at[1])}", text)

    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("HERALD_", "ERP_"))}
    environment["HERALD_LISTEN"] = f"127.0.0.1:{port_for('8080')}"
    someone = Reader(lambda: Terminal(folder, environment), translate)
    yield someone
    someone.close()


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md"])
def test_page_does_what_it_says(reader, page):
    reader.follow((ROOT / page).read_text(encoding="utf-8"))
    assert "CODE" in reader.values


def test_secrets_of_the_deploying_page_are_allowed(reader):
    page = (ROOT / "docs/deploy.md").read_text(encoding="utf-8")
    block, = (block for _, block in blocks_of(page) if "export HERALD_SECRET_KEY" in block)
    reader.terminals.append(reader.new_terminal())
    reader.do(f"{block}build/herald config")
    assert "HERALD_SECRET_KEY=(set)" in reader.terminals[0].printed


@pytest.mark.parametrize("page", ["docs/erp/README.md", "docs/channels.md"])
def test_commands_that_want_no_herald_end_well(reader, page):
    reader.follow((ROOT / page).read_text(encoding="utf-8"))
    assert reader.last
