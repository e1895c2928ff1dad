# SPDX-License-Identifier: Apache-2.0
"""DataParallel: one model on several processes, whose bits do not depend on how
many they are."""

from __future__ import annotations

import copy
import hashlib

import numpy as np

from switchyard import _collective, _core
from switchyard.checks import Range, whole
from switchyard.distributed.calls import caller_line, elements
from switchyard.distributed.groups import group_or_none
from switchyard.distributed.shard_threads import run_together
from switchyard.nn.sync_norm import SyncBatchNorm

_SHARDS = Range("in [1, 65536]", lambda n: 1 <= n <= 65536)


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
    """

    def __init__(self, module, shards: int = 8):
        """DistributedError if the processes have other parameters; ValueError for
        fewer shards than processes."""
        group = group_or_none()
        size = 1 if group is None else group.size
        whole("DataParallel", "shards", shards, _SHARDS)
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
        outer, before = _core.rng_state(), step.parameters.take_gradients()
        buffers = [elements(each).copy() for each in step.buffers]
        try:
            if any(isinstance(each, SyncBatchNorm) for each in self.module.modules()):
                pieces = step.together(self, outer, buffers)
            else:
                pieces = [step.sum_of(begin, end, outer, buffers)
                          for begin, end in self._pieces]
        except BaseException:
            step.parameters.put_gradients(before)
            step.write_buffers(buffers)
            raise
        finally:
            _core.set_rng_state(outer[0], outer[1] + 1)
        total = {dtype: self._reduced(dtype, [piece[dtype] for piece in pieces])
                 for dtype in pieces[0]}
        step.parameters.add_gradients(before, total)
        step.write_means(total)
        return _core.tensor(total["float64"][0], step.loss_dtype)

    def sum_of_shards(self, vectors):
        """The sum over all shards of all processes of vectors of float64, those of
        this process's shards."""
        vectors, pieces = iter([each.copy() for each in vectors]), []
        for begin, end in self._pieces:
            pieces.append(_node(begin, end, vectors))
        return self._reduced("float64", pieces, "statistics")

    def _reduced(self, dtype, pieces, what="gradients"):
        """The sum over all shards of all processes."""
        out = np.empty_like(pieces[0])
        said = (dtype, out.size, f"{what} of {dtype}", caller_line())
        group = self._group
        if group is None:  # One process: the same arithmetic, and no message.
            group = _alone()
        group.all_reduce(said, "sum", self.shards, pieces, out)
        return out


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
    _collective.combine("sum", "float64", left, right, left.size)
    return left


class _Parameters:
    """The trainable parameters, and where each lies in a vector of its dtype: its
    elements, then a number that says in how many shards it had a gradient."""

    def __init__(self, module):
        self.tensors = [each for each in module.parameters() if each.requires_grad]
        self.length = {"float64": 1}  # The loss comes first.
        self.begins = []
        for each in self.tensors:
            dtype = _wide(each.dtype)
            begin = self.length.get(dtype, 0)
            self.begins.append(begin)
            self.length[dtype] = begin + each.size + 1

    def take_gradients(self):
        """The gradients, which the parameters then have no more."""
        before = [each.grad for each in self.tensors]
        self.put_gradients([None] * len(before))
        return before

    def put_gradients(self, gradients):
        for each, gradient in zip(self.tensors, gradients):
            each.grad = gradient

    def write_gradients(self, vectors):
        for each, begin in zip(self.tensors, self.begins):
            gradient, each.grad = each.grad, None
            if gradient is None:
                continue
            if type(gradient) is not _core.Tensor:
                gradient = gradient.to_dense()
            vector = vectors[_wide(each.dtype)]
            values = elements(_core.ops.cast(gradient, _wide(each.dtype)))
            vector[begin:begin + each.size] = values.reshape(-1)
            vector[begin + each.size] = 1

    def add_gradients(self, before, total):
        for each, begin, old in zip(self.tensors, self.begins, before):
            vector = total[_wide(each.dtype)]
            if vector[begin + each.size] == 0:  # No shard used it.
                each.grad = old
                continue
            values = vector[begin:begin + each.size].reshape(each.shape)
            new = _core.tensor(values, each.dtype)
            if each.place != "cpu":
                new = new.to(each.place)
            each.grad = new if old is None else _core.ops.add(old, new)


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
        self.parameters = _Parameters(owner.module)
        self.buffers = [each for each in owner.module.buffers()
                        if each.dtype in ("float16", "bfloat16", "float32",
                                          "float64")]
        self.length = dict(self.parameters.length)
        self.buffer_begins = []
        for each in self.buffers:
            dtype = _wide(each.dtype)
            self.buffer_begins.append(self.length.get(dtype, 0))
            self.length[dtype] = self.buffer_begins[-1] + each.size
        self.loss_dtype = "float32"

    def sum_of(self, begin, end, random, buffers):
        """The vectors of the node [begin, end) of the tree."""
        if end - begin == 1:
            return self._shard(begin, random, buffers)
        cut = _collective.cut(begin, end)
        left = self.sum_of(begin, cut, random, buffers)
        right = self.sum_of(cut, end, random, buffers)
        for dtype, vector in left.items():
            _collective.combine("sum", dtype, vector, right[dtype], vector.size)
        return left

    def together(self, owner, random, buffers):
        """The vectors of the nodes of this process, whose shards meet in layers."""
        shards = [shard for piece in owner._pieces for shard in range(*piece)]
        vectors = dict(zip(shards, run_together(
            [lambda shard=shard: self._shard(shard, random, buffers)
             for shard in shards], self._leave, self._enter, owner.sum_of_shards)))
        self._shard = lambda shard, random, buffers: vectors.pop(shard)
        return [self.sum_of(begin, end, random, buffers) for begin, end in owner._pieces]

    def _leave(self):
        return (self.parameters.take_gradients(),
                [elements(each).copy() for each in self.buffers])

    def _enter(self, kept):
        gradients, values = kept
        self.parameters.put_gradients(gradients)
        for each, value in zip(self.buffers, values):
            if not np.array_equal(elements(each), value):
                _write(each, value)

    def _shard(self, shard, random, buffers):
        begin = shard * self.rows // self.shards
        end = (shard + 1) * self.rows // self.shards
        _core.set_rng_state(_seed_of(random, shard), 0)
        self.write_buffers(buffers)
        loss = self.compute(*[each[begin:end] for each in self.batch])
        if not isinstance(loss, _core.Tensor) or loss.size != 1:
            raise ValueError("backward: compute must return a scalar tensor, the "
                             "mean over its rows")
        self.loss_dtype = loss.dtype
        weighted = loss * ((end - begin) / self.rows)
        weighted.backward()
        vectors = {dtype: np.zeros(length, dtype)
                   for dtype, length in self.length.items()}
        vectors["float64"][0] = weighted.item()
        self.parameters.write_gradients(vectors)
        for each, place in zip(self.buffers, self.buffer_begins):
            values = elements(_core.ops.cast(each.detach(), _wide(each.dtype)))
            vectors[_wide(each.dtype)][place:place + each.size] = values.reshape(-1)
        return vectors

    def write_buffers(self, values):
        for each, value in zip(self.buffers, values):
            _write(each, value)

    def write_means(self, total):
        for each, begin in zip(self.buffers, self.buffer_begins):
            vector = total[_wide(each.dtype)][begin:begin + each.size]
            _write(each, (vector / vector.dtype.type(self.shards)).reshape(each.shape))


def _write(tensor, values):
    tensor.copy_(_core.tensor(values, tensor.dtype))


def _wide(dtype):
    """In which dtype a sum is taken: halves in float32."""
    return "float32" if dtype in ("float16", "bfloat16") else dtype


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
