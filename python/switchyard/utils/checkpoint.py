# SPDX-License-Identifier: Apache-2.0
"""Checkpointing: what a function saved for its gradient is computed again.

    from switchyard.utils.checkpoint import checkpoint

    for block in self.blocks:
        x = checkpoint(block, x)

Of each block only its arguments stay in memory until backward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from switchyard import _core
from switchyard.autograd import enable_grad
from switchyard.checks import FROM_1, flag, listed, refuse, whole
from switchyard.function import Function
from switchyard.nn.containers import Sequential

__all__ = ["checkpoint", "checkpoint_sequential"]


def __dir__():
    return __all__


def checkpoint(function: Callable, *args, use_reentrant: bool = True,
               preserve_rng_state: bool = True, **kwargs):
    """``function(*args, **kwargs)``, of which backward computes again what its
    gradient needs, instead of keeping it.

    Values and gradients have the same bits as without. Tensors among ``args`` and
    all that the function reads, as parameters of a module, get their gradients; by
    ``backward()``, not by ``sy.grad``. Random numbers are those of the first run,
    unless ``preserve_rng_state`` is False. Nothing is kept either way where no
    gradient is recorded. In a program that is traced, the gradient computes again
    what it reads of the function's values, with the same random numbers.
    ``use_reentrant`` is for PyTorch's sake: there is one way.
    """
    if not callable(function):
        refuse("checkpoint", "function", "a function", function)
    flag("checkpoint", "use_reentrant", use_reentrant)
    flag("checkpoint", "preserve_rng_state", preserve_rng_state)
    if _core.is_tracing():
        return _core.trace_checkpoint(lambda: function(*args, **kwargs))
    if not _core.is_grad_enabled() or any(
            isinstance(arg, _core.Value) for arg in args):
        return function(*args, **kwargs)
    run = _Run(function, args, kwargs, preserve_rng_state)
    # Parameters that the function reads may need gradients though no argument does.
    asking = _core.tensor(0.0, requires_grad=True)
    return _Checkpoint.apply(run, asking, *run.tensors)


class _Run:
    """One call: what to run again, with which arguments and random numbers."""

    def __init__(self, function, args, kwargs, preserve):
        self.function, self.args, self.kwargs = function, args, kwargs
        self.places = [i for i, arg in enumerate(args)
                       if isinstance(arg, _core.Tensor)]
        self.tensors = [args[i] for i in self.places]
        self.rng = _core.rng_state() if preserve else None
        self.dtype = _core.autocast_dtype()
        self.many = None

    def call(self, tensors):
        """The function's results as a tuple."""
        args = list(self.args)
        for place, tensor in zip(self.places, tensors):
            args[place] = tensor
        results = self.function(*args, **self.kwargs)
        self.many = isinstance(results, (tuple, list))
        results = tuple(results) if self.many else (results,)
        for result in results:
            if not isinstance(result, _core.Tensor):
                refuse("checkpoint", "what function returns",
                       "a tensor or a tuple of tensors", result)
        return results

    def again(self, tensors, grads):
        """Runs it once more, and backward from its results; returns the gradients
        of the tensors."""
        leaves = [tensor.detach() for tensor in tensors]
        for leaf, tensor in zip(leaves, tensors):
            leaf.requires_grad = tensor.requires_grad
        rng, dtype = _core.rng_state(), _core.autocast_dtype()
        if self.rng is not None:
            _core.set_rng_state(*self.rng)
        _core.set_autocast_dtype(self.dtype)
        try:
            with enable_grad():
                results = self.call(leaves)
        finally:
            _core.set_autocast_dtype(dtype)
            if self.rng is not None:
                _core.set_rng_state(*rng)
        last = [(result, grad) for result, grad in zip(results, grads)
                if result.requires_grad and grad is not None]
        for i, (result, grad) in enumerate(last):
            result.backward(grad, retain_graph=i + 1 < len(last))
        return [leaf.grad for leaf in leaves]


class _Checkpoint(Function):
    """Runs a function without a record; its backward runs it again."""

    @staticmethod
    def forward(ctx, run, asking, *tensors):
        del asking
        ctx.run = run
        ctx.save_for_backward(*tensors)
        results = run.call([tensor.detach() for tensor in tensors])
        return results if run.many else results[0]

    @staticmethod
    def backward(ctx, *grads):
        return None, None, *ctx.run.again(ctx.saved_tensors, grads)


def checkpoint_sequential(functions: Sequence, segments: int, input, **kwargs):
    """Calls functions one after another, a ``checkpoint`` around each of
    ``segments`` parts of them but the last."""
    layers = list(functions) if isinstance(functions, Sequential) else listed(
        "checkpoint_sequential", "functions", functions)
    segments = whole("checkpoint_sequential", "segments", segments, FROM_1)
    size = -(-len(layers) // segments)
    for begin in range(0, len(layers), size):
        part = Sequential(*layers[begin:begin + size])
        last = begin + size >= len(layers)
        input = part(input) if last else checkpoint(part, input, **kwargs)
    return input
