"""The peer of the lines about snapshots: what one writes with a framework for services."""

import secrets
import uuid
from contextlib import contextmanager

from erp import Erp, Wire
from peer import PythonPeer, describe_python_peer

PEER = "fastapi"
TITLE = describe_python_peer(PEER, "fastapi", "SQLAlchemy", "pydantic", "uvicorn") + ", PostgreSQL"


@contextmanager
def serve(options, folder, postgres):
    """A started service on a database of its own."""
    name, url = postgres.create()
    token = secrets.token_urlsafe(32)
    settings = {"DATABASE_URL": url, "TOKEN": token}
    try:
        with PythonPeer(PEER, options.build, folder, settings) as peer:
            peer.token = token
            yield peer
    finally:
        postgres.drop(name)


class PeerErp(Erp):
    """An ERP of the peer, which knows one token and any integration."""

    def __init__(self, peer):
        self.integration_id = str(uuid.uuid4())
        self.token = peer.token
        self.wire = Wire(peer.address)
