# SPDX-License-Identifier: Apache-2.0
"""launch: starts a script N times on this machine, as the ranks of one job.

The processes find each other through a store of this one, on the loopback
interface alone, which wants a token. The first that fails ends the job.
"""

import argparse
import os
import secrets
import signal
import subprocess
import sys
import time

from switchyard.commands import COMMANDS, program_of
from switchyard.commands.faults import WrongArgument
from switchyard.distributed.store import Server

# How long processes that survive a failure have to say what they know, and then
# to end after a SIGTERM.
_PATIENCE, _GRACE = 2.5, 1.5


def _parser(command):
    parser = argparse.ArgumentParser(
        prog=program_of(command), description=COMMANDS[command][1],
        allow_abbrev=False)
    add = parser.add_argument
    add("-n", "--processes", metavar="N", type=int, required=True,
        help="how many processes")
    add("--transport", metavar="NAME", choices=("tcp",), default="tcp",
        help="tcp; for mpi start the script by mpirun")
    add("script", metavar="SCRIPT", help="a Python file")
    add("arguments", metavar="ARGUMENTS", nargs=argparse.REMAINDER,
        help="of the script")
    return parser


def _said(rank, process):
    """How a process has failed, in words."""
    code = process.returncode
    who = f"rank {rank} (process {process.pid})"
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = "unknown"
        return f"{who} died by signal {-code} ({name})"
    return f"{who} ended with exit code {code}"


def _end(processes):
    """Ends the processes that still run: each gets a SIGTERM, later a SIGKILL, and
    a SIGCONT where it was stopped."""
    for number, patience in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, 60)):
        left = [each for each in processes if each.poll() is None]
        for each in left:
            each.send_signal(number)
            each.send_signal(signal.SIGCONT)
        until = time.monotonic() + patience
        while any(each.poll() is None for each in left) and (
                time.monotonic() < until):
            time.sleep(0.01)


def _watch(processes):
    """The exit code of the job: that of the first process that fails."""
    while True:
        failed = [rank for rank, each in enumerate(processes)
                  if each.poll() not in (None, 0)]
        if failed:
            break
        if all(each.returncode == 0 for each in processes):
            return 0
        time.sleep(0.02)
    until = time.monotonic() + _PATIENCE
    while any(each.poll() is None for each in processes) and (
            time.monotonic() < until):
        time.sleep(0.02)
    # A death by a signal is the cause; the other ranks tell of it.
    first = min(failed, key=lambda rank: processes[rank].returncode > 0)
    _end(processes)
    print(f"sy: launch: {_said(first, processes[first])}; the job has ended",
          file=sys.stderr)
    code = processes[first].returncode
    return code if code > 0 else 128 - code


def main(command, words):
    given = _parser(command).parse_args(words)
    if not 1 <= given.processes <= 1024:
        raise WrongArgument("-n must be from 1 to 1024")
    if not os.path.isfile(given.script):
        raise WrongArgument(f"no file {given.script}")
    token = secrets.token_hex(16)
    store = Server("127.0.0.1", 0, token)
    environment = {**os.environ, "WORLD_SIZE": str(given.processes),
                   "SWITCHYARD_STORE": f"127.0.0.1:{store.port}",
                   "SWITCHYARD_TOKEN": token,
                   "SWITCHYARD_TRANSPORT": given.transport}
    threads = max(1, len(os.sched_getaffinity(0)) // given.processes)
    environment.setdefault("OMP_NUM_THREADS", str(threads))
    processes = []
    try:
        for rank in range(given.processes):
            processes.append(subprocess.Popen(
                [sys.executable, given.script, *given.arguments],
                env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank)}))
        return _watch(processes)
    finally:
        _end(processes)
        store.close()
