# SPDX-License-Identifier: Apache-2.0
"""The layers of a program whose weights can be integers."""

from __future__ import annotations

from switchyard import _core

# Operators with their inputs that are the data and the weight.
_OPERATORS = {
    "linear": ("x", "weight"),
    "matmul": ("x", "y"),
    "mul": ("x", "y"),
    "conv2d": ("input", "filter"),
    "depthwise_conv2d": ("input", "filter"),
    "embedding": ("x", "weight"),
}
CONVOLUTIONS = ("conv2d", "depthwise_conv2d")


class Layer:
    """A call whose weight is a state of float32 that no run changes.

    ``index``, ``inputs`` and ``attrs`` are the call's, ``source`` is the number of
    its data, ``turned`` says that a row of the packed weight is a column of the state.
    """

    def __init__(self, index, operator, inputs, attrs, state, turned):
        self.index, self.operator, self.attrs = index, operator, attrs
        self.names = list(inputs)
        self.data, self.weight = _OPERATORS[operator]
        self.source = inputs[self.data]
        self.state, self.turned = state, turned
        self.name = state.removesuffix(".weight")

    def rows(self, weight):
        """The weight's array as a matrix, of which each row has scales of its own."""
        matrix = weight.reshape(len(weight), -1) if weight.ndim != 2 else weight
        return matrix.T if self.turned else matrix

    def packed_names(self, bits):
        """The states that hold the packed weight: its numbers and scales."""
        name = f"{self.state}.{'columns.' if self.turned else ''}"
        return f"{name}int{bits}", f"{name}scale"

    def of(self, inputs, name):
        """The input of the call that the operator calls ``name``."""
        return inputs[self.names.index(name)]

    def replaced(self, inputs, **values):
        """The call's inputs with others in the place of some."""
        return [values.get(name, value) for name, value in zip(self.names, inputs)]


class Found:
    """The contents of a program: ``layers``, ``others`` ({name: why its layer is none}),
    and the operators and states that nothing reads once layers are replaced."""

    def __init__(self, compiled):
        self._arguments = _core.program_arguments(compiled)
        self._calls = _core.program_calls(compiled)
        self._written = set(compiled.written_states)
        self._producers, self._readers = {}, {}
        for call in self._calls:
            for number in call[4].values():
                self._producers[number] = call
            for number in _numbers(call[2]):
                self._readers.setdefault(number, []).append(call[0])
        self.layers, self.others = [], {}
        for call in self._calls:
            self._look(*call)

    def _look(self, index, operator, inputs, attrs, _, top):
        if operator not in _OPERATORS:
            return
        weight = inputs[_OPERATORS[operator][1]]
        if weight is None:
            return
        number, transposed = self._state_of(weight)
        if number is None:
            return
        name, _, dtype, kind, extents = self._arguments[number]
        layer = Layer(index, operator, inputs, attrs, name,
                      _turned(operator, attrs, transposed))
        why = self._why_not(layer, dtype, kind, extents, transposed, top)
        if why:
            self.others[layer.name] = why
        else:
            self.layers.append(layer)

    def _state_of(self, number):
        """The number of the state that a value is, and whether it is transposed."""
        if number < len(self._arguments):
            return (number, False) if self._arguments[number][1] == "state" else (None, False)
        call = self._producers.get(number)
        if call is None or call[1] != "transpose" or list(call[3]["perm"]) != [1, 0]:
            return None, False
        source, transposed = self._state_of(call[2]["x"])
        return source, not transposed

    def _why_not(self, layer, dtype, kind, extents, transposed, top):
        rank = 4 if layer.operator in CONVOLUTIONS else 2
        if layer.state in self._written:
            return "the program writes its weight"
        if dtype != "float32" or kind != "dense":
            return f"its weight is of {dtype}"
        if len(extents) != rank or not all(isinstance(n, int) and n for n in extents):
            return f"its weight is of shape {extents}"
        if layer.operator == "matmul" and layer.attrs["transpose_x"]:
            return "it transposes its input"
        if layer.operator == "mul" and layer.attrs["y_num_col_dims"] != 1:
            return "it flattens its weight"
        if layer.operator in (*CONVOLUTIONS, "embedding") and transposed:
            return "its weight is transposed"
        if layer.source is None or not top:
            return "it is in a branch or a loop"
        return None

    def unread(self, layers):
        """({index of each call}, {name of each state}) that were there for the weights
        of ``layers`` alone."""
        gone = {layer.index for layer in layers}
        weights = {call[0]: call[2] for call in self._calls}
        calls, states = set(), set()
        for layer in layers:
            number = weights[layer.index][layer.weight]
            while self._gone(number, gone):
                if number < len(self._arguments):
                    states.add(self._arguments[number][0])
                    break
                producer = self._producers[number]
                gone.add(producer[0])
                calls.add(producer[0])
                number = producer[2]["x"]
        return calls, states

    def _gone(self, number, gone):
        return all(index in gone for index in self._readers.get(number, ()))


def _turned(operator, attrs, transposed):
    """Whether a row of the packed weight is a column of the state."""
    if operator in (*CONVOLUTIONS, "embedding"):
        return False
    turned = not transposed
    return turned != attrs["transpose_y"] if operator == "matmul" else turned


def _numbers(inputs):
    for value in inputs.values():
        if isinstance(value, list):
            yield from (number for number in value if number is not None)
        elif value is not None:
            yield value
