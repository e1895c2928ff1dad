# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers: RNN, LSTM and GRU over sequences, and their cells."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import FROM_1, LAYERS, SHARE, checked
from switchyard.functions.arguments import widened
from switchyard.nn import init
from switchyard.nn.dtypes import check_dtype, common_half
from switchyard.nn.module import Module, Parameter
from switchyard.nn.packed import PackedSequence
from switchyard.pytorch_names import FORWARDS

_ops = _core.ops


class _Recurrent(Module):
    """Base: layers of cells over x [time, n, input_size], or [n, time,
    input_size] with ``batch_first``.

    Returns (outputs, state): the outputs of the last layer, those of both
    directions side by side where ``bidirectional``, and what the state is in the
    end, [layers * directions, n, hidden_size]; of an LSTM a pair with the cells.
    ``state``: the state before, zeros by default. Weights are called
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0 and so on, "_reverse"
    after those of the other direction, with shapes as in PyTorch; no biases
    unless ``bias``. x may lack n, and may be a PackedSequence, which gives one. ``dropout`` holds between layers, in training. ``lengths``
    [n]: how much of the time counts.
    """

    mode = ""
    gates = 1
    _forward_names = FORWARDS["Recurrent"]

    @checked(input_size=FROM_1, hidden_size=FROM_1, num_layers=LAYERS,
             dropout=SHARE)
    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1,
                 batch_first: bool = False, dropout: float = 0.0,
                 bidirectional: bool = False, bias: bool = True):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.num_layers, self.batch_first = num_layers, batch_first
        self.dropout, self.bidirectional = dropout, bidirectional
        self.bias = bias
        rows, bound = self.gates * hidden_size, 1.0 / math.sqrt(hidden_size)
        draw = init.Uniform(-bound, bound)
        for layer, suffix in self._numbered():
            width = input_size if layer == 0 else hidden_size * self.directions
            for name, shape in (("weight_ih", [rows, width]),
                                ("weight_hh", [rows, hidden_size]),
                                ("bias_ih", [rows]), ("bias_hh", [rows])):
                if bias or name.startswith("weight"):
                    setattr(self, f"{name}_l{suffix}", Parameter(draw(shape)))

    @property
    def directions(self):
        """2 if ``bidirectional``, else 1."""
        return 2 if self.bidirectional else 1

    def _numbered(self):
        """(layer, what ends its weights' names), of both directions."""
        for layer in range(self.num_layers):
            yield layer, f"{layer}"
            if self.bidirectional:
                yield layer, f"{layer}_reverse"

    def _weights(self):
        suffixes = [suffix for _, suffix in self._numbered()]
        weights, biases = ([f"{kind}_{part}_l{suffix}" for suffix in suffixes
                            for part in ("ih", "hh")]
                           for kind in ("weight", "bias"))
        found = [getattr(self, name) for name in weights]
        if self.bias:
            return found + [getattr(self, name) for name in biases]
        column = _ops.slice(found[0], [1], [0], [1])
        none = _ops.zeros_like(_ops.reshape(column, [-1]))
        return found + [none] * len(biases)

    def _zeros(self, x):
        """The state before the first step: zeros, of as many rows as x."""
        # Not x * 0: what is after a sequence's length may be of any value.
        rows = _ops.zeros_like(_ops.sum(x, [0, 2]))  # [n]
        rows = _ops.reshape(rows, [1, -1, 1])
        count = self.num_layers * self.directions
        return _ops.tile(rows, [count, 1, self.hidden_size])

    def forward(self, x, state=None, lengths=None):
        if isinstance(x, PackedSequence):
            return self._of_packed(x, state)
        check_dtype(self, x, self.weight_ih_l0)
        if len(x.shape) == 2:
            return self._of_one(x, state)
        if len(x.shape) != 3:
            raise ValueError(f"{type(self).__name__}: x must have 2 or 3 axes, got "
                             f"{len(x.shape)}")
        if self.batch_first:
            x = _ops.transpose(x, [1, 0, 2])
        many = self.mode == "LSTM"
        if state is None:
            states = [self._zeros(x)] * (2 if many else 1)
        else:
            states = list(state) if many else [state]
        outputs, *rest = _ops.rnn(
            x, states, self._weights(), lengths, dropout_prob=self.dropout,
            is_bidirec=self.bidirectional, input_size=self.input_size,
            hidden_size=self.hidden_size, num_layers=self.num_layers,
            mode=self.mode, is_test=not self.training)
        final = next(part for part in rest if isinstance(part, (list, tuple)))
        if self.batch_first:
            outputs = _ops.transpose(outputs, [1, 0, 2])
        return outputs, tuple(final) if many else final[0]

    def _of_packed(self, packed, state):
        """``forward`` of a PackedSequence, which gives one."""
        x = packed.padded if self.batch_first else (
            _ops.transpose(packed.padded, [1, 0, 2]))
        outputs, final = self.forward(x, state, packed.lengths)
        if not self.batch_first:
            outputs = _ops.transpose(outputs, [1, 0, 2])
        return PackedSequence(outputs, packed.lengths), final

    def _of_one(self, x, state):
        """``forward`` of one sequence [time, input_size]; states have no n either."""
        axis, many = 0 if self.batch_first else 1, self.mode == "LSTM"
        if state is not None:
            state = tuple(_ops.unsqueeze(part, [1]) for part in state) if many else (
                _ops.unsqueeze(state, [1]))
        outputs, final = self.forward(_ops.unsqueeze(x, [axis]), state)
        return _ops.squeeze(outputs, [axis]), tuple(
            _ops.squeeze(part, [1]) for part in final) if many else (
                _ops.squeeze(final, [1]))

    def extra_repr(self):
        facts = [f"{self.input_size}, {self.hidden_size}"]
        if self.num_layers != 1:
            facts.append(f"num_layers={self.num_layers}")
        facts += [f"{name}=True" for name in ("batch_first", "bidirectional")
                  if getattr(self, name)]
        if not self.bias:
            facts.append("bias=False")
        if self.dropout:
            facts.append(f"dropout={self.dropout}")
        return ", ".join(facts)


class RNN(_Recurrent):
    __doc__ = ("Simple recurrence: h = tanh(W x + b + U h + c), or by relu.\n\n"
               f"{_Recurrent.__doc__}")

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1,
                 nonlinearity: str = "tanh", batch_first: bool = False,
                 dropout: float = 0.0, bidirectional: bool = False,
                 bias: bool = True):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError("RNN: nonlinearity must be 'tanh' or 'relu', got "
                             f"{nonlinearity!r}")
        super().__init__(input_size, hidden_size, num_layers, batch_first,
                         dropout, bidirectional, bias)
        self.mode = f"RNN_{nonlinearity.upper()}"


class LSTM(_Recurrent):
    __doc__ = ("Long short-term memory (Hochreiter and Schmidhuber, 1997); the "
               f"state is (h, c).\n\n{_Recurrent.__doc__}")

    mode = "LSTM"
    gates = 4


class GRU(_Recurrent):
    __doc__ = f"Gated recurrent units (Cho and others, 2014).\n\n{_Recurrent.__doc__}"

    mode = "GRU"
    gates = 3


class _Cell(Module):
    """Base: one step of x [n, input_size], or of one item [input_size], from the
    state [n, hidden_size], or [hidden_size].

    Weights are weight_ih, weight_hh, bias_ih and bias_hh, as in PyTorch; the last
    two are None unless ``bias``.
    """

    gates = 1
    _forward_names = FORWARDS["Recurrent"]

    @checked(input_size=FROM_1, hidden_size=FROM_1)
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        rows, bound = self.gates * hidden_size, 1.0 / math.sqrt(hidden_size)
        draw = init.Uniform(-bound, bound)
        self.weight_ih = Parameter(draw([rows, input_size]))
        self.weight_hh = Parameter(draw([rows, hidden_size]))
        self.bias_ih = Parameter(draw([rows])) if bias else None
        self.bias_hh = Parameter(draw([rows])) if bias else None

    def zeros(self, x):
        """A state of zeros with as many rows as x."""
        if len(x.shape) not in (1, 2):
            raise ValueError(f"{type(self).__name__}: x must be of shape [n, "
                             f"{self.input_size}] or [{self.input_size}], got "
                             f"{tuple(x.shape)}")
        rows = _ops.zeros_like(_ops.sum(x, [-1], keepdim=True))
        return _ops.tile(rows, [1] * (len(x.shape) - 1) + [self.hidden_size])

    def check_state(self, x, state):
        """ValueError for a state of other items than x."""
        rows, got = x.shape[:-1], state.shape[:-1]
        if len(rows) != len(got) or any(
                isinstance(n, int) and isinstance(m, int) and n != m
                for n, m in zip(rows, got)):
            raise ValueError(f"{type(self).__name__}: state must have shape "
                             f"{(*rows, self.hidden_size)}, got {tuple(state.shape)}")

    def products(self, x, h):
        """W x + b and U h + c; of halves in float32, as all that is made of them."""
        self.check_state(x, h)
        check_dtype(self, x, self.weight_ih)
        weights = self.weight_ih, self.weight_hh
        if common_half(x, h, *weights) is not None:
            x, h, *weights = map(widened, (x, h, *weights))
        found = (_ops.matmul(x, weights[0], transpose_y=True),
                 _ops.matmul(h, weights[1], transpose_y=True))
        if self.bias_ih is None:
            return found
        return (_ops.add(found[0], self.bias_ih),
                _ops.add(found[1], self.bias_hh))

    def rounded(self, result, x, h):
        """A result made of products, in the dtype that x, h and the weights have."""
        half = common_half(x, h, self.weight_ih, self.weight_hh)
        return result if half is None else _ops.cast(result, half)

    def parts(self, x):
        """The gates of a product."""
        return _ops.split(x, [self.hidden_size] * self.gates, -1)

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(_Cell):
    __doc__ = f"A step of RNN; returns h.\n\n{_Cell.__doc__}"

    def __init__(self, input_size: int, hidden_size: int,
                 nonlinearity: str = "tanh", bias: bool = True):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError("RNNCell: nonlinearity must be 'tanh' or 'relu', "
                             f"got {nonlinearity!r}")
        super().__init__(input_size, hidden_size, bias)
        self.nonlinearity = nonlinearity

    def forward(self, x, state=None):
        h = self.zeros(x) if state is None else state
        total = _ops.add(*self.products(x, h))
        return self.rounded(_ops.tanh(total) if self.nonlinearity == "tanh" else (
            _ops.relu(total)), x, h)


class LSTMCell(_Cell):
    __doc__ = f"A step of LSTM; returns (h, c).\n\n{_Cell.__doc__}"

    gates = 4

    def forward(self, x, state=None):
        h, c = (self.zeros(x), self.zeros(x)) if state is None else state
        self.check_state(x, c)
        enter, keep, new, leave = self.parts(_ops.add(*self.products(x, h)))
        c = _ops.add(_ops.multiply(_ops.sigmoid(keep), c),
                     _ops.multiply(_ops.sigmoid(enter), _ops.tanh(new)))
        new_h = _ops.multiply(_ops.sigmoid(leave), _ops.tanh(c))
        return self.rounded(new_h, x, h), self.rounded(c, x, h)


class GRUCell(_Cell):
    __doc__ = f"A step of GRU; returns h.\n\n{_Cell.__doc__}"

    gates = 3

    def forward(self, x, state=None):
        h = self.zeros(x) if state is None else state
        of_x, of_h = map(self.parts, self.products(x, h))
        reset = _ops.sigmoid(_ops.add(of_x[0], of_h[0]))
        update = _ops.sigmoid(_ops.add(of_x[1], of_h[1]))
        new = _ops.tanh(_ops.add(of_x[2], _ops.multiply(reset, of_h[2])))
        return self.rounded(
            _ops.add(new, _ops.multiply(update, _ops.subtract(h, new))), x, h)
