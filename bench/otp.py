"""The peers of the line about codes. They answer the requests that herald answers; phones are
whoever asks them for a message."""

import os
import re

from host import BenchFailed, free_port, output_of
from peer import GoPeer, NodePeer, describe_modules, describe_node_peer

PHONES = 32
CHI_MODULES = (
    ("chi", "github.com/go-chi/chi/v5"),
    ("go-redis", "github.com/redis/go-redis/v9"),
)


def make_phones(folder):
    """For the generator; a key is not asked for."""
    key_file, fleet_file = (
        os.path.join(os.path.abspath(folder), name) for name in ("peer-key", "peer-fleet")
    )
    with open(key_file, "w", encoding="ascii") as file:
        file.write("unused\n")
    with open(fleet_file, "w", encoding="ascii") as file:
        file.writelines(f"unused +7800{number:07d}\n" for number in range(PHONES))
    return ["--key-file", key_file, "--fleet", fleet_file]


class BetterAuth(NodePeer):
    """One node process with better-auth, over SQLite."""

    def __init__(self, build, folder):
        database = os.path.join(os.path.abspath(folder), "better-auth.db")
        super().__init__("better-auth", build, folder, [database])
        self.load_options = make_phones(folder)

    @staticmethod
    def title():
        return f"{describe_node_peer('better-auth')}, SQLite"


class Chi(GoPeer):
    """A Go program over a Redis of its own, as Redis comes: its memory is saved now and then."""

    redis_settings = ()
    redis_words = "saved now and then"

    def __init__(self, build, folder):
        super().__init__("chi", build, folder)
        self.load_options = make_phones(folder)
        self.redis = self.add_program("redis")

    @classmethod
    def title(cls):
        found = re.search(r"v=(\S+)", output_of("redis-server", "--version"))
        redis = f"Redis {found.group(1) if found else 'unknown'}, {cls.redis_words}"
        return f"{describe_modules('chi', *CHI_MODULES)}, {redis}"

    def start(self):
        redis_port = free_port()
        settings = ["--bind", "127.0.0.1", "--dir", self.folder, *self.redis_settings]
        try:
            self.redis.spawn(["redis-server", "--port", str(redis_port), *settings], os.environ)
        except FileNotFoundError as fault:
            raise BenchFailed("redis-server is not installed") from fault
        self.address = f"127.0.0.1:{free_port()}"
        server = os.path.join(self.home, "server")
        self.spawn([server, self.address, f"127.0.0.1:{redis_port}"], os.environ)
        self.wait_until(self.is_live)


class DurableChi(Chi):
    """The same over a Redis that answers once what it wrote is on disk."""

    redis_settings = ("--appendonly", "yes", "--appendfsync", "always")
    redis_words = "appendfsync always"


PEERS = (BetterAuth, Chi, DurableChi)
