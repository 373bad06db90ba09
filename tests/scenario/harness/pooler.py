"""PgBouncer between herald and its PostgreSQL, which gives each transaction a session of its own."""

import os
import pwd
import re
import subprocess

from .site import free_port
from .tools import eventually

SESSIONS = 3  # of the server, for all connections of herald
OPTIONS = "options,extra_float_digits"


class Pooler:
    """`ignores`: parameters of a connection that it takes and forgets; else it refuses them."""

    def __init__(self, database_url, folder, ignores):
        matched = re.fullmatch(r"postgresql://([^@]+)@([^:/]+):(\d+)/([^?]+)(\?.*)?", database_url)
        self._user, host, port, database, _ = matched.groups()
        self.port = free_port()
        self.url = f"postgresql://{self._user}@127.0.0.1:{self.port}/{database}"
        lines = (
            "[databases]",
            f"{database} = host={host} port={port} user={self._user}",
            "[pgbouncer]",
            "listen_addr = 127.0.0.1",
            f"listen_port = {self.port}",
            "unix_socket_dir =",
            "auth_type = any",
            "pool_mode = transaction",
            f"default_pool_size = {SESSIONS}",
            f"ignore_startup_parameters = {ignores}",
        )
        self._settings = folder / "pgbouncer.ini"
        self._settings.write_text("\n".join(lines) + "\n")
        self._log = folder / "pgbouncer.log"

    def __enter__(self):
        account = {}
        if os.geteuid() == 0:  # it refuses to run as root
            nobody = pwd.getpwnam("nobody")
            account = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        with open(self._settings, encoding="utf-8") as settings, open(self._log, "wb") as log:
            # As its standard input, since the folder is not for everybody.
            self._child = subprocess.Popen(
                ["pgbouncer", "-q", "/dev/stdin"], stdin=settings, stdout=log, stderr=log,
                **account,
            )
        assert eventually(self._answers), self._log.read_text()
        return self

    def _answers(self):
        done = subprocess.run(
            ["psql", "--no-psqlrc", "-Atc", "SELECT 1", self.url], capture_output=True, check=False
        )
        return done.returncode == 0

    def __exit__(self, *_):
        self._child.terminate()
        self._child.wait(timeout=10)
