# SPDX-License-Identifier: Apache-2.0
"""biject_to and transform_to: transforms of all numbers to where a constraint
holds, as parameters of distributions are learnt."""

from __future__ import annotations

from collections.abc import Callable

from switchyard.checks import refuse
from switchyard.distributions import constraints, transforms
from switchyard.distributions.constraints import Constraint


class ConstraintRegistry:
    """Calls the function that is registered for a constraint's class; it returns a
    Transform whose results lie inside. NotImplementedError where there is none."""

    def __init__(self, name: str):
        self._name, self._made = name, {}

    def register(self, constraint: Constraint | type[Constraint],
                 factory: Callable | None = None):
        """Registers ``factory(constraint)`` for a class of constraints, or one; a
        decorator without ``factory``."""
        if factory is None:
            return lambda function: self.register(constraint, function)
        kind = constraint if isinstance(constraint, type) else type(constraint)
        self._made[kind] = factory
        return factory

    def __call__(self, constraint: Constraint) -> transforms.Transform:
        if not isinstance(constraint, Constraint):
            refuse(self._name, "constraint", "a Constraint", constraint)
        for kind in type(constraint).__mro__:
            if kind in self._made:
                return self._made[kind](constraint)
        raise NotImplementedError(f"{self._name}: there is no transform to {constraint}")


biject_to = ConstraintRegistry("biject_to")
transform_to = ConstraintRegistry("transform_to")


def _for_both(constraint):
    def register(function):
        biject_to.register(constraint, function)
        return transform_to.register(constraint, function)
    return register


@_for_both(constraints.real)
def _to_real(_):
    return transforms.identity_transform


@_for_both(constraints.positive)
def _to_range(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if constraint.is_discrete:
        raise NotImplementedError(f"there is no transform to {constraint}")
    if high is None:
        first = transforms.ExpTransform()
        return first if low == 0.0 else transforms.ComposeTransform(
            [first, transforms.AffineTransform(low, 1.0)])
    if low is None:
        return transforms.ComposeTransform(
            [transforms.ExpTransform(), transforms.AffineTransform(high, -1.0)])
    first = transforms.SigmoidTransform()
    return first if (low, high) == (0.0, 1.0) else transforms.ComposeTransform(
        [first, transforms.AffineTransform(low, high - low)])


@_for_both(constraints.independent(constraints.positive, 1))
def _to_independent(constraint, registry=None):
    base = (registry or biject_to)(constraint.base_constraint)
    return transforms.IndependentTransform(
        base, constraint.event_rank - constraint.base_constraint.event_rank)


transform_to.register(constraints.independent(constraints.positive, 1),
                      lambda c: _to_independent(c, transform_to))
biject_to.register(constraints.simplex,
                   lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _: transforms.SoftmaxTransform())


@_for_both(constraints.lower_cholesky)
def _to_lower_cholesky(_):
    return transforms.LowerCholeskyTransform()


@_for_both(constraints.corr_cholesky)
def _to_corr_cholesky(_):
    return transforms.CorrCholeskyTransform()


@_for_both(constraints.positive_definite)
def _to_positive_definite(_):
    return transforms.PositiveDefiniteTransform()
