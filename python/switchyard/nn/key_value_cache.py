# SPDX-License-Identifier: Apache-2.0
"""KeyValueCache: keys and values of the tokens that a model has read, so that each
further token is read alone. sy.generate and static.DecodeStep use it."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, FROM_1, checked, listed, refuse, whole
from switchyard.functions.arguments import narrowed, tensor_of, widened, HALVES
from switchyard.nn.attention import (_causal, masked,
                                     scaled_dot_product_attention)

_ops = _core.ops


class KeyValueCache:
    """Keys and values of n sequences, each of its own length, for every attention
    layer of one model.

    A model takes it as ``cache=`` and gives it to its attention layers, whose
    tokens then see those that the cache holds, and each other causally::

        cache = nn.KeyValueCache()
        logits = model(tokens, cache=cache)         # [n, t] tokens
        cache.advance()                             # Now it holds them.
        logits = model(next_tokens, cache=cache)    # [n, 1]

    ``attend`` is what a layer calls; ``positions`` says where the tokens are. The
    cache is written by ``advance`` alone, after the model has run: in place, at
    each sequence's own end, in tensors [n, heads, room, size]. ``room``, how many
    tokens they have memory for, doubles where more are needed.
    """

    @checked(room=FROM_1)
    def __init__(self, room: int = 64):
        self.room = int(room)
        self._lengths: list[int] | None = None
        self._counts: list[int] | None = None  # Of the tokens that come.
        self._ends = None   # Where each sequence ends, [n]: a tensor or a value.
        self._lasts = None  # Where its last token is in a traced call: a value [n].
        self._kept = {}     # {layer: (keys, values)}
        self._new = {}      # The same, of the tokens that advance() will write.
        self._allowed = None

    @property
    def lengths(self) -> tuple[int, ...] | None:
        """How many tokens of each sequence it holds; None before the first."""
        return None if self._lengths is None else tuple(self._lengths)

    @property
    def nbytes(self) -> int:
        """The bytes of its tensors, used and free."""
        return sum(x.nbytes for pair in self._kept.values() for x in pair)

    def tensors(self):
        """The tensors [n, heads, room, size]: keys and values of each layer."""
        return [x for pair in self._kept.values() for x in pair]

    def prepare(self, counts) -> None:
        """Says how many tokens of each sequence come: those of the next call after
        them are padding, at the right, and are not kept. All, unless it is called."""
        counts = [whole("prepare", "counts", count, FROM_0)
                  for count in listed("prepare", "counts", counts)]
        if self._lengths is not None and len(counts) != len(self._lengths):
            raise ValueError("prepare: counts must be of "
                             f"{len(self._lengths)} sequences, got {len(counts)}")
        self._counts = counts
        self._find_ends()

    def positions(self, x):
        """The positions [n, t] of tokens x [n, t, ...] in their sequences; [1, t] of
        the first ones."""
        x = tensor_of(x)
        steps = _ops.unsqueeze(_ops.arange(0, x.shape[1], 1, "int64"), [0])
        if self._ends is None:
            return steps
        return _ops.add(_ops.unsqueeze(self._ends, [1]), steps)

    def last(self, x):
        """Takes the row [n, 1, ...] of each sequence's last token from x [n, t, ...], so
        that a head does not compute the others, which no one needs to continue."""
        x = tensor_of(x)
        if self._lasts is not None:
            rows = _ops.arange(0, x.shape[0], 1, "int64")
            rows = _ops.stack([rows, self._lasts], 1)
        elif x.shape[1] == 1:
            return x
        elif self._counts is None:
            return _ops.slice(x, [1], [-1], [2**62])
        else:
            rows = _core.tensor(np.array(
                [[i, max(0, own - 1)] for i, own in enumerate(self._counts)], np.int64))
        return _ops.unsqueeze(_ops.gather_nd(x, rows), [1])

    def attend(self, layer, query, key, value, scale=None):
        """Attention [n, heads, t, width] of tokens to what is kept and, causally, to
        each other; keeps key and value for ``advance``.

        ``query`` [n, heads, t, size], ``key`` [n, h, t, size] and ``value`` [n, h, t,
        width], where h divides heads. ``layer``: whose keys they are, any object.
        ``scale``: 1 / sqrt(size) unless given. RuntimeError for a layer that
        attends twice before ``advance``.
        """
        query, key, value = tensor_of(query), tensor_of(key), tensor_of(value)
        self._check(layer, query, key, value)
        if scale is None:
            scale = 1.0 / math.sqrt(query.shape[-1])
        self._new[layer] = key, value
        if not self._kept:
            return scaled_dot_product_attention(
                query, key, value, is_causal=True, scale=scale,
                enable_gqa=query.shape[1] != key.shape[1])
        return self._attend(*self._kept[layer], _ops.scale(query, scale), key, value)

    def _check(self, layer, query, key, value):
        for name, x in (("query", query), ("key", key), ("value", value)):
            if len(x.shape) != 4:
                raise ValueError(f"attend: {name} must have four axes, got "
                                 f"{len(x.shape)}")
        if layer in self._new:
            raise RuntimeError("attend: a layer may attend once before advance(), "
                               "which keeps its keys, or discard()")
        if self._kept and layer not in self._kept:
            raise RuntimeError("attend: layer must be one of those that attended "
                               "first")
        given, held = key.shape[0], self._lengths and len(self._lengths)
        if held and isinstance(given, int) and given >= 0 and given != held:
            raise ValueError(f"attend: key must be of {held} sequences as before, "
                             f"got {given}")

    def _attend(self, kept_keys, kept_values, query, key, value):
        """Attention of a scaled query: the scores of both parts have one softmax, so
        that what is kept is read where it is."""
        heads, groups = query.shape[1], key.shape[1]
        if heads != groups:  # All heads of one key as rows of one product.
            query = _ops.reshape(query, [0, groups, -1, query.shape[3]])
        if self._allowed is None:  # The same for all layers.
            places = _ops.arange(0, kept_keys.shape[2], 1, "int64")
            self._allowed = _ops.less_than(
                places, _ops.unsqueeze(self._ends, [1, 2, 3]))
        before = masked(_ops.matmul(query, kept_keys, transpose_y=True),
                        self._allowed)
        own = _ops.matmul(query, key, transpose_y=True)
        if self._lasts is not None or key.shape[2] != 1:
            own = _ops.reshape(own, [0, heads, -1, key.shape[2]])
            own = masked(own, _causal(own))
            own = _ops.reshape(own, [0, groups, -1, key.shape[2]])
        weights = _softmax(_ops.concat([before, own], -1))
        room = before.shape[-1]
        mixed = _ops.add(
            _ops.matmul(_ops.slice(weights, [-1], [0], [room]), kept_values),
            _ops.matmul(_ops.slice(weights, [-1], [room], [2**62]), value))
        if heads == groups:
            return mixed
        return _ops.reshape(mixed, [0, heads, -1, value.shape[3]])

    def advance(self) -> None:
        """Writes the keys and values of the last call, in place, at the end of each
        sequence. RuntimeError where no layer has attended; a model without such
        layers has its tokens counted, by ``prepare``."""
        counts = self._new_counts()
        lengths = self._lengths or [0] * len(counts)
        needed = max((a + b for a, b in zip(lengths, counts)), default=0)
        with no_grad():
            self._make_room(needed)
            for layer, parts in self._new.items():
                for kept, new in zip(self._kept[layer], parts):
                    _write(kept, new, lengths, counts)
        self._lengths = [a + b for a, b in zip(lengths, counts)]
        self.discard()

    def _new_counts(self):
        """How many tokens of each sequence are new."""
        if not self._new:
            if self._counts is None or self._kept:
                raise RuntimeError("advance: no layer has attended since the last "
                                   "one")
            return self._counts
        number, _, count, _ = next(iter(self._new.values()))[0].shape
        if self._counts is None:
            return [count] * number
        if len(self._counts) != number or max(self._counts, default=0) > count:
            raise ValueError(f"prepare: counts must be {number} numbers up to "
                             f"{count}, got {self._counts}")
        return self._counts

    def discard(self) -> None:
        """Forgets the last call, if it was not advanced: what is kept stays."""
        self._new, self._counts, self._allowed = {}, None, None
        self._find_ends()

    def crop(self, length: int) -> None:
        """Forgets the tokens of each sequence after its first ``length``, and the last
        call, if it was not advanced. Their memory stays as room."""
        length = whole("crop", "length", length, FROM_0)
        if self._lengths is not None:
            self._lengths = [min(length, own) for own in self._lengths]
        self.discard()

    def _find_ends(self):
        """A sequence that gets no token reads at its last one, which is in range."""
        self._allowed = None
        if self._lengths is not None:
            counts = self._counts or [1] * len(self._lengths)
            self._ends = _core.tensor(np.array(
                [length if count else max(0, length - 1)
                 for length, count in zip(self._lengths, counts)], np.int64))

    def _make_room(self, needed):
        room = self.room
        while room < needed:
            room *= 2
        if not self._kept:
            self._kept = {layer: tuple(_made(part, room) for part in parts)
                          for layer, parts in self._new.items()}
        elif room > self.room:
            self._kept = {layer: tuple(_grown(part, room) for part in parts)
                          for layer, parts in self._kept.items()}
        self.room = room  # Now that all have their memory.

    def _over(self, ends, kept):
        """A cache of values of a graph in place of its tensors, to be traced."""
        view = KeyValueCache(self.room)
        view._ends, view._kept = ends, kept
        return view


def _softmax(scores):
    """Computes that of 16-bit scores in float32 and rounds once."""
    if scores.dtype not in HALVES:
        return _ops.softmax(scores, axis=-1)
    return narrowed(_ops.softmax(widened(scores), axis=-1), scores.dtype)


def _made(part, room):
    """Zeros with room for parts like this one, where it lies."""
    number, heads, _, size = part.shape
    return _ops.full([number, heads, room, size], 0.0, part.dtype).to(part.place)


def _grown(old, room):
    grown = _made(old, room)
    _put(grown, (slice(None), slice(None), slice(0, old.shape[2])), old)
    return grown


def _write(kept, new, lengths, counts):
    """Writes new [n, heads, t, size] at the sequences' ends: by one copy where all
    are the same, else by one for each sequence."""
    new = new.detach()
    if len({*zip(lengths, counts)}) == 1:
        begin, count = lengths[0], counts[0]
        _put(kept, (slice(None), slice(None), slice(begin, begin + count)),
             new[:, :, :count])
        return
    for i, (begin, count) in enumerate(zip(lengths, counts)):
        if count:
            _put(kept, (i, slice(None), slice(begin, begin + count)),
                 new[i, :, :count])


def _put(kept, places, new):
    """kept[places] = new; a device writes no part of a tensor: there it is copied."""
    if kept.place == "cpu":
        kept[places].copy_(new)
    else:
        kept[places] = new


def cache_of(name, cache):
    """The cache of a layer's argument; TypeError for anything else."""
    if not isinstance(cache, KeyValueCache):
        refuse(name, "cache", "a KeyValueCache or None", cache)
    return cache
