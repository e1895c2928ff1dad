# SPDX-License-Identifier: Apache-2.0
"""Gradient descent, plain and with velocity."""

from __future__ import annotations

from switchyard import _core
from switchyard.optim.optimizer import Optimizer, zeros_like

_ops = _core.ops


class SGD(Optimizer):
    """param -= learning_rate * (grad + weight_decay * param)."""

    def __init__(self, parameters, learning_rate: float = 0.01,
                 weight_decay: float = 0.0, clip=None):
        self.weight_decay = weight_decay
        self.takes_rows = not weight_decay
        super().__init__(parameters, learning_rate, clip)

    def update(self, param, grad, learning_rate, state):
        if self.weight_decay:
            grad = _ops.add(grad, _ops.scale(param, self.weight_decay))
        return _ops.sgd_(param, learning_rate, grad), {}


class Momentum(Optimizer):
    """Gradient descent with velocity; Nesterov's form if asked.

    velocity = momentum * velocity + grad + weight_decay * param;
    param -= learning_rate * velocity.
    """

    def __init__(self, parameters, learning_rate: float = 0.01,
                 momentum: float = 0.9, nesterov: bool = False,
                 weight_decay: float = 0.0, clip=None):
        self.momentum, self.nesterov = momentum, nesterov
        self.weight_decay = weight_decay
        super().__init__(parameters, learning_rate, clip)

    def initial_state(self, param):
        return {"velocity": zeros_like(param)}

    def update(self, param, grad, learning_rate, state):
        param, velocity, *_ = _ops.momentum_(
            param, grad, state["velocity"], learning_rate, mu=self.momentum,
            use_nesterov=self.nesterov,
            regularization_method="l2_decay" if self.weight_decay else "",
            regularization_coeff=self.weight_decay)
        return param, {"velocity": velocity}
