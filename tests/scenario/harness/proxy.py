"""A TCP proxy in front of PostgreSQL that can hang: connections stay open and nothing moves."""

import select
import socket
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit


class HangingProxy:
    """`database` is reached through it by way of `url`."""

    def __init__(self, database):
        self._target = find_server(database)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._is_hanging = threading.Event()
        self._is_closing = threading.Event()
        user = database.ask("SELECT current_user")
        password = urlsplit(database.url).password
        login = f"{user}:{password}" if password else user
        port = self._listener.getsockname()[1]
        self.url = f"postgresql://{login}@127.0.0.1:{port}/{database.name}"
        threading.Thread(target=self._accept, daemon=True).start()

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

    def _accept(self):
        while not self._is_closing.is_set():
            try:
                client, _ = self._listener.accept()
                server = connect(self._target)
            except OSError:
                return
            threading.Thread(target=self._forward, args=(client, server), daemon=True).start()

    def _forward(self, client, server):
        with client, server:
            while not self._is_closing.is_set():
                readable = select.select([client, server], [], [], 0.2)[0]
                while self._is_hanging.is_set():
                    time.sleep(0.02)
                for source in readable:
                    try:
                        data = source.recv(65536)
                        (server if source is client else client).sendall(data)
                    except OSError:
                        return
                    if not data:
                        return


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
