# SPDX-License-Identifier: Apache-2.0
"""DataParallel: one model on several processes, whose bits do not depend on how
many they are."""

from __future__ import annotations

import contextlib
import copy
import hashlib

import numpy as np

from switchyard import _collective, _core
from switchyard.checks import Range, real, whole
from switchyard.distributed.calls import caller_line, elements
from switchyard.distributed.gradient_buckets import (GradientBuckets, Vectors,
                                                     combine, node_of)
from switchyard.distributed.groups import gathered, group_or_none
from switchyard.distributed.shard_step import Step, tail_of
from switchyard.distributed.static_shard import StaticShard

_SHARDS = Range("in [1, 65536]", lambda n: 1 <= n <= 65536)
_MODES = ("auto", "merged", "shard")
_MIB = Range("positive and at most 4096", lambda n: 0 < n <= 4096)


class DataParallel:
    """Computes the gradients of a model by ``shards`` logical shards of a batch.

        model = sy.distributed.DataParallel(model, shards=8)
        loss = model.backward(lambda x, y: criterion(model(x), y), x, y)
        optimizer.step()

    ``shards`` belongs to the program, never to the number of processes: each
    process computes a run of shards, and gradients, losses and buffers are summed by
    one balanced binary tree over all of them. So parameters, states and losses have
    the same bits for 1, 2, 3 or any number of processes up to ``shards``; one process
    needs no ``init``. All processes pass the same batch.

    Random numbers are drawn by (seed, step, shard). Buffers, as the statistics of a
    batch norm, begin every shard with what they were before the step, and are the
    mean over the shards after it. Attributes and calls are the model's.

    Gradients are summed in buckets of some ``bucket_mb`` MiB, each as soon as the last
    shard of this process has computed its gradients, while the process computes
    others (``sy.distributed.trace`` shows it); with ``overlap=False`` after all are
    computed. Neither changes a bit. The gradients of a step are views of its buckets;
    those of halves, which are summed in float32, are rounded copies.

    With ``static=True`` the loss and the gradients of a shard are one compiled
    program, traced again as that of ``sy.static.train_function`` is, and the sums
    begin when the last shard's program has ended. It changes no bit.

    ``mode``, of programs: "shard" runs that program for each shard, "merged" one for
    all rows of this process, of which only what reads several rows is cut at the ends
    of shards, and "auto" the second where it can. ``shard_mode`` says which it was.
    No bit depends on it.
    """

    def __init__(self, module, shards: int = 8, bucket_mb: float = 4.0,
                 overlap: bool = True, static: bool = False, mode: str = "auto"):
        """DistributedError if the processes have other parameters; ValueError for
        fewer shards than processes."""
        group = group_or_none()
        size = 1 if group is None else group.size
        whole("DataParallel", "shards", shards, _SHARDS)
        self.bucket_mb = real("DataParallel", "bucket_mb", bucket_mb, _MIB)
        self.overlap = bool(overlap)
        if shards < size:
            raise ValueError("DataParallel: shards must be at least the number of "
                             f"processes, {size}, got {shards}")
        if mode not in _MODES:
            raise ValueError(f"DataParallel: mode must be one of {_MODES}, got {mode!r}")
        if mode == "merged" and not static:
            raise ValueError("DataParallel: mode must be 'auto' or 'shard' unless "
                             "static=True, got 'merged'")
        self.module = module
        self.static, self._mode = bool(static), mode
        self.shards = shards
        self._group = group
        self._rank = 0 if group is None else group.rank
        self._pieces = _collective.pieces(shards, size, self._rank)
        self._program = StaticShard(module, mode) if self.static else None
        self._vectors = Vectors()
        self._keeping, self._kept = False, {}  # Of no_sync: vectors by shard.
        if size > 1:
            _check_equal(module, group)

    def __call__(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def __getattr__(self, name):
        if name == "module":  # Not there yet, in a copy.
            raise AttributeError(name)
        return getattr(self.module, name)

    def __deepcopy__(self, memo):
        made = copy.copy(self)  # The group stays the same one.
        made.module = copy.deepcopy(self.module, memo)
        made._vectors = Vectors()
        made._keeping, made._kept = False, {}
        made._program = StaticShard(made.module, self._mode) if self.static else None
        return made

    def __repr__(self):
        return f"DataParallel({self.module!r}, shards={self.shards})"

    def backward(self, compute, *batch) -> _core.Tensor:
        """Adds the gradients of the mean over the batch to the parameters', and
        returns that mean.

        ``compute``: a function of rows of ``batch`` that returns their mean, a
        scalar. ``batch``: tensors or arrays of the same number of rows, at least
        ``shards``; a shard's rows are consecutive, and the mean of shards of
        different lengths is weighted. ValueError for rows that are too few or
        differ, or a result that is no scalar; DistributedError if a process is
        missing.
        """
        step = Step(self, compute, batch)
        step.check()
        outer, before = _core.rng_state(), step.buckets.take_gradients()
        buffers = [elements(each).copy() for each in step.buffers]
        try:
            if self._keeping:
                part = step.keep(outer, buffers)
                totals = None
            elif step.together or self._kept:
                step.run_apart(outer, buffers)
                totals = step.sums.wait()
            else:
                step.run(outer, buffers)
                totals = step.sums.wait()
        except BaseException:
            step.buckets.put_gradients(before)
            step.write_buffers(buffers)
            raise
        finally:
            _core.set_rng_state(outer[0], outer[1] + 1)
        if totals is None:
            step.buckets.put_gradients(before)
            step.write_buffers(buffers)
            return _core.tensor(part, step.loss_dtype)
        step.buckets.add_gradients(before, totals)
        step.write_means(totals)
        return _core.tensor(totals[step.tail["float64"]][0], step.loss_dtype)

    @contextlib.contextmanager
    def no_sync(self):
        """Keeps the gradients of ``backward`` in this process for a while, and sends no
        message for them:

            with model.no_sync():
                for x, y in first:
                    model.backward(compute, x, y)
            loss = model.backward(compute, *last)

        The next ``backward`` outside sums them all: each shard's, one batch after
        another, then those of the shards by the tree. So the bits are those of a step
        whose shards add the losses of all these batches, for any number of processes. In
        the block ``grad`` stays as it was, each shard goes on with its own buffers, which
        are seen after that next call, and ``backward`` returns what this process's shards
        add to the mean. A process has the gradients of each of its shards in memory. All
        processes enter the block alike. An exception that leaves it drops what is kept.
        """
        outer, self._keeping = self._keeping, True
        try:
            yield
        except BaseException:
            self._kept = {}
            raise
        finally:
            self._keeping = outer

    @property
    def shard_mode(self) -> str:
        """"merged" if one program computed all shards of this process in the last
        step; else "shard: " and why each was computed alone."""
        if self._program is None:
            return "shard: static is False"
        reason = self._program.reason
        return "merged" if reason is None else f"shard: {reason}"

    def step_calls(self) -> list[tuple[str, str, int]]:
        """The collective calls of a step, which ``sy.distributed.estimate`` takes:
        (name, dtype, number of elements) of the sum of each bucket of gradients, then
        of the loss and the buffers. A ``SyncBatchNorm`` makes others, which depend on
        the batch."""
        buckets = GradientBuckets(self.module, self.bucket_mb * 2**20)
        _, _, tail = tail_of(self.module)
        kinds = [*zip(buckets.dtypes, buckets.lengths), *tail.items()]
        return [("all_reduce", dtype, length) for dtype, length in kinds]

    def sum_of_shards(self, vectors):
        """The sum over all shards of all processes of vectors of float64, those of
        this process's shards."""
        vectors = iter([each.copy() for each in vectors])

        def add(left, right):
            combine(left, right)
            return left

        def take(shard, left=None):
            return next(vectors) if left is None else add(left, next(vectors))

        pieces = [node_of(*piece, take, add) for piece in self._pieces]
        out = np.empty_like(pieces[0])
        said = ("float64", out.size, "statistics", caller_line())
        self.group.all_reduce(said, "sum", self.shards, pieces, out)
        return out

    @property
    def group(self):
        """The group of the processes; one of this process alone without ``init``,
        which does the same arithmetic and sends no message."""
        return _alone() if self._group is None else self._group


_alone_group = None


def _alone():
    global _alone_group
    if _alone_group is None:
        _alone_group = _collective.Group("tcp", 0, 1, [-1], 60.0)
    return _alone_group


def _check_equal(module, group):
    """DistributedError unless all processes have the same parameters and buffers."""
    digest = hashlib.sha256()
    for name, slot in module.named_slots():
        tensor = slot.tensor
        digest.update(f"{name} {tensor.dtype} {tensor.shape} ".encode())
        digest.update(np.ascontiguousarray(elements(tensor)).tobytes())
    every = gathered(group, np.frombuffer(digest.digest(), np.uint8), "uint8",
                     "parameters", caller_line())
    for rank, row in enumerate(every):
        if not np.array_equal(row, every[0]):
            raise _collective.DistributedError(
                f"DataParallel: rank {rank} begins with other parameters than rank "
                "0: set the same seed, or load the same state, on all")
