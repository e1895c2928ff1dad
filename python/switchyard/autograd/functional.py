# SPDX-License-Identifier: Apache-2.0
"""sy.autograd.functional: whole matrices of derivatives of functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
import math

from switchyard import _core
from switchyard.autograd import enable_grad, grad
from switchyard.checks import flag, refuse

_ops = _core.ops

__all__ = ["hessian", "hvp", "jacobian", "vjp"]


def __dir__():
    return __all__


def _several(name, argument, given):
    """The tensors as a tuple, and whether they were one."""
    alone = isinstance(given, _core.Tensor)
    several = (given,) if alone else given
    if not isinstance(several, (tuple, list)) or not several or not all(
            isinstance(x, _core.Tensor) for x in several):
        refuse(name, argument, "a tensor or a tuple of tensors", given)
    return tuple(several), alone


def _leaves(inputs, create_graph):
    """The inputs as tensors whose gradient is recorded; as they are in a graph
    that is to be continued, where they have one."""
    made = []
    for x in inputs:
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
    count = math.prod(result.shape)
    rows = []
    for i in range(count):
        each = [None] * len(leaves)
        if result.requires_grad:
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
        if len(results) != 1 or math.prod(results[0].shape) != 1:
            raise ValueError("hessian: func must return a tensor of one element")
        if not results[0].requires_grad:
            return tuple(map(_zeros, leaves))
        found = grad([results[0].reshape([])], list(leaves), create_graph=True,
                     allow_unused=True)
        return tuple(_zeros(x) if g is None else g for g, x in zip(found, leaves))

    found = jacobian(gradient, tuple(inputs), create_graph, strict, vectorize)
    return found[0][0] if one_input else found


def vjp(func: Callable, inputs, v=None, create_graph: bool = False):
    """(func(*inputs), the gradients of the inputs that start from ``v``), of which
    the latter is the product of v and the jacobian. v may be None where the result
    has one element."""
    flag("vjp", "create_graph", create_graph)
    inputs, one_input = _several("vjp", "inputs", inputs)
    leaves = _leaves(inputs, create_graph)
    results, one_result = _called("vjp", func, leaves)
    given = None if v is None else _several("vjp", "v", v)[0]
    found = grad(list(results), leaves, given, create_graph=create_graph,
                 allow_unused=True)
    found = tuple(_zeros(x) if g is None else g for g, x in zip(found, leaves))
    if not create_graph:
        results = tuple(result.detach() for result in results)
    return (results[0] if one_result else results), (
        found[0] if one_input else found)


def hvp(func: Callable, inputs, v):
    """(func(*inputs), the product of its second derivatives and ``v``), for a
    result of one element; v has the inputs' shapes."""
    inputs, one_input = _several("hvp", "inputs", inputs)
    given, _ = _several("hvp", "v", v)
    leaves = _leaves(inputs, False)
    results, _ = _called("hvp", func, leaves)
    first = grad([results[0]], leaves, create_graph=True, allow_unused=True)
    pairs = [(g, u) for g, u in zip(first, given) if g is not None and g.requires_grad]
    found = grad([g for g, _ in pairs], leaves, [u for _, u in pairs],
                 allow_unused=True) if pairs else [None] * len(leaves)
    found = tuple(_zeros(x) if g is None else g for g, x in zip(found, leaves))
    return results[0].detach(), (found[0] if one_input else found)
