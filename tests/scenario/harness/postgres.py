"""A database of its own for each site, on the PostgreSQL server that the run was given."""

import contextlib
import ctypes
import re
import subprocess
import threading
import uuid

_COMMAND_OK, _TUPLES_OK = 1, 2  # enum ExecStatusType


class PostgresDatabase:
    """Made by make(), empty or as another one is; dropped by drop().

    `server_url` may name any database of the server.
    """

    def __init__(self, server_url):
        self._server_url = server_url
        self.name = f"herald_scenario_{uuid.uuid4().hex[:12]}"
        self.url = replace_database(server_url, self.name)
        self.is_made = False
        self._making = threading.Lock()

    def make(self, like="template1"):
        """Copies that database, to which nobody may be connected, if it is not made. By its WAL: a copy
        of files makes the server write all that is in its memory, while herald wants an answer."""
        with self._making:
            if not self.is_made:
                self.ask_server(f'CREATE DATABASE "{self.name}" TEMPLATE "{like}" STRATEGY WAL_LOG')
            self.is_made = True

    def drop(self):
        if self.is_made:
            self.ask_server(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')

    def ask(self, sql):
        self.make()
        return run_sql(self.url, sql)

    def ask_server(self, sql):
        return run_sql(self._server_url, sql)

    def take_away(self):
        """Nobody may connect any more, and who is connected is thrown out."""
        self.make()
        self.ask_server(f'ALTER DATABASE "{self.name}" WITH ALLOW_CONNECTIONS false')
        self.ask_server(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.name}'"
        )

    def give_back(self):
        self.ask_server(f'ALTER DATABASE "{self.name}" WITH ALLOW_CONNECTIONS true')

    @contextlib.contextmanager
    def locked(self, table):
        """Somebody else has the table for himself."""
        self.make()
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
        self.make()
        done = subprocess.run(["pg_dump", "--dbname", self.url], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


def replace_database(url, name):
    matched = re.fullmatch(r"(postgres(?:ql)?://[^/?]*)(?:/[^?]*)?(\?.*)?", url)
    assert matched, f"not a PostgreSQL URL: {url}"
    return f"{matched[1]}/{name}{matched[2] or ''}"


@contextlib.contextmanager
def connected(url):
    """Gives what asks over one connection: it returns what `psql -At -c` prints.

    A process for each would cost more than what is asked.
    """
    connection = _libpq.PQconnectdb(url.encode())

    def ask(sql):
        assert _libpq.PQsendQuery(connection, sql.encode()), _fault(connection, sql)
        lines = []
        while result := _libpq.PQgetResult(connection):
            try:
                lines += _lines_of(connection, result, sql)
            finally:
                _libpq.PQclear(result)
        return "\n".join(lines).strip()

    try:
        yield ask
    finally:
        _libpq.PQfinish(connection)


def run_sql(url, sql):
    with connected(url) as ask:
        return ask(sql)


def _load_libpq():
    libpq = ctypes.CDLL("libpq.so.5")
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, answer, *arguments in (
        ("PQconnectdb", pointer, text), ("PQfinish", None, pointer),
        ("PQerrorMessage", text, pointer), ("PQsendQuery", number, pointer, text),
        ("PQgetResult", pointer, pointer), ("PQclear", None, pointer),
        ("PQresultStatus", number, pointer), ("PQcmdStatus", text, pointer),
        ("PQntuples", number, pointer), ("PQnfields", number, pointer),
        ("PQgetvalue", text, pointer, number, number),
    ):
        function = getattr(libpq, name)
        function.restype, function.argtypes = answer, arguments
    return libpq


_libpq = _load_libpq()


def _fault(connection, sql):
    return f"{sql}: {_libpq.PQerrorMessage(connection).decode()}"


def _lines_of(connection, result, sql):
    status = _libpq.PQresultStatus(result)
    assert status in (_COMMAND_OK, _TUPLES_OK), _fault(connection, sql)
    if status == _COMMAND_OK:
        return [_libpq.PQcmdStatus(result).decode()]
    columns = range(_libpq.PQnfields(result))
    return ["|".join(_libpq.PQgetvalue(result, row, column).decode() for column in columns)
            for row in range(_libpq.PQntuples(result))]
