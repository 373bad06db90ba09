"""The way from the walk into the console: its address and a link that logs in."""

WALKER = "developer"


def make_link(herald):
    """A link by which the console opens, where there is one; it sets a new password each time."""
    operators = "/internal/v1/operators"
    rows = herald.must(200, "GET", f"{operators}?limit=200")["operators"]
    known = [row["id"] for row in rows if row["name"] == WALKER]
    if known:
        made = herald.must(200, "POST", f"{operators}/{known[0]}/link")
    else:
        made = herald.must(201, "POST", operators, {"name": WALKER, "role": "admin"})
    return made["link"] if made["link"].startswith("http") else None


def open_console(link, voice):
    """At the start, so that the walk can be followed on its pages."""
    if link is None:
        voice.line("There is no console: its usual address is taken, or this herald has none.")
        return
    voice.line(f"The console is at {link.partition('#')[0]}")
    voice.line("What follows can be watched there. This link logs in, once, and sets a password:")
    voice.put([link])


def recall_console(link, voice):
    if link:
        voice.line("The console shows it all. The link from the start, unless it was used:")
        voice.put([link])
