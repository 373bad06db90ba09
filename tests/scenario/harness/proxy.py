"""A TCP proxy in front of PostgreSQL that can hang: connections stay open and nothing moves.

It can also be a server, or a pooler, of another kind: one that refuses what PostgreSQL takes.
"""

import select
import socket
import struct
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit


class HangingProxy:
    """`database` is reached through it by way of `url`.

    `refuses_options`: in what words a connection with options is refused.
    `garbles`: what PostgreSQL is not to understand of what it is sent.
    """

    def __init__(self, database, refuses_options=None, garbles=None):
        self._target = find_server(database)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._is_hanging = threading.Event()
        self._is_closing = threading.Event()
        self._refuses_options = refuses_options
        self._garbles = garbles
        self._generation = 0  # of connections; those of one before the last are lost
        self.accepted = 0
        user = database.ask("SELECT current_user")
        password = urlsplit(database.url).password
        self._login = f"{user}:{password}" if password else user
        self._database = database.name
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return self.url_behind()

    def settings(self, *others):
        """For a herald that goes through it, and notices as soon as it does where nobody is busy."""
        return {"HERALD_DATABASE_URL": self.url_behind(*others), "HERALD_DATABASE_SILENCE_MS": None}

    def url_behind(self, *others):
        """Of this one, and of others if this one does not serve."""
        hosts = ",".join(proxy.address for proxy in (self, *others))
        return f"postgresql://{self._login}@{hosts}/{self._database}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._is_closing.set()
        self._is_hanging.clear()
        self._listener.close()

    def hang(self):
        self._is_hanging.set()

    def go_on(self):
        self._is_hanging.clear()

    def lose(self):
        """The connections that are there hang for ever; new ones are served."""
        self._generation += 1

    def _accept(self):
        while not self._is_closing.is_set():
            try:
                client, _ = self._listener.accept()
                server = connect(self._target)
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self._serve, args=(client, server), daemon=True).start()

    def _serve(self, client, server):
        with client, server:
            try:
                if self._refuses_options and has_options(client):
                    client.sendall(error_message(self._refuses_options))
                else:
                    self._forward(client, server, self._generation)
            except OSError:
                return

    def _is_stuck(self, generation):
        if self._is_closing.is_set():
            return False
        return self._is_hanging.is_set() or generation != self._generation

    def _forward(self, client, server, generation):
        while not self._is_closing.is_set():
            readable = select.select([client, server], [], [], 0.2)[0]
            while self._is_stuck(generation):
                time.sleep(0.02)
            for source in readable:
                data = source.recv(65536)
                if source is client and self._garbles:
                    data = data.replace(self._garbles, b"?" * len(self._garbles))
                (server if source is client else client).sendall(data)
                if not data:
                    return


def has_options(client):
    """Whether a client that begins names options, as its first message has them."""
    while True:
        length, _ = struct.unpack("!ii", client.recv(8, socket.MSG_PEEK | socket.MSG_WAITALL))
        if length > 8:
            break
        client.recv(length)  # it asks for encryption first
        client.sendall(b"N")
    message = client.recv(length, socket.MSG_PEEK | socket.MSG_WAITALL)
    words = message[8:].split(b"\0")
    return b"options" in words and words[words.index(b"options") + 1] != b""


def error_message(text):
    fields = b"SFATAL\0VFATAL\0C0A000\0M" + text.encode() + b"\0\0"
    return b"E" + struct.pack("!i", len(fields) + 4) + fields


def find_server(database):
    """Where the server listens: its socket file if it has one here, else its TCP address."""
    port = int(database.ask("SHOW port"))
    for folder in database.ask("SHOW unix_socket_directories").split(","):
        path = Path(folder.strip()) / f".s.PGSQL.{port}"
        if folder.strip() and path.exists():
            return str(path)
    return (urlsplit(database.url).hostname or "127.0.0.1", port)


def connect(target):
    if isinstance(target, tuple):
        return socket.create_connection(target)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(target)
    return connection
