# SPDX-License-Identifier: Apache-2.0
"""sy.autograd.functional: whole matrices of derivatives of functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
import math

from switchyard import _core
from switchyard.autograd import enable_grad, grad
from switchyard.checks import flag, refuse

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def __dir__():
    return __all__


def _several(name, argument, given):
    """The tensors as a tuple, and whether they were one."""
    alone = isinstance(given, _KINDS)
    several = (given,) if alone else given
    if not isinstance(several, (tuple, list)) or not several or not all(
            isinstance(x, _KINDS) for x in several):
        refuse(name, argument, "a tensor or a tuple of tensors", given)
    return tuple(several), alone


def _leaves(inputs, create_graph):
    """The inputs as tensors whose gradient is recorded; as they are in a graph
    that is to be continued, where they have one."""
    made = []
    for x in inputs:
        if _core.is_tracing():
            made.append(_ops.assign(x))  # A value, or a state's value.
            continue
        kept = create_graph and x.requires_grad
        leaf = _ops.assign(x) if kept else x.detach()
        if not kept:
            leaf.requires_grad = True
        made.append(leaf)
    return made


def _called(name, function, inputs):
    if not callable(function):
        refuse(name, "func", "a function", function)
    with enable_grad():
        found = function(*inputs)
    return _several(name, "what func returns", found)


def _zeros(x):
    return _ops.zeros_like(x.detach())


def _recorded(x):
    """Whether x may have a gradient: a value may."""
    return isinstance(x, _core.Value) or x.requires_grad


def _count(name, x):
    """The number of elements. TypeError where only a run knows it."""
    if not all(isinstance(extent, int) for extent in x.shape):
        raise TypeError(f"{name}: the extents of what func returns must be known while "
                        f"it is traced (InputSpec says them), got {tuple(x.shape)}")
    return math.prod(x.shape)


def _gradients(outputs, leaves, starts, create_graph):
    """The gradients of the outputs that have one, or None for a leaf."""
    starts = [None] * len(outputs) if starts is None else starts
    pairs = [(x, start) for x, start in zip(outputs, starts)
             if x is not None and _recorded(x)]
    if not pairs:
        return [None] * len(leaves)
    outputs, starts = map(list, zip(*pairs))
    given = None if all(start is None for start in starts) else starts
    return grad(outputs, leaves, given, create_graph=create_graph, allow_unused=True)


def jacobian(func: Callable, inputs, create_graph: bool = False,
             strict: bool = False, vectorize: bool = False):
    """The derivatives of all elements of ``func(*inputs)`` for all elements of the
    inputs: of the result's shape, then the input's.

    ``inputs``: a tensor, or a tuple of them, which gives a tuple; a tuple of results
    gives a tuple of such. ``create_graph``: records them for further gradients.
    ``strict``: ValueError for a result that does not depend on an input, instead
    of zeros. ``vectorize`` is for PyTorch's sake.
    """
    for name, value in (("create_graph", create_graph), ("strict", strict),
                        ("vectorize", vectorize)):
        flag("jacobian", name, value)
    inputs, one_input = _several("jacobian", "inputs", inputs)
    leaves = _leaves(inputs, create_graph)
    results, one_result = _called("jacobian", func, leaves)
    found = tuple(_rows(result, leaves, create_graph, strict) for result in results)
    if one_input:
        found = tuple(row[0] for row in found)
    return found[0] if one_result else found


def _rows(result, leaves, create_graph, strict):
    """For each leaf, [*result's shape, *leaf's shape]."""
    count = _count("jacobian", result)
    rows = []
    for i in range(count):
        each = [None] * len(leaves)
        if _recorded(result):
            start = _ops.reshape(_core.tensor(
                [float(i == k) for k in range(count)], result.dtype),
                list(result.shape))
            each = grad([result], leaves, [start], retain_graph=True,
                        create_graph=create_graph, allow_unused=True)
        if strict and any(g is None for g in each):
            raise ValueError("jacobian: every result must depend on every input with "
                             "strict")
        rows.append([_zeros(x) if g is None else g for g, x in zip(each, leaves)])
    return tuple(_ops.reshape(_ops.stack([row[k] for row in rows], 0), [
        *result.shape, *leaf.shape]) if rows else _ops.full(
            [*result.shape, *leaf.shape], 0.0, leaf.dtype)
                 for k, leaf in enumerate(leaves))


def hessian(func: Callable, inputs, create_graph: bool = False,
            strict: bool = False, vectorize: bool = False):
    """The second derivatives of ``func(*inputs)``, which is of one element: for an
    input of shape s, [*s, *s]; for a tuple of inputs a tuple of tuples."""
    inputs, one_input = _several("hessian", "inputs", inputs)

    def gradient(*leaves):
        results, _ = _called("hessian", func, leaves)
        if len(results) != 1 or _count("hessian", results[0]) != 1:
            raise ValueError("hessian: func must return a tensor of one element")
        if not _recorded(results[0]):
            return tuple(map(_zeros, leaves))
        found = grad([results[0].reshape([])], list(leaves), create_graph=True,
                     allow_unused=True)
        return tuple(_zeros(x) if g is None else g for g, x in zip(found, leaves))

    found = jacobian(gradient, tuple(inputs), create_graph, strict, vectorize)
    return found[0][0] if one_input else found


def vjp(func: Callable, inputs, v=None, create_graph: bool = False,
        strict: bool = False):
    """(func(*inputs), the gradients of the inputs that start from ``v``), of which
    the latter is the product of v and the jacobian. v may be None where the result
    has one element."""
    flag("vjp", "create_graph", create_graph)
    flag("vjp", "strict", strict)
    inputs, one_input = _several("vjp", "inputs", inputs)
    leaves = _leaves(inputs, create_graph)
    results, one_result = _called("vjp", func, leaves)
    given = None if v is None else _several("vjp", "v", v)[0]
    found = _gradients(results, leaves, given, create_graph)
    if strict and any(g is None for g in found):
        raise ValueError("vjp: the results must depend on every input with strict")
    found = tuple(_zeros(x) if g is None else g for g, x in zip(found, leaves))
    if not create_graph:
        results = tuple(result.detach() for result in results)
    return (results[0] if one_result else results), (
        found[0] if one_input else found)


def hvp(func: Callable, inputs, v=None, create_graph: bool = False,
        strict: bool = False):
    """(func(*inputs), the product of its second derivatives and ``v``), as ``vhp``:
    second derivatives are symmetric."""
    flag("hvp", "create_graph", create_graph)
    flag("hvp", "strict", strict)
    inputs, one_input = _several("hvp", "inputs", inputs)
    return _second("hvp", func, inputs, _given("hvp", v, inputs), one_input,
                   create_graph, strict)


def jvp(func: Callable, inputs, v=None, create_graph: bool = False,
        strict: bool = False):
    """(func(*inputs), the product of the jacobian and ``v``), which has the inputs'
    shapes; None stands for 1 where there is one input of one element.

    The product is the gradient of the gradients, which are linear in what they
    start from: two runs of backward.
    """
    flag("jvp", "create_graph", create_graph)
    flag("jvp", "strict", strict)
    inputs, _ = _several("jvp", "inputs", inputs)
    given = _given("jvp", v, inputs)
    leaves = _leaves(inputs, create_graph)
    results, one_result = _called("jvp", func, leaves)
    starts = _leaves([_ops.ones_like(result.detach()) for result in results], False)
    first = _gradients(results, leaves, starts, True)
    if strict and any(g is None for g in first):
        raise ValueError("jvp: the results must depend on every input with strict")
    found = _gradients(first, starts, given, create_graph)
    found = tuple(_zeros(x) if g is None else g for g, x in zip(found, results))
    if not create_graph:
        results = tuple(result.detach() for result in results)
    return (results[0], found[0]) if one_result else (results, found)


def vhp(func: Callable, inputs, v=None, create_graph: bool = False,
        strict: bool = False):
    """(func(*inputs), the product of ``v`` and the second derivatives), for a result
    of one element; v has the inputs' shapes, and None stands for 1 where there is
    one input of one element."""
    flag("vhp", "create_graph", create_graph)
    flag("vhp", "strict", strict)
    inputs, one_input = _several("vhp", "inputs", inputs)
    return _second("vhp", func, inputs, _given("vhp", v, inputs), one_input,
                   create_graph, strict)


def _given(name, v, inputs):
    """The vectors of a product, of the inputs' shapes."""
    if v is None:
        if len(inputs) != 1 or _count(name, inputs[0]) != 1:
            raise ValueError(f"{name}: v must be given unless there is one input of one "
                             "element")
        return (_ops.ones_like(inputs[0].detach()),)
    given, _ = _several(name, "v", v)
    for x, u in zip(inputs, given):
        if tuple(x.shape) != tuple(u.shape):
            raise ValueError(f"{name}: v must have the shape {tuple(x.shape)} of its "
                             f"input, got {tuple(u.shape)}")
    if len(given) != len(inputs):
        raise ValueError(f"{name}: v must be {len(inputs)} tensors, as the inputs, got "
                         f"{len(given)}")
    return given


def _second(name, func, inputs, given, one_input, create_graph=False, strict=False):
    leaves = _leaves(inputs, create_graph)
    results, _ = _called(name, func, leaves)
    first = _gradients(results[:1], leaves, None, True)
    if strict and any(g is None for g in first):
        raise ValueError(f"{name}: the result must depend on every input with strict")
    found = _gradients(first, leaves, given, create_graph)
    found = tuple(_zeros(x) if g is None else g for g, x in zip(found, leaves))
    value = results[0] if create_graph else results[0].detach()
    return value, (found[0] if one_input else found)
