# SPDX-License-Identifier: Apache-2.0
"""Operators with graphs of their own, and constants. Each function draws a case
of an operator from draws `g`."""

import numpy as np
from draws import Case
from onnx import TensorProto, helper

_FLOAT, _INT64, _BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def _port(name, kind=_FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def _held(name, array):
    """A node: initializers of inner graphs are later than version 1."""
    array = np.asarray(array)
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return helper.make_node("Constant", [], [name], value=helper.make_tensor(
        "", kind, array.shape, array.reshape(-1)))


def branch(g):
    """A branch makes one tensor of its own shape, or two."""
    outputs = g.pick(1, 2)
    shape = g.shape(0, 2)

    def graph(name):
        value = g.array(shape, "float32", 0)
        nodes = [_held("a", value),
                 helper.make_node(g.pick("Neg", "Exp", "Identity"), ["a"],
                                  ["y0"])]
        if outputs == 2:
            nodes.append(helper.make_node("Add", ["a", "y0"], ["y1"]))
        return helper.make_graph(
            nodes, name, [], [_port(f"y{i}", shape=shape)
                              for i in range(outputs)])

    condition = np.asarray(g.chance())
    return Case([condition.reshape(g.pick((), (1,)))],
                {"then_branch": graph("then"), "else_branch": graph("else")},
                outputs, const=[0] if g.chance(.3) else [])


def loop(g):
    """Adds the number of the iteration to a sum, until there are enough or it
    is too large; each sum and its half are collected."""
    most, first = g.pick(None, 0, 1, 3), g.pick(None, True, True, False)
    ends = most is None or g.chance()
    shape = g.pick((), (1,), (2,), (2, 3))
    wide = {"broadcast": 1} if g.version < 7 else {}
    nodes = [helper.make_node("Cast", ["i"], ["number"], to=_FLOAT),
             helper.make_node("Add", ["sum", "number"], ["next"], **wide),
             _held("half", np.float32(.5)),
             helper.make_node("Mul", ["next", "half"], ["halved"], **wide),
             _held("few", np.float32(4)),
             helper.make_node("Less", ["number", "few"], ["goes_on"])]
    if not ends:
        nodes[-1] = helper.make_node("Identity", ["old"], ["goes_on"])
    collected = g.pick(0, 1, 2)
    wanted = ["goes_on", "next", "next_again", "halved"][:2 + collected]
    if collected:
        nodes.append(helper.make_node("Identity", ["next"], ["next_again"]))
    body = helper.make_graph(
        nodes, "body", [_port("i", _INT64, ()), _port("old", _BOOL, ()),
                        _port("sum", shape=shape)],
        [_port("goes_on", _BOOL, ())] + [_port(name, shape=shape)
                                         for name in wanted[1:]])
    return Case([None if most is None else np.asarray(most),
                 None if first is None else np.asarray(first),
                 g.array(shape, "float32", 0)],
                {"body": body}, 1 + collected,
                const=[0] if g.chance(.3) else [])


def scan(g):
    """A running sum of one input or of two, and its negative."""
    inputs = g.pick(1, 2)
    steps, shape = g.pick(1, 3), g.pick((), (2,), (2, 3))
    nodes = [helper.make_node("Add", ["sum", "x0"], ["next" if inputs == 1
                                                     else "part"])]
    if inputs == 2:
        nodes.append(helper.make_node("Mul", ["part", "x1"], ["next"]))
    nodes.append(helper.make_node("Neg", ["next"], ["less"]))
    body = helper.make_graph(
        nodes, "body", [_port("sum", shape=shape)] + [
            _port(f"x{i}", shape=shape) for i in range(inputs)],
        [_port("next", shape=shape), _port("less", shape=shape)])
    at = {"body": body, "num_scan_inputs": inputs}
    float_ = lambda *s: g.array(s, "float32", 0)
    if g.version < 9:
        batch = g.pick(1, 2)
        if g.chance(.4):
            at["directions"] = [g.pick(0, 1) for _ in range(inputs)]
        return Case([None, float_(batch, *shape)] + [
            float_(batch, steps, *shape) for _ in range(inputs)], at, 2)
    axes = [0] * inputs
    if g.chance(.4):
        least = 0 if g.version < 11 else -len(shape) - 1
        axes = [int(g.random.integers(least, len(shape) + 1))
                for _ in range(inputs)]
        at["scan_input_axes"] = axes
    if g.chance(.4):
        at["scan_input_directions"] = [g.pick(0, 1) for _ in range(inputs)]
    if g.chance(.4):
        at["scan_output_axes"] = [int(g.random.integers(0, len(shape) + 1))]
    if g.chance(.4):
        at["scan_output_directions"] = [g.pick(0, 1)]

    def fed(axis):
        extents = list(shape)
        extents.insert(axis % (len(shape) + 1), steps)
        return float_(*extents)

    return Case([float_(*shape)] + [fed(axis) for axis in axes], at, 2)


def sequence_map(g):
    """Adds a tensor, or each element of a second sequence, to each element."""
    rank = g.pick(0, 1, 2)
    elements = [g.array(g.shape(rank, rank, zeros=False), "float32", 0)
                for _ in range(g.pick(1, 2, 3))]
    same = [g.array(one.shape, "float32", 0) for one in elements]
    other = g.pick(same, g.array((), "float32", 0))
    twice = g.chance()
    nodes = [helper.make_node("Add", ["x0", "x1"], ["y0"])]
    if twice:
        nodes.append(helper.make_node("Shape", ["x0"], ["y1"]))
    ports = [_port("y0"), _port("y1", _INT64)]
    body = helper.make_graph(nodes, "body", [_port("x0"), _port("x1")],
                             ports[:1 + twice])
    return Case([elements, other], {"body": body}, 1 + twice)


def constant(g):
    names = sorted(g.known)
    name = g.pick(*names)
    values = {
        "value": lambda: g.array(g.shape(), g.pick(
            *(["float32", "float64", "float16"] if g.version < 9 else [
                "float32", "int64", "bool", "uint8", "float16"]))),
        "value_float": lambda: g.fraction(-9, 9),
        "value_floats": lambda: [g.fraction(-9, 9) for _ in range(g.extent())],
        "value_int": lambda: int(g.random.integers(-99, 99)),
        "value_ints": lambda: [int(g.random.integers(-99, 99))
                               for _ in range(g.extent())],
        "value_string": lambda: g.pick("", "a", "äöü"),
        "value_strings": lambda: [g.pick("", "b", "ñ") for _ in range(3)],
        "sparse_value": lambda: _sparse(g),
    }
    return Case([], {name: values[name]()})


def _sparse(g):
    shape = g.pick((6,), (2, 3))
    count = g.pick(1, 2, 4)
    places = np.sort(g.random.permutation(6)[:count])
    pairs = count > 1 and len(shape) == 2 and g.chance()
    listed = np.stack(np.unravel_index(places, shape), 1) if pairs else places
    numbers = g.array((count,), "float32", 0)
    return helper.make_sparse_tensor(
        helper.make_tensor("v", _FLOAT, (count,), numbers),
        helper.make_tensor("i", _INT64, listed.shape, listed.reshape(-1)),
        shape)
