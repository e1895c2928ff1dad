# SPDX-License-Identifier: Apache-2.0
"""Attention as a function; the layers are multi_head.py and transformer.py."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import SHARE, public_call, real
from switchyard.functions import repeat_interleave, swapaxes
from switchyard.functions.arguments import tensor_of
from switchyard.functions.precision import in_float32

_ops = _core.ops


@in_float32
def scaled_dot_product_attention(query, key, value, attn_mask=None,
                                 dropout_p: float = 0.0,
                                 is_causal: bool = False, scale=None,
                                 enable_gqa: bool = False):
    """softmax(query keyᵀ * scale + attn_mask) value, along the last two axes.

    ``query`` [..., t, size], ``key`` [..., s, size], ``value`` [..., s, width]
    give [..., t, width]. ``attn_mask`` broadcasts to [..., t, s]: bool, True where
    attention is allowed, or a number that is added, -inf where it is not.
    ``is_causal``: each place sees itself and those before it alone. A row that
    the two together allow nothing gives zeros; places that no row may see are not
    read, so they may hold NaN. ``dropout_p`` holds for the weights.
    ``scale``: 1 / sqrt(size) unless given. With ``enable_gqa`` key and value may
    have fewer heads, along the axis before the last two: each serves the same
    number of the query's.
    """
    query, key, value = tensor_of(query), tensor_of(key), tensor_of(value)
    if type(dropout_p) is not float or not 0.0 <= dropout_p <= 1.0:
        real("scaled_dot_product_attention", "dropout_p", dropout_p, SHARE)
    if scale is None:
        scale = 1.0 / math.sqrt(query.shape[-1])
    if enable_gqa:
        key, value = (_of_heads(x, query.shape[-3]) for x in (key, value))
    query = _ops.scale(query, scale)
    if is_causal and attn_mask is None:
        return _attend_causally(query, key, value, dropout_p)
    if attn_mask is None:
        scores = _ops.matmul(query, key, transpose_y=True)
        return _mixed(_ops.softmax(scores, axis=-1), value, dropout_p)
    mask = tensor_of(attn_mask)
    if is_causal:
        mask = _with_causal(mask, query, key)
    mask, rows, places = opened(mask)
    key, value = (zeroed(x, places) for x in (key, value))
    scores = masked(_ops.matmul(query, key, transpose_y=True), mask)
    return zeroed(_mixed(_ops.softmax(scores, axis=-1), value, dropout_p), rows)


# Rows that attend together at least, and the most blocks of them.
_ROWS, _BLOCKS = 128, 16


def _attend_causally(query, key, value, dropout_p):
    """Attention of a scaled query to the places up to each row's own.

    Rows go in blocks, each with the keys that its last row sees, so that long
    sequences take half the time and memory; all at once if t is not known.
    """
    count, places = query.shape[-2], key.shape[-2]
    known = all(isinstance(extent, int) and extent >= 0
                for extent in (count, places))
    size = max(_ROWS, -(-count // _BLOCKS)) if known else None
    if size is None or count <= size:
        scores = _ops.matmul(query, key, transpose_y=True)
        weights = _ops.softmax(masked(scores, _causal(scores)), axis=-1)
        return _mixed(weights, value, dropout_p)
    parts = []
    for begin in range(0, count, size):
        end = min(begin + size, count)
        rows, keys, values = (
            _ops.slice(x, [-2], [start], [stop]) for x, start, stop in
            ((query, begin, end), (key, 0, end), (value, 0, end)))
        scores = _ops.matmul(rows, keys, transpose_y=True)
        weights = _ops.softmax(masked(scores, _causal(scores, begin)), axis=-1)
        parts.append(_mixed(weights, values, dropout_p))
    return _ops.concat(parts, -2)


def _mixed(weights, value, dropout_p):
    if dropout_p > 0.0:
        weights = _ops.dropout(weights, p=dropout_p)
    return _ops.matmul(weights, value)


def _with_causal(mask, query, key):
    """mask that also forbids each row the places after its own."""
    row, column = map(_first_column, (query, key))
    causal = _causal(_ops.matmul(row, column, transpose_y=True))
    if str(mask.dtype) == "bool":
        return _ops.logical_and(mask, causal)
    return _ops.where(causal, mask, _ops.full([], -math.inf, mask.dtype))


def zeroed(x, rows):
    """x with zeros in the rows that are not among ``rows``."""
    return x if all_true(rows) else _ops.where(rows, x, _ops.full([], 0.0, x.dtype))


def all_true(rows):
    """Whether it can be seen that every element is True."""
    return type(rows) is _core.Tensor and str(rows.place) == "cpu" and bool(
        rows.numpy().all())


def _first_column(x):
    """[1, ..., rows, 1] of x [..., rows, size]."""
    axes = [*range(len(x.shape) - 2), -1]
    return _ops.slice(x, axes, [0] * len(axes), [1] * len(axes))


_MASKS = frozenset(("bool", "float16", "bfloat16", "float32", "float64"))


def opened(mask):
    """A mask without rows that forbid everything, whose softmax is NaN; which
    rows [..., t, 1] were others; which places [..., s, 1] a row may see."""
    if str(mask.dtype) not in _MASKS:
        raise TypeError(f"{public_call(mask)[0]}: attn_mask must be bool or floating, "
                        f"got {mask.dtype}")
    if len(mask.shape) < 2:
        mask = _ops.unsqueeze(mask, list(range(2 - len(mask.shape))))
    if str(mask.dtype) == "bool":
        rows = _ops.any(mask, [-1], True)
        places = _ops.any(mask, [-2], True)
        mask = _ops.logical_or(mask, _ops.logical_not(rows))
    else:
        allowed = _ops.not_equal(mask, -math.inf)
        rows = _ops.any(allowed, [-1], True)
        places = _ops.any(allowed, [-2], True)
        mask = _ops.where(rows, mask, _ops.zeros_like(mask))
    return mask, rows, swapaxes(places, -1, -2)


def _of_heads(x, heads):
    """x with each of its heads as often as makes ``heads`` of them."""
    given = x.shape[-3]
    if heads % given:
        raise ValueError("scaled_dot_product_attention: key's and value's heads "
                         f"must divide the query's {heads}, got {given}")
    return x if given == heads else repeat_interleave(x, heads // given, axis=-3)


def _causal(scores, first=0):
    """True where a row of scores, the first of which is at place ``first``, sees
    a place: along the last two axes, on and below a diagonal."""
    rank = len(scores.shape)
    row = _ops.slice(scores, list(range(rank - 2)), [0] * (rank - 2),
                     [1] * (rank - 2)) if rank > 2 else scores
    return _ops.greater_than(_ops.tril(_ops.ones_like(row), first), 0.0)


def masked(scores, mask):
    """scores with -inf where a bool mask is False, or with the mask added."""
    if str(mask.dtype) != "bool":
        return _ops.add(scores, mask)
    forbidden = _ops.full([], -math.inf, scores.dtype)
    return _ops.where(mask, scores, forbidden)
