# SPDX-License-Identifier: Apache-2.0
"""Hooks that a module calls: around ``forward`` and in backward.

Gradients of a module's arguments, and those of its results, are complete only
together: each set goes through one operator, which copies and calls the hooks.
"""

from __future__ import annotations

import functools
import itertools
import weakref

from switchyard import _core

_ops = _core.ops
# The calls whose graph is alive, by number.
_calls: weakref.WeakValueDictionary[int, _Call] = weakref.WeakValueDictionary()
_numbers = itertools.count()


class HookOfModule:
    """A hook that a module calls; ``remove`` ends that."""

    def __init__(self, hooks, kind, hook):
        if not callable(hook):
            raise TypeError(f"hook must be callable, got {type(hook).__name__}")
        self._hooks, self._number = hooks, next(_numbers)
        hooks[self._number] = kind, hook
        _core.note_change()

    def remove(self):
        """Has the module call the hook no more."""
        self._hooks.pop(self._number, None)
        _core.note_change()


def called(module, args, kwargs):
    """The result of ``module.forward``, with the module's hooks."""
    hooks = list(module._hooks.values())
    for kind, hook in hooks:
        changed = hook(module, args) if kind == "before" else None
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    in_backward = [both for both in hooks if both[0].startswith("backward")]
    if in_backward:
        call = _Call(module, in_backward)
        result = call.of_results(module.forward(*call.of_arguments(args), **kwargs))
    else:
        result = module.forward(*args, **kwargs)
    for kind, hook in hooks:
        changed = hook(module, args, result) if kind == "after" else None
        result = result if changed is None else changed
    return result


class _Call:
    """One call of a module that has hooks in backward. The graph owns it."""

    def __init__(self, module, hooks):
        self._module, self._hooks = module, hooks
        self._arguments = self._asking = self.grad_output = ()
        self.number = next(_numbers)
        _calls[self.number] = self

    def of_arguments(self, args):
        """The arguments; the gradients of these go to the hooks."""
        if any(isinstance(arg, _core.Value) for arg in args):
            raise RuntimeError(
                f"{type(self._module).__name__}: a full backward hook is for eager "
                "code and can't be traced: remove() it, or give a parameter a hook")
        self._arguments = args
        self._asking = [i for i, arg in enumerate(args) if _records(arg)]
        return _through(self, "after", args, self._asking)

    def of_results(self, results):
        """The module's results; the gradients of these go to the hooks."""
        several = isinstance(results, tuple)
        passed = results if several else (results,)
        asking = [i for i, result in enumerate(passed) if _records(result)]
        self._results = len(passed), asking
        passed = _through(self, "before", passed, asking)
        for i in asking[:1]:  # It lives as long as the graph.
            passed[i].register_hook(functools.partial(_unchanged, self))
        return tuple(passed) if several else passed[0]

    def before(self, grads):
        """The gradients of the results, as the hooks before the module's say."""
        count, asking = self._results
        self.grad_output = _spread(grads, asking, count)
        for kind, hook in self._hooks:
            changed = hook(self._module, self.grad_output) if (
                kind == "backward before") else None
            self.grad_output = self._changed(changed, self.grad_output)
        if not self._asking:
            self.after(())
        return [self.grad_output[i] for i in asking]

    def after(self, grads):
        """The gradients of the arguments, as the hooks after the module's say."""
        given = _spread(grads, self._asking, len(self._arguments))
        for kind, hook in self._hooks:
            changed = hook(self._module, given, self.grad_output) if (
                kind == "backward after") else None
            given = self._changed(changed, given)
        return [given[i] for i in self._asking]

    def _changed(self, changed, grads):
        if changed is None:
            return grads
        changed = changed if isinstance(changed, tuple) else (changed,)
        if len(changed) != len(grads):
            raise ValueError(f"{type(self._module).__name__}: a backward hook must "
                             f"return {len(grads)} gradients, got {len(changed)}")
        return changed


def _unchanged(call, grad):
    del call, grad


def _records(x):
    return (isinstance(x, _core.Tensor) and x.requires_grad
            and _core.is_grad_enabled())


def _spread(grads, places, count):
    """The gradients at their places in a tuple of ``count``; None elsewhere."""
    at = dict(zip(places, grads))
    return tuple(at.get(i) for i in range(count))


def _through(call, name, tensors, asking):
    """The tensors, those at ``asking`` through an operator that calls the method
    ``name`` of ``call`` in backward."""
    tensors = list(tensors)
    if asking:
        passed = _pass_of(len(asking), name).apply(
            call.number, *[tensors[i] for i in asking])
        for i, x in zip(asking, passed if len(asking) > 1 else (passed,)):
            tensors[i] = x
    return tensors


@functools.lru_cache(maxsize=None)
def _pass_of(count, name):
    """The operator of ``count`` tensors, a Function."""
    from switchyard.function import Function

    class Pass(Function):
        """Copies; its backward calls the hooks of a module."""

        outputs = count

        @staticmethod
        def forward(ctx, number, *tensors):
            ctx.number = number
            copies = tuple(map(_ops.assign, tensors))
            return copies if count > 1 else copies[0]

        @staticmethod
        def backward(ctx, *grads):
            return None, *getattr(_calls[ctx.number], name)(grads)

    return Pass
