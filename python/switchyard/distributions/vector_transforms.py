# SPDX-License-Identifier: Apache-2.0
"""Transforms of vectors and matrices, and those that are made of others."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, listed, refuse, whole
from switchyard.distributions import constraints
from switchyard.distributions.base import softplus
from switchyard.distributions.number_transforms import Transform, _rank, summed

_ops = _core.ops


def _last(x, begin, end):
    """A slice along the last axis."""
    return _ops.slice(x, [len(x.shape) - 1], [begin], [end])


def _padded(x, before, after, value):
    """x with numbers before and after along the last axis."""
    like = _last(x, 0, 1)
    parts = [_ops.full_like(like, value)] * before + [x] + (
        [_ops.full_like(like, value)] * after)
    return _ops.concat(parts, -1)


class StickBreakingTransform(Transform):
    """Vectors [n] to shares [n + 1] whose sum is 1, each a part of what is left."""

    domain, codomain = constraints.real_vector, constraints.simplex

    def _offset(self, x):
        count = x.shape[-1]
        return _core.tensor(np.log(np.arange(count, 0, -1.0)), x.dtype)

    def _call(self, x):
        part = _ops.sigmoid(x - self._offset(x))
        left = _ops.cumprod(_ops.scale(part, -1.0, 1.0), -1)
        return _padded(part, 0, 1, 1.0) * _padded(left, 1, 0, 1.0)

    def _inverse(self, y):
        count = y.shape[-1] - 1
        shares = _last(y, 0, count)
        left = _ops.scale(_ops.cumsum(shares, -1), -1.0, 1.0)
        tiny = 2.0**-126 if y.dtype == "float32" else 2.0**-1022
        left = _ops.maximum(left, _ops.full([], tiny, y.dtype))
        return _ops.log(shares) - _ops.log(left) + self._offset(shares)

    def log_abs_det_jacobian(self, x, y):
        moved = x - self._offset(x)
        shares = _last(y, 0, y.shape[-1] - 1)
        # log sigmoid(moved), added to log of the share.
        return _ops.sum(_ops.log(shares) - softplus(moved), -1)

    def forward_shape(self, shape):
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape):
        return (*shape[:-1], shape[-1] - 1)


class LowerCholeskyTransform(Transform):
    """Matrices to lower triangular ones, whose diagonal is exp of theirs."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _with(self, x, function):
        diagonal = function(_ops.diagonal(x, 0, -2, -1))
        return _ops.tril(x, -1) + _ops.diag_embed(diagonal)

    def _call(self, x):
        return self._with(x, _ops.exp)

    def _inverse(self, y):
        return self._with(y, _ops.log)

    def log_abs_det_jacobian(self, x, y):
        return _ops.sum(_ops.diagonal(x, 0, -2, -1), -1)


class PositiveDefiniteTransform(Transform):
    """Matrices to positive definite ones, L Lᵀ of LowerCholeskyTransform's L."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x):
        lower = LowerCholeskyTransform()(x)
        return _ops.matmul(lower, lower, transpose_y=True)

    def _inverse(self, y):
        return LowerCholeskyTransform()._inverse(_ops.cholesky(y))


class CorrCholeskyTransform(Transform):
    """Vectors [n (n - 1) / 2] to the lower factors [n, n] of matrices of
    correlations: rows of length 1."""

    domain, codomain = constraints.real_vector, constraints.corr_cholesky

    @staticmethod
    def _extent(count):
        n = round((0.25 + 2 * count)**0.5 + 0.5)
        if n * (n - 1) // 2 != count:
            raise ValueError("CorrCholeskyTransform: the last extent must be "
                             f"n (n - 1) / 2, got {count}")
        return n

    def _places(self, n):
        rows, columns = np.tril_indices(n, -1)
        return rows * n + columns

    def _call(self, x):
        n = self._extent(x.shape[-1])
        places = np.zeros((n * n,), np.int64) + x.shape[-1]
        places[self._places(n)] = np.arange(x.shape[-1])
        # tanh fills what is below the diagonal; a number 0 the rest.
        lower = _ops.index_select(_padded(_ops.tanh(x), 0, 1, 0.0), places, -1)
        lower = _ops.reshape(lower, [*x.shape[:-1], n, n])
        left = _ops.cumprod(_ops.sqrt(_ops.scale(_ops.square(lower), -1.0, 1.0)), -1)
        eye = _core.tensor(np.eye(n), x.dtype)
        return (lower + eye) * _padded(_last(left, 0, n - 1), 1, 0, 1.0)

    def _inverse(self, y):
        n = y.shape[-1]
        left = _ops.scale(_ops.cumsum(_ops.square(y), -1), -1.0, 1.0)
        left = _padded(_last(left, 0, n - 1), 1, 0, 1.0)
        flat = [*y.shape[:-2], n * n]
        places = self._places(n)
        value = _ops.index_select(_ops.reshape(y, flat), places, -1)
        left = _ops.index_select(_ops.reshape(left, flat), places, -1)
        return _ops.atanh(value / _ops.sqrt(left))

    def log_abs_det_jacobian(self, x, y):
        n = y.shape[-1]
        flat = [*y.shape[:-2], n * n]
        left = _ops.scale(_ops.cumsum(_ops.square(y), -1), -1.0, 1.0)
        below = np.tril_indices(n, -2)
        places = below[0] * n + below[1]
        rows = _ops.index_select(_ops.reshape(left, flat), places, -1)
        tanh = _ops.scale(x + _ops.softplus(_ops.scale(x, -2.0), 1.0, 80.0), -2.0,
                          2.0 * math.log(2.0))
        found = _ops.sum(tanh, -1)
        return found + 0.5 * _ops.sum(_ops.log(rows), -1) if len(places) else found

    def forward_shape(self, shape):
        n = self._extent(shape[-1])
        return (*shape[:-1], n, n)

    def inverse_shape(self, shape):
        n = shape[-1]
        return (*shape[:-2], n * (n - 1) // 2)


class ReshapeTransform(Transform):
    """Arguments of the shape ``in_shape`` as results of ``out_shape``."""

    def __init__(self, in_shape, out_shape, cache_size: int = 0):
        super().__init__(cache_size)
        self.in_shape = tuple(listed("ReshapeTransform", "in_shape", in_shape, 64))
        self.out_shape = tuple(listed("ReshapeTransform", "out_shape", out_shape, 64))
        for extent in (*self.in_shape, *self.out_shape):
            whole("ReshapeTransform", "extents of in_shape and out_shape", extent, FROM_0)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError("ReshapeTransform: in_shape and out_shape must have one "
                             f"number of elements, got {self.in_shape} and "
                             f"{self.out_shape}")
        self.domain = constraints.independent(constraints.real, len(self.in_shape))
        self.codomain = constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x):
        return _ops.reshape(x, list(self.forward_shape(x.shape)))

    def _inverse(self, y):
        return _ops.reshape(y, list(self.inverse_shape(y.shape)))

    def log_abs_det_jacobian(self, x, y):
        return summed(_ops.zeros_like(x), len(self.in_shape))

    def forward_shape(self, shape):
        return (*shape[:len(shape) - len(self.in_shape)], *self.out_shape)

    def inverse_shape(self, shape):
        return (*shape[:len(shape) - len(self.out_shape)], *self.in_shape)


def checked_parts(name, argument, parts):
    """The parts as a list; TypeError unless all are Transforms."""
    parts = [parts] if isinstance(parts, Transform) else listed(name, argument, parts)
    for each in parts:
        if not isinstance(each, Transform):
            refuse(name, argument, "Transforms", each)
    return parts


class ComposeTransform(Transform):
    """Several, one after another: of ``[f, g]``, g(f(x))."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0):
        super().__init__(cache_size)
        self.parts = checked_parts("ComposeTransform", "parts", parts)
        first = last = 0
        for part in reversed(self.parts):
            first = max(first + _rank(part.domain) - _rank(part.codomain),
                        _rank(part.domain))
        for part in self.parts:
            last = max(last + _rank(part.codomain) - _rank(part.domain),
                       _rank(part.codomain))
        if self.parts:
            self.domain = _lifted(self.parts[0].domain, first)
            self.codomain = _lifted(self.parts[-1].codomain, last)
        self.bijective = all(part.bijective for part in self.parts)

    @property
    def sign(self):
        """The product of the parts' signs."""
        found = 1
        for part in self.parts:
            found = found * part.sign
        return found

    def _call(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y):
        for part in reversed(self.parts):
            y = part.inv(y)
        return y

    def log_abs_det_jacobian(self, x, y):
        total, rank = None, _rank(self.domain)
        for part in self.parts:
            result = part(x)
            found = summed(part.log_abs_det_jacobian(x, result),
                           rank - _rank(part.domain))
            rank += _rank(part.codomain) - _rank(part.domain)
            total = found if total is None else total + found
            x = result
        return _ops.zeros_like(x) if total is None else total

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return tuple(shape)

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return tuple(shape)


def _lifted(constraint, rank):
    """A constraint with at least ``rank`` axes of one argument."""
    more = rank - _rank(constraint)
    return constraints.independent(constraint, more) if more > 0 else constraint


class IndependentTransform(Transform):
    """Another, with more of the last axes as one argument: its log_abs_det_jacobian
    is summed over them."""

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int,
                 cache_size: int = 0):
        super().__init__(cache_size)
        if not isinstance(base_transform, Transform):
            refuse("IndependentTransform", "base_transform", "a Transform",
                   base_transform)
        self.base_transform = base_transform
        self._more = whole("IndependentTransform", "reinterpreted_batch_ndims",
                           reinterpreted_batch_ndims, FROM_0)
        self.domain = constraints.independent(base_transform.domain, self._more)
        self.codomain = constraints.independent(base_transform.codomain, self._more)
        self.bijective, self.sign = base_transform.bijective, base_transform.sign

    def _call(self, x):
        return self.base_transform(x)

    def _inverse(self, y):
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return summed(self.base_transform.log_abs_det_jacobian(x, y), self._more)

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


class _ByParts(Transform):
    """Base: several transforms, each of a part along an axis."""

    def __init__(self, tseq, dim, cache_size):
        super().__init__(cache_size)
        name = type(self).__name__
        self.transforms = checked_parts(name, "tseq", tseq)
        if not self.transforms:
            raise ValueError(f"{name}: tseq must be one or more Transforms, got none")
        self.dim = whole(name, "dim", dim)
        self.bijective = all(each.bijective for each in self.transforms)

    def _apart(self, x):
        raise NotImplementedError(f"{type(self).__name__}._apart")

    def _together(self, parts):
        raise NotImplementedError(f"{type(self).__name__}._together")

    def _call(self, x):
        return self._together([each(part) for each, part in zip(
            self.transforms, self._apart(x))])

    def _inverse(self, y):
        return self._together([each.inv(part) for each, part in zip(
            self.transforms, self._apart(y))])

    def log_abs_det_jacobian(self, x, y):
        return self._together([
            each.log_abs_det_jacobian(a, b) for each, a, b in zip(
                self.transforms, self._apart(x), self._apart(y))])


class CatTransform(_ByParts):
    """Transforms of numbers, each of a part of ``lengths`` along axis ``dim``."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, lengths=None,
                 cache_size: int = 0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else [
            whole("CatTransform", "lengths", each, FROM_0)
            for each in listed("CatTransform", "lengths", lengths)]
        if len(self.lengths) != len(self.transforms):
            raise ValueError("CatTransform: lengths must be one for each transform, "
                             f"got {len(self.lengths)} for {len(self.transforms)}")
        self.domain = constraints.cat([t.domain for t in self.transforms], dim,
                                      self.lengths)
        self.codomain = constraints.cat([t.codomain for t in self.transforms], dim,
                                        self.lengths)

    def _apart(self, x):
        return x.split(self.lengths, self.dim)

    def _together(self, parts):
        return _ops.concat(list(parts), self.dim)


class StackTransform(_ByParts):
    """Transforms of numbers, each of a slice along axis ``dim``."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0):
        super().__init__(tseq, dim, cache_size)
        self.domain = constraints.stack([t.domain for t in self.transforms], dim)
        self.codomain = constraints.stack([t.codomain for t in self.transforms], dim)

    def _apart(self, x):
        return x.unbind(self.dim)

    def _together(self, parts):
        return _ops.stack(list(parts), self.dim)
