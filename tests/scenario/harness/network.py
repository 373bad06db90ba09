"""An address of this machine that is not loopback, also where the machine has none."""

import ctypes
import fcntl
import multiprocessing
import os
import socket
import struct
import traceback

import pytest

OWN_ADDRESS = "198.51.100.1"  # of those that belong to nobody (RFC 5737)
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, SIOCSIFADDR, IFF_UP = 0x8914, 0x8916, 1


def _enter_own_network():
    """A network of this process alone and of those that it starts, with that address."""
    user, group = os.getuid(), os.getgid()
    unshare = ctypes.CDLL(None, use_errno=True).unshare
    if unshare(CLONE_NEWNET) != 0:
        if unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "no network of its own")
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        flags = struct.pack("16sH14x", b"lo", IFF_UP)
        fcntl.ioctl(device, SIOCSIFFLAGS, flags)
        address = struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton(OWN_ADDRESS))
        fcntl.ioctl(device, SIOCSIFADDR, address)


def _run(scenario, site, outcome):
    try:
        _enter_own_network()
    except OSError:
        outcome.send("impossible")
        return
    try:
        with site:
            scenario(site, OWN_ADDRESS)
        outcome.send("passed")
    except BaseException:
        outcome.send(traceback.format_exc())


def _given_address():
    """One that the machine has anyway; None: it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            return None
        return probe.getsockname()[0]


def run_beyond_loopback(scenario, site):
    """Calls scenario(site, address), where nothing of the site runs yet, with an address beyond loopback.

    It runs in a network of its own, or, where the system allows none, at an address of the machine.
    A Debian as it comes allows one; a closed container that has neither skips the scenario.
    """
    context = multiprocessing.get_context("fork")
    received, outcome = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(scenario, site, outcome))
    process.start()
    outcome.close()
    told = received.recv()
    process.join()
    if told != "impossible":
        assert told == "passed", told
        return
    address = _given_address()
    if address is None:
        pytest.skip("this machine has no address but loopback, and allows no network of its own")
    scenario(site, address)
