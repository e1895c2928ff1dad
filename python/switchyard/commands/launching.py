# SPDX-License-Identifier: Apache-2.0
"""launch: starts a script N times on this machine, as the ranks of one job.

The processes find each other through a store of this one, on the loopback
interface alone, which wants a token. The first that fails ends the job; with
--elastic it begins again with the processes that are left, and the script goes on from
its last checkpoint (sy.distributed.Checkpoints). On several machines, each has an agent:
this command with --hosts, --host and --meet, and the job's token in SWITCHYARD_TOKEN.
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
_MOST = 1024


def _parser(command):
    parser = argparse.ArgumentParser(
        prog=program_of(command), description=COMMANDS[command][1],
        allow_abbrev=False)
    add = parser.add_argument
    add("-n", "--processes", metavar="N", type=int,
        help="how many processes on this machine; MAX with --elastic")
    add("--elastic", metavar="MIN:MAX", type=_bounds,
        help="after a failure start again with the processes that are left, at least "
             "MIN")
    add("--restarts", metavar="N", type=int, default=10,
        help="how often, with --elastic; 10 if not given")
    add("--hosts", metavar="N", type=int, default=1,
        help="on how many machines the job runs; each starts this command, with the "
             "same token in SWITCHYARD_TOKEN")
    add("--host", metavar="K", type=int, default=0,
        help="which of them this is, from 0")
    add("--meet", metavar="ADDRESS:PORT", type=_address,
        help="where host 0 listens, by an address that the others reach")
    add("--transport", metavar="NAME", choices=("tcp", "gloo", "nccl"), default="tcp",
        help="tcp, gloo or nccl; for mpi start the script by mpirun")
    add("script", metavar="SCRIPT", help="a Python file")
    add("arguments", metavar="ARGUMENTS", nargs=argparse.REMAINDER,
        help="of the script")
    return parser


def _bounds(text):
    """(MIN, MAX) of "MIN:MAX"."""
    least, colon, most = text.partition(":")
    if not colon or not least.isdecimal() or not most.isdecimal() or not (
            1 <= int(least) <= int(most) <= _MOST):
        raise argparse.ArgumentTypeError(
            f"must be MIN:MAX with 1 <= MIN <= MAX <= {_MOST}, got {text!r}")
    return int(least), int(most)


def _address(text):
    """(address, port) of "ADDRESS:PORT"."""
    address, _, port = text.rpartition(":")
    if not address or not port.isdecimal() or not 0 < int(port) < 65536:
        raise argparse.ArgumentTypeError(f"must be ADDRESS:PORT, got {text!r}")
    return address, int(port)


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


def _watch(processes, first_rank):
    """(exit code, what failed in words, how many processes are left) of the job: the
    code is that of the first process that fails."""
    while True:
        failed = [rank for rank, each in enumerate(processes)
                  if each.poll() not in (None, 0)]
        if failed:
            break
        if all(each.returncode == 0 for each in processes):
            return 0, "", len(processes)
        time.sleep(0.02)
    until = time.monotonic() + _PATIENCE
    while any(each.poll() is None for each in processes) and (
            time.monotonic() < until):
        time.sleep(0.02)
    # A death by a signal is the cause; the other ranks tell of it.
    killed = sum(each.returncode is not None and each.returncode < 0
                 for each in processes)
    first = min(failed, key=lambda rank: processes[rank].returncode > 0)
    _end(processes)
    code = processes[first].returncode
    return (code if code > 0 else 128 - code, _said(first_rank + first, processes[first]),
            len(processes) - max(killed, 1))


def _run(given, count):
    """Runs the script as `count` processes of this machine. As _watch."""
    token = os.environ.get("SWITCHYARD_TOKEN") or secrets.token_hex(16)
    address, port = given.meet or ("127.0.0.1", 0)
    store = Server(address, port, token) if given.host == 0 else None
    if store is not None:
        port = store.port
    first = given.host * count
    environment = {**os.environ, "WORLD_SIZE": str(count * given.hosts),
                   "SWITCHYARD_STORE": f"{address}:{port}",
                   "SWITCHYARD_TOKEN": token,
                   "SWITCHYARD_TRANSPORT": given.transport}
    threads = max(1, len(os.sched_getaffinity(0)) // count)
    environment.setdefault("OMP_NUM_THREADS", str(threads))
    processes = []
    try:
        for local in range(count):
            processes.append(subprocess.Popen(
                [sys.executable, given.script, *given.arguments],
                env={**environment, "RANK": str(first + local),
                     "LOCAL_RANK": str(local)}))
        return _watch(processes, first)
    finally:
        _end(processes)
        if store is not None:
            store.close()


def _number(given):
    """How many processes to begin with."""
    if given.processes is None and given.elastic is None:
        raise WrongArgument("-n must be given, or --elastic")
    count = given.processes if given.processes is not None else given.elastic[1]
    least, most = given.elastic or (1, _MOST)
    if not least <= count <= most:
        raise WrongArgument(f"-n must be from {least} to {most}")
    if given.restarts < 0:
        raise WrongArgument("--restarts must not be negative")
    return count


def _check_hosts(given):
    """WrongArgument unless the agents can find each other."""
    if not 1 <= given.hosts <= _MOST or not 0 <= given.host < given.hosts:
        raise WrongArgument(f"--host must be in [0, {given.hosts}), and --hosts from 1 "
                            f"to {_MOST}")
    if given.hosts == 1:
        return
    if given.meet is None:
        raise WrongArgument("--meet must say where host 0 listens")
    if not os.environ.get("SWITCHYARD_TOKEN"):
        raise WrongArgument("SWITCHYARD_TOKEN must have a text that only this job's "
                            "agents know")
    if given.elastic:
        raise WrongArgument("--elastic is for one machine")


def main(command, words):
    given = _parser(command).parse_args(words)
    count = _number(given)
    _check_hosts(given)
    if not os.path.isfile(given.script):
        raise WrongArgument(f"no file {given.script}")
    restarts = given.restarts if given.elastic else 0
    for restart in range(restarts + 1):
        code, failure, left = _run(given, count)
        if code == 0:
            return 0
        if restart == restarts:
            break
        count = max(given.elastic[0], left)
        print(f"sy: launch: {failure}; the job begins again as {count} "
              f"process{'es' if count > 1 else ''}, restart {restart + 1} of "
              f"{restarts}", file=sys.stderr)
    print(f"sy: launch: {failure}; the job has ended", file=sys.stderr)
    return code
