# SPDX-License-Identifier: Apache-2.0
"""Which rank this process is: of arguments, or of what a launcher has set.

In this order: arguments of ``init``; RANK and WORLD_SIZE (./sy launch, torchrun);
OMPI_COMM_WORLD_* (mpirun); SLURM_PROCID, or PMIX_RANK, and SLURM_NTASKS (srun). The
first that has both a rank and a size counts, since mpirun inside of a batch job inherits the
variables of the step. Without any the process is rank 0 of 1.
"""

from __future__ import annotations

from typing import NamedTuple

_FAMILIES = (
    ("launch", "RANK", "WORLD_SIZE"),
    ("mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("srun", "SLURM_PROCID", "SLURM_NTASKS"),
    ("srun", "PMIX_RANK", "SLURM_NTASKS"),
)


class Position(NamedTuple):
    """A rank among ``size``; ``family`` says where that was read."""

    family: str
    rank: int
    size: int


def position(rank, size, environ) -> Position:
    """The Position of this process. ValueError for a rank that is not one of
    ``size``, and for arguments of which one is missing."""
    if (rank is None) != (size is None):
        raise ValueError("init: rank and world_size must be given together, got "
                         f"rank {rank} and world_size {size}")
    if rank is not None:
        return _checked("arguments", "rank", rank, "world_size", size)
    for family, of_rank, of_size in _FAMILIES:
        if of_rank in environ and of_size in environ:
            return _checked(family, of_rank, environ[of_rank], of_size,
                            environ[of_size])
    return Position("alone", 0, 1)


def _checked(family, of_rank, rank, of_size, size):
    numbers = []
    for name, value in ((of_rank, rank), (of_size, size)):
        try:
            numbers.append(int(value))
        except (TypeError, ValueError):
            raise ValueError(f"init: {name} must be a whole number, got "
                             f"{value!r}") from None
    if numbers[1] < 1:
        raise ValueError(f"init: {of_size} must be at least 1, got {numbers[1]}")
    if not 0 <= numbers[0] < numbers[1]:
        raise ValueError(f"init: {of_rank} must be in [0, {numbers[1]}), got "
                         f"{numbers[0]}")
    return Position(family, *numbers)


def transport_of(position, wanted, environ) -> str:
    """The transport: the argument, SWITCHYARD_TRANSPORT, or what suits."""
    if wanted is None:
        wanted = environ.get("SWITCHYARD_TRANSPORT")
    if wanted is not None:
        return wanted
    has_store = "SWITCHYARD_STORE" in environ or "MASTER_ADDR" in environ
    by_mpi = position.family in ("mpirun", "srun") and not has_store
    return "mpi" if by_mpi else "tcp"


def device_of(position, environ) -> int:
    """The number of the GPU of this process, of those that it sees: its rank among
    the processes of its machine, as a launcher has set it."""
    for name in ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"):
        if environ.get(name, "").isdecimal():
            return int(environ[name])
    return position.rank


def store_of(environ):
    """(host, port, whether rank 0 serves it, token) of the store."""
    token = environ.get("SWITCHYARD_TOKEN", environ.get("TORCHELASTIC_RUN_ID", ""))
    if "SWITCHYARD_STORE" in environ:
        host, _, port = environ["SWITCHYARD_STORE"].rpartition(":")
        return host, _port("SWITCHYARD_STORE", port), False, token
    if "MASTER_ADDR" not in environ or "MASTER_PORT" not in environ:
        raise ValueError("init: MASTER_ADDR and MASTER_PORT must say where rank 0 "
                         "listens; ./sy launch and torchrun set them, and the "
                         "transport mpi needs none")
    port = _port("MASTER_PORT", environ["MASTER_PORT"])
    # torchrun's own store is at that port.
    port += environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    return environ["MASTER_ADDR"], port, True, token


def _port(name, text):
    if not text.isdecimal() or not 0 < int(text) < 65535:
        raise ValueError(f"init: {name} must have a port, got {text!r}")
    return int(text)
