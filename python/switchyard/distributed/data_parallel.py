# SPDX-License-Identifier: Apache-2.0
"""DataParallel: one model on several processes, whose bits do not depend on how
many they are."""

from __future__ import annotations

import copy
import hashlib

import numpy as np

from switchyard import _collective, _core
from switchyard.checks import Range, real, whole
from switchyard.creation import empty
from switchyard.distributed.calls import caller_line, elements
from switchyard.distributed.gradient_buckets import GradientBuckets, Watch, wide
from switchyard.distributed.groups import group_or_none
from switchyard.distributed.shard_threads import run_together
from switchyard.distributed.tracing import computing
from switchyard.nn.sync_norm import SyncBatchNorm

_SHARDS = Range("in [1, 65536]", lambda n: 1 <= n <= 65536)
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
    """

    def __init__(self, module, shards: int = 8, bucket_mb: float = 4.0,
                 overlap: bool = True):
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
        self.module = module
        self.shards = shards
        self._group = group
        self._rank = 0 if group is None else group.rank
        self._pieces = _collective.pieces(shards, size, self._rank)
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
        step = _Step(self, compute, batch)
        outer, before = _core.rng_state(), step.buckets.take_gradients()
        buffers = [elements(each).copy() for each in step.buffers]
        try:
            if any(isinstance(each, SyncBatchNorm) for each in self.module.modules()):
                step.run_together(outer, buffers)
            else:
                step.run(outer, buffers)
            totals = step.sums.wait()
        except BaseException:
            step.buckets.put_gradients(before)
            step.write_buffers(buffers)
            raise
        finally:
            _core.set_rng_state(outer[0], outer[1] + 1)
        step.buckets.add_gradients(before, totals, step.sums.memory)
        step.write_means(totals)
        return _core.tensor(totals[step.tail["float64"]][0], step.loss_dtype)

    def sum_of_shards(self, vectors):
        """The sum over all shards of all processes of vectors of float64, those of
        this process's shards."""
        vectors, pieces = iter([each.copy() for each in vectors]), []
        for begin, end in self._pieces:
            pieces.append(_node(begin, end, vectors))
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


def _node(begin, end, vectors):
    """The sum of a node of the tree, of the next vectors."""
    if end - begin == 1:
        return next(vectors)
    cut = _collective.cut(begin, end)
    left = _node(begin, cut, vectors)
    right = _node(cut, end, vectors)
    _combine(left, right)
    return left


class _Sums:
    """The sums over all shards of one step, by bucket. They are given to the group in
    the order of the buckets."""

    def __init__(self, owner):
        self._owner, self._line = owner, caller_line()
        self._outs, self._ticket = [], 0
        self.memory = []  # By bucket, the tensor whose elements the sum is.

    def give(self, pieces):
        """Begins to sum the next bucket, of which ``pieces`` are this process's nodes
        of the tree."""
        owner = self._owner
        self.memory.append(empty([pieces[0].size], dtype=pieces[0].dtype.name))
        out = self.memory[-1].numpy()
        self._outs.append(out)
        said = (out.dtype.name, out.size, f"bucket {len(self._outs) - 1}", self._line)
        self._ticket = owner.group.all_reduce(said, "sum", owner.shards, pieces, out,
                                              owner.overlap and owner.group.size > 1)

    def wait(self):
        """The sums."""
        if self._ticket:
            self._owner.group.wait(self._ticket)
        return self._outs


class _Step:
    """One step: its rows, and what is summed over the shards."""

    def __init__(self, owner, compute, batch):
        self.shards = owner.shards
        self.compute = compute
        self.batch = [each if isinstance(each, _core.Tensor) else
                      _core.tensor(each) for each in batch]
        rows = {each.shape[0] if each.shape else 0 for each in self.batch}
        if len(rows) != 1 or min(rows) < self.shards:
            raise ValueError("backward: the tensors of a batch must have the same "
                             f"number of rows, at least {self.shards}, got shapes "
                             f"{[each.shape for each in self.batch]}")
        self.rows = rows.pop()
        self.sums = _Sums(owner)
        self.pieces = owner._pieces
        self._sum_of_shards = owner.sum_of_shards
        self.overlap = owner.overlap
        self.buckets = GradientBuckets(owner.module, owner.bucket_mb * 2**20)
        self.buffers = [each for each in owner.module.buffers()
                        if each.dtype in ("float16", "bfloat16", "float32",
                                          "float64")]
        # After the gradients, in a bucket a dtype: the loss, and the buffers.
        lengths, self.buffer_begins = {"float64": 1}, []
        for each in self.buffers:
            self.buffer_begins.append(lengths.get(wide(each.dtype), 0))
            lengths[wide(each.dtype)] = self.buffer_begins[-1] + each.size
        first = len(self.buckets.dtypes)
        self.tail = {dtype: first + number for number, dtype in enumerate(lengths)}
        self._tail_lengths = list(lengths.values())
        self.loss_dtype = "float32"

    def run(self, random, buffers):
        """Computes this process's shards, and gives their sums."""
        def compute(shard, watch=None):
            return self._shard(shard, random, buffers, watch)

        *first, (begin, end) = self.pieces
        pieces = [self._node(*piece, compute) for piece in first]
        # The last shard is the right end of its piece's tree: with each node to the
        # left of the way there it is a bucket's piece.
        lefts = []
        while end - begin > 1:
            cut = _collective.cut(begin, end)
            lefts.append(self._node(begin, cut, compute))
            begin = cut

        def launch(bucket, vector):
            for left in reversed(lefts):
                _combine(left[bucket], vector)
                vector = left[bucket]
            self.sums.give([piece[bucket] for piece in pieces] + [vector])

        compute(begin, launch)

    def run_together(self, random, buffers):
        """Computes this process's shards, which meet in layers, and gives their
        sums."""
        shards = [shard for piece in self.pieces for shard in range(*piece)]
        vectors = dict(zip(shards, run_together(
            [lambda shard=shard: self._shard(shard, random, buffers)
             for shard in shards], self._leave, self._enter, self._sum_of_shards)))
        pieces = [self._node(*piece, vectors.pop) for piece in self.pieces]
        for each in zip(*pieces):
            self.sums.give(list(each))

    def _node(self, begin, end, compute):
        """The buckets of the node [begin, end) of the tree."""
        if end - begin == 1:
            return compute(begin)
        cut = _collective.cut(begin, end)
        left = self._node(begin, cut, compute)
        right = self._node(cut, end, compute)
        for into, vector in zip(left, right):
            _combine(into, vector)
        return left

    def _leave(self):
        return (self.buckets.take_gradients(),
                [elements(each).copy() for each in self.buffers])

    def _enter(self, kept):
        gradients, values = kept
        self.buckets.put_gradients(gradients)
        for each, value in zip(self.buffers, values):
            if not np.array_equal(elements(each), value):
                _write(each, value)

    def _shard(self, shard, random, buffers, launch=None):
        """The buckets of a shard; each is given to ``launch`` as soon as it is complete."""
        begin = shard * self.rows // self.shards
        end = (shard + 1) * self.rows // self.shards
        _core.set_rng_state(_seed_of(random, shard), 0)
        self.write_buffers(buffers)
        vectors = self.buckets.vectors()
        vectors += [np.zeros(length, dtype)
                    for dtype, length in zip(self.tail, self._tail_lengths)]
        with computing(f"shard {shard}"):
            loss = self.compute(*[each[begin:end] for each in self.batch])
            if not isinstance(loss, _core.Tensor) or loss.size != 1:
                raise ValueError("backward: compute must return a scalar tensor, the "
                                 "mean over its rows")
            self.loss_dtype = loss.dtype
            weighted = loss * ((end - begin) / self.rows)
            watch = self._differentiate(weighted, vectors, launch)
        vectors[self.tail["float64"]][0] = weighted.item()
        for each, place in zip(self.buffers, self.buffer_begins):
            values = elements(_core.ops.cast(each.detach(), wide(each.dtype)))
            vector = vectors[self.tail[wide(each.dtype)]]
            vector[place:place + each.size] = values.reshape(-1)
        if launch is not None:
            watch.finish()
            for bucket in self.tail.values():
                launch(bucket, vectors[bucket])
        return vectors

    def _differentiate(self, loss, vectors, launch):
        """Writes the gradients of a shard's loss to the buckets; returns their watch."""
        watch = Watch(self.buckets, vectors,
                      lambda bucket: launch(bucket, vectors[bucket]))
        if launch is not None and self.overlap and all(
                each.grad is None for each in self.buckets.tensors):
            with watch:
                loss.backward()
            self.buckets.put_gradients([None] * len(self.buckets.tensors))
        else:  # Or compute has called backward: there is more than this loss's.
            loss.backward()
            self.buckets.write_all(vectors)
        return watch

    def write_buffers(self, values):
        for each, value in zip(self.buffers, values):
            _write(each, value)

    def write_means(self, totals):
        for each, begin in zip(self.buffers, self.buffer_begins):
            vector = totals[self.tail[wide(each.dtype)]][begin:begin + each.size]
            _write(each, (vector / vector.dtype.type(self.shards)).reshape(each.shape))


def _write(tensor, values):
    tensor.copy_(_core.tensor(values, tensor.dtype))


def _combine(left, right):
    """Adds the vector of the next node to a vector."""
    _collective.combine("sum", left.dtype.name, left, right, left.size)


def _seed_of(random, shard):
    """The seed of a shard of a step, whose generator is at ``random``."""
    words = f"{random[0]} {random[1]} {shard}".encode()
    return int.from_bytes(hashlib.sha256(words).digest()[:7], "little")


def _check_equal(module, group):
    """DistributedError unless all processes have the same parameters and buffers."""
    digest = hashlib.sha256()
    for name, slot in module.named_slots():
        tensor = slot.tensor
        digest.update(f"{name} {tensor.dtype} {tensor.shape} ".encode())
        digest.update(np.ascontiguousarray(elements(tensor)).tobytes())
    own = np.frombuffer(digest.digest(), np.uint8)
    every = np.zeros((group.size, own.size), np.uint8)
    every[group.rank] = own
    begins = [own.size * each for each in range(group.size + 1)]
    group.all_gather(("uint8", every.size, "parameters", caller_line()), begins,
                     every)
    for rank, row in enumerate(every):
        if not np.array_equal(row, every[0]):
            raise _collective.DistributedError(
                f"DataParallel: rank {rank} begins with other parameters than rank "
                "0: set the same seed, or load the same state, on all")
