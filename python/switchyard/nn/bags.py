# SPDX-License-Identifier: Apache-2.0
"""Embeddings of bags of numbers: the sum, mean or maximum of their rows."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, POSITIVE, checked, flag, whole
from switchyard.creation import arange
from switchyard.functions.arguments import WHOLE, tensor_of, weighed_part
from switchyard.nn import init
from switchyard.nn.lookup import bounded, by_frequency
from switchyard.nn.max_windows import alike
from switchyard.nn.module import Module, Parameter
from switchyard.spelling import spelled

_ops = _core.ops


@spelled
def embedding_bag(x, weight, offsets=None, mode: str = "mean",
                  sparse: bool = False, per_sample_weights=None,
                  include_last_offset: bool = False,
                  padding_idx: int | None = None, max_norm: float | None = None,
                  norm_type: float = 2.0, scale_grad_by_freq: bool = False):
    """The sum, the mean or the maximum ("max") of rows of ``weight`` [rows, size]
    for each bag of indices: [bags, size].

    x [bags, length], or one after the other in x [n], each from its place in
    ``offsets`` [bags] on; with ``include_last_offset`` those have the end, too.
    ``per_sample_weights``, of x's shape, multiply the rows of a sum. Rows of
    ``padding_idx`` do not count. A bag of none gives zeros. ``max_norm``,
    ``norm_type`` and ``scale_grad_by_freq`` as those of ``embedding``.
    """
    x, weight = tensor_of(x), tensor_of(weight)
    if mode not in ("sum", "mean", "max"):
        raise ValueError("embedding_bag: mode must be 'sum', 'mean' or 'max', got "
                         f"{mode!r}")
    flag("embedding_bag", "include_last_offset", include_last_offset)
    if per_sample_weights is not None and mode != "sum":
        raise ValueError("embedding_bag: per_sample_weights must be None with mode "
                         f"{mode!r}")
    bag, count, flat = _bags(x, offsets, include_last_offset)
    bounded("embedding_bag", weight, flat, max_norm, norm_type)
    rows = _ops.embedding(flat, weight, sparse=sparse)
    rows = by_frequency("embedding_bag", rows, flat, weight.shape[0],
                        scale_grad_by_freq)
    if per_sample_weights is not None:
        given = tensor_of(per_sample_weights)
        if not alike(given.shape, x.shape):
            raise ValueError("embedding_bag: per_sample_weights must have x's shape "
                             f"{tuple(x.shape)}, got {tuple(given.shape)}")
        given = _ops.reshape(given, [-1, 1])
        rows = _ops.multiply(weighed_part(rows, given), given)
    counted = None
    if padding_idx is not None:
        padding = whole("embedding_bag", "padding_idx", padding_idx)
        if not -weight.shape[0] <= padding < weight.shape[0]:
            raise ValueError("embedding_bag: padding_idx must be in "
                             f"[{-weight.shape[0]}, {weight.shape[0]}), got {padding}")
        counted = _ops.unsqueeze(_ops.not_equal(flat, padding % weight.shape[0]), [1])
    if mode == "max":
        return _largest(rows, bag, count, counted)
    return _summed(rows, bag, count, counted, mode)


def _bags(x, offsets, with_end):
    """(the bag of each index, how many bags there are, the indices in a row)."""
    if len(x.shape) == 2:
        if offsets is not None:
            raise ValueError("embedding_bag: offsets must be None for x of 2 axes")
        rows, length = x.shape
        line = _ops.unsqueeze(arange(rows), [1])
        return (_ops.reshape(_ops.expand(line, [rows, length]), [-1]), rows,
                _ops.reshape(x, [-1]))
    if len(x.shape) != 1:
        raise ValueError(f"embedding_bag: x must have 1 or 2 axes, got {len(x.shape)}")
    if offsets is None:
        raise ValueError("embedding_bag: offsets must be given for x of one axis")
    offsets = tensor_of(offsets)
    if offsets.dtype not in WHOLE or offsets.dtype == "bool":
        raise TypeError("embedding_bag: offsets must be integers, got "
                        f"{offsets.dtype}")
    offsets = _ops.cast(offsets, "int64")
    if len(offsets.shape) != 1 or isinstance(offsets, _core.Tensor) and (
            offsets.shape[0] and offsets[0].item() != 0):
        raise ValueError("embedding_bag: offsets must have one axis and begin with 0")
    count = offsets.shape[0] - bool(with_end)
    starts = _ops.slice(offsets, [0], [0], [count])
    which = _ops.searchsorted(starts, arange(x.shape[0]), right=True)
    return _ops.scale(_ops.cast(which, "int64"), 1, -1), count, x


def _summed(rows, bag, count, counted, mode):
    if counted is not None:
        rows = _ops.where(counted, rows, _ops.zeros_like(rows))
    total = _ops.index_add(_ops.full([count, rows.shape[1]], 0.0, rows.dtype), bag,
                           rows, 0)
    if mode == "sum":
        return total
    ones = _ops.full([rows.shape[0], 1], 1.0, rows.dtype) if counted is None else (
        _ops.cast(counted, rows.dtype))
    sizes = _ops.index_add(_ops.full([count, 1], 0.0, rows.dtype), bag, ones, 0)
    return _ops.divide(total, _ops.maximum(sizes, 1.0))


def _largest(rows, bag, count, counted):
    if counted is not None:
        kept = _ops.squeeze(_ops.nonzero(_ops.squeeze(counted, [1])), [1])
        rows, bag = _ops.gather(rows, kept), _ops.gather(bag, kept)
    if rows.shape[0] == 0:
        return _ops.full([count, rows.shape[1]], 0.0, rows.dtype)
    found = _ops.segment_pool(rows, bag, "MAX")
    found = found[0] if isinstance(found, tuple) else found
    return _ops.pad(found, [0, count - found.shape[0], 0, 0], 0.0)


class EmbeddingBag(Module):
    """The sum, mean or maximum of the rows of ``weight`` [num_embeddings,
    embedding_dim] for each bag of indices, as ``embedding_bag`` takes them."""

    @checked(num_embeddings=FROM_1, embedding_dim=FROM_0, max_norm=POSITIVE,
             norm_type=POSITIVE)
    def __init__(self, num_embeddings: int, embedding_dim: int, mode: str = "mean",
                 sparse: bool = False, include_last_offset: bool = False,
                 padding_idx: int | None = None, *, max_norm: float | None = None,
                 norm_type: float = 2.0, scale_grad_by_freq: bool = False):
        super().__init__()
        if mode not in ("sum", "mean", "max"):
            raise ValueError("EmbeddingBag: mode must be 'sum', 'mean' or 'max', got "
                             f"{mode!r}")
        if padding_idx is not None and not (
                -num_embeddings <= padding_idx < num_embeddings):
            raise ValueError(f"EmbeddingBag: padding_idx must be in [{-num_embeddings}"
                             f", {num_embeddings}), got {padding_idx}")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.mode, self.sparse = mode, sparse
        self.include_last_offset, self.padding_idx = include_last_offset, padding_idx
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        weight = init.Normal()([num_embeddings, embedding_dim])
        if padding_idx is not None:
            weight[padding_idx] = 0.0
        self.weight = Parameter(weight)

    def forward(self, x, offsets=None, per_sample_weights=None):
        return embedding_bag(x, self.weight, offsets, self.mode, self.sparse,
                             per_sample_weights, self.include_last_offset,
                             self.padding_idx, self.max_norm, self.norm_type,
                             self.scale_grad_by_freq)

    def extra_repr(self):
        return f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}"
