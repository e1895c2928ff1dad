# SPDX-License-Identifier: Apache-2.0
"""Attention, and the encoder layer that is made of it."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.nn.activation import GELU, Dropout, ReLU
from switchyard.nn.linear import Linear
from switchyard.nn.module import Module
from switchyard.nn.norm import LayerNorm

_ops = _core.ops


class MultiHeadAttention(Module):
    """softmax(q kᵀ / sqrt(head's size)) v, in ``num_heads`` slices of embed_dim.

    ``query`` [n, t, embed_dim], ``key`` and ``value`` [n, s, embed_dim] (by
    default the query and the key) give [n, t, embed_dim]. ``mask``: added to the
    scores [n, heads, t, s], to which it broadcasts (-inf forbids); or bool, True
    where attention is allowed.
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0,
                 bias: bool = True):
        super().__init__()
        if num_heads < 1 or embed_dim % num_heads:
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

    def forward(self, query, key=None, value=None, mask=None):
        key = query if key is None else key
        value = key if value is None else value
        q = self._heads(self.q_proj(query))
        k = self._heads(self.k_proj(key))
        v = self._heads(self.v_proj(value))
        scale = 1.0 / math.sqrt(self.embed_dim // self.num_heads)
        scores = _ops.matmul(_ops.scale(q, scale), k, transpose_y=True)
        if mask is not None:
            scores = _masked(scores, mask)
        weights = self.dropout(_ops.softmax(scores, axis=-1))
        mixed = _ops.transpose(_ops.matmul(weights, v), [0, 2, 1, 3])
        return self.out_proj(_ops.reshape(mixed, [0, 0, self.embed_dim]))

    def extra_repr(self):
        return f"{self.embed_dim}, num_heads={self.num_heads}"


def _masked(scores, mask):
    if str(mask.dtype) != "bool":
        return _ops.add(scores, mask)
    forbidden = _ops.full([], -math.inf, scores.dtype)
    if isinstance(scores, _core.Value):
        forbidden = forbidden.numpy()  # A constant of the graph.
    return _ops.where(mask, scores, forbidden)


class TransformerEncoderLayer(Module):
    """Attention, then two linear layers; each on a normalised x, added to x.

    [n, t, embed_dim] to the same shape. ``activation``: "relu" or "gelu".
    """

    def __init__(self, embed_dim: int, num_heads: int, hidden_dim: int,
                 dropout: float = 0.1, activation: str = "relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError("TransformerEncoderLayer: activation must be "
                             f"'relu' or 'gelu', got {activation!r}")
        self.norm1 = LayerNorm(embed_dim)
        self.attention = MultiHeadAttention(embed_dim, num_heads, dropout)
        self.norm2 = LayerNorm(embed_dim)
        self.linear1 = Linear(embed_dim, hidden_dim)
        self.activation = ReLU() if activation == "relu" else GELU()
        self.linear2 = Linear(hidden_dim, embed_dim)
        self.dropout = Dropout(dropout)

    def forward(self, x, mask=None):
        x = x + self.dropout(self.attention(self.norm1(x), mask=mask))
        hidden = self.dropout(self.activation(self.linear1(self.norm2(x))))
        return x + self.dropout(self.linear2(hidden))
