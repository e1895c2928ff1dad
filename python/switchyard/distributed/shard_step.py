# SPDX-License-Identifier: Apache-2.0
"""One step of DataParallel: the shards of this process, and the sums over all."""

from __future__ import annotations

from functools import partial
import hashlib
import itertools
import operator

import numpy as np

from switchyard import _collective, _core
from switchyard.autograd import no_grad
from switchyard.distributed.calls import caller_line, elements
from switchyard.distributed.gradient_buckets import (GradientBuckets, ShardWriter,
                                                     Watch, combine, copy_sum,
                                                     node_of, wide)
from switchyard.distributed.shard_threads import run_together
from switchyard.distributed.static_shard import check_loss
from switchyard.distributed.tracing import computing
from switchyard.nn.sync_norm import SyncBatchNorm


class _Sums:
    """The sums over all shards of one step, by bucket. They are given to the group in
    the order of the buckets."""

    def __init__(self, owner):
        self._owner, self._line = owner, caller_line()
        self._outs, self._pieces, self._ticket = [], [], 0

    def give(self, pieces):
        """Begins to sum the next bucket, of which ``pieces`` are this process's nodes
        of the tree, in the memory of the first one."""
        owner, out = self._owner, pieces[0]
        self._outs.append(out)
        self._pieces += pieces[1:]
        said = (out.dtype.name, out.size, f"bucket {len(self._outs) - 1}", self._line)
        self._ticket = owner.group.all_reduce(said, "sum", owner.shards, pieces, out,
                                              owner.overlap and owner.group.size > 1)

    def alone(self, vectors):
        """Takes the sums, which the only process has itself."""
        self._outs = vectors

    def wait(self):
        """The sums."""
        if self._ticket:
            self._owner.group.wait(self._ticket)
        for each in self._pieces:
            self._owner._vectors.take_back(each)
        return self._outs


def tail_of(module):
    """The sums after those of gradients, in a bucket a dtype, the loss first: (the
    buffers, where each begins, {dtype: the length of its bucket})."""
    buffers = [each for each in module.buffers()
               if each.dtype in ("float16", "bfloat16", "float32", "float64")]
    lengths, begins = {"float64": 1}, []
    for each in buffers:
        begins.append(lengths.get(wide(each.dtype), 0))
        lengths[wide(each.dtype)] = begins[-1] + each.size
    return buffers, begins, lengths


class Step:
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
        self._program = owner._program
        self._sum_of_shards = owner.sum_of_shards
        self.overlap = owner.overlap
        self.buckets = GradientBuckets(owner.module, owner.bucket_mb * 2**20)
        self.buffers, self.buffer_begins, lengths = tail_of(owner.module)
        known = {id(tensor): f"0.{name}" for name, tensor in owner.module.named_buffers()}
        self._states = [known[id(each)] for each in self.buffers]  # In a program.
        first = len(self.buckets.dtypes)
        self.tail = {dtype: first + number for number, dtype in enumerate(lengths)}
        self._kinds = ([*self.buckets.dtypes, *lengths],
                       [*self.buckets.lengths, *lengths.values()])
        self._vectors = owner._vectors
        self._vectors.keep(*self._kinds)
        self.loss_dtype = "float32"
        self._kept, self._owner = owner._kept, owner
        self.together = any(isinstance(each, SyncBatchNorm)
                            for each in owner.module.modules())

    def check(self):
        """ValueError for shards that can't be computed in the way that is asked for."""
        if self.together and self._program is not None:
            raise ValueError("backward: shards that meet in a SyncBatchNorm can't be "
                             "programs: make DataParallel with static=False")
        kinds = {tuple((each.dtype.name, each.size) for each in vectors)
                 for vectors in self._kept.values()}
        if kinds and kinds != {tuple(zip(*self._kinds))}:
            raise ValueError("backward: the parameters and buffers must be those of the "
                             "steps in no_sync, whose gradients are kept")

    def run(self, random, buffers):
        """Computes this process's shards, and gives their sums."""
        if self._program is not None and self._run_merged(random):
            return

        def compute(shard, left=None, launch=None):
            return self._shard(shard, random, buffers, left, launch)

        *first, (begin, end) = self.pieces
        pieces = [node_of(*piece, compute, self._sum_of) for piece in first]
        # The last shard is the right end of its piece's tree: with each node to the
        # left of the way there it is a bucket's piece.
        lefts = []
        while end - begin > 1:
            cut = _collective.cut(begin, end)
            lefts.append(node_of(begin, cut, compute, self._sum_of))
            begin = cut
        nearest = lefts.pop() if lefts else None

        def launch(bucket, vector):
            for left in reversed(lefts):
                combine(left[bucket], vector)
                self._vectors.take_back(vector)
                vector = left[bucket]
            self.sums.give([piece[bucket] for piece in pieces] + [vector])

        compute(begin, nearest, launch)

    def _run_merged(self, random):
        """Does what ``run`` does by one program for all shards of this process;
        whether that could be."""
        shards = [shard for piece in self.pieces for shard in range(*piece)]
        ends = [self._begin_of(shard) for shard in (*shards, shards[-1] + 1)]
        lengths = [end - begin for begin, end in itertools.pairwise(ends)]
        shares = [length / self.rows for length in lengths]
        rows = [each[ends[0]:ends[-1]] for each in self.batch]
        pieces = [(begin - shards[0], end - shards[0]) for begin, end in self.pieces]
        program = self._program.merged(self.compute, rows, lengths, shares, pieces,
                                       self._states)
        if program is None:
            return False
        with computing(f"shards {shards[0]} to {shards[-1]}"):
            made = program.run(rows, [_seed_of(random, shard) for shard in shards])
        self.loss_dtype = program.loss_dtype
        vectors = [self._vectors.take(*self._kinds) for _ in made]
        for (begin, end), into, sums in zip(self.pieces, vectors, made):
            self._write(into, end - begin, *sums)
        if len(shards) == self.shards:
            self.sums.alone(vectors[0])
            return True
        for each in zip(*vectors):
            self.sums.give(list(each))
        return True

    def _write(self, vectors, shards, loss, gradients, states):
        """Writes the sums over the shards of a node of the tree to its vectors."""
        def put(bucket, place, tensor):
            copy_sum(elements(tensor), vectors[bucket][place:place + tensor.size])

        self.buckets.clear_rest(vectors)
        put(self.tail["float64"], 0, loss)
        for number, tensor in enumerate(self.buckets.tensors):
            bucket, place = self.buckets.bucket_of[number], self.buckets.begins[number]
            used = number in gradients
            if used:
                put(bucket, place, gradients[number])
            else:
                vectors[bucket][place:place + tensor.size] = 0
            vectors[bucket][self.buckets.mark_of(number)] = shards * used
        for name, tensor, begin in zip(self._states, self.buffers, self.buffer_begins):
            put(self.tail[wide(tensor.dtype)], begin, states[name])

    def keep(self, random, buffers):
        """Computes this process's shards, adds their gradients to those that are kept,
        and returns the sum of their losses."""
        vectors = self._by_shard(random, buffers)
        place = self.tail["float64"]
        losses = {shard: each[place][0] for shard, each in vectors.items()}

        def take(shard, left=None):
            return losses[shard] if left is None else left + losses[shard]

        self._owner._kept = self._with_kept(vectors)
        return sum(node_of(*piece, take, operator.add) for piece in self.pieces)

    def _by_shard(self, random, buffers):
        """The vectors of each of this process's shards."""
        shards = [shard for piece in self.pieces for shard in range(*piece)]
        if self._program is not None:
            self._program.apart()
        works = [partial(self._shard, shard, random, self._buffers_of(shard, buffers))
                 for shard in shards]
        found = run_together(works, self._leave, self._enter, self._sum_of_shards) if (
            self.together) else [work() for work in works]
        return dict(zip(shards, found))

    def _buffers_of(self, shard, buffers):
        """The buffers that a shard begins with: those that it ended with in no_sync."""
        if shard not in self._kept:
            return buffers
        return [self._values_of(each, begin, self._kept[shard])
                for each, begin in zip(self.buffers, self.buffer_begins)]

    def _with_kept(self, vectors):
        """The vectors of shards with the gradients that are kept of earlier steps."""
        count = len(self.buckets.dtypes)
        for shard, kept in self._kept.items():
            for into, vector in zip(kept[:count], vectors[shard]):
                combine(into, vector)
            for each in vectors[shard][:count] + kept[count:]:
                self._vectors.take_back(each)
            vectors[shard][:count] = kept[:count]
        return vectors

    def run_apart(self, random, buffers):
        """Computes this process's shards, which meet in layers, or of which gradients
        are kept, and gives their sums."""
        vectors = self._with_kept(self._by_shard(random, buffers))
        self._owner._kept = {}

        def take(shard, left=None):
            right = vectors.pop(shard)
            return right if left is None else self._sum_of(left, right)

        pieces = [node_of(*piece, take, self._sum_of) for piece in self.pieces]
        for each in zip(*pieces):
            self.sums.give(list(each))

    def _sum_of(self, left, right):
        """The sums of two nodes, in the memory of the left one."""
        for into, vector in zip(left, right):
            combine(into, vector)
            self._vectors.take_back(vector)
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

    def _shard(self, shard, random, buffers, left=None, launch=None):
        """The buckets of a shard, added to those of the node to its ``left`` if there
        is one; each is given to ``launch`` as soon as it is complete."""
        begin, end = self._begin_of(shard), self._begin_of(shard + 1)
        _core.set_rng_state(_seed_of(random, shard), 0)
        self.write_buffers(buffers)
        vectors = self._vectors.take(*self._kinds) if left is None else left
        writer = ShardWriter(self.buckets, vectors, left is not None)
        watch = None if launch is None else Watch(
            self.buckets, writer, lambda bucket: launch(bucket, vectors[bucket]))
        rows, share = [each[begin:end] for each in self.batch], (end - begin) / self.rows
        with computing(f"shard {shard}"):
            if self._program is None:
                loss = self.compute(*rows)
                check_loss(loss)
                weighted = loss * share
                self._differentiate(weighted, writer, watch)
            else:
                loss, gradients = self._program.run(self.compute, rows, share)
                weighted = loss * share
                for number, gradient in gradients.items():
                    writer.write(number, gradient)
        writer.finish()
        self.loss_dtype = weighted.dtype
        writer.put(self.tail["float64"], 0, np.array([weighted.item()]))
        for each, place in zip(self.buffers, self.buffer_begins):
            values = elements(_core.ops.cast(each.detach(), wide(each.dtype)))
            writer.put(self.tail[wide(each.dtype)], place, values)
        if watch is not None:
            watch.finish()
            for bucket in self.tail.values():
                launch(bucket, vectors[bucket])
        return vectors

    def _begin_of(self, shard):
        """The first row of a shard."""
        return shard * self.rows // self.shards

    def _differentiate(self, loss, writer, watch):
        """Writes the gradients of a shard's loss to the buckets."""
        if watch is not None and self.overlap and all(
                each.grad is None for each in self.buckets.tensors):
            with watch:
                loss.backward()
            self.buckets.put_gradients([None] * len(self.buckets.tensors))
        else:  # Or compute has called backward: there is more than this loss's.
            loss.backward()
            for number, gradient in enumerate(self.buckets.take_gradients()):
                if gradient is not None:
                    writer.write(number, gradient)

    def write_buffers(self, values):
        for each, value in zip(self.buffers, values):
            _write(each, value)

    def write_means(self, totals):
        for each, begin in zip(self.buffers, self.buffer_begins):
            values = self._values_of(each, begin, totals)
            _write(each, values / values.dtype.type(self.shards))

    def _values_of(self, buffer, begin, vectors):
        """The elements that vectors hold of a buffer."""
        vector = vectors[self.tail[wide(buffer.dtype)]][begin:begin + buffer.size]
        return vector.reshape(buffer.shape)


def _write(tensor, values):
    with no_grad():
        tensor.copy_(_core.tensor(values, tensor.dtype))


def _seed_of(random, shard):
    """The seed of a shard of a step, whose generator is at ``random``."""
    words = f"{random[0]} {random[1]} {shard}".encode()
    return int.from_bytes(hashlib.sha256(words).digest()[:7], "little")
