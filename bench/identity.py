"""What the lines about tokens need: workload clients, what a token has to be, and the peer."""

import base64
import json
import os
import secrets
import urllib.parse
import uuid

from host import BenchFailed, ask
from peer import NodePeer, describe_node_peer

CLIENTS = 32
SCOPES = "erp.catalog.write erp.changes.write erp.events.read"
TOKEN_PATH = "/v1/oauth/token"
TOKEN_LIFE_S = 600
CLAIMS = set("iss sub client_id aud scope tenant_id integration_id point_id iat exp jti".split())

PEER = "oidc-provider"
PEER_TOKEN_PATH = "/token"


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


class Peer(NodePeer):
    """One node process with oidc-provider and clients of its own."""

    def __init__(self, build, folder):
        clients_file = os.path.abspath(os.path.join(folder, "peer-clients"))
        super().__init__(PEER, build, folder, [clients_file])
        self.clients = make_up_clients(clients_file)
        self.load_options = ["--clients", clients_file, "--token-path", PEER_TOKEN_PATH]

    def start(self):
        super().start()
        check_token(self, PEER_TOKEN_PATH, self.clients[0])

    @staticmethod
    def title():
        return describe_node_peer(PEER)
