# SPDX-License-Identifier: Apache-2.0
"""Gradient descent, plain and with velocity."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import checked
from switchyard.optim.optimizer import Optimizer, not_negative, zeros_like
from switchyard.optim.parameters import state_dtype

_ops = _core.ops


class _WithMaster(Optimizer):
    """Base: steps float32 copies of float16 and bfloat16 parameters, which are
    rounded from them, where ``multi_precision``."""

    in_place = True

    multi_precision = False

    def initial_state(self, param):
        if not self.multi_precision or state_dtype(param) == param.dtype:
            return {}
        return {"master_param": _ops.cast(param.detach(), state_dtype(param))}

    def step_of(self, param, grad, learning_rate, state):
        """``update`` of a parameter of the state's own dtype."""
        raise NotImplementedError(f"{type(self).__name__}.step_of")

    def update(self, param, grad, learning_rate, state):
        master = state.get("master_param")
        if master is None:
            return self.step_of(param, grad, learning_rate, state)
        master, new = self.step_of(master, _ops.cast(grad, master.dtype),
                                   learning_rate, state)
        rounded = _ops.cast(master, param.dtype)
        if isinstance(param, _core.Tensor):
            rounded = param.copy_(rounded)
        return rounded, {**new, "master_param": master}


class SGD(_WithMaster):
    """param -= learning_rate * velocity, where velocity = momentum * velocity +
    grad + weight_decay * param; without ``momentum`` that is the gradient.

    ``nesterov``: looks a step of the velocity ahead. Arguments after
    ``learning_rate`` are given by name. ``multi_precision``: steps float32 copies
    of float16 and bfloat16 parameters, which are rounded from them.
    """

    reads_momentum = elementwise = True

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.01, *,
                 momentum: float = 0.0, nesterov: bool = False,
                 weight_decay: float = 0.0, clip=None,
                 multi_precision: bool = False):
        name = type(self).__name__
        not_negative(name, momentum=momentum, weight_decay=weight_decay)
        self.momentum, self.nesterov = momentum, nesterov
        if nesterov and not self.has_velocity:
            raise ValueError(f"{name}: momentum must be positive with nesterov, "
                             f"got {momentum}")
        self.weight_decay = weight_decay
        self.multi_precision = multi_precision
        self.takes_rows = not (weight_decay or multi_precision or self.has_velocity)
        super().__init__(parameters, learning_rate, clip)

    @property
    def has_velocity(self):
        """Whether it keeps a velocity."""
        return self.momentum != 0.0

    def initial_state(self, param):
        first = {"velocity": zeros_like(param)} if self.has_velocity else {}
        return {**first, **super().initial_state(param)}

    def step_of(self, param, grad, learning_rate, state):
        if "momentum" in state:
            return self._varied(param, grad, learning_rate, state)
        if not self.has_velocity:
            if self.weight_decay:
                grad = _ops.add(grad, _ops.scale(param, self.weight_decay))
            return _ops.sgd_(param, learning_rate, grad), {}
        param, velocity, *_ = _ops.momentum_(
            param, grad, state["velocity"], learning_rate, mu=self.momentum,
            use_nesterov=self.nesterov,
            regularization_method="l2_decay" if self.weight_decay else "",
            regularization_coeff=self.weight_decay)
        return param, {"velocity": velocity}

    def _varied(self, param, grad, learning_rate, state):
        """A step whose momentum is a tensor or a value of one element."""
        velocity = state["velocity"]
        momentum = _ops.cast(state["momentum"], velocity.dtype)
        grad = grad.to_dense()
        if self.weight_decay:
            grad = _ops.add(grad, _ops.scale(param, self.weight_decay))
        moved = _ops.add(_ops.multiply(velocity, momentum), grad)
        velocity = velocity.copy_(moved) if isinstance(
            velocity, _core.Tensor) else moved
        if self.nesterov:
            moved = _ops.add(grad, _ops.multiply(moved, momentum))
        return _ops.sgd_(param, learning_rate, moved), {"velocity": velocity}


class Momentum(SGD):
    """Gradient descent with velocity; Nesterov's form if asked.

    velocity = momentum * velocity + grad + weight_decay * param;
    param -= learning_rate * velocity. ``multi_precision`` as for SGD.
    """

    has_velocity = True

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.01,
                 momentum: float = 0.9, nesterov: bool = False,
                 weight_decay: float = 0.0, clip=None,
                 multi_precision: bool = False):
        super().__init__(parameters, learning_rate, momentum=momentum,
                         nesterov=nesterov, weight_decay=weight_decay, clip=clip,
                         multi_precision=multi_precision)
