# SPDX-License-Identifier: Apache-2.0
"""sy.autograd.Function: a computation with a gradient of one's own.

    class Cube(sy.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.save_for_backward(x)
            ctx.factor = factor
            return factor * x ** 3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * ctx.factor * x ** 2 * grad, None

    y = Cube.apply(x, 2.0)
"""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.creation import full

_TENSORS = (_core.Tensor, _core.Value)


class Context:
    """Holds what ``forward`` leaves for ``backward``: tensors, attributes.

    ``needs_input_grad``: for each argument whether a gradient of it is needed.
    """

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self, name="Function"):
        self._name = name
        self._saved = ()  # (tensor, its version, its number as a result).
        self._outputs = {}  # Attributes that are results: their numbers.
        self._constant = ()
        self._materialize = True
        self._result = None  # In backward: what stands for a result.

    def save_for_backward(self, *tensors):
        """Keeps arguments, results and other tensors as ``saved_tensors``.

        One that is written in place before ``backward`` reads it is an error
        there. None is kept as it is.
        """
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, _TENSORS):
                raise TypeError(f"{self._name}: save_for_backward must get "
                                "tensors, got "
                                f"{type(tensor).__name__}: keep other objects "
                                "as attributes of ctx")
        self._saved = tuple((tensor, _version(tensor), None)
                            for tensor in tensors)

    def mark_non_differentiable(self, *outputs):
        """Says that these results have no gradient, as integers have none."""
        self._constant = outputs

    def set_materialize_grads(self, value: bool):
        """With False the gradient of a result that nothing used is None in
        eager calls, instead of zeros."""
        self._materialize = bool(value)

    @property
    def saved_tensors(self):
        """The tensors that ``save_for_backward`` kept."""
        return tuple(self._unpacked(number, *saved)
                     for number, saved in enumerate(self._saved))

    def _unpacked(self, number, tensor, version, output):
        if version != _version(tensor):
            raise RuntimeError(
                f"{self._name}: saved tensor {number} must be at version "
                f"{version} (as saved for the gradient), got version "
                f"{_version(tensor)}: an in-place operator wrote it meanwhile")
        if output is None or self._result is None:
            return tensor
        return self._result(tensor, output)

    def _seal(self, outputs):
        """Finds out which of the tensors that it holds are results."""
        numbers = {id(output): number for number, output in enumerate(outputs)
                   if isinstance(output, _TENSORS)}
        self._saved = tuple((tensor, version, numbers.get(id(tensor)))
                            for tensor, version, _ in self._saved)
        self._outputs = {name: numbers[id(value)]
                         for name, value in vars(self).items()
                         if id(value) in numbers}

    def _run(self, backward, grads, result):
        """backward(ctx, *grads), where results are ``result(tensor, number)``."""
        apart = {name: getattr(self, name) for name in self._outputs}
        self._result = result
        try:
            for name, number in self._outputs.items():
                setattr(self, name, result(apart[name], number))
            return backward(self, *grads)
        finally:
            self._result = None
            vars(self).update(apart)


class Function:
    """Base class; subclasses define ``forward`` and ``backward``, static.

    ``forward(ctx, *args)`` returns a tensor or a tuple of tensors; it runs once,
    without recording, and ``ctx`` is that of the same run in ``backward``.
    ``backward(ctx, *grads)`` gets a gradient for each result and returns one
    for each argument, of the argument's shape and dtype, None for those that
    have none. With ``create_graph`` its operators are recorded, so a gradient
    of the gradient is that of these operators.

    While a program is traced both get values of the graph and become operators
    of the program, in branches and loops too; ``backward`` is traced with the
    call (not under ``no_grad``), and draws no random numbers.
    """

    @staticmethod
    def forward(ctx, *args):
        """The computation."""
        raise NotImplementedError("Function.forward")

    @staticmethod
    def backward(ctx, *grads):
        """The gradient."""
        raise NotImplementedError("Function.backward")

    @classmethod
    def apply(cls, *args):
        """The result of ``forward``, with the gradient that ``backward`` is.

        TypeError if no argument is a tensor, or if ``backward`` returns
        gradients that don't fit the arguments; RuntimeError if ``forward``
        writes an argument in place that requires a gradient.
        """
        if not any(isinstance(arg, _TENSORS) for arg in args):
            raise TypeError(f"{cls.__name__}: an argument must be a tensor, got "
                            "none")
        args = [_in_graph(arg) for arg in args]
        ctx, on = Context(cls.__name__), _core.is_grad_enabled()
        ctx.needs_input_grad = tuple(on and _needs_grad(arg) for arg in args)
        versions = [_version(arg) for arg in args]
        with no_grad():
            returned = cls.forward(ctx, *args)
        several = isinstance(returned, (tuple, list))
        outputs = [_as_tensor(cls, output)
                   for output in (returned if several else (returned,))]
        if any(isinstance(one, _core.Value) for one in (*args, *outputs)):
            record = _traced if on else None
        else:
            record = _recorded if any(ctx.needs_input_grad) else None
        if record is not None:
            _check_unwritten(cls, ctx, args, versions)
            ctx._seal(outputs)
            outputs = _with_gradients(cls, ctx, args, outputs, record)
        return tuple(outputs) if several else outputs[0]


def _version(tensor):
    """How often an eager tensor was written; None of anything else."""
    return (_core.version_of(tensor) if isinstance(tensor, _core.Tensor)
            else None)


def _in_graph(arg):
    """The graph's value of a tensor that a traced function takes from outside;
    others as they are."""
    captures = _core.captures_of(arg)
    return arg if captures is None else captures.value_of(arg)


def _needs_grad(arg):
    """Whether a gradient of the argument may be needed."""
    if isinstance(arg, _core.Tensor):
        return arg.requires_grad
    return (isinstance(arg, _core.Value)
            and arg.dtype.startswith(("float", "bfloat", "complex")))


def _as_tensor(cls, output):
    """A result of forward: arrays become tensors."""
    if isinstance(output, (np.ndarray, np.generic)):
        return _core.tensor(output)
    if isinstance(output, _core.Tensor) and output.kind != "dense":
        raise TypeError(f"{cls.__name__}: forward must return dense tensors, "
                        f"got one of kind {output.kind}")
    return output


def _check_unwritten(cls, ctx, args, versions):
    for number, (arg, version) in enumerate(zip(args, versions)):
        if ctx.needs_input_grad[number] and _version(arg) != version:
            raise RuntimeError(
                f"{cls.__name__}: forward must leave an argument that requires "
                f"a gradient as it is, got a write in place to argument "
                f"{number}: compute a new tensor")


def _with_gradients(cls, ctx, args, outputs, record):
    """The outputs as results of the call."""
    constant = {id(output) for output in ctx._constant}
    numbers = [number for number, output in enumerate(outputs)
               if isinstance(output, _TENSORS)]
    results = record(cls, ctx, args, len(outputs), numbers,
                     [outputs[number] for number in numbers])
    outputs = list(outputs)
    for number, result in zip(numbers, results):
        if id(outputs[number]) not in constant:
            outputs[number] = result
    return outputs


def _recorded(cls, ctx, args, count, numbers, outputs):
    """The outputs of an eager call, recorded as one step of the graph."""
    inputs = [number for number, arg in enumerate(args)
              if isinstance(arg, _core.Tensor)]
    likes = {number: _Like(args[number]) for number in inputs}
    shapes = [(output.shape, output.dtype, output.place) for output in outputs]

    def backward(handle, arrived, wanted):
        grads = [None] * count
        for number, grad, (shape, dtype, place) in zip(numbers, arrived, shapes):
            if grad is None and ctx._materialize:
                grad = full(shape, 0, dtype, device=place)
            grads[number] = grad
        position = dict(zip(numbers, range(len(numbers))))
        returned = ctx._run(
            cls.backward, grads,
            lambda tensor, number: handle.output(tensor, position[number]))
        return _gradients(cls, likes, len(args), returned)

    return _core.record_function(
        cls.__name__, [args[number] for number in inputs], outputs, backward)


def _traced(cls, ctx, args, count, numbers, outputs):
    """The outputs of a call in a graph, with backward as their gradient."""
    # A tensor of outside of the trace is a state, whose value assign() reads.
    inputs = {number: arg if isinstance(arg, _core.Value)
              else _core.ops.assign(arg)
              for number, arg in enumerate(args) if _needs_grad(arg)}
    likes = {number: _Like(arg) for number, arg in enumerate(args)
             if isinstance(arg, _TENSORS)}

    def backward(*given):
        grads = [None] * count
        for number, grad in zip(numbers, given):
            grads[number] = grad
        results = dict(zip(numbers, given[len(numbers):]))
        returned = ctx._run(cls.backward, grads,
                            lambda _, number: results[number])
        grads = dict(zip(likes, _gradients(cls, likes, len(args), returned)))
        return [grads[number] for number in inputs]

    return _core.trace_function(
        cls.__name__, list(inputs.values()), outputs, backward)


class _Like:
    """The dtype and shape of an argument, which its gradient has too."""

    def __init__(self, tensor):
        self.dtype, self.shape = tensor.dtype, tuple(tensor.shape)

    def fits(self, other):
        """Whether dtypes are equal and shapes may be."""
        return (self.dtype == other.dtype
                and len(self.shape) == len(other.shape)
                and all(a == b for a, b in zip(self.shape, other.shape)
                        if isinstance(a, int) and isinstance(b, int)))

    def __str__(self):
        extents = (str(extent) if isinstance(extent, int) else "?"
                   for extent in self.shape)
        return f"{self.dtype}[{', '.join(extents)}]"


def _gradients(cls, likes, count, returned):
    """The gradients of the tensors, ``likes``, among those of all arguments."""
    returned = returned if isinstance(returned, (tuple, list)) else (returned,)
    if len(returned) not in (count, len(likes)):
        raise TypeError(f"{cls.__name__}: backward must return a gradient for "
                        f"each of {count} arguments, got {len(returned)}")
    if len(returned) == count:
        returned = [returned[number] for number in likes]
    return [_gradient(cls, number, like, grad)
            for (number, like), grad in zip(likes.items(), returned)]


def _gradient(cls, number, like, grad):
    if grad is None:
        return None
    if not isinstance(grad, _TENSORS):
        grad = _core.tensor(grad)
    if not like.fits(grad):
        raise TypeError(f"{cls.__name__}: backward must return {like} as the "
                        f"gradient of argument {number}, got {_Like(grad)}")
    return grad
