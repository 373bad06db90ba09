"""Runs build/sim/hook: the simulated receiver of webhooks."""

import os
import pathlib
import re
import subprocess

from erp_client import ROOT, ErpService

BINARY = pathlib.Path(os.environ.get("HERALD_SIM_HOOK", ROOT / "build" / "sim" / "hook"))


class HookService(ErpService):
    """`hook`, on free ports; its control API is asked as that of the ERP."""

    def __init__(self, *options):
        command = [str(BINARY), "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0",
                   *map(str, options)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"hook: listening on (http://(\S+)), control API on http://(\S+)\n", line)
        assert found, f"the first line is {line!r}"
        self.url, self.address, self.control_address = found.groups()

    def know(self, *secrets):
        self.told("secrets", secrets=list(secrets))

    def all_calls(self):
        """However many there are."""
        calls = []
        while page := self.calls(after=calls[-1]["id"] if calls else 0, limit=5000):
            calls += page
        return calls
