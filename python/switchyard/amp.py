# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: autocast, and the scaling of gradients for float16."""

from __future__ import annotations

import contextlib
import math

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_1, Range, checked, refuse

__all__ = ["GradScaler", "autocast", "autocast_dtype"]


def __dir__():
    return __all__


_ops = _core.ops
_HALVES = ("float16", "bfloat16")
_DEVICES = ("cpu", "cuda", "gpu")
# The scales that float32 holds with all its digits.
_LEAST, _LARGEST = 2.0**-126, (2.0 - 2.0**-23) * 2.0**127


def autocast_dtype() -> str | None:
    """The dtype of this thread's ``autocast``; None where it is off."""
    return _core.autocast_dtype()


class autocast(contextlib.ContextDecorator):
    """While inside, operators cast their float inputs as their entries say.

    Products of matrices and convolutions compute on ``dtype``, "bfloat16" or
    "float16"; what loses digits (sums, exponentials, norms, losses) on float32;
    all others on what they get. float64 and integers stay. Parameters stay
    float32, and so do their gradients: the casts are differentiated.

    A block, or a decorator; for this thread, and for what is traced in it.
    ``autocast("float16")``, or with a kind of device first, as PyTorch has it,
    which does not count: ``autocast("cpu", dtype="bfloat16")``.
    Gradients are computed in the dtypes of the forward pass. With ``enabled``
    False it is off inside. A reference page names an operator's rule
    ("Autocast").
    """

    def __init__(self, device_type: str | None = None,
                 dtype: str | bool | None = None, enabled: bool = True):
        if device_type is not None and device_type not in _DEVICES:
            # Without a device: the dtype is the first argument.
            device_type, dtype, enabled = None, device_type, (
                enabled if dtype is None else dtype)
        dtype = "bfloat16" if dtype is None else dtype
        if dtype not in _HALVES:
            raise TypeError("autocast: dtype must be float16 or bfloat16, got "
                            f"{dtype}")
        self.dtype, self.enabled = str(dtype), bool(enabled)
        self._before: list[str | None] = []

    def _recreate_cm(self):
        return type(self)(dtype=self.dtype, enabled=self.enabled)

    def __enter__(self):
        self._before.append(_core.autocast_dtype())
        _core.set_autocast_dtype(self.dtype if self.enabled else None)
        return self

    def __exit__(self, *error):
        _core.set_autocast_dtype(self._before.pop())


class GradScaler:
    """Multiplies the loss, so that small gradients are not 0 in float16.

    ``scale`` begins as ``init_scale``. A step whose gradients are not all finite
    is skipped, and the scale multiplied by ``backoff_factor``; after
    ``growth_interval`` good ones it is multiplied by ``growth_factor``. It stays as
    it is where float32 would not hold the product::

        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    or, in a program, ``static.train_step(model, loss, optimizer,
    scaler=scaler)`` (or ``static.train_function`` with ``scaler``, for several
    optimizers): the same bits. bfloat16 has float32's range and needs none.
    """

    @checked(
        init_scale=Range(f"in [{_LEAST}, {_LARGEST}]",
                         lambda n: _LEAST <= n <= _LARGEST),
        growth_factor=Range("finite and above 1", lambda n: 1.0 < n < math.inf),
        backoff_factor=Range("in (0, 1)", lambda n: 0.0 < n < 1.0),
        growth_interval=FROM_1)
    def __init__(self, init_scale: float = 65536.0, growth_factor: float = 2.0,
                 backoff_factor: float = 0.5, growth_interval: int = 2000,
                 enabled: bool = True):
        self.growth_factor, self.backoff_factor = growth_factor, backoff_factor
        self.growth_interval, self.enabled = growth_interval, enabled
        self._scale = _core.tensor(np.array(init_scale, np.float32))
        self._good_steps = _core.tensor(np.array(0, np.int32))
        self._found = {}  # id(optimizer): whether a gradient is not finite.

    # Eager steps.

    def get_scale(self) -> float:
        """The factor of the next loss; 1 where the scaler is not enabled."""
        return self._scale.item() if self.enabled else 1.0

    def scale(self, loss):
        """``loss``, multiplied."""
        return self.scaled(loss, self._scale) if self.enabled else loss

    def unscale_(self, optimizer) -> None:
        """Divides the optimizer's gradients; call it before they are clipped.

        RuntimeError at a second call before ``update``.
        """
        if not self.enabled:
            return
        if id(optimizer) in self._found:
            raise RuntimeError("GradScaler.unscale_: the optimizer's gradients "
                               "were unscaled since the last update()")
        params = [p for p in optimizer.parameters.values()
                  if p.grad is not None]
        with no_grad():
            gradients, found = self.unscaled([p.grad for p in params],
                                             self._scale)
            for param, gradient in zip(params, gradients):
                param.grad = gradient
        self._found[id(optimizer)] = found

    def step(self, optimizer) -> bool:
        """``optimizer.step()`` unless a gradient is not finite; whether it was
        made."""
        if self.enabled and id(optimizer) not in self._found:
            self.unscale_(optimizer)
        good = not (self.enabled and self._found[id(optimizer)].item())
        if good:
            optimizer.step()
        return good

    def update(self) -> None:
        """Sets the scale for the next step; in a function that
        ``static.train_function`` traces, as a part of the program."""
        if not self.enabled:
            return
        from switchyard.static.training_function import update_traced
        if update_traced(self):
            return
        if not self._found:
            raise RuntimeError("GradScaler.update: no step was made since the "
                               "last update()")
        found, *others = self._found.values()
        with no_grad():
            for other in others:
                found = _ops.logical_or(found, other)
            scale, good_steps = self.updated(found, self._scale,
                                             self._good_steps)
            self._scale.copy_(scale)
            self._good_steps.copy_(good_steps)
        self._found.clear()

    # The arithmetic of eager steps and of programs, on tensors or values.

    @staticmethod
    def scaled(loss, scale):
        """The loss that gradients are taken of."""
        return _ops.multiply(loss, scale)

    @staticmethod
    def unscaled(gradients, scale):
        """The gradients divided, and whether one is not finite."""
        inverse = _ops.reciprocal(scale)
        found, divided = None, []
        for gradient in gradients:
            gradient = _ops.multiply(gradient.to_dense(), inverse)
            divided.append(gradient)
            bad = _ops.logical_not(_ops.all(_ops.isfinite(gradient)))
            found = bad if found is None else _ops.logical_or(found, bad)
        if found is None:
            found = _ops.less_than(scale, 0.0)
        return divided, found

    def updated(self, found, scale, good_steps):
        """Scale and number of good steps after a step."""
        one_more = _ops.add(good_steps, 1)
        grows = _ops.equal(one_more, self.growth_interval)
        larger = _ops.scale(scale, self.growth_factor)
        smaller = _ops.scale(scale, self.backoff_factor)
        grown = _ops.where(_ops.logical_and(
            grows, _ops.less_equal(larger, _LARGEST)), larger, scale)
        reduced = _ops.where(_ops.greater_equal(smaller, _LEAST), smaller, scale)
        scale = _ops.where(found, reduced, grown)
        zero = _ops.zeros_like(good_steps)
        return scale, _ops.where(_ops.logical_or(found, grows), zero, one_more)

    # State.

    def named_state(self):
        """(name, Tensor) of what changes from step to step."""
        yield "scale", self._scale
        yield "good_steps", self._good_steps

    def state_dict(self) -> dict[str, _core.Tensor]:
        """{name: Tensor} copies, to resume."""
        return {name: _core.tensor(tensor)
                for name, tensor in self.named_state()}

    def load_state_dict(self, state: dict) -> None:
        """Sets what ``state_dict`` returned. KeyError if names differ."""
        own = dict(self.named_state())
        if not hasattr(state, "keys"):
            refuse("load_state_dict", "state", "a dict", state)
        if own.keys() != state.keys():
            raise KeyError(f"load_state_dict: expected {sorted(own)}, got "
                           f"{sorted(state)}")
        loaded = {name: _core.tensor(state[name], tensor.dtype)
                  for name, tensor in own.items()}
        for name, tensor in own.items():
            if loaded[name].shape != tensor.shape:
                raise ValueError(f"load_state_dict: {name} must be one number, "
                                 f"got shape {loaded[name].shape}")
        for name, tensor in own.items():
            tensor.copy_(loaded[name])
