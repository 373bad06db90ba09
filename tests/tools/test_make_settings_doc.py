"""tools/make_settings_doc: what it makes of a herald's words."""

import pytest
import tool

HERALD = r"""#!/bin/sh
[ "$1" = config ] || exit 9
if [ -n "$HERALD_PLAIN" ]; then echo "herald: HERALD_PLAIN is bad: it must be 1|2." >&2; exit 1; fi
if [ -n "$HERALD_ERP_TOKEN_FILE" ]; then echo "herald: $HERALD_ERP_TOKEN_FILE?" >&2; exit 1; fi
printf '%s\n' '# It is plain; see docs/deploy.md.' '# From the default.' 'HERALD_PLAIN=1' '' \
    '# A secret.' '# From the default.' 'HERALD_ERP_TOKEN=(none)' ''
"""

ROWS = [
    "| `HERALD_PLAIN` | `1` | It is plain; see [docs/deploy.md](deploy.md).<br>Allowed: 1\\|2. |",
    "| `HERALD_ERP_TOKEN` |  | A secret.<br>Or `HERALD_ERP_TOKEN_FILE`. |",
]


@pytest.fixture
def herald(tmp_path):
    path = tmp_path / "herald"
    path.write_text(HERALD)
    path.chmod(0o755)
    return path


def test_each_setting_is_a_row_under_its_heading(herald):
    status, lines = tool.run("make_settings_doc", herald)
    assert status == 0, lines
    assert [line for line in lines if line.startswith(("## ", "| `HERALD"))] == [
        "## The service", ROWS[0], "## ERPs", ROWS[1]]
    assert lines[0] == "# Settings" and lines[-1] == ROWS[1]


def test_output_that_it_does_not_know_is_no_empty_page(herald):
    herald.write_text("#!/bin/sh\necho HERALD_PLAIN=1\n")
    status, lines = tool.run("make_settings_doc", herald)
    assert status == 1
    assert "prints what this tool does not know" in lines[0]
