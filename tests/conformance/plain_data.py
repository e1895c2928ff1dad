# SPDX-License-Identifier: Apache-2.0
"""The parts of a recorded call: no class here needs PyTorch or Switchyard.

Calls are pickled by an interpreter that has PyTorch and read by one that has
Switchyard. Tuples, lists, dicts, numbers, texts, slices and None are themselves.
"""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Array:
    """A tensor: its elements (float32 for bfloat16), dtype, and whether it asks
    for a gradient."""
    elements: np.ndarray
    dtype: str
    requires_grad: bool = False


@dataclasses.dataclass
class Dtype:
    """A dtype, by the name that both sides give it."""
    name: str


@dataclasses.dataclass
class Foreign:
    """A value of a type that only PyTorch has: a generator, a memory format."""
    text: str


@dataclasses.dataclass
class Answer:
    """PyTorch's answer to a call: its result, the gradients of the tensors
    that ask for one (None where there is none) by the cotangents, and the
    same of the call in float64, where it can be made."""
    result: object
    cotangents: list = dataclasses.field(default_factory=list)
    gradients: list = dataclasses.field(default_factory=list)
    wide_result: object = None
    wide_gradients: list | None = None
    is_random: bool = False


@dataclasses.dataclass
class Call:
    """One sample: ``function`` is a name below torch, or one of a tensor's
    attributes where ``kind`` is "method" or "property"."""
    sample: str
    function: str
    kind: str
    args: list
    kwargs: dict
    tolerance: tuple  # (relative, absolute), of PyTorch's overrides; or ().
    answer: Answer | None = None
    error: str = ""  # The type of the error that the call ends in.


def leaves(value):
    """The arrays in a value, in order."""
    if isinstance(value, Array):
        return [value]
    if isinstance(value, (tuple, list)):
        return [leaf for each in value for leaf in leaves(each)]
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    return []


def replaced(value, function):
    """The value with function(leaf) for each Array, Dtype and Foreign."""
    if isinstance(value, (Array, Dtype, Foreign)):
        return function(value)
    if isinstance(value, tuple):
        return tuple(replaced(each, function) for each in value)
    if isinstance(value, list):
        return [replaced(each, function) for each in value]
    if isinstance(value, dict):
        return {name: replaced(each, function) for name, each in value.items()}
    return value
