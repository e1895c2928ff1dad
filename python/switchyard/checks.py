# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments of Python code, each of which fails by one sentence.

    @checked(p=SHARE, num_layers=FROM_1)
    def __init__(self, num_layers: int, p: float = 0.5): ...

An argument whose annotation is int, float, bool, str or Callable (or None beside
it) is of that kind; those that are named are in a range, too, or of a class. The
text names the class or the function, the argument and what was given.

It is for constructors and for functions that are not called in every step: a
function of ``sy.*`` checks by itself what its operator does not.
"""

from __future__ import annotations

import functools
import itertools
import numbers
import operator
import sys

import numpy as np

from switchyard import _core


class Range:
    """Numbers for which ``holds`` is true; ``text`` says which, after "must be".
    NaN is in none."""

    __slots__ = ("text", "holds")

    def __init__(self, text, holds):
        self.text, self.holds = text, holds


FROM_0 = Range("from 0", lambda n: n >= 0)
FROM_1 = Range("from 1", lambda n: n >= 1)
POSITIVE = Range("positive", lambda n: n > 0)
SHARE = Range("in [0, 1]", lambda n: 0 <= n <= 1)
NUMBER = Range("a number that is not NaN", lambda n: n == n)
# More layers than an operator takes weights of (65535 tensors, 8 a layer).
LAYERS = Range("in [1, 8191]", lambda n: 1 <= n <= 8191)


def shown(value):
    """The text of an argument in an error: short, and without its elements."""
    if isinstance(value, (_core.Tensor, _core.Value)):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, (int, float, complex, str, bytes, type(None))):
        try:
            text = repr(value)
        except ValueError:  # An integer of more digits than Python writes.
            return "a number of too many digits"
        return text if len(text) <= 60 else f"{text[:57]}..."
    return type(value).__name__


def level_outside():
    """The ``stacklevel`` with which the caller warns of the line outside of this
    package that led to it."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get(
            "__name__", "").startswith("switchyard."):
        frame, level = frame.f_back, level + 1
    return level


def public_call(value):
    """(The function or class that was called from outside of this package, its
    argument that is ``value``), as far as the frames tell; for errors alone."""
    frame, name, argument = sys._getframe(1), "switchyard", "an argument"
    while frame is not None and frame.f_globals.get(
            "__name__", "").startswith("switchyard"):
        own = frame.f_locals.get("self")
        plain = frame.f_code.co_name
        # The wrapper of those that take PyTorch's names is no function of its own.
        if not plain.startswith("<") and plain != "speaking":
            name = plain if own is None else type(own).__name__
            argument = next((key for key, held in frame.f_locals.items()
                             if held is value and key != "self"), argument)
        frame = frame.f_back
    return name, argument


def refuse(name, argument, wanted, value, kind=TypeError):
    """Raises "name: argument must be wanted, got value"."""
    raise kind(f"{name}: {argument} must be {wanted}, got {shown(value)}") from None


def whole(name, argument, value, within=None):
    """The value as an int; TypeError unless it is an integer, ValueError unless it
    is in the range."""
    if type(value) is not int:
        try:
            value = operator.index(value)
        except (TypeError, ValueError):
            refuse(name, argument, "an integer", value)
    if within is not None and not within.holds(value):
        refuse(name, argument, within.text, value, ValueError)
    if not -2**63 <= value < 2**63:
        refuse(name, argument, "an integer of 64 bits", value, ValueError)
    return value


def real(name, argument, value, within=None):
    """The value as a float; TypeError unless it is a real number, ValueError unless
    it is in the range, or where no float64 holds it."""
    if not isinstance(value, (numbers.Real, _core.Tensor)) and (
            getattr(value, "ndim", None) != 0):
        refuse(name, argument, "a number", value)
    try:
        number = float(value)
    except OverflowError:
        refuse(name, argument, "a number that float64 holds", value, ValueError)
    except (TypeError, ValueError):
        refuse(name, argument, "a number", value)
    if within is not None and not within.holds(number):
        refuse(name, argument, within.text, value, ValueError)
    return number


def flag(name, argument, value, within=None):
    """TypeError unless it is a bool, or 0 or 1."""
    del within
    plain = isinstance(value, (bool, numbers.Integral)) or (
        type(value).__name__ == "bool_")
    if not plain or value not in (0, 1):
        refuse(name, argument, "a bool", value)


def _text(name, argument, value, within=None):
    del within
    if not isinstance(value, str):
        refuse(name, argument, "text", value)


def _function(name, argument, value, within=None):
    del within
    if not callable(value):
        refuse(name, argument, "a function", value)


_OF_ANNOTATION = {"int": whole, "float": real, "bool": flag, "str": _text,
                  "Callable": _function}


def _instance(name, argument, value, within):
    if not isinstance(value, within):
        refuse(name, argument, f"of class {within.__name__}", value)


def _check_of(annotation, rule):
    """(The check of an argument, its rule, whether None is one of its values); None
    where nothing is known of it."""
    words = str(annotation or "").split(" | ")
    optional = "None" in words
    words = [word.split("[")[0] for word in words if word != "None"]
    if isinstance(rule, type):
        return _instance, rule, optional
    if len(words) == 1 and words[0] in _OF_ANNOTATION:
        return _OF_ANNOTATION[words[0]], rule, optional
    return None if rule is None else (real, rule, optional)


def checked(**rules):
    """A decorator: checks the arguments by their annotations, and those named here
    by a ``Range`` or a class, before the function is called."""
    def decorate(function):
        code, notes = function.__code__, function.__annotations__
        names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        found = {name: _check_of(notes.get(name), rules.get(name))
                 for name in names}
        found = {name: check for name, check in found.items() if check}
        positional = names[:code.co_argcount]
        is_method = names[:1] == ("self",)

        def check_one(name, argument, value):
            check, rule, optional = found[argument]
            if value is not None or not optional:
                check(name, argument, value, rule)

        @functools.wraps(function)
        def call(*args, **kwargs):
            name = type(args[0]).__name__ if is_method else function.__name__
            for argument, value in zip(positional, args):
                if argument in found:
                    check_one(name, argument, value)
            for argument, value in kwargs.items():
                if argument in found:
                    check_one(name, argument, value)
            return function(*args, **kwargs)
        return call
    return decorate


# A list of what a call says: more elements are a mistake, and an expanded tensor
# may have more than can ever be read.
_MOST = 65535


def listed(name, argument, given, most=_MOST):
    """Returns what is iterated over as a list; TypeError for what is no list, ValueError
    where it is longer than ``most``, of which no element is read."""
    if isinstance(given, (str, bytes)):
        refuse(name, argument, "a list", given)
    length = operator.length_hint(given, 0) if hasattr(given, "__iter__") else None
    if length is None or getattr(given, "shape", None) == ():
        refuse(name, argument, "a list", given)
    if length > most:
        raise ValueError(f"{name}: {argument} must have at most {most} elements, "
                         f"got {length}")
    read = list(itertools.islice(given, most + 1))
    if len(read) > most:
        raise ValueError(f"{name}: {argument} must have at most {most} elements, "
                         "got more")
    return read


def numbers_of(state, **lengths):
    """The numbers of each name of a ``state_dict``, as arrays. KeyError unless the
    names are those of ``lengths``, ValueError for another count of numbers."""
    if not hasattr(state, "keys"):
        refuse("load_state_dict", "state", "a dict", state)
    if set(state) != set(lengths):
        raise KeyError(f"load_state_dict: expected {sorted(lengths)}, got "
                       f"{sorted(state)}")
    arrays = []
    for name, length in lengths.items():
        array = np.asarray(state[name])
        if array.shape != (length,) or array.dtype.kind not in "iuf":
            raise ValueError(f"load_state_dict: {name} must be {length} numbers, "
                             f"got {array.dtype}{list(array.shape)}")
        arrays.append(array)
    return arrays
