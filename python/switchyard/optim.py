# SPDX-License-Identifier: Apache-2.0
"""Optimizers: in-place steps on parameters, the same code eager and static.

``update`` calls an optimizer operator. On eager tensors it works in place; on
a traced graph's values it returns the new state, which ``static.train_step``
hands to the program. State tensors are made when they are first needed.
"""

import numpy as np

from switchyard import _core, ops


class Optimizer:
    """Base class. Subclasses name their state and define ``update``.

    ``parameters``: tensors, or (name, tensor) pairs as
    ``Module.named_parameters()`` yields them.
    """

    def __init__(self, parameters, learning_rate):
        named = [p if isinstance(p, tuple) else (str(i), p)
                 for i, p in enumerate(parameters)]
        if not named:
            raise ValueError("Optimizer: parameters must not be empty")
        self.parameters = dict(named)
        dtype = named[0][1].dtype
        self.learning_rate = _core.tensor(np.array([learning_rate], dtype))
        self.state = {name: self.initial_state(p)
                      for name, p in self.parameters.items()}

    def initial_state(self, param):
        """{state's name: Tensor} of one parameter."""
        del param
        return {}

    def update(self, param, grad, learning_rate, state):
        """One step: new parameter, {name: new state}. In place if eager."""
        raise NotImplementedError(f"{type(self).__name__}.update")

    def step(self):
        """Updates every parameter that has a gradient."""
        with _core.no_grad():
            for name, param in self.parameters.items():
                if param.grad is not None:
                    self.update(param, param.grad, self.learning_rate,
                                self.state[name])

    def zero_grad(self):
        """Forgets the gradients."""
        for param in self.parameters.values():
            param.grad = None

    def set_learning_rate(self, value):
        """For eager steps and traced programs alike, from the next step on."""
        self.learning_rate.copy_(
            _core.tensor(np.array([value], self.learning_rate.dtype)))

    def named_state(self):
        """(name, Tensor) of everything but the parameters."""
        yield "learning_rate", self.learning_rate
        for name, state in self.state.items():
            for key, tensor in state.items():
                yield f"{name}.{key}", tensor

    def state_dict(self):
        """{name: NumPy array} copies; with the parameters, all to resume."""
        return {name: t.numpy().copy() for name, t in self.named_state()}

    def load_state_dict(self, state):
        """Sets what ``state_dict`` returned. KeyError if names differ."""
        own = dict(self.named_state())
        if own.keys() != state.keys():
            raise KeyError(f"load_state_dict: expected {sorted(own)}, "
                           f"got {sorted(state)}")
        for name, tensor in own.items():
            tensor.copy_(_core.tensor(state[name], tensor.dtype))


class SGD(Optimizer):
    """param -= learning_rate * grad."""

    def __init__(self, parameters, learning_rate=0.01):
        super().__init__(parameters, learning_rate)

    def update(self, param, grad, learning_rate, state):
        return ops.sgd_(param, learning_rate, grad), {}


class Momentum(Optimizer):
    """Gradient descent with velocity; Nesterov's form if asked."""

    def __init__(self, parameters, learning_rate=0.01, momentum=0.9,
                 nesterov=False, weight_decay=0.0):
        self.momentum, self.nesterov = momentum, nesterov
        self.weight_decay = weight_decay
        super().__init__(parameters, learning_rate)

    def initial_state(self, param):
        return {"velocity": ops.zeros_like(param).detach()}

    def update(self, param, grad, learning_rate, state):
        param, velocity = ops.momentum_(
            param, grad, state["velocity"], learning_rate, mu=self.momentum,
            use_nesterov=self.nesterov,
            regularization_method="l2_decay" if self.weight_decay else "",
            regularization_coeff=self.weight_decay)
        return param, {"velocity": velocity}


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015)."""

    def __init__(self, parameters, learning_rate=0.001, beta1=0.9, beta2=0.999,
                 epsilon=1e-8):
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        super().__init__(parameters, learning_rate)

    def initial_state(self, param):
        def one(value):
            return _core.tensor(np.array([value], param.dtype))
        return {"moment1": ops.zeros_like(param).detach(),
                "moment2": ops.zeros_like(param).detach(),
                "beta1_pow": one(self.beta1), "beta2_pow": one(self.beta2)}

    def update(self, param, grad, learning_rate, state):
        param, *new = ops.adam_(
            param, grad, learning_rate, state["moment1"], state["moment2"],
            state["beta1_pow"], state["beta2_pow"], beta1=self.beta1,
            beta2=self.beta2, epsilon=self.epsilon)
        return param, dict(
            zip(("moment1", "moment2", "beta1_pow", "beta2_pow"), new))
