# SPDX-License-Identifier: Apache-2.0
"""Layers that multiply by a matrix, or look up its rows."""

from __future__ import annotations

from collections.abc import Callable

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, POSITIVE, checked
from switchyard.functions.arguments import check_list, tensor_of
from switchyard.functions.precision import in_float32
from switchyard.nn import init
from switchyard.nn.dtypes import check_dtype
from switchyard.nn.lookup import bounded, by_frequency, rows_of
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
        return _ops.linear(x, self.weight, self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, "
                f"out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class Bilinear(Module):
    """x weight yᵀ + bias for each of the matrices ``weight`` [out_features,
    in1_features, in2_features]: x [..., in1_features] and y [..., in2_features]
    give [..., out_features].
    """

    @checked(in1_features=FROM_1, in2_features=FROM_1, out_features=FROM_1)
    def __init__(self, in1_features: int, in2_features: int, out_features: int,
                 bias: bool = True):
        super().__init__()
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        default = init.by_inputs(in1_features)
        self.weight = Parameter(default([out_features, in1_features, in2_features]))
        self.bias = Parameter(default([out_features])) if bias else None

    def forward(self, x, y):
        check_dtype(self, x, self.weight)
        return bilinear(x, y, self.weight, self.bias)

    def extra_repr(self):
        return (f"in1_features={self.in1_features}, in2_features="
                f"{self.in2_features}, out_features={self.out_features}")


def bilinear(x, y, weight, bias=None):
    """x weight yᵀ + bias for each of the matrices ``weight`` [outputs, m, n]: x
    [..., m] and y [..., n] give [..., outputs]."""
    x, y, weight = tensor_of(x), tensor_of(y), tensor_of(weight)
    if len(weight.shape) != 3 or not x.shape or not y.shape:
        raise ValueError("bilinear: weight must have 3 axes, and x and y one or more, "
                         f"got {len(weight.shape)}, {len(x.shape)} and {len(y.shape)}")
    for side, given, axis in (("x", x, 1), ("y", y, 2)):
        wanted, got = weight.shape[axis], given.shape[-1]
        if isinstance(wanted, int) and isinstance(got, int) and wanted != got:
            raise ValueError(f"bilinear: {side} must be of {wanted} along the last axis "
                             f"as weight {tuple(weight.shape)} says, got {got}")
    if bias is not None:
        bias = tensor_of(bias)
        check_list("bias", bias, weight.shape[0])
    return _forms(x, y, weight, bias)


@in_float32
def _forms(x, y, weight, bias):
    """``bilinear`` of tensors that fit."""
    left = _ops.unsqueeze(_ops.unsqueeze(x, [-2]), [-2])     # [..., 1, 1, m]
    rows = _ops.squeeze(_ops.matmul(left, weight), [-2])      # [..., outputs, n]
    found = _ops.sum(_ops.multiply(rows, _ops.unsqueeze(y, [-2])), -1)
    return found if bias is None else _ops.add(found, bias)


class Embedding(Module):
    """Rows of ``weight`` [num_embeddings, embedding_dim] by integer index.

    x of any shape gives [*x.shape, embedding_dim]. The row ``padding_idx``
    reads as zeros and gets no gradient. ``weight`` starts normal, that row as
    zeros, unless an initialiser is given. ``sparse``:
    its gradient is SelectedRows, of the rows looked up alone. ``max_norm``,
    ``norm_type`` and ``scale_grad_by_freq``: as those of ``functional.embedding``.
    """

    @checked(num_embeddings=FROM_1, embedding_dim=FROM_0, max_norm=POSITIVE,
             norm_type=POSITIVE)
    def __init__(self, num_embeddings: int, embedding_dim: int,
                 padding_idx: int | None = None, sparse: bool = False,
                 weight_init: Callable | None = None, *,
                 max_norm: float | None = None, norm_type: float = 2.0,
                 scale_grad_by_freq: bool = False):
        super().__init__()
        if padding_idx is not None and not (
                -num_embeddings <= padding_idx < num_embeddings):
            raise ValueError(f"Embedding: padding_idx must be in "
                             f"[{-num_embeddings}, {num_embeddings}), "
                             f"got {padding_idx}")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx, self.sparse = padding_idx, sparse
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        weight = (weight_init or init.Normal())([num_embeddings, embedding_dim])
        if weight_init is None and padding_idx is not None:
            weight[padding_idx] = 0.0
        self.weight = Parameter(weight)

    def forward(self, x):
        padding = -1 if self.padding_idx is None else (
            self.padding_idx % self.num_embeddings)
        bounded("Embedding", self.weight, x, self.max_norm, self.norm_type)
        found = rows_of("Embedding", x, self.weight, padding, self.sparse)
        return by_frequency("Embedding", found, x, self.num_embeddings,
                            self.scale_grad_by_freq)

    @classmethod
    def from_pretrained(cls, embeddings, freeze: bool = True,
                        padding_idx: int | None = None, max_norm: float | None = None,
                        norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                        sparse: bool = False):
        """A layer whose ``weight`` is ``embeddings`` [rows, size], which are not
        trained where ``freeze``."""
        weight = tensor_of(embeddings)
        if len(weight.shape) != 2:
            raise ValueError("Embedding.from_pretrained: embeddings must have 2 axes, "
                             f"got shape {tuple(weight.shape)}")
        made = cls(*weight.shape, padding_idx=padding_idx, sparse=sparse,
                   weight_init=init.Constant(0.0), max_norm=max_norm,
                   norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq)
        made.weight = Parameter(weight.detach(), not freeze)
        return made

    def extra_repr(self):
        facts = [str(self.num_embeddings), str(self.embedding_dim)]
        if self.padding_idx is not None:
            facts.append(f"padding_idx={self.padding_idx}")
        if self.sparse:
            facts.append("sparse=True")
        return ", ".join(facts)
