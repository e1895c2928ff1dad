# SPDX-License-Identifier: Apache-2.0
"""Control flow on values: branches and loops that a program decides.

Of tensors both are Python's own branch and loop, so one function computes the
same bits eager and traced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from switchyard import _core
from switchyard.checks import refuse, shown


def _is_tuple(results):
    return isinstance(results, (tuple, list))


def _tuple(results):
    return tuple(results) if _is_tuple(results) else (results,)


def _holds(argument, condition):
    """Whether a condition that no program decides holds."""
    if isinstance(condition, _core.Value):
        raise TypeError(f"{argument} must be a value of a graph from the start "
                        f"or never, got {condition!r} after an iteration")
    if isinstance(condition, _core.Tensor) and condition.dtype != "bool":
        raise TypeError(f"{argument} must be a bool tensor of one element, got "
                        f"{condition.dtype}{list(condition.shape)}")
    if isinstance(condition, (str, bytes, type(None))) or not hasattr(
            condition, "__bool__"):
        raise TypeError(f"{argument} must be a bool, got {shown(condition)}")
    return bool(condition)


def cond(condition, then: Callable, otherwise: Callable):
    """``then()`` where ``condition``, a bool of one element, holds, else
    ``otherwise()``.

    Both return one value or tuples of equal length; they may use values from
    around them. Of a tensor only one of them is called. Of a value (while
    tracing) both are, and must agree in dtypes and numbers of axes; extents in
    which they differ are unknown afterwards. The branch that does not run adds
    nothing to gradients: what only it uses has a gradient of zeros, where eager
    code has None. Random numbers are eager code's: branches that draw
    another number of times are called twice.
    """
    for argument, branch in (("then", then), ("otherwise", otherwise)):
        if not callable(branch):
            refuse("cond", argument, "a function", branch)
    if not isinstance(condition, _core.Value):
        holds = _holds("cond: condition", condition)
        return then() if holds else otherwise()
    returned = []

    def branch(function):
        def call():
            returned.append(function())
            return _tuple(returned[-1])
        return call

    results = _core.trace_cond(condition, branch(then), branch(otherwise))
    one = [not _is_tuple(result) for result in returned]
    if one[0] != one[1]:
        raise TypeError("cond: then and otherwise must both return one value or"
                        " both tuples, got one of each")
    return results[0] if one[0] else results


def while_loop(condition: Callable, body: Callable, init: Sequence) -> tuple:
    """Runs ``values = body(*values)`` as long as ``condition(*values)`` holds.

    ``values`` begin as ``init``; returned is the tuple that they are at the
    end. A loop is traced if there is a value of a graph among ``init`` or
    ``condition(*init)`` is one; the others of ``init`` are constants then.
    ``values`` keep their dtypes and numbers of axes; where extents change,
    both functions are traced once more, with these unknown, and where
    ``body`` draws random numbers; ``condition`` may not (NotImplementedError).
    Gradients go through (zeros if it runs no time); for them a traced loop computes each of n iterations about
    sqrt(n) times again.
    """
    if not _is_tuple(init):
        raise TypeError("while_loop: init must be a tuple or a list, got "
                        f"{type(init).__name__}")
    for argument, function in (("condition", condition), ("body", body)):
        if not callable(function):
            refuse("while_loop", argument, "a function", function)
    values, go_on = tuple(init), None
    of = next((v for v in values if isinstance(v, _core.Value)), None)
    if of is None:
        go_on = condition(*values)
        of = go_on if isinstance(go_on, _core.Value) else None
    if of is not None:
        return _core.trace_while(lambda *v: _tuple(condition(*v)),
                                 lambda *v: _tuple(body(*v)), values, of)
    while _holds("while_loop: condition", go_on):
        values = _tuple(body(*values))
        go_on = condition(*values)
    return values
