"""The peer of the line about codes. It answers the requests that herald answers; phones are whoever
asks it for a message."""

import os

from peer import NodePeer, describe_node_peer

PEER = "better-auth"
PHONES = 32


class Peer(NodePeer):
    """One node process with better-auth, over SQLite."""

    title = f"{describe_node_peer(PEER)}, SQLite"

    def __init__(self, build, folder):
        place = os.path.abspath(folder)
        super().__init__(PEER, build, folder, [os.path.join(place, "better-auth.db")])
        key_file, fleet_file = (os.path.join(place, name) for name in ("peer-key", "peer-fleet"))
        with open(key_file, "w", encoding="ascii") as file:
            file.write("unused\n")
        with open(fleet_file, "w", encoding="ascii") as file:
            file.writelines(f"unused +7800{number:07d}\n" for number in range(PHONES))
        self.load_options = ["--key-file", key_file, "--fleet", fleet_file]
