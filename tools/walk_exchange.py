"""The part of the walk that shows how the catalog of an ERP comes in, and changes of it."""

import json
import os
import random
import re
import shlex
import subprocess
import urllib.parse

from walk_stage import MARGIN, WAIT_S, WalkFailed, printable

NAME = "Shop of the walk"
TENANT_ID = "5a2f9c1e-1111-4c3b-9d2e-7f60a1b2c3d4"
POINT_ID = "5a2f9c1e-2222-4c3b-9d2e-7f60a1b2c3d4"
CATALOG = ["--seed", "12", "--products", "15000"]
ERP_TOKEN = "what-the-erp-wants-to-see"
ROWS = 2000
PUSH_S = 60  # at most until a package is applied


class Exchange:
    """An integration, and the simulated ERP that is its client."""

    def __init__(self, options, herald, voice, erp_url):
        self.options = options
        self.herald = herald
        self.voice = voice
        self.erp_url = erp_url  # where it takes orders
        self.report = os.path.join(options.state_dir, "erp.jsonl")
        self.settings_file = os.path.join(options.state_dir, "erp.env")
        self.integration_id = None
        self.settings = {}  # of the ERP: variables of its environment

    def run(self, command, environment=None):
        try:
            return subprocess.run(command, capture_output=True, timeout=PUSH_S + WAIT_S,
                                  env=environment, check=False)
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise WalkFailed(f"{command[0]}: {fault}") from fault

    def admin(self, *arguments, is_shown=True):
        """What `herald admin` answers, as JSON."""
        if is_shown:
            words = f"herald admin {shlex.join(arguments)}"
            self.voice.command(re.split(r" (?=--)", words), f"{MARGIN}-> ", "36")
        environment = dict(os.environ, HERALD_STATE_DIR=self.options.state_dir)
        environment.pop("HERALD_DATABASE_URL", None)
        command = [self.options.herald, "admin", *arguments, "--url", self.herald.url, "--json"]
        done = self.run(command, environment)
        if done.returncode != 0:
            raise WalkFailed(f"herald admin {arguments[0]}: {done.stderr.decode().strip()}")
        return json.loads(done.stdout)

    def product_path(self, product_id):
        quoted = urllib.parse.quote(product_id, safe="")
        return f"/internal/v1/integrations/{self.integration_id}/products/{quoted}"

    # --- What the ERP does ---

    def erp(self, *arguments):
        command = [self.options.erp, *arguments, *CATALOG]
        return self.run(command, dict(os.environ) | self.settings)

    def push(self, *arguments):
        """What was reported while the packages were sent and applied."""
        start = os.path.getsize(self.report) if os.path.exists(self.report) else 0
        done = self.erp("push", *arguments, "--queue", queue_of(self.options), "--report", self.report,
                        "--give-up-s", str(PUSH_S))
        if done.returncode != 0:
            raise WalkFailed(f"The ERP ended with status {done.returncode}:\n"
                             + (done.stdout + done.stderr).decode("utf-8", "replace"))
        with open(self.report, "rb") as file:
            file.seek(start)
            return [json.loads(line) for line in file]


def queue_of(options):
    """Where the ERP keeps packages until they are applied."""
    return os.path.join(options.state_dir, "erp-queue")


def write_settings(exchange):
    """For the ERP of somebody who tries it: the secret is in it, so it is the owner's alone."""
    lines = [f"export {name}='{value}'\n" for name, value in exchange.settings.items()]
    mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with open(os.open(exchange.settings_file, mode, 0o600), "w", encoding="ascii") as file:
        file.writelines(lines)


def find_integration(exchange):
    """That of an earlier walk, or None."""
    for row in exchange.admin("integrations", "list", is_shown=False)["integrations"]:
        if row["name"] == NAME:
            return row["id"]
    return None


def take_over(exchange):
    """The point of sale is known from an earlier walk: a new secret for its client."""
    exchange.admin("integrations", "change", exchange.integration_id, *told_of_erp(exchange),
                   is_shown=False)
    clients = exchange.admin("clients", "list", exchange.integration_id, is_shown=False)["clients"]
    if not clients:
        return exchange.admin("clients", "create", exchange.integration_id)
    exchange.voice.line("   It is known from an earlier walk: its client gets a new secret.")
    return exchange.admin("secrets", "rotate", clients[0]["client_id"])


def told_of_erp(exchange):
    """The options of `herald admin` that say where the ERP is, and what it wants to see."""
    token_file = os.path.join(exchange.options.state_dir, "erp-token")
    with open(os.open(token_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(ERP_TOKEN + "\n")
    return "--erp-url", exchange.erp_url, "--erp-token-file", token_file


def connect(exchange):
    """Credentials of a client, of a new integration if there is none."""
    exchange.integration_id = find_integration(exchange)
    if exchange.integration_id:
        return take_over(exchange)
    made = exchange.admin(
        "integrations", "create", "--name", NAME, "--tenant", TENANT_ID, "--point", POINT_ID,
        *told_of_erp(exchange))
    exchange.integration_id = made["id"]
    exchange.voice.answer(f"integration {made['id']}")
    return exchange.admin("clients", "create", exchange.integration_id)


def show_connection(exchange):
    exchange.voice.step(
        "erp",
        "A point of sale is connected with its ERP",
        "Its workload client fetches tokens; with those the ERP sends its catalog.",
    )
    credentials = connect(exchange)
    exchange.voice.answer(f"client {credentials['client_id']}")
    exchange.voice.line(f"      secret hs_{'*' * 8}, which is shown once")
    exchange.settings = {
        "ERP_BASE_URL": exchange.herald.url,
        "ERP_TOKEN_URL": credentials["token_url"],
        "ERP_INTEGRATION_ID": exchange.integration_id,
        "ERP_CLIENT_ID": credentials["client_id"],
        "ERP_CLIENT_SECRET": credentials["client_secret"],
    }
    write_settings(exchange)


def counts_of(result, *groups):
    """The counts that are not 0: "products: 15,000 added, 12 archived"."""
    told = []
    for group in groups:
        counts = [f"{count:,} {word}" for word, count in result[group].items() if count]
        if counts:
            told.append(f"{group}: {', '.join(counts)}")
    return "; ".join(told)


def show_push(exchange, what, rows, *groups):
    """Shows the delivery and the application that the ERP reported; its status record."""
    voice = exchange.voice
    post = next(row for row in rows if row["what"] == "post")
    applied = next(row for row in rows if row.get("outcome") == "applied")
    size = f"{post['bytes'] / 1e6:.1f} MB" if post["bytes"] > 1e6 else f"{post['bytes'] // 1000} KB"
    voice.request("POST", f"/api/v1/integrations/erp/.../{what}", f"({size})")
    voice.answer(f"{post['http_status']} {post['outcome']} after {post['us'] / 1000:.0f} ms: "
                 "it is on the disk")
    quoted = urllib.parse.quote(applied["event_id"], safe="")
    voice.request("GET", f"/api/v1/integrations/erp/.../events/{quoted}")
    record = json.loads(applied["detail"])
    voice.answer(f"200 {record['status']}, {applied['us'] / 1000:.0f} ms after it was sent")
    voice.line(f"      {counts_of(record['result'], *groups)}")
    return record


def show_snapshot(exchange):
    exchange.voice.step(
        "catalog",
        "The ERP sends its catalog",
        "A snapshot of 15,000 products: it is stored, answered 202, then applied.",
    )
    rows = exchange.push("snapshot")
    show_push(exchange, "catalog-snapshot", rows, "products", "categories", "prices")


def show_variant(exchange, row):
    """The variant that a row of changes names, as herald has it now."""
    path = exchange.product_path(row["product_id"])
    exchange.herald.tell("GET", path)
    product = exchange.herald.must(200, "GET", path)
    found = [one for one in product["variants"] if one["id"] == row["variant_id"]]
    if not found:
        raise WalkFailed(f"{row['product_id']} has no variant {row['variant_id']}")
    stock = "not known" if found[0]["stock"] is None else found[0]["stock"]
    exchange.voice.answer(
        f"200 {printable(product['name'])}: price {found[0]['price']}, stock {stock}")
    return found[0]


def show_changes(exchange):
    asked = ["--rows", str(ROWS), "--number", str(random.randint(1, 1000000))]
    made = json.loads(exchange.erp("changes", *asked).stdout)
    price, stock = made["prices"][0], made["stocks"][0]  # of one variant
    exchange.voice.step(
        "changes",
        "During the day it sends what changes",
        f"{ROWS // 2:,} prices and as many quantities. One variant, before and after:",
    )
    show_variant(exchange, price)
    rows = exchange.push("changes", *asked)
    show_push(exchange, "changes", rows, "prices", "stocks")
    now = show_variant(exchange, price)
    wanted = (float(price["price"]), max(0, stock["available_quantity"]))
    if (float(now["price"]), now["stock"]) != wanted:
        raise WalkFailed(f"The ERP said price {wanted[0]}, stock {wanted[1]}")


def show_exchange(options, herald, voice, erp_url):
    """The exchange, for the steps after it."""
    exchange = Exchange(options, herald, voice, erp_url)
    show_connection(exchange)
    show_snapshot(exchange)
    show_changes(exchange)
    return exchange
