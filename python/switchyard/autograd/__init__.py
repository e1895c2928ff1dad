# SPDX-License-Identifier: Apache-2.0
"""Gradients: when they are recorded, and how to ask for them."""

from __future__ import annotations

from collections.abc import Callable
import contextlib

from switchyard import _core
from switchyard.checks import flag

__all__ = ["detect_anomaly", "enable_grad", "grad", "inference_mode", "is_grad_enabled",
           "no_grad", "set_grad_enabled"]


def __dir__():
    return __all__


is_grad_enabled = _core.is_grad_enabled


class _GradMode(_core.GradModeBlock, contextlib.ContextDecorator):
    """Sets the calling thread's grad mode for a block or a function.

    ``__enter__`` and ``__exit__`` are the base's, in C++: an interrupt in one
    written in Python would leave the mode as it is in the block."""

    _on: bool

    def __new__(cls, function: Callable | None = None):
        """The block; of ``@sy.no_grad`` without parentheses the function."""
        if function is not None and not callable(function):
            raise TypeError(f"{cls.__name__}: function must be callable, got "
                            f"{type(function).__name__}")
        block = super().__new__(cls)
        return block if function is None else block(function)

    def _recreate_cm(self):
        return type(self)()


class no_grad(_GradMode):
    """``with sy.no_grad():`` or ``@sy.no_grad()``: nothing is recorded."""

    _on = False


class enable_grad(_GradMode):
    """Records again inside a ``no_grad`` block."""

    _on = True


# Tensors of an inference_mode block are ordinary ones.
inference_mode = no_grad


def set_grad_enabled(mode: bool) -> _GradMode:
    """``with sy.set_grad_enabled(mode):`` records as ``mode`` says inside."""
    flag("set_grad_enabled", "mode", mode)
    return enable_grad() if mode else no_grad()


class detect_anomaly:
    """Finds the first NaN: turns on, for the process, that each operator and
    each step of a program is checked for NaN and infinity that it makes of
    finite numbers, and for NaN that it makes of infinities.

    The call that does raises FloatingPointError, which names the operator (of a
    gradient the backward operator), the inputs that were finite and the line of
    the call. The line of a gradient is that of the call in forward, if this was
    on then. Operators that read no tensor, as ``full``, may make any number. A
    write in place is done when it raises; a program's states stay as they were.

    A call sets it, ``mode=False`` to off; as ``with sy.detect_anomaly():`` it is
    what it was before after the block. Each call then takes the time of reading
    what it reads and writes; while it is off, none.
    """

    def __init__(self, mode: bool = True):
        flag("detect_anomaly", "mode", mode)
        self._before = _core.detects_anomalies()
        _core.set_detects_anomalies(bool(mode))

    def __enter__(self) -> detect_anomaly:
        return self

    def __exit__(self, *error: object) -> None:
        _core.set_detects_anomalies(self._before)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.autograd import functional
    from switchyard.function import Function
else:
    def __getattr__(name):
        # Imported at its first use: it needs what the package imports late.
        if name == "Function":
            from switchyard.function import Function
            return Function
        if name == "functional":
            import importlib
            return importlib.import_module("switchyard.autograd.functional")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def grad(outputs, inputs, grad_outputs=None, retain_graph: bool = False,
         create_graph: bool = False,
         allow_unused: bool = False) -> list[_core.Tensor | None]:
    """The gradients of ``outputs`` for ``inputs``, accumulated nowhere.

    ``outputs`` and ``inputs``: a tensor or a list of tensors. Returns a list
    with a tensor of the same shape for each input.

    ``grad_outputs``: what each output's gradient starts from, of its shape;
    None (the default) stands for 1 and is for outputs of one element.
    ``retain_graph``: keep what the graph saved, to run backward again; implied
    by ``create_graph``, which makes the gradients differentiable themselves.
    ``allow_unused``: None for an input that no output depends on, instead of a
    ValueError.

    In a function that is traced, outputs are values and so are the gradients,
    which are a part of the program; inputs may be tensors that it captures.
    """
    outputs, inputs = _as_list(outputs), _as_list(inputs)
    if grad_outputs is not None:
        grad_outputs = _as_list(grad_outputs)
    if any(isinstance(x, _core.Value) for x in (*outputs, *inputs)):
        from switchyard.static.traced_gradients import traced_grad
        return traced_grad(outputs, inputs, grad_outputs, bool(create_graph),
                           bool(allow_unused))
    return _core.grad(outputs, inputs, grad_outputs,
                      bool(retain_graph or create_graph), bool(create_graph),
                      bool(allow_unused))


def _as_list(tensors):
    if isinstance(tensors, (_core.Tensor, _core.Value)):
        return [tensors]
    return list(tensors)
