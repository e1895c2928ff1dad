# SPDX-License-Identifier: Apache-2.0
"""L-BFGS: steps along a direction that past gradients bend to the curvature."""

from __future__ import annotations

from collections.abc import Callable
import math

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, checked
from switchyard.autograd import enable_grad, no_grad
from switchyard.optim.closures import check_closure
from switchyard.optim.optimizer import Optimizer
from switchyard.optim.parts import as_reals

_ops = _core.ops


class LBFGS(Optimizer):
    """L-BFGS (Liu and Nocedal, 1989), for eager loops: ``step(closure)``.

    ``closure`` forgets the gradients, computes the loss, calls its backward and
    returns it. A step makes up to ``max_iter`` iterations, of the last
    ``history_size`` of which it keeps the differences. ``line_search``: None, or
    "strong_wolfe", which looks for a length that lets the loss fall enough and
    its slope flatten.
    """

    @checked(max_iter=FROM_1, history_size=FROM_1, tolerance_grad=FROM_0,
             tolerance_change=FROM_0)
    def __init__(self, parameters, learning_rate: float = 1.0,
                 max_iter: int = 20, history_size: int = 100,
                 tolerance_grad: float = 1e-07,
                 tolerance_change: float = 1e-09,
                 line_search: str | None = None):
        if line_search not in (None, "strong_wolfe"):
            raise ValueError("LBFGS: line_search must be None or 'strong_wolfe', "
                             f"got {line_search!r}")
        self.max_iter, self.history_size = max_iter, history_size
        self.tolerance_grad = tolerance_grad
        self.tolerance_change = tolerance_change
        self.line_search = line_search
        self.history = []  # (step, difference of gradients, 1 / their product)
        super().__init__(parameters, learning_rate)

    def update(self, param, grad, learning_rate, state):
        raise NotImplementedError("LBFGS: a step calls the loss several times and "
                                  "is not part of a program: use step(closure)")

    def step(self, closure: Callable[[], _core.Tensor]) -> _core.Tensor:
        """Makes a step; returns the loss before it."""
        check_closure(self, closure)
        with no_grad():
            first, grad = self._evaluated(closure)
            loss = first
            for _ in range(self.max_iter):
                if _largest(grad) <= self.tolerance_grad:
                    break
                way = self._direction(grad)
                slope = _dot(grad, way)
                if slope > -self.tolerance_change:
                    break
                length = self.learning_rate
                if not self.history:
                    length *= min(1.0, 1.0 / _ops.sum(_ops.abs(grad)).item())
                before, begin = loss, self._values()
                loss, new, length = self._moved(closure, begin, way, length,
                                                loss, grad, slope)
                self._remember(_ops.scale(way, length),
                               _ops.subtract(new, grad))
                grad = new
                if abs(loss.item() - before.item()) < self.tolerance_change or (
                        _largest(_ops.scale(way, length))
                        <= self.tolerance_change):
                    break
            return first

    def _evaluated(self, closure):
        with enable_grad():
            loss = closure()
        parts = [as_reals(_ops.zeros_like(p.detach()) if p.grad is None
                          else p.grad.to_dense()) for p in self.parameters.values()]
        return loss.detach(), _flat(parts)

    def _values(self):
        return _flat([as_reals(p.detach()) for p in self.parameters.values()])

    def _set(self, values):
        begin = 0
        for p in self.parameters.values():
            parts = [2] if p.dtype.startswith("complex") else []
            size = p.size * (2 if parts else 1)
            part = _ops.slice(values, [0], [begin], [begin + size])
            part = _ops.reshape(part, [*p.shape, *parts])
            p.copy_(_ops.as_complex(part) if parts else part)
            begin += size

    def _direction(self, grad):
        """-grad times the inverse curvature, by the two loops of the method."""
        way, factors = _ops.scale(grad, -1.0), []
        for step, change, rho in reversed(self.history):
            factor = rho * _dot(step, way)
            way = _ops.subtract(way, _ops.scale(change, factor))
            factors.append(factor)
        if self.history:
            _, change, rho = self.history[-1]
            way = _ops.scale(way, 1.0 / (rho * _dot(change, change)))
        for (step, change, rho), factor in zip(self.history, reversed(factors)):
            back = rho * _dot(change, way)
            way = _ops.add(way, _ops.scale(step, factor - back))
        return way

    def _remember(self, step, change):
        product = _dot(step, change)
        if product > 1e-10:
            self.history = [*self.history, (step, change, 1.0 / product)][
                -self.history_size:]

    def _at(self, closure, begin, way, length):
        self._set(_ops.add(begin, _ops.scale(way, length)))
        return self._evaluated(closure)

    def _moved(self, closure, begin, way, length, loss, grad, slope):
        """The loss and gradient after a step along ``way``, and its length."""
        if self.line_search is None:
            return (*self._at(closure, begin, way, length), length)
        return self._searched(closure, begin, way, length, loss, slope)

    def _searched(self, closure, begin, way, length, loss, slope):
        """A length by the strong conditions of Wolfe, by halves of a bracket."""
        low, high, start = 0.0, math.inf, loss.item()
        for _ in range(25):
            tried = length
            found, grad = self._at(closure, begin, way, tried)
            steep = _dot(grad, way)
            if found.item() > start + 1e-4 * length * slope or not math.isfinite(
                    found.item()):
                high = length
            elif abs(steep) <= -0.9 * slope:
                break
            elif steep < 0.0:
                low = length
            else:
                high = length
            length = 2.0 * length if high == math.inf else (low + high) / 2.0
        return found, grad, tried


def _flat(parts):
    return _ops.concat([_ops.reshape(part, [-1]) for part in parts])


def _dot(x, y):
    return _ops.sum(_ops.multiply(x, y)).item()


def _largest(x):
    return _ops.max(_ops.abs(x)).item()
