# SPDX-License-Identifier: Apache-2.0
"""Adam and AdamW."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import checked
from switchyard.optim.optimizer import (Optimizer, checked_betas, not_negative,
                                       one_number, zeros_like)
from switchyard.optim.parameters import state_dtype

_ops = _core.ops
_STATE = ("moment1", "moment2", "beta1_pow", "beta2_pow", "moment2_max",
          "master_param")


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015); ``weight_decay`` is added to the gradient.

    ``amsgrad``: divides by the largest second moment so far (Reddi and others,
    2018). ``multi_precision``: steps float32 copies of float16 and bfloat16
    parameters, which are rounded from them, so that small steps add up. The
    copies are made with the optimizer: load the model's weights before.
    ``betas``: (beta1, beta2), as PyTorch has them. ``lazy_mode``: of a sparse
    embedding only the rows that were looked up are stepped, and their moments;
    otherwise all are, with a gradient of 0. It takes neither decay nor clipping,
    nor halves.
    """

    in_place = reads_momentum = elementwise = True

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.001,
                 beta1: float = 0.9, beta2: float = 0.999,
                 epsilon: float = 1e-08, weight_decay: float = 0.0,
                 amsgrad: bool = False, clip=None,
                 multi_precision: bool = False, betas=None,
                 lazy_mode: bool = False):
        beta1, beta2 = checked_betas(type(self).__name__,
                                     (beta1, beta2) if betas is None else betas)
        not_negative(type(self).__name__, epsilon=epsilon,
                     weight_decay=weight_decay)
        if lazy_mode and (weight_decay or clip is not None):
            raise ValueError(
                "Adam: lazy_mode takes neither weight_decay nor clip, which "
                "change every row of a gradient")
        self.takes_rows = self.lazy_mode = bool(lazy_mode)
        self.elementwise = self.elementwise and not self.lazy_mode
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.weight_decay, self.amsgrad = weight_decay, amsgrad
        self.multi_precision = multi_precision
        super().__init__(parameters, learning_rate, clip)

    def initial_state(self, param):
        if self.lazy_mode and state_dtype(param) != param.dtype:
            raise TypeError("Adam: parameters must be float32 or float64 with "
                            f"lazy_mode, got {param.dtype}")
        state = {"moment1": zeros_like(param), "moment2": zeros_like(param),
                 "beta1_pow": one_number(self.beta1, param),
                 "beta2_pow": one_number(self.beta2, param)}
        if self.amsgrad:
            state["moment2_max"] = zeros_like(param)
        if self.multi_precision and state_dtype(param) != param.dtype:
            state["master_param"] = _ops.cast(param.detach(),
                                              state_dtype(param))
        return state

    def update(self, param, grad, learning_rate, state):
        if self.weight_decay:
            grad = _ops.add(grad, _ops.scale(param, self.weight_decay))
        beta1 = state["momentum"] if "momentum" in state else self.beta1
        param, *new = self.operator(
            param, grad, learning_rate, *(state.get(name) for name in _STATE),
            beta1=beta1, beta2=self.beta2, epsilon=self.epsilon,
            amsgrad=self.amsgrad, multi_precision="master_param" in state)
        return param, {name: tensor for name, tensor in zip(_STATE, new)
                       if name in state}

    def operator(self, *tensors, **attributes):
        """The operator that makes the step."""
        return _ops.adam_(*tensors, lazy_mode=self.lazy_mode, **attributes)


class SparseAdam(Adam):
    """Adam that steps of a sparse embedding only the rows that were looked up, and
    their moments: ``Adam(lazy_mode=True)``, by PyTorch's name."""

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.001,
                 betas=(0.9, 0.999), epsilon: float = 1e-08):
        super().__init__(parameters, learning_rate, epsilon=epsilon, betas=betas,
                         lazy_mode=True)


class AdamW(Adam):
    """Adam with decay apart from the gradient (Loshchilov and Hutter, 2019).

    param shrinks by learning_rate * weight_decay of itself in each step.
    """

    elementwise = True

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.001,
                 beta1: float = 0.9, beta2: float = 0.999,
                 epsilon: float = 1e-08, weight_decay: float = 0.01,
                 amsgrad: bool = False, clip=None,
                 multi_precision: bool = False, betas=None):
        not_negative("AdamW", weight_decay=weight_decay)
        super().__init__(parameters, learning_rate, beta1, beta2, epsilon,
                         0.0, amsgrad, clip, multi_precision, betas)
        self.decay = weight_decay

    def operator(self, *tensors, **attributes):
        return _ops.adamw_(*tensors, coeff=self.decay, with_decay=True,
                           **attributes)
