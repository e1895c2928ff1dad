# SPDX-License-Identifier: Apache-2.0
"""The group of all processes of a job: init, rank, world_size, destroy."""

from __future__ import annotations

import atexit
import json
import os
import pathlib
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Mapping

import numpy as np

from switchyard import _collective, _core
from switchyard.checks import Range, real
from switchyard.distributed import environment, rendezvous

_POSITIVE = Range("positive and at most 10^6", lambda n: 0 < n <= 1e6)
_RECORD = 512  # Bytes that a rank says about itself.
# The instruction sets by which kernels are chosen.
_FEATURES = ("sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw",
             "avx512vl", "avx512dq", "avx512_vnni", "avx512_bf16", "avx512_fp16",
             "amx_tile", "amx_bf16", "amx_int8")

_group = None
_reduction = "tree"  # Of the group.
_members = []  # By rank, what they said of themselves.


def init(rank: int | None = None, world_size: int | None = None, *,
         transport: str | None = None, deadline: float = 60.0,
         relaxed: str | Mapping[str, str] | None = None) -> None:
    """Connects this process with the others of its job.

    Under ``./sy launch``, torchrun, mpirun and srun no argument is needed; started
    alone, the process is rank 0 of 1. ``transport``: "tcp", sockets, which need no
    library, "mpi", Open MPI, "gloo", Gloo, or "nccl", NCCL between GPUs. ``deadline``: how
    many seconds a call waits for the other ranks, and this one for them to come. ``relaxed``: "reduction=library", as a
    text or a dictionary, lets Open MPI or Gloo add the ranks' sums of floating numbers,
    in orders of theirs; ranks may then have other CPUs. RuntimeError if there is a group
    already or the transport's library is missing; ValueError for another choice, or a
    transport without a library; DistributedError for ranks that do not come, or whose
    build, CPU or choice would give other bits.
    """
    global _group, _reduction
    # Programs that are loaded from now on may have its operators.
    from switchyard.distributed import program_calls as _  # It imports this module.
    if _group is not None:
        raise RuntimeError("init: there is a group already; destroy() ends it")
    deadline = real("init", "deadline", deadline, _POSITIVE)
    reduction = _reduction_of(relaxed)
    place = environment.position(rank, world_size, os.environ)
    name = environment.transport_of(place, transport, os.environ)
    if place.size == 1:
        name = "tcp"
    group = _connected(name, place, deadline, reduction == "library")
    _compare(group, reduction)
    _group, _reduction = group, reduction
    atexit.register(destroy)
    if place.family == "mpirun" and place.size > 1:
        _hear_mpirun()


def _reduction_of(relaxed):
    """The choice of a reduction, of what programs spell in the same way."""
    if relaxed is None:
        relaxed = {}
    elif isinstance(relaxed, str):
        relaxed = dict(word.partition("=")[::2] for word in relaxed.split(",")
                       if word != "exact")
    elif not isinstance(relaxed, Mapping):
        raise TypeError("init: relaxed must be a text as 'reduction=library', a "
                        f"dictionary or None, got {type(relaxed).__name__}")
    for name in relaxed:
        if name != "reduction":
            raise ValueError("init: relaxed: the choice must be reduction, got "
                             f"{name!r}")
    reduction = relaxed.get("reduction", "tree")
    if reduction not in ("tree", "library"):
        raise ValueError("init: relaxed: reduction must be tree or library, got "
                         f"{reduction!r}")
    return reduction


def _connected(name, place, deadline, library):
    """The group of this process, connected by the transport of this name.
    ``library``: whose library adds."""
    rank, size, until = place.rank, place.size, time.monotonic() + deadline
    library = library and size > 1
    if library:
        _collective.check_library(name)
    if name == "gloo":
        with rendezvous.Meeting(rank, size, environment.store_of(os.environ),
                                until) as meeting:
            return _collective.Group(name, rank, size, [], deadline,
                                     meeting.host, meeting.exchange, library)
    sockets = [None] * size
    if name in ("tcp", "nccl") and size > 1:
        sockets = rendezvous.connect(rank, size, environment.store_of(os.environ),
                                     until)
    numbers = [-1 if each is None else each.detach() for each in sockets]
    return _collective.Group(name, rank, size, numbers, deadline, library=library,
                             device=environment.device_of(place, os.environ))


def destroy() -> None:
    """Ends the group: waits for the others, unless a call has failed or an exception
    ends the process. Is called at its end."""
    global _group, _reduction
    group, _group, _reduction = _group, None, "tree"
    if group is None:
        return
    try:
        # Python sets last_value where nothing has caught an exception.
        if not group.failed and group.size > 1 and not hasattr(sys, "last_value"):
            group.barrier(("uint8", 0, "", "destroy"))
    except _collective.DistributedError:
        pass  # The others ended otherwise, and say so.
    finally:
        group.close()


def _hear_mpirun():
    """Has a SIGTERM, which mpirun sends where another process has died and a second
    before it kills this one, raise the DistributedError that names that process."""
    if (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL):
        signal.signal(signal.SIGTERM, _ended_by_mpirun)


def _ended_by_mpirun(number, frame):
    from switchyard.distributed.calls import line_of  # It imports this module.
    signal.signal(number, signal.SIG_DFL)
    if _group is not None and _group.failed:
        return  # It has raised an error, and ends.
    names = [f"rank {rank} (host {each['host']}, process {each['process']})"
             for rank, each in enumerate(_members)]
    gone = [name for name, each in zip(names, _members)
            if each["host"] == socket.gethostname()[:100] and _has_ended(each["process"])]
    if _group is None or not gone:
        os.kill(os.getpid(), number)
        return
    raise _collective.DistributedError(
        f"{' and '.join(gone)} ended, and mpirun ends the job while {names[_group.rank]} "
        f"was at {line_of(frame)}")


def _has_ended(process):
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2]
    except OSError:
        return True
    return state.split()[0] in "ZX"


def is_initialized() -> bool:
    """Whether ``init`` was called, and ``destroy`` not since."""
    return _group is not None


def rank() -> int:
    """The number of this process in its job; 0 without ``init``."""
    return 0 if _group is None else _group.rank


def world_size() -> int:
    """The number of processes of the job; 1 without ``init``."""
    return 1 if _group is None else _group.size


def current(name):
    """The group, for a call of this name; RuntimeError without one."""
    if _group is None:
        raise RuntimeError(f"{name}: call switchyard.distributed.init() first")
    return _group


def group_or_none():
    """The group; None without one."""
    return _group


def gathered(group, own, dtype, name, location):
    """The ranks' arrays of one shape, stacked. The rest is of the call, as the other
    ranks see it."""
    every = np.empty((group.size, *own.shape), own.dtype)
    every[group.rank] = own
    begins = [own.size * each for each in range(group.size + 1)]
    group.all_gather((dtype, every.size, name, location), begins, every)
    return every


def bits_decided_by(reduction=None):
    """{"build", "cpu", "relaxed"}: what makes the same program give other bits
    elsewhere, in words. ``reduction``: that of the group if not given."""
    reduction = reduction or _reduction
    flags = set()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            flags = set(line.split(":")[1].split())
            break
    size = os.stat(_core.__file__).st_size
    return {"build": f"{size} bytes",
            "cpu": " ".join(f for f in _FEATURES if f in flags),
            "relaxed": "exact" if reduction == "tree" else f"reduction={reduction}"}


def _own_record(reduction):
    return {"host": socket.gethostname()[:100], "process": os.getpid(),
            **bits_decided_by(reduction)}


def _compare(group, reduction):
    """Tells the ranks who the others are; DistributedError if one of them would
    give other bits, which the choice of a library's reduction allows CPUs to do."""
    words = json.dumps(_own_record(reduction)).encode().ljust(_RECORD, b"\0")
    rows = gathered(group, np.frombuffer(words, np.uint8), "uint8", "", "init")
    records = [json.loads(row.tobytes().rstrip(b"\0")) for row in rows]
    global _members
    _members = records
    group.set_members([each["host"] for each in records],
                      [each["process"] for each in records])
    for number, each in enumerate(records):
        for what, meaning in (("build", "another extension module"),
                              ("relaxed", "another choice of what is relaxed"),
                              ("cpu", "a CPU with other instructions")):
            if each[what] == records[0][what]:
                continue
            sentence = (f"init: rank {number} (host {each['host']}) has {meaning}, and "
                        f"would give other bits: {each[what]}; rank 0 (host "
                        f"{records[0]['host']}): {records[0][what]}")
            if what != "cpu" or reduction == "tree":
                raise _collective.DistributedError(sentence)
            if group.rank == 0:
                warnings.warn(sentence, stacklevel=3)
