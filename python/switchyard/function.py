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

import inspect
import itertools
import re

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.custom import custom_op
from switchyard.tensor_spec import TensorSpec

# Numbers and text that are attributes; other arguments are part of the operator.
_ATTRIBUTES = (bool, int, float, str)
# The operators that were made here, keyed by class and kinds of arguments.
_made: dict[tuple, object] = {}
_numbers = itertools.count()


class Context:
    """Holds what ``forward`` leaves for ``backward``: tensors, attributes."""

    saved_tensors: tuple = ()

    def save_for_backward(self, *tensors):
        """Keeps tensors as ``saved_tensors``."""
        self.saved_tensors = tensors


class Function:
    """Base class; subclasses define ``forward`` and ``backward``, static.

    ``forward(ctx, *args)`` returns a tensor, or a tuple of ``outputs``;
    ``backward(ctx, *grads)`` a gradient for each argument, None for those that
    have none. Both get eager tensors, in a traced program while it runs;
    ``forward`` runs again before ``backward``, to make its ctx, and is therefore
    a function of its arguments alone.
    """

    outputs = 1

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
        """The result of ``forward``, with the gradient that ``backward`` is."""
        kinds = tuple(_kind(arg) for arg in args)
        if _TENSOR not in kinds:
            raise TypeError(f"{cls.__name__}: an argument must be a tensor, got "
                            "none")
        try:
            operator = _made.get((cls, kinds))
        except TypeError:
            raise TypeError(f"{cls.__name__}: arguments must be tensors, numbers, "
                            "text or hashable") from None
        if operator is None:
            operator = _made[cls, kinds] = _operator(cls, kinds)
        tensors = [a for a, kind in zip(args, kinds) if kind is _TENSOR]
        attributes = {f"a{i}": a for i, (a, kind) in enumerate(zip(args, kinds))
                      if kind in _ATTRIBUTES}
        return operator(*tensors, **attributes)


_TENSOR = object()  # The kind of a tensor.


def _kind(arg):
    """_TENSOR, the type of an attribute, or (the constant,)."""
    if isinstance(arg, (_core.Tensor, _core.Value)):
        return _TENSOR
    return type(arg) if type(arg) in _ATTRIBUTES else (arg,)


def _operator(cls, kinds):
    """The operator of this class for arguments of these kinds."""
    inputs = [f"x{i}" for i, kind in enumerate(kinds) if kind is _TENSOR]
    attrs = [f"a{i}" for i, kind in enumerate(kinds) if kind in _ATTRIBUTES]
    outputs = ["out"] if cls.outputs == 1 else [
        f"out{k}" for k in range(cls.outputs)]

    def arguments(tensors, attributes):
        given = iter(tensors)
        return [next(given) if kind is _TENSOR else
                attributes[f"a{i}"] if kind in _ATTRIBUTES else kind[0]
                for i, kind in enumerate(kinds)]

    def forward(*tensors, **attributes):
        return cls.forward(Context(), *arguments(tensors, attributes))

    def backward(**given):
        ctx = Context()
        cls.forward(ctx, *arguments([given[name] for name in inputs], given))
        grads = cls.backward(ctx, *[given[f"{name}_grad"] for name in outputs])
        return _of_tensors(cls, kinds, grads)

    def infer(*specs, **attributes):
        return _inferred(forward, specs, attributes)
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                  for name in inputs]
    of_attrs = [inspect.Parameter(f"a{i}", inspect.Parameter.KEYWORD_ONLY,
                                  annotation=kind)
                for i, kind in enumerate(kinds) if kind in _ATTRIBUTES]
    forward.__signature__ = infer.__signature__ = inspect.Signature(
        parameters + of_attrs)
    backward.__signature__ = inspect.Signature([
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for name in [*inputs, *(f"{name}_grad" for name in outputs), *attrs]])
    forward.__doc__ = inspect.getdoc(cls)
    word = re.sub(r"[^A-Za-z0-9_]", "", cls.__name__).strip("_") or "function"
    operator = custom_op(forward, name=f"{word}_{next(_numbers)}",
                         outputs=outputs, takes="tensors")
    operator.infer(infer)
    operator.backward(backward)
    return operator


def _of_tensors(cls, kinds, grads):
    """The gradients of the tensors among those of all arguments."""
    grads = grads if isinstance(grads, tuple) else (grads,)
    count = sum(kind is _TENSOR for kind in kinds)
    if len(grads) == len(kinds):
        grads = tuple(g for g, kind in zip(grads, kinds) if kind is _TENSOR)
    if len(grads) != count:
        raise TypeError(f"{cls.__name__}: backward must return a gradient for "
                        f"each of {len(kinds)} arguments, got {len(grads)}")
    return grads if count > 1 else grads[0]


# Extents that stand for an unknown one in two runs; different for each.
_STAND_INS = ((2, 3), (5, 7), (11, 13), (17, 19), (23, 29))


def _inferred(forward, specs, attributes):
    """The results' specs, by runs on zeros.

    Unknown extents are other numbers in a second run: where results follow one
    of them it is theirs, and where they differ otherwise nothing is known.
    """
    unknown = list(dict.fromkeys(
        extent for spec in specs for extent in spec.shape
        if not isinstance(extent, int)))
    pairs = {extent: _STAND_INS[min(i, len(_STAND_INS) - 1)]
             for i, extent in enumerate(unknown)}
    runs = []
    for run in range(2 if unknown else 1):
        zeros = [_core.ops.full(
            [n if isinstance(n, int) else pairs[n][run] for n in spec.shape],
            0, spec.dtype) for spec in specs]
        with no_grad():
            results = forward(*zeros, **attributes)
        runs.append(results if isinstance(results, tuple) else (results,))
    symbols = {pair: extent for extent, pair in pairs.items()}
    found = tuple(
        TensorSpec([extents[0] if len(set(extents)) == 1 else
                    symbols.get(extents)
                    for extents in zip(*[result.shape for result in results])],
                   results[0].dtype)
        for results in zip(*runs))
    return found if len(found) > 1 else found[0]
