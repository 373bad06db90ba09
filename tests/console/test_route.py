"""What stands in a link, or in an id that somebody else chose, leads nowhere else."""

import json

import pytest

from conftest import CONSOLE
from test_chain import run_node


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """The two modules as node imports them, without what draws."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "preact.mjs").write_text("export const useEffect = () => {}, useState = (x) => [x, () => {}];")
    for name in ("api", "route"):
        text = (CONSOLE / f"{name}.js").read_text(encoding="utf-8")
        (folder / f"{name}.mjs").write_text(text.replace("./lib/preact.js", "./preact.mjs"))
    return folder


def run(folder, text):
    script = folder / "asked.mjs"
    script.write_text(text)
    return run_node(script)


@pytest.mark.parametrize("link, path", [
    ("#/codes/%D0%90", ["codes", "\u0410"]),
    ("#/codes/%D0", ["codes", "%D0"]),
    ("#/100%/%zz", ["100%", "%zz"]),
    ("#/a%2Fb/..", ["a/b", ".."]),
    ("", []),
])
def test_link_that_is_cut_off_is_read(modules, link, path):
    place = run(modules, f"""
        globalThis.location = {{ hash: {json.dumps(link)} }};
        const {{ readPlace }} = await import("./route.mjs");
        console.log(JSON.stringify(readPlace()));
    """)
    assert place == {"path": path, "filters": {}}


@pytest.mark.parametrize("path, is_asked", [
    ("/devices/1", True), ("/integrations/1/events/a..b", True), ("/integrations/1/events/...", True),
    ("/search?q=../..", True), ("/search?q=a/..", True), ("/devices?q=..", True),
    ("/integrations/1/events/..", False), ("/integrations/1/events/../reapply", False),
    ("/integrations/1/products/.", False), ("/devices/../operators/2", False),
    ("/devices/%2e%2E/operators/2", False), ("/devices/.%2e/x", False), ("/devices/..\\x", False),
    ("/devices/..?a=b", False), ("/devices/..#", False),
])
def test_id_leads_to_no_other_operation(modules, path, is_asked):
    asked = run(modules, f"""
        const urls = [];
        globalThis.fetch = async (url) => {{
          urls.push(url);
          return {{ ok: true, status: 204 }};
        }};
        const {{ ask }} = await import("./api.mjs");
        const status = await ask("GET", {json.dumps(path)}).then(() => 204, (fault) => fault.status);
        console.log(JSON.stringify([status, urls]));
    """)
    url = f"/console/api/internal/v1{path}"
    assert asked == ([204, [url]] if is_asked else [404, []])
