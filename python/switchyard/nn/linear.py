# SPDX-License-Identifier: Apache-2.0
"""Layers that multiply by a matrix, or look up its rows."""

from __future__ import annotations

from collections.abc import Callable

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, checked
from switchyard.nn import init
from switchyard.nn.dtypes import add_bias, check_dtype
from switchyard.nn.module import Module, Parameter

_ops = _core.ops


class Linear(Module):
    """x @ weight + bias, for x of shape [..., in_features].

    ``weight`` is [in_features, out_features], ``bias`` [out_features]; both
    start uniform in ±1/sqrt(in_features) unless initialisers are given.
    """

    @checked(in_features=FROM_0, out_features=FROM_0)
    def __init__(self, in_features: int, out_features: int, bias: bool = True,
                 weight_init: Callable | None = None,
                 bias_init: Callable | None = None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        default = init.by_inputs(in_features)
        self.weight = Parameter(
            (weight_init or default)([in_features, out_features]))
        self.bias = (Parameter((bias_init or default)([out_features]))
                     if bias else None)

    def forward(self, x):
        check_dtype(self, x, self.weight)
        y = _ops.matmul(x, self.weight)
        return y if self.bias is None else add_bias(y, self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, "
                f"out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class Embedding(Module):
    """Rows of ``weight`` [num_embeddings, embedding_dim] by integer index.

    x of any shape gives [*x.shape, embedding_dim]. The row ``padding_idx``
    reads as zeros and gets no gradient. ``weight`` starts normal, that row as
    zeros, unless an initialiser is given. ``sparse``:
    its gradient is SelectedRows, of the rows looked up alone.
    """

    @checked(num_embeddings=FROM_1, embedding_dim=FROM_0)
    def __init__(self, num_embeddings: int, embedding_dim: int,
                 padding_idx: int | None = None, sparse: bool = False,
                 weight_init: Callable | None = None):
        super().__init__()
        if padding_idx is not None and not (
                -num_embeddings <= padding_idx < num_embeddings):
            raise ValueError(f"Embedding: padding_idx must be in "
                             f"[{-num_embeddings}, {num_embeddings}), "
                             f"got {padding_idx}")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx, self.sparse = padding_idx, sparse
        weight = (weight_init or init.Normal())([num_embeddings, embedding_dim])
        if weight_init is None and padding_idx is not None:
            weight[padding_idx] = 0.0
        self.weight = Parameter(weight)

    def forward(self, x):
        padding = -1 if self.padding_idx is None else (
            self.padding_idx % self.num_embeddings)
        return _ops.embedding(x, self.weight, padding_idx=padding,
                              sparse=self.sparse)

    def extra_repr(self):
        facts = [str(self.num_embeddings), str(self.embedding_dim)]
        if self.padding_idx is not None:
            facts.append(f"padding_idx={self.padding_idx}")
        if self.sparse:
            facts.append("sparse=True")
        return ", ".join(facts)
