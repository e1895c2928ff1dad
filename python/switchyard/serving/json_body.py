# SPDX-License-Identifier: Apache-2.0
"""Bodies of JSON: {"inputs": {"x": [[1, 2]]}} and {"outputs": {"out": {...}}}.

An input is a nested list, or an object of "values", nested or flat, with
"shape" and "lod" where the list can't say them. Numbers that are not finite are
the texts "nan", "inf" and "-inf". Each float of a result is written with the
digits that give its bits back.
"""

import itertools
import json
import math

import numpy as np

from switchyard.serving.answers import Refusal, wrong_input
from switchyard.serving.arrays import Given, carrier_of, check_extents, check_names

CONTENT_TYPE = "application/json"
MOST_ELEMENTS = 1 << 20  # Of a result as JSON.
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def _no_twins(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _no_constant(word):
    raise ValueError(f"{word} is no JSON: write it as a text")


def _document_of(body):
    try:
        return json.loads(body, object_pairs_hook=_no_twins,
                          parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        said = "it is nested too deeply" if isinstance(error, RecursionError) \
            else str(error)
        raise Refusal(400, "InvalidBody",
                      f"the body must be JSON: {said}") from None


def _flattened(name, values):
    """(elements, shape) of a nested list."""
    shape, level = [], [values]
    while level and isinstance(level[0], list):
        lengths = {len(item) if isinstance(item, list) else -1 for item in level}
        if len(lengths) != 1:
            raise wrong_input(f"{name} must be of lists of one length at each "
                              "depth", name)
        shape += lengths
        level = list(itertools.chain.from_iterable(level))
    if list in set(map(type, level)):
        raise wrong_input(f"{name} must be of lists of one length at each depth",
                          name)
    return level, shape


def _floats(name, elements, dtype):
    texts = [i for i, element in enumerate(elements) if isinstance(element, str)]
    for i in texts:
        if elements[i] not in _NOT_FINITE:
            raise wrong_input(f"{name} must be numbers, 'nan', 'inf' or '-inf', got "
                              f"'{elements[i][:40]}'", name)
    finite = list(elements)
    for i in texts:
        finite[i] = 0.0
    with np.errstate(over="ignore"):
        array = np.array(finite, np.float64).astype(dtype)
    if not np.isfinite(array).all():
        raise OverflowError
    for i in texts:
        array[i] = _NOT_FINITE[elements[i]]
    return array


def _integers(elements, dtype):
    limits = np.iinfo(dtype)
    if elements and (min(elements) < limits.min or max(elements) > limits.max):
        raise OverflowError
    return np.array(elements, dtype)


def _numbers(name, elements, dtype):
    """A flat array of the elements; refuses those that are not of the dtype."""
    kinds = set(map(type, elements))
    taken = {"b": {bool}, "i": {int}, "u": {int}, "f": {int, float, str}}
    if dtype.kind not in taken:
        raise Refusal(415, "UnsupportedMediaType",
                      f"{name} is {dtype}, which JSON has no numbers of: send "
                      "application/x-npy", name)
    if not kinds <= taken[dtype.kind]:
        words = {"b": "true and false", "f": "numbers"}
        got = sorted(kind.__name__ for kind in kinds - taken[dtype.kind])
        raise wrong_input(f"{name} must be {words.get(dtype.kind, 'whole numbers')}, "
                          f"got {', '.join(got)}", name)
    try:
        if dtype.kind == "f":
            return _floats(name, elements, dtype)
        if dtype.kind == "b":
            return np.array(elements, dtype)
        return _integers(elements, dtype)
    except OverflowError:
        raise wrong_input(f"{name} must be numbers of {dtype}, got one that is "
                          "too large", name) from None


def _counts(name, what, values):
    """A list of whole numbers that are not negative."""
    if not isinstance(values, list) or not all(
            type(value) is int and 0 <= value < 1 << 62 for value in values):
        raise wrong_input(f"{name}: {what} must be a list of whole numbers from 0",
                          name)
    return values


def _lod_of(port, lod):
    if not isinstance(lod, list) or len(lod) > 8:
        raise wrong_input(f"{port.name}: lod must be a list of lists of lengths",
                          port.name)
    return [_counts(port.name, "lod", level) for level in lod]


def _given(port, value, most):
    name, lod, claimed = port.name, None, None
    if isinstance(value, dict):
        unknown = sorted(set(value) - {"values", "shape", "lod", "dtype"})
        if unknown or "values" not in value:
            raise wrong_input(f"{name} must be a list, or an object of values, "
                              f"shape, lod and dtype", name)
        if "lod" in value:
            lod = _lod_of(port, value["lod"])
        if "shape" in value:
            claimed = _counts(name, "shape", value["shape"])
        if value.get("dtype", port.dtype) != port.dtype:
            raise wrong_input(f"{name} must be {port.dtype}, got "
                              f"{str(value['dtype'])[:40]}", name)
        value = value["values"]
    elements, shape = _flattened(name, value)
    if claimed is not None:
        if math.prod(claimed) != len(elements):
            raise wrong_input(f"{name}: shape claims {math.prod(claimed)} elements, "
                              f"and values has {len(elements)}", name)
        shape = claimed
    check_extents(port, shape, most)
    return Given(_numbers(name, elements, carrier_of(port)).reshape(shape), lod)


def read_arrays(ports, body, most):
    """{name: Given} of a body that was read; extents may be of ``most`` bytes."""
    document = _document_of(body)
    if not isinstance(document, dict) or set(document) != {"inputs"} \
            or not isinstance(document["inputs"], dict):
        raise Refusal(400, "InvalidBody",
                      'the body must be {"inputs": {"name": values}}')
    inputs = document["inputs"]
    check_names(list(inputs), ports)
    return {port.name: _given(port, inputs[port.name], most) for port in ports}


def _plain(array):
    """Nested lists; complex numbers are pairs."""
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return array.tolist()
    flat = [value if math.isfinite(value) else str(value)
            for value in array.ravel().tolist()]
    boxed = np.empty(len(flat), object)
    boxed[:] = flat
    return boxed.reshape(array.shape).tolist()


def write_arrays(results, dtypes):
    """The body of the results; refuses one that is too large for JSON."""
    for name, (array, _) in results.items():
        if array.size > MOST_ELEMENTS:
            raise Refusal(406, "NotAcceptable",
                          f"{name} has {array.size} elements, which are too many for "
                          "JSON: send Accept: application/x-npy", name)
    outputs = {}
    for name, (array, lod) in results.items():
        outputs[name] = {"dtype": dtypes[name], "shape": list(array.shape),
                         "values": _plain(array)}
        if lod is not None:
            outputs[name]["lod"] = lod
    return json.dumps({"outputs": outputs}, allow_nan=False).encode() + b"\n"
