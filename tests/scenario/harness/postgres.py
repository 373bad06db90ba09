"""A database of its own for each site, on the PostgreSQL server that the run was given."""

import contextlib
import re
import subprocess
import uuid


class PostgresDatabase:
    """Made at once, dropped by drop(). `server_url` may name any database of the server."""

    def __init__(self, server_url):
        self._server_url = server_url
        self.name = f"herald_scenario_{uuid.uuid4().hex[:12]}"
        self.url = replace_database(server_url, self.name)
        self.ask_server(f'CREATE DATABASE "{self.name}"')

    def drop(self):
        self.ask_server(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')

    def ask(self, sql):
        return run_psql(self.url, sql)

    def ask_server(self, sql):
        return run_psql(self._server_url, sql)

    def take_away(self):
        """Nobody may connect any more, and who is connected is thrown out."""
        self.ask_server(f'ALTER DATABASE "{self.name}" WITH ALLOW_CONNECTIONS false')
        self.ask_server(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.name}'"
        )

    def give_back(self):
        self.ask_server(f'ALTER DATABASE "{self.name}" WITH ALLOW_CONNECTIONS true')

    @contextlib.contextmanager
    def locked(self, table):
        """Somebody else has the table for himself."""
        command = ["psql", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-qAt", self.url]
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        child.stdin.write(f"BEGIN; LOCK TABLE {table}; SELECT 'locked';\n")
        child.stdin.flush()
        assert child.stdout.readline().strip() == "locked"
        try:
            yield
        finally:
            child.stdin.close()
            child.wait(timeout=10)

    def dump(self):
        """All that the database holds, as pg_dump writes it."""
        done = subprocess.run(["pg_dump", "--dbname", self.url], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


def replace_database(url, name):
    matched = re.fullmatch(r"(postgres(?:ql)?://[^/?]*)(?:/[^?]*)?(\?.*)?", url)
    assert matched, f"not a PostgreSQL URL: {url}"
    return f"{matched[1]}/{name}{matched[2] or ''}"


def run_psql(url, sql):
    done = subprocess.run(
        ["psql", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-Atc", sql, url],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, f"{sql}: {done.stderr}"
    return done.stdout.strip()
