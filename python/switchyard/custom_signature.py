# SPDX-License-Identifier: Apache-2.0
"""The signature of a custom operator, read off its function, and its old names."""

from __future__ import annotations

from collections.abc import Sequence
import inspect
import re
import types
import typing

import numpy as np

from switchyard import _core

# The words for attribute types in the operators' YAML.
_ATTR_TYPES = {bool: "bool", int: "int64_t", float: "double", str: "str",
               np.dtype: "DataType"}
_LISTED = frozenset(("bool", "int64_t", "double", "str", "DataType", "Scalar"))
_TYPE_NAMES = ("bool, int, float, int | float, str, np.dtype or a list of one "
               "of these")


def _union_word(members):
    """Several types of numbers are a Scalar."""
    return "Scalar" if set(members) <= {bool, int, float} else None


def _list_word(item):
    return item + "[]" if item in _LISTED else None


def _attr_type_of(annotation):
    """The word for the type of an attribute; None if it has none."""
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return _union_word(arguments)
    if origin in (list, tuple, Sequence) and arguments:
        return _list_word(_attr_type_of(arguments[0]))
    try:
        return _ATTR_TYPES.get(annotation)
    except TypeError:  # Not hashable.
        return None


def _type_of(annotation, default):
    """The word for an attribute's type, "" for a tensor, None for neither."""
    attr_type = _attr_type_of(annotation)
    if attr_type is not None:
        return attr_type
    if annotation in (_core.Tensor, np.ndarray):
        return ""
    if annotation is not inspect.Parameter.empty:
        return None
    if default is inspect.Parameter.empty:
        return ""
    if isinstance(default, (list, tuple)) and default:
        members = {type(item) for item in default}
        return _list_word(_attr_type_of(members.pop()) if len(members) == 1
                          else _union_word(members))
    if isinstance(default, np.dtype):
        return "DataType"
    return _attr_type_of(type(default))


def signature_of(what, function):
    try:
        return inspect.signature(function, eval_str=True)
    except NameError as error:
        raise TypeError(f"{what}: annotations must be names that are known "
                        f"here, got {error}") from error


class Signature:
    """The tensors and attributes that a forward function takes."""

    def __init__(self, name, function, outputs):
        self.inputs: list[str] = []
        self.attrs: list[tuple] = []
        self.outputs = list(outputs)
        for parameter in signature_of(name, function).parameters.values():
            self._add(name, parameter)
        if not self.inputs:
            raise TypeError(f"{name}: the function must take at least one "
                            "tensor, got none")
        names = [*self.inputs, *(attr[0] for attr in self.attrs), *self.outputs]
        if not self.outputs or len(set(names)) != len(names):
            raise ValueError(f"{name}: outputs must have names of their own, "
                             f"got {tuple(outputs)}")

    def _add(self, name, parameter):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{name}: parameters must be tensors and "
                            f"attributes, got {parameter}")
        attr_type = _type_of(parameter.annotation, parameter.default)
        if attr_type is None:
            raise TypeError(f"{name}: {parameter.name} must be a tensor or of "
                            f"type {_TYPE_NAMES}, got {parameter}")
        if attr_type:
            default = parameter.default
            self.attrs.append(
                (parameter.name, attr_type) if default is parameter.empty
                else (parameter.name, attr_type, default))
        elif self.attrs:
            raise TypeError(f"{name}: tensors must come before attributes, got "
                            f"{parameter.name} after {self.attrs[-1][0]}")
        elif parameter.default is not parameter.empty:
            raise TypeError(f"{name}: tensors must have no default, got "
                            f"{parameter}")
        else:
            self.inputs.append(parameter.name)

    def __eq__(self, other):
        return vars(self) == vars(other)

    def keywords(self, attrs):
        return {attr[0]: value for attr, value in zip(self.attrs, attrs)}

    def check(self, what, function):
        """That ``function`` can be called as the forward function is."""
        try:
            signature_of(what, function).bind(
                *self.inputs, **{attr[0]: None for attr in self.attrs})
        except TypeError as error:
            raise TypeError(f"{what} must take the parameters of the operator "
                            f"({error})") from error


class LegacyNames:
    """The legacy type of an operator, and how it names slots and attributes."""

    def __init__(self, name, signature, legacy_type, names):
        ours = [*signature.inputs, *signature.outputs,
                *(attr[0] for attr in signature.attrs)]
        unknown = [one for one in names if one not in ours]
        if unknown:
            raise ValueError(f"{name}: legacy_names must be for "
                             f"{', '.join(ours)}, got {unknown[0]}")
        if re.fullmatch("feed|fetch|read|create_.*reader.*", str(legacy_type)):
            raise ValueError(f"{name}: legacy_type must be that of an operator "
                             f"which computes something, got '{legacy_type}'")
        self.type = legacy_type
        self.names = {one: names.get(one, one) for one in ours}
        for what in (legacy_type, *self.names.values()):
            if not isinstance(what, str) or not what:
                raise TypeError(f"{name}: legacy names must be texts, got "
                                f"{what!r}")
        if len(set(self.names.values())) != len(ours):
            raise ValueError(f"{name}: legacy_names must be distinct, got "
                             f"{', '.join(self.names.values())}")

    def __eq__(self, other):
        return vars(self) == vars(other)

    def _words(self, legacy_type, signature, inputs, outputs):
        return {"type": legacy_type, "inputs": inputs, "outputs": outputs,
                "attrs": [self.names[attr[0]] for attr in signature.attrs]}

    def forward(self, signature):
        """Returns the words of the operator for define_operator()."""
        return self._words(
            self.type, signature,
            [(self.names[one], i) for i, one in enumerate(signature.inputs)],
            [(self.names[one], i) for i, one in enumerate(signature.outputs)])

    def gradient(self, signature, inputs):
        """Returns those of the gradient, whose tensors are ``inputs``.

        Old programs give it the operator's inputs, its outputs and the outputs'
        gradients, whether or not it reads them.
        """
        slots = {one: self.names[one]
                 for one in (*signature.inputs, *signature.outputs)}
        slots.update({one + "_grad": self.names[one] + "@GRAD"
                      for one in signature.outputs})
        return self._words(
            self.type + "_grad", signature,
            [(slot, inputs.index(one) if one in inputs else -1)
             for one, slot in slots.items()],
            [(self.names[one] + "@GRAD", i)
             for i, one in enumerate(signature.inputs)])


def legacy_names_of(name, signature, legacy_type, names):
    if legacy_type is None:
        if names:
            raise TypeError(f"{name}: legacy_names must come with a legacy_type, "
                            "got none")
        return None
    return LegacyNames(name, signature, legacy_type, names or {})
