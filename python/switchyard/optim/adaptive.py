# SPDX-License-Identifier: Apache-2.0
"""Optimizers with a rate for each element: RMSprop, Adagrad and others."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import FROM_0, SHARE, checked
from switchyard.optim.optimizer import (Optimizer, checked_betas, not_negative,
                                       one_number, zeros_like)
from switchyard.optim.parameters import state_dtype

_ops = _core.ops


def _ones_like(param):
    return _ops.ones_like(param.detach(), state_dtype(param))


class _OfOperator(Optimizer):
    """Base: an optimizer whose step is an operator that takes its state by name.

    ``weight_decay`` times the parameter is added to the gradient.
    ``multi_precision``: steps float32 copies of float16 and bfloat16 parameters,
    which are rounded from them.
    """

    in_place = True

    # The state in the order in which the operator returns it.
    outputs = ()

    def __init__(self, parameters, learning_rate, weight_decay, clip,
                 multi_precision):
        not_negative(type(self).__name__, weight_decay=weight_decay)
        self.weight_decay, self.multi_precision = weight_decay, multi_precision
        super().__init__(parameters, learning_rate, clip)

    def operator(self, **arguments):
        """The operator that makes the step."""
        raise NotImplementedError(f"{type(self).__name__}.operator")

    def first_state(self, param):
        """{name: Tensor} without the master weights."""
        raise NotImplementedError(f"{type(self).__name__}.first_state")

    def initial_state(self, param):
        state = self.first_state(param)
        if self.multi_precision and state_dtype(param) != param.dtype:
            state["master_param"] = _ops.cast(param.detach(),
                                              state_dtype(param))
        return state

    def decayed(self, param, grad):
        """The gradient with the decay."""
        if not self.weight_decay:
            return grad
        return _ops.add(grad, _ops.scale(param, self.weight_decay))

    def update(self, param, grad, learning_rate, state):
        param, *new = self.operator(
            param=param, grad=self.decayed(param, grad),
            learning_rate=learning_rate, **state,
            multi_precision="master_param" in state)
        return param, {name: tensor for name, tensor in
                       zip((*self.outputs, "master_param"), new)
                       if name in state}


class RMSprop(_OfOperator):
    __doc__ = f"""The gradient divided by the root of a mean of its squares.

    mean_square = alpha * mean_square + (1 - alpha) * grad²; moment = momentum *
    moment + learning_rate * grad / sqrt(mean_square + epsilon); param -= moment.
    ``centered``: the square of such a mean of gradients is taken off below the
    root.

    {_OfOperator.__doc__}"""

    elementwise = True
    outputs = ("moment", "mean_square", "mean_grad")

    @checked(alpha=SHARE)
    def __init__(self, parameters, learning_rate: float = 0.01,
                 alpha: float = 0.99, epsilon: float = 1e-08,
                 weight_decay: float = 0.0, momentum: float = 0.0,
                 centered: bool = False, clip=None,
                 multi_precision: bool = False):
        not_negative("RMSprop", momentum=momentum, epsilon=epsilon)
        self.alpha, self.epsilon = alpha, epsilon
        self.momentum, self.centered = momentum, centered
        super().__init__(parameters, learning_rate, weight_decay, clip,
                         multi_precision)

    def first_state(self, param):
        names = ("moment", "mean_square") + (
            ("mean_grad",) if self.centered else ())
        return {name: zeros_like(param) for name in names}

    def operator(self, **arguments):
        return _ops.rmsprop_(**arguments, epsilon=self.epsilon, decay=self.alpha,
                             momentum=self.momentum, centered=self.centered)


class Adagrad(_OfOperator):
    __doc__ = f"""The gradient divided by the root of the sum of its squares.

    moment += grad²; param -= learning_rate * grad / (sqrt(moment) + epsilon).

    {_OfOperator.__doc__}"""

    elementwise = True
    outputs = ("moment",)

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.01,
                 weight_decay: float = 0.0,
                 initial_accumulator_value: float = 0.0,
                 epsilon: float = 1e-10, clip=None,
                 multi_precision: bool = False):
        not_negative("Adagrad", epsilon=epsilon,
                      initial_accumulator_value=initial_accumulator_value)
        self.initial = initial_accumulator_value
        self.epsilon = epsilon
        super().__init__(parameters, learning_rate, weight_decay, clip,
                         multi_precision)

    def first_state(self, param):
        return {"moment": _ops.full_like(param.detach(), self.initial,
                                         state_dtype(param))}

    def operator(self, **arguments):
        return _ops.adagrad_(**arguments, epsilon=self.epsilon)


class Adadelta(_OfOperator):
    __doc__ = f"""Steps of the size of a mean of steps (Zeiler, 2012).

    {_OfOperator.__doc__}"""

    elementwise = True
    outputs = ("avg_squared_grad", "avg_squared_update")

    @checked(rho=SHARE)
    def __init__(self, parameters, learning_rate: float = 1.0, rho: float = 0.9,
                 epsilon: float = 1e-06, weight_decay: float = 0.0, clip=None,
                 multi_precision: bool = False):
        not_negative("Adadelta", epsilon=epsilon)
        self.rho, self.epsilon = rho, epsilon
        super().__init__(parameters, learning_rate, weight_decay, clip,
                         multi_precision)

    def first_state(self, param):
        return {name: zeros_like(param) for name in self.outputs}

    def operator(self, **arguments):
        return _ops.adadelta_(**arguments, rho=self.rho, epsilon=self.epsilon)


class _OfBetas(_OfOperator):
    """Base: those with Adam's coefficients, ``betas``."""

    def __init__(self, parameters, learning_rate, betas, epsilon, weight_decay,
                 clip, multi_precision):
        self.beta1, self.beta2 = checked_betas(type(self).__name__, betas)
        self.betas, self.epsilon = (self.beta1, self.beta2), epsilon
        not_negative(type(self).__name__, epsilon=epsilon)
        super().__init__(parameters, learning_rate, weight_decay, clip,
                         multi_precision)


class Adamax(_OfBetas):
    __doc__ = f"""Adam by the largest gradient (Kingma and Ba, 2015).

    {_OfOperator.__doc__}"""

    elementwise = True
    outputs = ("moment", "inf_norm")

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.002,
                 betas=(0.9, 0.999), epsilon: float = 1e-08,
                 weight_decay: float = 0.0, clip=None,
                 multi_precision: bool = False):
        super().__init__(parameters, learning_rate, betas, epsilon, weight_decay,
                         clip, multi_precision)

    def first_state(self, param):
        return {"moment": zeros_like(param), "inf_norm": zeros_like(param),
                "beta1_pow": one_number(self.beta1, param)}

    def operator(self, **arguments):
        return _ops.adamax_(**arguments, beta1=self.beta1, beta2=self.beta2,
                            epsilon=self.epsilon)

    def update(self, param, grad, learning_rate, state):
        param, new = super().update(param, grad, learning_rate, state)
        # The operator leaves the power as it is.
        new["beta1_pow"] = _ops.scale_(state["beta1_pow"], self.beta1)
        return param, new


class NAdam(_OfBetas):
    __doc__ = f"""Adam with Nesterov's look-ahead (Dozat, 2016).

    {_OfOperator.__doc__}"""

    elementwise = True
    outputs = ("momentum_decay_pow", "beta2_pow", "mu_product", "moment1",
               "moment2")

    @checked(momentum_decay=FROM_0)
    def __init__(self, parameters, learning_rate: float = 0.002,
                 betas=(0.9, 0.999), epsilon: float = 1e-08,
                 weight_decay: float = 0.0, momentum_decay: float = 0.004,
                 clip=None, multi_precision: bool = False):
        self.momentum_decay = momentum_decay
        super().__init__(parameters, learning_rate, betas, epsilon, weight_decay,
                         clip, multi_precision)

    def first_state(self, param):
        return {**{name: _ones_like(param) for name in self.outputs[:3]},
                **{name: zeros_like(param) for name in self.outputs[3:]}}

    def operator(self, **arguments):
        return _ops.nadam_(**arguments, beta1=self.beta1, beta2=self.beta2,
                           epsilon=self.epsilon,
                           momentum_decay=self.momentum_decay)


class RAdam(_OfBetas):
    __doc__ = f"""Adam whose rate is corrected by its variance (Liu and others,
    2020).

    {_OfOperator.__doc__}"""

    elementwise = True
    outputs = ("beta1_pow", "beta2_pow", "rho", "moment1", "moment2")

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.001,
                 betas=(0.9, 0.999), epsilon: float = 1e-08,
                 weight_decay: float = 0.0, clip=None,
                 multi_precision: bool = False):
        super().__init__(parameters, learning_rate, betas, epsilon, weight_decay,
                         clip, multi_precision)

    def first_state(self, param):
        return {**{name: _ones_like(param) for name in self.outputs[:3]},
                **{name: zeros_like(param) for name in self.outputs[3:]}}

    def operator(self, **arguments):
        return _ops.radam_(**arguments, beta1=self.beta1, beta2=self.beta2,
                           epsilon=self.epsilon)


class Lamb(_OfBetas):
    """Adam's step scaled to the length of the parameter (You and others, 2020).

    ``weight_decay`` times the parameter is part of the step. ``multi_precision``
    as for Adam.
    """

    outputs = ("moment1", "moment2", "beta1_pow", "beta2_pow")

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.001,
                 betas=(0.9, 0.999), epsilon: float = 1e-06,
                 weight_decay: float = 0.01, always_adapt: bool = False,
                 clip=None, multi_precision: bool = False):
        self.always_adapt = always_adapt
        super().__init__(parameters, learning_rate, betas, epsilon, weight_decay,
                         clip, multi_precision)

    def first_state(self, param):
        return {"moment1": zeros_like(param), "moment2": zeros_like(param),
                "beta1_pow": one_number(self.beta1, param),
                "beta2_pow": one_number(self.beta2, param)}

    def decayed(self, param, grad):
        return grad  # The operator decays.

    def operator(self, **arguments):
        return _ops.lamb_(**arguments, weight_decay=self.weight_decay,
                          beta1=self.beta1, beta2=self.beta2,
                          epsilon=self.epsilon, always_adapt=self.always_adapt)
