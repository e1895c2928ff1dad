# SPDX-License-Identifier: Apache-2.0
"""Attention, and the encoder layer that is made of it."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import FROM_1, LAYERS, SHARE, checked, real
from switchyard.functions import repeat_interleave
from switchyard.functions.arguments import tensor_of
from switchyard.functions.precision import in_float32
from switchyard.nn.activation import GELU, ReLU
from switchyard.nn.containers import ModuleList
from switchyard.nn.dropout import Dropout
from switchyard.nn.linear import Linear
from switchyard.nn.module import Module
from switchyard.nn.norm import LayerNorm

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
    mask, rows, places = _open(mask)
    key, value = (_zeroed(x, places) for x in (key, value))
    scores = _masked(_ops.matmul(query, key, transpose_y=True), mask)
    return _zeroed(_mixed(_ops.softmax(scores, axis=-1), value, dropout_p), rows)


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
        weights = _ops.softmax(_masked(scores, _causal(scores)), axis=-1)
        return _mixed(weights, value, dropout_p)
    parts = []
    for begin in range(0, count, size):
        end = min(begin + size, count)
        rows, keys, values = (
            _ops.slice(x, [-2], [start], [stop]) for x, start, stop in
            ((query, begin, end), (key, 0, end), (value, 0, end)))
        scores = _ops.matmul(rows, keys, transpose_y=True)
        weights = _ops.softmax(_masked(scores, _causal(scores, begin)), axis=-1)
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


def _zeroed(x, rows):
    """x with zeros in the rows that are not among ``rows``."""
    if type(rows) is _core.Tensor and str(rows.place) == "cpu" and (
            rows.numpy().all()):
        return x
    return _ops.where(rows, x, _ops.full([], 0.0, x.dtype))


def _first_column(x):
    """[1, ..., rows, 1] of x [..., rows, size]."""
    axes = [*range(len(x.shape) - 2), -1]
    return _ops.slice(x, axes, [0] * len(axes), [1] * len(axes))


def _open(mask):
    """A mask without rows that forbid everything, whose softmax is NaN; which
    rows [..., t, 1] were others; which places [..., s, 1] a row may see."""
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
    order = [*range(len(mask.shape) - 2), -1, -2]
    return mask, rows, _ops.transpose(places, order)


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


class MultiHeadAttention(Module):
    """softmax(q kᵀ / sqrt(head's size)) v, in ``num_heads`` slices of embed_dim.

    ``query`` [n, t, embed_dim], ``key`` and ``value`` [n, s, embed_dim] (by
    default the query and the key) give [n, t, embed_dim]. ``mask``: added to the
    scores [n, heads, t, s], to which it broadcasts (-inf forbids); or bool, True
    where attention is allowed. ``is_causal``: each place sees itself and those
    before it alone. Rows that see nothing are zeros before the last projection.
    """

    @checked(embed_dim=FROM_1, num_heads=FROM_1, dropout=SHARE)
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0,
                 bias: bool = True):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError("MultiHeadAttention: num_heads must divide "
                             f"embed_dim {embed_dim}, got {num_heads}")
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.q_proj = Linear(embed_dim, embed_dim, bias)
        self.k_proj = Linear(embed_dim, embed_dim, bias)
        self.v_proj = Linear(embed_dim, embed_dim, bias)
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        self.dropout = Dropout(dropout)

    def _heads(self, x):
        size = self.embed_dim // self.num_heads
        # A 0 keeps the extent, known or not.
        x = _ops.reshape(x, [0, 0, self.num_heads, size])
        return _ops.transpose(x, [0, 2, 1, 3])

    def forward(self, query, key=None, value=None, mask=None,
                is_causal: bool = False):
        key = query if key is None else key
        value = key if value is None else value
        mixed = scaled_dot_product_attention(
            self._heads(self.q_proj(query)), self._heads(self.k_proj(key)),
            self._heads(self.v_proj(value)), mask,
            self.dropout.p if self.dropout.training else 0.0, is_causal)
        mixed = _ops.transpose(mixed, [0, 2, 1, 3])
        return self.out_proj(_ops.reshape(mixed, [0, 0, self.embed_dim]))

    def extra_repr(self):
        return f"{self.embed_dim}, num_heads={self.num_heads}"


def _masked(scores, mask):
    if str(mask.dtype) != "bool":
        return _ops.add(scores, mask)
    forbidden = _ops.full([], -math.inf, scores.dtype)
    return _ops.where(mask, scores, forbidden)


def _activation(name, layer):
    if name not in ("relu", "gelu"):
        raise ValueError(f"{layer}: activation must be 'relu' or 'gelu', got "
                         f"{name!r}")
    return ReLU() if name == "relu" else GELU()


class TransformerEncoderLayer(Module):
    """Attention, then two linear layers; each on a normalised x, added to x.

    [n, t, embed_dim] to the same shape. ``activation``: "relu" or "gelu".
    """

    @checked(embed_dim=FROM_1, num_heads=FROM_1, hidden_dim=FROM_1, dropout=SHARE)
    def __init__(self, embed_dim: int, num_heads: int, hidden_dim: int,
                 dropout: float = 0.1, activation: str = "relu"):
        super().__init__()
        activation = _activation(activation, "TransformerEncoderLayer")
        self.norm1 = LayerNorm(embed_dim)
        self.attention = MultiHeadAttention(embed_dim, num_heads, dropout)
        self.norm2 = LayerNorm(embed_dim)
        self.linear1 = Linear(embed_dim, hidden_dim)
        self.activation = activation
        self.linear2 = Linear(hidden_dim, embed_dim)
        self.dropout = Dropout(dropout)

    def forward(self, x, mask=None, is_causal: bool = False):
        x = x + self.dropout(self.attention(self.norm1(x), mask=mask,
                                            is_causal=is_causal))
        hidden = self.dropout(self.activation(self.linear1(self.norm2(x))))
        return x + self.dropout(self.linear2(hidden))


class TransformerDecoderLayer(Module):
    """Causal attention, attention to ``memory``, then two linear layers; each on
    a normalised x, added to x.

    x [n, t, embed_dim] and memory [n, s, embed_dim] give x's shape. ``mask`` and
    ``memory_mask`` as those of MultiHeadAttention.
    """

    @checked(embed_dim=FROM_1, num_heads=FROM_1, hidden_dim=FROM_1, dropout=SHARE)
    def __init__(self, embed_dim: int, num_heads: int, hidden_dim: int,
                 dropout: float = 0.1, activation: str = "relu"):
        super().__init__()
        self.norm1 = LayerNorm(embed_dim)
        self.self_attention = MultiHeadAttention(embed_dim, num_heads, dropout)
        self.norm2 = LayerNorm(embed_dim)
        self.cross_attention = MultiHeadAttention(embed_dim, num_heads, dropout)
        self.norm3 = LayerNorm(embed_dim)
        self.linear1 = Linear(embed_dim, hidden_dim)
        self.activation = _activation(activation, "TransformerDecoderLayer")
        self.linear2 = Linear(hidden_dim, embed_dim)
        self.dropout = Dropout(dropout)

    def forward(self, x, memory, mask=None, memory_mask=None,
                is_causal: bool = True):
        x = x + self.dropout(self.self_attention(
            self.norm1(x), mask=mask, is_causal=is_causal))
        x = x + self.dropout(self.cross_attention(
            self.norm2(x), memory, mask=memory_mask))
        hidden = self.dropout(self.activation(self.linear1(self.norm3(x))))
        return x + self.dropout(self.linear2(hidden))


class TransformerEncoder(Module):
    """``num_layers`` encoder layers of the same sizes, then a LayerNorm."""

    @checked(embed_dim=FROM_1, num_heads=FROM_1, hidden_dim=FROM_1,
             num_layers=LAYERS, dropout=SHARE)
    def __init__(self, embed_dim: int, num_heads: int, hidden_dim: int,
                 num_layers: int, dropout: float = 0.1,
                 activation: str = "relu"):
        super().__init__()
        self.layers = ModuleList(
            TransformerEncoderLayer(embed_dim, num_heads, hidden_dim, dropout,
                                    activation) for _ in range(num_layers))
        self.norm = LayerNorm(embed_dim)

    def forward(self, x, mask=None, is_causal: bool = False):
        for layer in self.layers:
            x = layer(x, mask, is_causal)
        return self.norm(x)


class TransformerDecoder(Module):
    """``num_layers`` decoder layers of the same sizes, then a LayerNorm."""

    @checked(embed_dim=FROM_1, num_heads=FROM_1, hidden_dim=FROM_1,
             num_layers=LAYERS, dropout=SHARE)
    def __init__(self, embed_dim: int, num_heads: int, hidden_dim: int,
                 num_layers: int, dropout: float = 0.1,
                 activation: str = "relu"):
        super().__init__()
        self.layers = ModuleList(
            TransformerDecoderLayer(embed_dim, num_heads, hidden_dim, dropout,
                                    activation) for _ in range(num_layers))
        self.norm = LayerNorm(embed_dim)

    def forward(self, x, memory, mask=None, memory_mask=None,
                is_causal: bool = True):
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask, is_causal)
        return self.norm(x)
