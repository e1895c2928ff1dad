# SPDX-License-Identifier: Apache-2.0
"""Attention of several heads, with our masks and with PyTorch's."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import FROM_1, SHARE, checked, flag
from switchyard.functions.arguments import tensor_of
from switchyard.nn.attention import (all_true, masked, opened,
                                     scaled_dot_product_attention, zeroed)
from switchyard.nn.dropout import Dropout
from switchyard.nn.extents import in_shape
from switchyard.nn.key_value_cache import cache_of
from switchyard.nn.linear import Linear
from switchyard.nn.max_windows import alike
from switchyard.nn.module import Module

_ops = _core.ops


def joined_mask(mask, attn_mask, key_padding_mask, heads):
    """One mask as scaled_dot_product_attention takes it, of ours and of PyTorch's
    two, in which True hides; or None."""
    parts = [] if mask is None else [tensor_of(mask)]
    if attn_mask is not None:
        given = _shown(tensor_of(attn_mask))
        if len(given.shape) == 3:  # [n * heads, t, s]
            given = _ops.reshape(given, [-1, heads, *given.shape[1:]])
        parts.append(given)
    if key_padding_mask is not None:
        given = _shown(tensor_of(key_padding_mask))
        if len(given.shape) == 1:
            given = _ops.unsqueeze(given, [0])
        parts.append(_ops.unsqueeze(given, [1, 2]))  # [n, 1, 1, s]
    if len(parts) > 1 and any(str(part.dtype) != "bool" for part in parts):
        parts = [_added(part) for part in parts]
        return sum(parts[1:], parts[0])
    joined = parts[0] if parts else None
    for part in parts[1:]:
        joined = _ops.logical_and(joined, part)
    return joined


def _shown(mask):
    """A mask of PyTorch's, with True where attention is allowed."""
    return _ops.logical_not(mask) if str(mask.dtype) == "bool" else mask


def _check_padding(name, mask, key, batch_first):
    """ValueError unless a key_padding_mask is [n, s] of the key, as far as extents
    are known; [s] without n."""
    places = key.shape[:-1]
    if len(places) == 2 and not batch_first:
        places = places[::-1]
    given = tuple(tensor_of(mask).shape)
    wanted = places[-1:] if len(given) == 1 else [1] * (2 - len(places)) + [*places]
    if len(given) not in (1, 2) or not alike(given, wanted):
        raise ValueError(f"{name}: key_padding_mask must be of shape "
                         f"{list(places)} as key has it, got {list(given)}")


def finite_where_hidden(x, key_padding_mask):
    """x [n, t, size], or without n, with 0 for NaN and infinities in the places that
    a key_padding_mask, if given, hides: 0 times what is computed of them would be in
    the gradients of parameters."""
    if key_padding_mask is None:
        return x
    shown = _shown(tensor_of(key_padding_mask))
    if str(shown.dtype) != "bool":
        shown = _ops.not_equal(shown, -math.inf)
    shown = _ops.unsqueeze(shown, [-1])
    if all_true(shown):
        return x
    return zeroed(x, _ops.logical_or(shown, _ops.isfinite(x)))


def _seen(mask, *sides):
    """Keys and values [n, s, size] with zeros in the places that no row of any head
    sees, as a joined mask has it."""
    if mask is None:
        return sides
    places = opened(mask)[2]
    if len(places.shape) == 4:
        places = _ops.any(places, [1])
    return [zeroed(x, places) for x in sides]


def _added(mask):
    if str(mask.dtype) != "bool":
        return mask
    return _ops.where(mask, _ops.full([], 0.0, "float32"),
                      _ops.full([], -math.inf, "float32"))


class MultiHeadAttention(Module):
    """softmax(q kᵀ / sqrt(head's size)) v, in ``num_heads`` slices of embed_dim.

    ``query`` [n, t, embed_dim], ``key`` and ``value`` [n, s, embed_dim] (by
    default the query and the key; of ``kdim`` and ``vdim`` instead, if these are
    given) give [n, t, embed_dim]; without n, too. ``mask``:
    added to the scores [n, heads, t, s], to which it broadcasts (-inf forbids); or
    bool, True where attention is allowed. ``is_causal``: each place sees itself
    and those before it alone. Rows that see nothing are zeros before the last
    projection.

    PyTorch's masks are numbers that are added, or bool, **True where attention is
    hidden**: ``attn_mask`` [t, s] or [n * heads, t, s], ``key_padding_mask`` [n, s].
    All that are given hold. ``batch_first=False``: time is the first axis, n the
    second.

    With ``cache``, a KeyValueCache, the query attends causally to itself and to what
    the cache holds; without key, value and masks.
    """

    @checked(embed_dim=FROM_1, num_heads=FROM_1, dropout=SHARE, kdim=FROM_1, vdim=FROM_1)
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0,
                 bias: bool = True, batch_first: bool = True,
                 kdim: int | None = None, vdim: int | None = None):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{type(self).__name__}: num_heads must divide "
                             f"embed_dim {embed_dim}, got {num_heads}")
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.batch_first = batch_first
        self.q_proj = Linear(embed_dim, embed_dim, bias)
        self.k_proj = Linear(embed_dim if kdim is None else kdim, embed_dim, bias)
        self.v_proj = Linear(embed_dim if vdim is None else vdim, embed_dim, bias)
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        self.dropout = Dropout(dropout)

    def _heads(self, x):
        size = self.embed_dim // self.num_heads
        # A 0 keeps the extent, known or not.
        x = _ops.reshape(x, [0, 0, self.num_heads, size])
        return _ops.transpose(x, [0, 2, 1, 3])

    def forward(self, query, key=None, value=None, mask=None,
                is_causal: bool = False, *, attn_mask=None, key_padding_mask=None,
                cache=None):
        if cache is not None:
            return self._cached(query, cache, key, value, mask, attn_mask,
                                key_padding_mask)
        if key_padding_mask is not None:
            _check_padding(type(self).__name__, key_padding_mask,
                           query if key is None else key, self.batch_first)
        if attn_mask is not None or key_padding_mask is not None:
            mask = joined_mask(mask, attn_mask, key_padding_mask, self.num_heads)
        key = query if key is None else key
        value = key if value is None else value
        if not self.batch_first or len(query.shape) == 2:
            return self._turned(query, key, value, mask, is_causal)
        return self._attend(query, key, value, mask, is_causal)

    def _cached(self, query, cache, *others):
        """Attention of the query to itself and to what the cache holds."""
        name = type(self).__name__
        cache_of(name, cache)
        if any(other is not None for other in others):
            raise ValueError(f"{name}: cache must be given without key, value and "
                             "masks: the attention is causal")
        if len(query.shape) != 3:
            raise ValueError(f"{name}: query must have three axes with a cache, got "
                             f"{len(query.shape)}")
        x = query if self.batch_first else _ops.transpose(query, [1, 0, 2])
        mixed = cache.attend(self, self._heads(self.q_proj(x)),
                             self._heads(self.k_proj(x)), self._heads(self.v_proj(x)))
        mixed = _ops.transpose(mixed, [0, 2, 1, 3])
        y = self.out_proj(_ops.reshape(mixed, [0, 0, self.embed_dim]))
        return y if self.batch_first else _ops.transpose(y, [1, 0, 2])

    def _attend(self, query, key, value, mask, is_causal):
        key, value = self._of_one_batch(query, key, value)
        key, value = _seen(mask, key, value)
        mixed = scaled_dot_product_attention(
            self._heads(self.q_proj(query)), self._heads(self.k_proj(key)),
            self._heads(self.v_proj(value)), mask,
            self.dropout.p if self.dropout.training else 0.0, is_causal)
        mixed = _ops.transpose(mixed, [0, 2, 1, 3])
        return self.out_proj(_ops.reshape(mixed, [0, 0, self.embed_dim]))

    def _of_one_batch(self, query, key, value):
        """The key and the value, n first; ValueError unless they are of the query's
        items, and the value of the key's places."""
        sides = {"key": key, "value": value}
        for name, axis, beside in (("key", 0, query), ("value", 0, query),
                                   ("value", 1, key)):
            given = sides[name]
            if len(given.shape) != 3 or len(beside.shape) != 3:
                continue
            wanted, got = beside.shape[axis], given.shape[axis]
            if not (isinstance(wanted, int) and isinstance(got, int)):
                extents = list(given.shape)
                extents[axis] = wanted
                sides[name] = in_shape(given, extents)  # The run compares them.
            elif wanted != got:
                raise ValueError(f"{type(self).__name__}: {name} must be of {wanted} "
                                 f"{'places' if axis else 'items'}, got {got}")
        return sides.values()

    def _turned(self, query, key, value, mask, is_causal):
        """``_attend`` of what has time first, or no n."""
        alone = len(query.shape) == 2
        def turn(x):
            return _ops.unsqueeze(x, [0]) if alone else _ops.transpose(x, [1, 0, 2])
        y = self._attend(*map(turn, (query, key, value)), mask, is_causal)
        return _ops.squeeze(y, [0]) if alone else _ops.transpose(y, [1, 0, 2])

    def extra_repr(self):
        return f"{self.embed_dim}, num_heads={self.num_heads}"


class MultiheadAttention(MultiHeadAttention):
    """MultiHeadAttention as PyTorch's class of this name is called.

    ``query`` [t, n, embed_dim], ``key`` and ``value`` [s, n, embed_dim]; n first
    with ``batch_first``; or without n. Returns (result, weights): the weights [n,
    t, s] are means over the heads, or [n, heads, t, s] unless
    ``average_attn_weights``; None unless ``need_weights``. In ``attn_mask`` and
    ``key_padding_mask`` **True hides**.
    """

    @checked(embed_dim=FROM_1, num_heads=FROM_1, dropout=SHARE, kdim=FROM_1, vdim=FROM_1)
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0,
                 bias: bool = True, batch_first: bool = False,
                 kdim: int | None = None, vdim: int | None = None):
        super().__init__(embed_dim, num_heads, dropout, bias, batch_first, kdim, vdim)

    def forward(self, query, key, value, key_padding_mask=None,
                need_weights: bool = True, attn_mask=None,
                average_attn_weights: bool = True, is_causal: bool = False):
        for name, given in (("need_weights", need_weights), ("is_causal", is_causal),
                            ("average_attn_weights", average_attn_weights)):
            if type(given) is not bool:
                flag("MultiheadAttention", name, given)
        if not need_weights:
            return super().forward(query, key, value, is_causal=is_causal,
                                   attn_mask=attn_mask,
                                   key_padding_mask=key_padding_mask), None
        if key_padding_mask is not None:
            _check_padding("MultiheadAttention", key_padding_mask, key,
                           self.batch_first)
        alone = len(query.shape) == 2
        turn = (lambda x: _ops.unsqueeze(x, [0])) if alone else (
            (lambda x: x) if self.batch_first
            else lambda x: _ops.transpose(x, [1, 0, 2]))
        mask = joined_mask(None, attn_mask, key_padding_mask, self.num_heads)
        query, key, value = map(turn, (query, key, value))
        mixed, weights = self._weighed(query, *self._of_one_batch(query, key, value),
                                       mask)
        mixed = _ops.transpose(mixed, [0, 2, 1, 3])
        y = self.out_proj(_ops.reshape(mixed, [0, 0, self.embed_dim]))
        if average_attn_weights:
            weights = _ops.mean(weights, [1])
        if alone:
            return _ops.squeeze(y, [0]), _ops.squeeze(weights, [0])
        return (y if self.batch_first else _ops.transpose(y, [1, 0, 2])), weights

    def _weighed(self, query, key, value, mask):
        key, value = _seen(mask, key, value)
        query, key, value = (self._heads(project(x)) for project, x in (
            (self.q_proj, query), (self.k_proj, key), (self.v_proj, value)))
        scale = 1.0 / math.sqrt(self.embed_dim // self.num_heads)
        if mask is not None:
            mask, rows, places = opened(mask)
            key, value = zeroed(key, places), zeroed(value, places)
        scores = _ops.matmul(_ops.scale(query, scale), key, transpose_y=True)
        if mask is not None:
            scores = masked(scores, mask)
        weights = _ops.softmax(scores, axis=-1)
        if mask is not None:
            weights = zeroed(weights, rows)
        return _ops.matmul(self.dropout(weights), value), weights
