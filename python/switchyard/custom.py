# SPDX-License-Identifier: Apache-2.0
"""sy.custom_op: an operator of one's own, written in Python.

    @sy.custom_op
    def scaled_cube(x, *, factor=1.0):
        return factor * x ** 3

    @scaled_cube.backward
    def _(x, out_grad, *, factor):
        return 3 * factor * x ** 2 * out_grad

From then on it is an operator as any other: eager calls record it, traced
programs contain it, explain shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import inspect
from typing import Any

from switchyard import _core
from switchyard import ops
from switchyard.autograd import no_grad
from switchyard.custom_signature import (Signature, legacy_names_of,
                                         signature_of)
from switchyard.tensor_spec import meta_of, spec_of

# The operators that were made here, keyed by name.
_made: dict[str, CustomOp] = {}
# The legacy types of those, and of the gradients that they may get.
_legacy_types: set[str] = set()


def _several(what, names, results):
    """The results of a function, one for each of ``names``."""
    if len(names) == 1 and not isinstance(results, (tuple, list)):
        return (results,)
    if not isinstance(results, (tuple, list)) or len(results) != len(names):
        got = (f"{len(results)} results" if isinstance(results, (tuple, list))
               else type(results).__name__)
        raise TypeError(f"{what} must return a tuple of {', '.join(names)}, "
                        f"got {got}")
    return tuple(results)


def _array_of(what, result):
    if result is None:
        raise TypeError(f"{what} must be an array or a tensor, got None")
    return result.numpy() if isinstance(result, _core.Tensor) else result


class CustomOp:
    """An operator that ``custom_op`` made; called as the operators of sy.ops."""

    def __init__(self, function, name, outputs, takes, legacy_type,
                 legacy_names):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = inspect.getdoc(function) or ""
        self._forward = function
        self._takes = takes
        self._infer = None
        self._backward = None
        self._signature = Signature(name, function, outputs)
        self._legacy = legacy_names_of(name, self._signature, legacy_type,
                                     legacy_names)
        before = _made.get(name)
        if before is None:
            self._gradient, self._needs = None, None
            self._handle = self._define()
            self._function = self._handle.function()
            setattr(ops, name, self._function)
        else:
            self._replace(before)
        _made[name] = self

    def _define(self):
        name, signature = self.__name__, self._signature
        if hasattr(ops, name) or hasattr(ops, name + "_grad"):
            raise ValueError("custom_op: name must be one that no operator has,"
                             f" got '{name}'")
        if self._legacy is not None:
            self._reserve_legacy_types()
        code = inspect.unwrap(self._forward).__code__
        return _core.define_operator(
            {"name": name, "doc": self.__doc__, "file": code.co_filename,
             "line": code.co_firstlineno,
             "inputs": [(one, True) for one in signature.inputs],
             "attrs": signature.attrs,
             "outputs": [(one, False) for one in signature.outputs],
             "legacy": self._legacy and self._legacy.forward(signature)},
            self._infer_metas, self._run_forward)

    def _reserve_legacy_types(self):
        types = (self._legacy.type, self._legacy.type + "_grad")
        for one in types:
            if one in _legacy_types or _core.has_legacy(one):
                raise ValueError("custom_op: legacy_type must be one that no "
                                 f"operator has, got '{one}'")
        _legacy_types.update(types)

    def _replace(self, before):
        """Takes the place of an operator of before, as in a notebook."""
        if (before._signature != self._signature
                or before._legacy != self._legacy):
            raise ValueError(f"custom_op: {self.__name__} must keep its "
                             "parameters, outputs and legacy names when it is "
                             "defined again, got others")
        self._handle, self._function = before._handle, before._function
        self._gradient, self._needs = before._gradient, before._needs
        self._handle.set_functions(self._infer_metas, self._run_forward)
        if self._gradient is not None:
            self._gradient.set_functions(self._infer_gradients,
                                         self._run_backward)

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)

    def __repr__(self):
        return f"<custom operator {self.__name__}>"

    def infer(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorates the rule for shapes and dtypes; returns it.

        It takes what the operator takes, a TensorSpec for each tensor, and
        returns a TensorSpec for each output. What the operator then returns is
        held to it. Without a rule every output is like the first tensor. It is
        called when a program is made, too, and its answers are remembered, so
        it depends on its arguments only.
        """
        self._signature.check(f"{self.__name__}: infer", function)
        self._infer = function
        # Results that calls have cached under the old rule are stale.
        self._handle.set_functions(self._infer_metas, self._run_forward)
        return function

    def backward(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorates the gradient; returns it.

        Its parameters are named as what it needs: tensors of the operator,
        its outputs, their gradients (``out_grad``), its attributes. What is
        not named is not kept for it. It returns a gradient for each tensor;
        None stands for zeros.
        """
        name, signature = self.__name__, self._signature
        parameters = set(signature_of(f"{name}: backward", function).parameters)
        grads = [one + "_grad" for one in signature.outputs]
        attrs = {attr[0] for attr in signature.attrs}
        known = {*signature.inputs, *signature.outputs, *grads, *attrs}
        if parameters - known or not parameters & set(grads):
            raise TypeError(
                f"{name}: backward must take {' or '.join(grads)} and may take "
                f"{', '.join(sorted(known - set(grads)))}, got "
                f"{', '.join(sorted(parameters))}")
        needs = [one for one in (*signature.inputs, *signature.outputs, *grads)
                 if one in parameters]
        if self._gradient is not None and self._needs != needs:
            raise ValueError(f"{name}: backward must keep its parameters when "
                             f"it is defined again, got {', '.join(needs)}")
        self._backward = function
        self._backward_attrs = attrs & parameters
        if self._gradient is None:
            self._needs = needs
            self._gradient = self._define_gradient()
        return function

    def _define_gradient(self):
        signature = self._signature
        outputs = [one for one in signature.outputs if one in self._needs]
        grads = [one for one in signature.outputs
                 if one + "_grad" in self._needs]
        inputs = [*signature.inputs, *outputs, *(one + "_grad" for one in grads)]
        code = inspect.unwrap(self._backward).__code__
        gradient = _core.define_operator(
            {"name": self.__name__ + "_grad", "doc": "",
             "file": code.co_filename, "line": code.co_firstlineno,
             "inputs": [(one, one in self._needs or one not in signature.inputs)
                        for one in inputs],
             "attrs": signature.attrs,
             "outputs": [(one + "_grad", True) for one in signature.inputs],
             "legacy": self._legacy
                       and self._legacy.gradient(signature, inputs)},
            self._infer_gradients, self._run_backward)
        self._handle.set_gradient(
            gradient,
            [("input", i) for i in range(len(signature.inputs))]
            + [("output", signature.outputs.index(one)) for one in outputs]
            + [("gradient", signature.outputs.index(one)) for one in grads])
        return gradient

    # _core calls the functions below. ``metas`` are (dtype, extents), where an
    # extent below 0 is not known; ``wanted`` says which results are needed.

    def _infer_metas(self, metas, attrs):
        outputs = self._signature.outputs
        if self._infer is None:
            return [metas[0]] * len(outputs)
        what = f"{self.__name__}: infer"
        specs = self._infer(*map(spec_of, metas),
                            **self._signature.keywords(attrs))
        return [meta_of(f"{what}: {name}", spec) for name, spec in
                zip(outputs, _several(what, outputs, specs))]

    def _run_forward(self, tensors, attrs, wanted):
        outputs = self._signature.outputs
        results = _several(
            self.__name__, outputs,
            self._call(self._forward, map(self._given, tensors),
                       self._signature.keywords(attrs)))
        return [_array_of(f"{self.__name__}: {name}", result)
                for name, result in zip(outputs, results)]

    def _infer_gradients(self, metas, attrs):
        return metas[:len(self._signature.inputs)]

    def _run_backward(self, tensors, attrs, wanted):
        if self._backward is None:
            raise RuntimeError(f"{self.__name__}: backward must be defined "
                               "again, as the operator was")
        given = [tensor for tensor in tensors if tensor is not None]
        arguments = dict(zip(self._needs, map(self._given, given)))
        attributes = self._signature.keywords(attrs)
        arguments.update({name: attributes[name]
                          for name in self._backward_attrs})
        names = [one + "_grad" for one in self._signature.inputs]
        results = _several(f"{self.__name__}: backward", names,
                           self._call(self._backward, (), arguments))
        return [None if result is None or not want
                else _array_of(f"{self.__name__}: backward: {name}", result)
                for name, result, want in zip(names, results, wanted)]

    def _call(self, function, args, kwargs):
        if self._takes == "arrays":
            return function(*args, **kwargs)
        with no_grad():
            return function(*args, **kwargs)

    def _given(self, tensor):
        """A tensor as the functions take it. Arrays share its memory."""
        if self._takes == "tensors":
            return tensor
        array = tensor.numpy()
        array.flags.writeable = False
        return array


def custom_op(function: Callable[..., Any] | None = None, *,
              name: str | None = None, outputs: Sequence[str] = ("out",),
              takes: str = "arrays", legacy_type: str | None = None,
              legacy_names: Mapping[str, str] | None = None) -> Any:
    """Decorates a function that becomes an operator; returns the CustomOp.

    Parameters without annotation and default, or annotated as ``sy.Tensor`` or
    ``np.ndarray``, are tensors; those after them are attributes (bool, int,
    float, int | float, str, np.dtype or a list of one of these), told by their
    annotation or default. The function returns an array or a tensor, or a tuple
    of them, one for each of ``outputs``; it has no effect but that. It is given
    NumPy arrays, which it must not write, or with ``takes="tensors"`` tensors
    of sy.

    ``name``: the function's unless it is given; no other operator has it. A
    second definition with the same parameters takes the place of the first.

    ``legacy_type``: the type by which PaddlePaddle's programs know the operator
    (its gradient: that and "_grad"), so that sy.legacy.run and
    sy.static.load take it. ``legacy_names`` maps inputs, outputs and
    attributes to slots and attributes of that type; others keep their names.
    """
    if function is None:
        return lambda decorated: custom_op(
            decorated, name=name, outputs=outputs, takes=takes,
            legacy_type=legacy_type, legacy_names=legacy_names)
    if takes not in ("arrays", "tensors"):
        raise ValueError("custom_op: takes must be 'arrays' or 'tensors', got "
                         f"{takes!r}")
    name = function.__name__ if name is None else name
    if not name.isidentifier() or not name.isascii() or name.startswith("_"):
        raise ValueError("custom_op: name must be an identifier of ASCII that "
                         f"begins with a letter, got '{name}'")
    if isinstance(outputs, str):
        raise TypeError(f"custom_op: outputs must be a list of names, got "
                        f"{outputs!r}")
    return CustomOp(function, name, outputs, takes, legacy_type, legacy_names)
