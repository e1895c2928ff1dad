# SPDX-License-Identifier: Apache-2.0
"""The shards of one process as one program, with the bits of each alone.

The program of a shard is added again, operation by operation, for the rows of all
shards at once. A value is then common to them, has their rows one shard after the
other, or is there once for each. A call whose result of a row depends on that row
alone (``batch:`` in the operator's entry, which a test holds to the bits) takes all
rows together. Any other call that depends on the shards, as a gradient of a weight
or a mean over the batch, is made once for each, on slices.
"""

from __future__ import annotations

import itertools
import json
import math

import numpy as np

from switchyard import _collective, _core, amp
from switchyard.distributed.gradient_buckets import wide
from switchyard.native.batch_facts import INPUTS
from switchyard.serving.axis_rules import keeps_rows
from switchyard.serving.rows import foreign_kernels
from switchyard.static.program import RNG, Program
from switchyard.static.traced_gradients import Tracing

_ops = _core.ops
_CONSTANT = "builtin.constant"
_SHARE = "inputs0"  # The feed of the share of a shard.
_LOSS, _GRADIENT = "out0", "out1_"  # What the program of a shard returns.


class NotMerged(Exception):
    """Why shards can't be one program: a sentence."""


class _Value:
    """A value of a shard's program, as all shards have it."""

    def __init__(self, common=None, whole=None, parts=None, rows=False, later=None):
        self.common = common  # The same for all shards.
        self.whole, self.parts = whole, parts  # Either may be made of the other.
        self.rows = rows  # Whether axis 0 has the rows of the shard.
        self.later = later  # What adds the part of a shard, which only a sum reads.

    def of(self, shard):
        if self.common is not None:
            return self.common
        return self.parts[shard] if self.later is None else self.later(shard)


class _Merging:
    """Adds the operations of a shard's program for shards of these lengths."""

    def __init__(self, source, lengths, operations):
        self._source = source
        self._read = {number for _, operands, _, _ in operations for number in operands}
        self._lengths = lengths
        self._ends = list(itertools.accumulate(lengths))
        self.rows = self._ends[-1]
        self.loss_dtype = None
        self._values = {}  # By number.
        self._extents = {}
        self._open = set()  # Names of the extents of rows.

    def add_argument(self, value, extents):
        number = len(self._values)
        self._values[number], self._extents[number] = value, extents
        if value.rows:
            self._open.add(extents[0])

    def add(self, index, operation):
        (name, inputs, attributes), operands, results, extents = operation
        if inputs is None and name != _CONSTANT:
            raise NotMerged(f"the program has a {name}")
        values = [self._values[number] for number in operands]
        self._extents.update(zip(results, extents))
        if all(each.common is not None for each in values):
            made = [_Value(common=each) for each in self._call(
                index, [each.common for each in values])]
        elif self._is_by_rows(name, inputs, attributes, operands, extents):
            made = [_Value(whole=each, rows=True) for each in self._call(
                index, [self._whole(each) for each in values])]
        else:
            made = self._split(index, values, results, extents)
        self._values.update(zip(results, made))

    def sum(self, number, begin, end, share=None):
        """The sum over the shards of a node of the tree, as float32 of halves. Each
        part is added to the program where the sum reads it, so that few are in memory
        at once. ``share``: a number for each shard that its part is multiplied by."""
        if self._extents[number] is None:
            raise NotMerged("the program returns a tensor that is not dense")
        value = self._values[number]
        if value.later is None:
            self._cut(value)
        if end - begin > 1:
            cut = begin + _collective.cut(0, end - begin)
            return _ops.add(self.sum(number, begin, cut, share),
                            self.sum(number, cut, end, share))
        part = value.of(begin)
        if part.kind != "dense":  # Sums of rows are not the tree's.
            part = part.to_dense()
        if share is not None:
            part = part * share[begin]
            self.loss_dtype = part.dtype
            return _ops.cast(part.reshape([]), "float64")
        dtype = wide(part.dtype)
        return part if part.dtype == dtype else _ops.cast(part, dtype)

    def _call(self, index, operands):
        return _core.trace_operation(self._source, index, operands)

    def _split(self, index, values, results, extents):
        for each in values:
            self._cut(each)

        def call(shard):
            return self._call(index, [each.of(shard) for each in values])

        if len(results) == 1 and results[0] not in self._read:
            return [_Value(later=lambda shard: call(shard)[0])]
        made = [call(shard) for shard in range(len(self._lengths))]
        return [_Value(parts=parts, rows=shape is not None and self._are_rows(parts))
                for parts, shape in zip(map(list, zip(*made)), extents)]

    def _are_rows(self, parts):
        """Whether the parts, one after the other, have the rows of all shards."""
        shapes = [list(part.shape) for part in parts]
        return ([shape[:1] for shape in shapes] == [[each] for each in self._lengths]
                and all(shape[1:] == shapes[0][1:] for shape in shapes))

    def _cut(self, value):
        if value.common is None and value.parts is None:
            begins = [0, *self._ends]
            value.parts = [_ops.slice(value.whole, [0], [begin], [end])
                           for begin, end in zip(begins, self._ends)]

    def _whole(self, value):
        if value.common is not None:
            return value.common
        if value.whole is None:
            value.whole = _ops.concat(value.parts, 0)
        return value.whole

    def _is_by_rows(self, name, inputs, attributes, operands, extents):
        """Whether each row of the results depends on that row of what has rows
        alone."""
        flat = [number for each in inputs.values()
                for number in (each if isinstance(each, list) else [each])
                if number is not None]
        reading = [number for number in operands
                   if self._values[number].common is None]
        if len(flat) != len(operands) or not all(
                self._values[number].rows for number in reading):
            return False
        if name == "reshape" or name == "reshape_grad":
            return self._keeps_elements(reading, extents[0])
        if name == "reduce_as":
            shapes = [list(self._whole(self._values[number]).shape)
                      for number in operands if number in reading]
            return len(shapes) == 2 and shapes[0] == shapes[1]
        if not all(self._has_rows(each, reading) for each in extents):
            return False
        ranks = {len(self._extents[number]) for number in reading}
        words = {key: _text(value) for key, value in attributes.items()}
        if words.get("transpose_x") == "true" and min(ranks) == 2:
            return False
        return (self._has_fact(name, list(inputs.values()), reading, operands, ranks,
                               len(extents[0]))
                and keeps_rows(name.removesuffix("_grad"), words, min(ranks), extents))

    def _has_fact(self, name, inputs, reading, operands, ranks, rank):
        if name not in INPUTS:
            # A gradient that reads rows alone has its operator's fact.
            return name.endswith("_grad") and name[:-5] in INPUTS and (
                len(reading) == len(operands))
        _, places = INPUTS[name]
        named = [inputs[place] for place in places]
        if any(number not in named for number in reading):
            return False
        if len(places) == 1:
            return True
        # They broadcast: what all shards have must have no rows of its own.
        return ranks == {rank} and all(
            len(self._extents[number]) < rank or self._extents[number][0] == 1
            for number in named if number is not None and number not in reading)

    def _has_rows(self, extents, reading):
        if not extents:
            return False
        return extents[0] in self._open or (extents[0] is None and any(
            self._extents[number][0] is None for number in reading))

    def _keeps_elements(self, reading, extents):
        """Whether a reshape keeps the elements of each row together."""
        if self._has_rows(extents, []):
            return True
        sizes = {math.prod(self._whole(self._values[number]).shape[1:])
                 for number in reading}
        return (bool(extents) and extents[0] is None
                and all(isinstance(each, int) for each in extents[1:])
                and sizes == {math.prod(extents[1:])})


def _text(value):
    """An attribute as a program's text has it, as far as keeps_rows reads it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)) and all(isinstance(each, int) for each in value):
        return f"int64[{', '.join(map(str, value))}]"
    return str(value)


class MergedShards:
    """The sums of the losses, gradients and states of some shards by one program.

    ``program``: that of a shard; ``lengths`` and ``shares``: of each the number of
    its rows and what its mean counts; ``pieces``: (begin, end) of each node of the
    tree that they are; ``states``: those whose new values a caller takes. NotMerged
    says why it can't be.
    """

    def __init__(self, program, lengths, shares, pieces, states):
        self._shares, self._state = shares, program.state
        self._builder = _core.GraphBuilder("merged_shards")
        self._feeds, self._draws = [], []
        source = program._compiled
        operations, fetches, updates = _core.program_operations(source)
        for name in updates:
            if name != RNG and name not in states:
                raise NotMerged(f"the program writes '{name}'")
        arguments = _core.program_arguments(source)
        named = {name: number for number, (name, *_) in enumerate(arguments)}
        wanted = {**fetches, **{name: updates.get(name, named[name]) for name in states}}
        merging = _Merging(source, lengths, operations)
        try:
            with Tracing(self._builder, None), amp.autocast(enabled=False):
                for argument in arguments:
                    self._add_argument(merging, *argument)
                for index, operation in enumerate(operations):
                    merging.add(index, operation)
                self._fetch(merging, wanted, pieces)
            compiled = self._builder.finish(policy=source.policy)
        except (NotImplementedError, TypeError, ValueError) as error:
            raise NotMerged(str(error)) from error
        self.program = Program(compiled, self._state)
        foreign = foreign_kernels(json.loads(self.program.explain(json=True)))
        if foreign:
            raise NotMerged(f"{min(foreign)} does not run by a kernel of ours on the "
                            "CPU")

    def _add_argument(self, merging, name, role, dtype, kind, extents):
        if name == RNG:
            self._draws = [f"{RNG}{shard}" for shard in range(len(self._shares))]
            value = _Value(parts=[self._builder.feed(each, extents, dtype)
                                  for each in self._draws])
        elif name == _SHARE:
            parts = [self._builder.value(np.asarray(each)) for each in self._shares]
            equal = len(set(self._shares)) == 1
            value = _Value(common=parts[0]) if equal else _Value(parts=parts)
        elif role == "feed":
            if kind != "dense" or not extents or not isinstance(extents[0], str):
                raise NotMerged(f"{name} has no rows")
            self._feeds.append(name)
            value = _Value(rows=True, whole=self._builder.feed(
                name, [merging.rows, *extents[1:]], dtype))
        else:
            value = _Value(common=self._builder.state(name, self._state[name]))
        merging.add_argument(value, extents)

    def _fetch(self, merging, wanted, pieces):
        self.names, self._pieces = list(wanted), len(pieces)
        for name, number in wanted.items():
            share = self._shares if name == _LOSS else None
            for place, piece in enumerate(pieces):
                total = merging.sum(number, *piece, share)
                self._builder.fetch(f"{name}/{place}", total)
        self.loss_dtype = merging.loss_dtype

    def run(self, rows, seeds):
        """For each piece (the sum of the losses, {number of a parameter: that of its
        gradients}, {state: that of its values})."""
        feeds = dict(zip(self._feeds, rows))
        for name, seed in zip(self._draws, seeds):
            feeds[name] = np.array([seed, 0], np.int64)
        made = self.program.run(feeds, tensors=True)
        pieces = []
        for place in range(self._pieces):
            named = {name: made[f"{name}/{place}"] for name in self.names}
            loss = named.pop(_LOSS)
            gradients = {int(name[len(_GRADIENT):]): named.pop(name)
                         for name in list(named) if name.startswith(_GRADIENT)}
            pieces.append((loss, gradients, named))
        return pieces
