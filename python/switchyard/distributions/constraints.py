# SPDX-License-Identifier: Apache-2.0
"""Constraints: where the draws of a distribution, or the results of a transform, lie.

``constraint.check(value)`` is a bool for each draw: of the value's shape without its
last ``event_rank`` axes (PyTorch's ``event_dim``).
"""

from __future__ import annotations

from collections.abc import Sequence

from switchyard import _core
from switchyard.functions.arguments import tensor_of

_ops = _core.ops

__all__ = ["Constraint", "boolean", "cat", "corr_cholesky", "dependent",
           "greater_than", "greater_than_eq", "half_open_interval", "independent",
           "integer_interval", "interval", "is_dependent", "less_than",
           "lower_cholesky", "lower_triangular", "multinomial", "nonnegative",
           "nonnegative_integer", "one_hot", "positive", "positive_definite",
           "positive_integer", "positive_semidefinite", "real", "real_vector",
           "simplex", "square", "stack", "symmetric", "unit_interval"]


def __dir__():
    return __all__


def _all_of(holds, rank):
    """Whether a bool holds along the last ``rank`` axes."""
    return _ops.all(holds, list(range(-rank, 0))) if rank else holds


def both(first, second):
    """Where both hold."""
    return _ops.logical_and(first, second)


class Constraint:
    """Base: ``check`` of a value, ``event_rank`` and whether it ``is_discrete``."""

    is_discrete = False
    event_rank = 0

    @property
    def event_dim(self) -> int:
        """event_rank by PyTorch's name."""
        return self.event_rank

    def check(self, value):
        """Where the value lies inside."""
        raise NotImplementedError(f"{type(self).__name__}.check")

    def __repr__(self):
        return type(self).__name__.strip("_")


class _Dependent(Constraint):
    """Depends on other values, so that nothing can be checked."""

    def check(self, value):
        raise ValueError("dependent: where values lie is not known without others")


def is_dependent(constraint: Constraint) -> bool:
    """Whether a constraint is ``dependent``."""
    return isinstance(constraint, _Dependent)


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value):
        value = tensor_of(value)
        return _ops.logical_or(value == 0, value == 1)


class _Real(Constraint):
    def check(self, value):
        value = tensor_of(value)
        return _ops.equal(value, value)  # NaN is none.


class _Between(Constraint):
    """Numbers between two others, either of which may be missing."""

    def __init__(self, low=None, high=None, low_in=True, high_in=True, whole=False):
        self.lower_bound, self.upper_bound = low, high
        self._low_in, self._high_in, self.is_discrete = low_in, high_in, whole

    def check(self, value):
        value = tensor_of(value)
        holds = _ops.equal(value, value)
        if self.lower_bound is not None:
            low = self.lower_bound
            holds = both(holds, value >= low if self._low_in else value > low)
        if self.upper_bound is not None:
            high = self.upper_bound
            holds = both(holds, value <= high if self._high_in else value < high)
        if self.is_discrete and "int" not in str(value.dtype):
            holds = both(holds, _ops.equal(_ops.floor(value), value))
        return holds

    def __repr__(self):
        return (f"{'[' if self._low_in else '('}{self.lower_bound}, "
                f"{self.upper_bound}{']' if self._high_in else ')'}")


def integer_interval(lower_bound, upper_bound) -> Constraint:
    """Integers from one number to another, both included."""
    return _Between(lower_bound, upper_bound, whole=True)


def interval(lower_bound, upper_bound) -> Constraint:
    """Numbers from one to another, both included."""
    return _Between(lower_bound, upper_bound)


def half_open_interval(lower_bound, upper_bound) -> Constraint:
    """Numbers from one up to another, which is not included."""
    return _Between(lower_bound, upper_bound, high_in=False)


def greater_than(lower_bound) -> Constraint:
    """Numbers above another."""
    return _Between(lower_bound, low_in=False)


def greater_than_eq(lower_bound) -> Constraint:
    """Numbers from another on."""
    return _Between(lower_bound)


def less_than(upper_bound) -> Constraint:
    """Numbers below another."""
    return _Between(None, upper_bound, high_in=False)


class _Vector(Constraint):
    event_rank = 1


class _OneHot(_Vector):
    is_discrete = True

    def check(self, value):
        value = tensor_of(value)
        return both(_all_of(boolean.check(value), 1),
                    _ops.sum(_ops.cast(value, "float32"), -1) == 1)


class _Simplex(_Vector):
    def check(self, value):
        value = tensor_of(value)
        return both(_all_of(value >= 0, 1), _ops.abs(_ops.sum(value, -1) - 1) < 1e-6)


class _Multinomial(_Vector):
    is_discrete = True

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, value):
        value = tensor_of(value)
        return both(_all_of(value >= 0, 1), _ops.sum(value, -1) <= self.upper_bound)


def multinomial(upper_bound) -> Constraint:
    """Vectors of counts whose sum is at most a number."""
    return _Multinomial(upper_bound)


class _Matrix(Constraint):
    event_rank = 2


class _Square(_Matrix):
    def check(self, value):
        value = tensor_of(value)
        fits = value.shape[-1] == value.shape[-2]
        return _ops.full(list(value.shape[:-2]), fits, "bool")


class _LowerTriangular(_Matrix):
    def check(self, value):
        value = tensor_of(value)
        return _all_of(_ops.equal(_ops.tril(value, 0), value), 2)


class _LowerCholesky(_LowerTriangular):
    def check(self, value):
        value = tensor_of(value)
        diagonal = _ops.diagonal(value, 0, -2, -1)
        return both(super().check(value), _all_of(diagonal > 0, 1))


class _CorrCholesky(_LowerCholesky):
    def check(self, value):
        value = tensor_of(value)
        length = _ops.sum(_ops.square(value), -1)
        tolerance = 10.0 * value.shape[-1] * (
            1.2e-7 if value.dtype == "float32" else 2.3e-16)
        return both(super().check(value),
                    _all_of(_ops.abs(length - 1) < tolerance, 1))


class _Symmetric(_Matrix):
    def check(self, value):
        value = tensor_of(value)
        order = list(range(len(value.shape)))
        order[-2:] = order[:-3:-1]
        return _all_of(_ops.abs(value - _ops.transpose(value, order)) < 1e-6, 2)


class _Definite(_Symmetric):
    """Symmetric matrices whose eigenvalues are positive, or from 0 on."""

    def __init__(self, with_0):
        self._with_0 = with_0

    def check(self, value):
        value = tensor_of(value)
        values = _ops.eigvalsh(value)
        return both(super().check(value), _all_of(
            values >= 0 if self._with_0 else values > 0, 1))


class _Independent(Constraint):
    """Another constraint, with more axes of one draw."""

    def __init__(self, base_constraint, rank):
        self.base_constraint, self._rank = base_constraint, rank
        self.event_rank = base_constraint.event_rank + rank
        self.is_discrete = base_constraint.is_discrete

    def check(self, value):
        return _all_of(self.base_constraint.check(value), self._rank)


def independent(base_constraint: Constraint, reinterpreted_batch_ndims: int) -> Constraint:
    """A constraint with the last axes of its checks as those of one draw."""
    return _Independent(base_constraint, reinterpreted_batch_ndims)


class _Parts(Constraint):
    """Several constraints, each of a part along an axis."""

    def __init__(self, constraints, axis, lengths):
        self.constraints, self.axis, self.lengths = list(constraints), axis, lengths
        self.event_rank = max(each.event_rank for each in self.constraints)
        self.is_discrete = any(each.is_discrete for each in self.constraints)

    def check(self, value):
        value = tensor_of(value)
        if self.lengths is None:
            parts = [_ops.squeeze(part, [self.axis])
                     for part in value.split(1, self.axis)]
            return _ops.stack([each.check(part) for each, part in zip(
                self.constraints, parts)], self.axis)
        return _ops.concat([each.check(part) for each, part in zip(
            self.constraints, value.split(list(self.lengths), self.axis))], self.axis)


def cat(cseq: Sequence[Constraint], dim: int = 0, lengths=None) -> Constraint:
    """Constraints of successive parts, of ``lengths`` along axis ``dim``."""
    return _Parts(cseq, dim, [1] * len(cseq) if lengths is None else lengths)


def stack(cseq: Sequence[Constraint], dim: int = 0) -> Constraint:
    """Constraints of the slices along axis ``dim``."""
    return _Parts(cseq, dim, None)


def within(constraint, value):
    """Where a value lies inside of a constraint, or of (low, high)."""
    if isinstance(constraint, tuple):
        constraint = _Between(*constraint, False, False)
    return constraint.check(value)




dependent = _Dependent()
boolean = _Boolean()
real = _Real()
real_vector = independent(real, 1)
one_hot = _OneHot()
simplex = _Simplex()
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
positive_integer = _Between(1, whole=True)
nonnegative_integer = _Between(0, whole=True)
square = _Square()
symmetric = _Symmetric()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
positive_semidefinite = _Definite(True)
positive_definite = _Definite(False)
