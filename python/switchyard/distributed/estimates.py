# SPDX-License-Identifier: Apache-2.0
"""Predictions of the cost of collective calls on a network that is not there."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from switchyard import _collective
from switchyard.checks import Range, real, whole

_SECONDS = Range("in [0, 10^6]", lambda n: 0 <= n <= 1e6)
_RANKS = Range("in [1, 512]", lambda n: 1 <= n <= 512)
_INTS = Range("in [1, 2^31)", lambda n: 1 <= n < 2**31)
_COUNT = Range("in [0, 2^60]", lambda n: 0 <= n <= 2**60)


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The cost of calls: ``seconds`` until the last process has made the last of
    them, and the ``messages`` and their ``bytes`` that all processes send."""

    seconds: float
    messages: int
    bytes: int


def estimate(calls: Iterable[tuple[str, str, int]], ranks: int, *, alpha: float,
             beta: float, overhead: float = 0.0, shards: int | None = None,
             ranks_a_host: int = 1,
             within_host: tuple[float, float, float] | None = None) -> Estimate:
    """Predicts the time of collective calls, made one after the other by ``ranks``
    processes. The calls run as they do on a network, as threads in virtual time, and
    no data moves: tensors may be larger than the memory.

    ``calls``: (name, dtype, number of elements of the tensor that is whole at the
    end), as ``DataParallel.step_calls()`` returns them. A message keeps its sender for
    ``overhead`` + bytes * ``beta`` seconds and arrives ``alpha`` seconds later; a
    process receives from several others at once, and arithmetic costs nothing.
    ``shards`` are those of reductions, as many as processes if not given. With
    ``ranks_a_host``, messages between processes of one host cost ``within_host``,
    (alpha, beta, overhead). ValueError for numbers outside their ranges.
    """
    ranks = whole("estimate", "ranks", ranks, _RANKS)
    shards = ranks if shards is None else whole("estimate", "shards", shards, _INTS)
    between = _link("", (alpha, beta, overhead))
    within = between
    if within_host is not None:
        if len(within_host) != 3:
            raise ValueError("estimate: within_host must be (alpha, beta, overhead), "
                             f"got {len(within_host)} numbers")
        within = _link("within_host's ", within_host)
    ranks_a_host = whole("estimate", "ranks_a_host", ranks_a_host, _INTS)
    return Estimate(*_collective.predict([_named(call) for call in calls], ranks, shards,
                                         between, within, ranks_a_host))


def _named(call):
    if not isinstance(call, (tuple, list)) or len(call) != 3:
        raise ValueError("estimate: a call must be (name, dtype, number of elements), "
                         f"got {call!r}")
    name, dtype, count = call
    return (str(name), str(dtype),
            whole("estimate", "the number of elements", count, _COUNT))


def _link(whose, numbers):
    """(latency, overhead, per byte)"""
    alpha, beta, overhead = (
        real("estimate", whose + name, number, _SECONDS)
        for name, number in zip(("alpha", "beta", "overhead"), numbers))
    return alpha, overhead, beta
