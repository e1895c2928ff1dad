# SPDX-License-Identifier: Apache-2.0
"""Random programs of views, writes and control flow, as data.

A program is a list of steps on a list of tensors, which grows. ``generate`` makes
one by running it eagerly, so that every step is legal; ``Net`` runs it on tensors
or, traced, on values."""

import contextlib

import numpy as np

import switchyard as sy
from switchyard import nn, static

ROWS, COLUMNS = 4, 3
_dtypes = [np.float32]


@contextlib.contextmanager
def in_float64():
    """Draws numbers of float64 inside, the same ones."""
    _dtypes.append(np.float64)
    try:
        yield
    finally:
        _dtypes.pop()


class Net(nn.Module):
    """A program on its arguments, two parameters and a buffer that it may write;
    returns all tensors."""

    def __init__(self, seed, steps):
        super().__init__()
        rng, self.steps = np.random.default_rng(seed), steps
        self.w = nn.Parameter(sy.tensor(_draw(rng, COLUMNS)))
        self.v = nn.Parameter(sy.tensor(_draw(rng, COLUMNS)))
        self.register_buffer("s", sy.tensor(_draw(rng, 2, COLUMNS)))

    def forward(self, x, y):
        tensors = [x, y, self.s, x * self.w, y * self.v, self.w + 0.0]
        for kind, step in self.steps:
            tensors.append(_step(kind, tensors, step))
        return tuple(tensors)

    def state(self):
        """Elements of parameters and buffer."""
        return [t.numpy().copy() for t in (self.w, self.v, self.s)]


def _draw(rng, *shape):
    return rng.uniform(-1, 1, shape).astype(np.float32).astype(_dtypes[-1])


def arguments(rng):
    return _draw(rng, ROWS, COLUMNS), _draw(rng, ROWS, COLUMNS)


UNARY = {
    "tanh": sy.tanh, "sigmoid": sy.sigmoid, "square": sy.square, "abs": sy.abs,
    "negative": lambda x: -x, "relu": sy.relu, "scale": lambda x: x * 0.5,
    "clone": lambda x: x.clone(), "contiguous": lambda x: x.contiguous(),
    "detach": lambda x: x.detach(), "cumsum": lambda x: sy.cumsum(x, 0),
    "diagonal": lambda x: x.diagonal() if len(x.shape) > 1 else x,
    "same": lambda x: x, "softmax": lambda x: sy.softmax(x, -1),
}
BINARY = {
    "add": sy.add, "subtract": sy.subtract, "multiply": sy.multiply,
    "maximum": sy.maximum,
    "where": lambda x, y: sy.where(x > y, x, y * 0.5),
}
REDUCE = {
    "sum": lambda x, a: sy.sum(x, a, keepdims=True) * 0.25,
    "mean": lambda x, a: sy.mean(x, a, keepdims=True),
    "max": lambda x, a: sy.max(x, a, keepdims=True),
}
INPLACE = {
    "relu_": lambda x: x.relu_(), "tanh_": lambda x: x.tanh_(),
    "sigmoid_": lambda x: x.sigmoid_(), "square_": lambda x: x.square_(),
    "abs_": lambda x: x.abs_(), "zero_": lambda x: x.zero_(),
    "fill_": lambda x: x.fill_(0.25), "scale_": lambda x: x.mul_(0.5),
    "clip_": lambda x: x.clip_(-0.5, 0.5),
    "masked_fill_": lambda x: x.masked_fill_(x > 0.25, 0.125),
}


def _iadd(x, y):
    x += y
    return x


def _isub(x, y):
    x -= y
    return x


def _imul(x, y):
    x *= y
    return x


def _quiet_copy(x, y):
    with sy.no_grad():
        x.copy_(y)
    return x


def _quiet_add(x, y):
    with sy.no_grad():
        x += y
    return x


INPLACE_BINARY = {
    "+=": _iadd, "-=": _isub, "*=": _imul,
    "add_": lambda x, y: x.add_(y), "mul_": lambda x, y: x.mul_(y),
    "recorded copy_": lambda x, y: x.copy_(y),
}
# The gradient stays that of before.
QUIET = {
    "copy_": _quiet_copy, "quiet +=": _quiet_add,
    "detached add_": lambda x, y: x.detach().add_(y),
}
VIEWS = {
    "T": lambda x, a: x.T,
    "flatten": lambda x, a: sy.flatten(x),
    "reshape": lambda x, a: x.reshape(-1, x.shape[-1]),
    "row": lambda x, a: x[a],
    "last row": lambda x, a: x[-1],
    "column": lambda x, a: x[..., a],
    "rows": lambda x, a: x[a:a + 2],
    "steps": lambda x, a: x[::2],
    "inner steps": lambda x, a: x[..., a::2],
    "backwards": lambda x, a: sy.flip(x, 0),
    "unsqueeze": lambda x, a: sy.unsqueeze(x, a),
    "None": lambda x, a: x[None],
    "squeeze": lambda x, a: sy.squeeze(x),
    "swap": lambda x, a: sy.swapaxes(x, 0, -1),
    "piece": lambda x, a: sy.split(x, [1, -1], 0)[a],
    "last piece": lambda x, a: sy.split(x, [1, -1], -1)[a],
    "pairs": lambda x, a: x.reshape(2, -1),
    "expand": lambda x, a: sy.expand(x[:1], 2, *x.shape[1:]),
    "array": lambda x, a: x[np.array([a, 0, a])],
    "mask": lambda x, a: x[x > 0],
    "constant mask": lambda x, a: x[np.arange(ROWS) != a],
}
# Subscripts to write to.
PLACES = {
    "all": lambda x, a: Ellipsis,
    "row": lambda x, a: a,
    "rows": lambda x, a: slice(a, a + 2),
    "column": lambda x, a: (Ellipsis, a),
    "steps": lambda x, a: slice(None, None, 2),
    "inner steps": lambda x, a: (Ellipsis, slice(a, None, 2)),
    "array": lambda x, a: np.array([a, 0]),
    "mask": lambda x, a: x > 0.1,
    "constant mask": lambda x, a: np.arange(ROWS) != a,
}


def _write(x, place, a, value):
    x[PLACES[place](x, a)] = value
    return x


def _add_at(x, place, a, value):
    x[PLACES[place](x, a)] += value
    return x


def _branch(x, y, unary, inplace):
    def first():
        made = x * 0.5
        INPLACE[inplace](made)
        return made + y

    return static.cond(sy.sum(x) > 0.0, first, lambda: UNARY[unary](x) + y)


def _passed(x, y):
    return static.cond(sy.sum(x) > 0.0, lambda: x, lambda: y)


def _loop(x, y, binary, times):
    def body(i, value):
        return i + 1, BINARY[binary](value * 0.5, y)

    return static.while_loop(lambda i, value: i < times, body,
                             (sy.tensor(0), x))[1]


def _loop_in_place(x, y, inplace, times):
    y = y * 0.25

    def body(i, value):
        value += y
        INPLACE[inplace](value)
        return i + 1, value

    return static.while_loop(lambda i, value: i < times, body,
                             (sy.tensor(0), x))[1]


def _step(kind, tensors, step):
    """Runs one step; the new tensor, or None."""
    x, y = (tensors[i] for i in step["of"])
    if kind in ("unary", "inplace"):
        made = (UNARY if kind == "unary" else INPLACE)[step["name"]](x)
    elif kind in ("binary", "inplace binary", "quiet"):
        made = KINDS[kind][0][step["name"]](x, y)
    elif kind == "reduce":
        made = REDUCE[step["name"]](x, step["axis"])
    elif kind == "view":
        made = VIEWS[step["name"]](x, step["axis"])
    elif kind in ("write", "add at"):
        value = step["number"] if step["number"] is not None else y
        made = (_write if kind == "write" else _add_at)(
            x, step["name"], step["axis"], value)
    elif kind == "cond":
        made = _branch(x, y, step["name"], step["inplace"])
    elif kind == "passed":
        made = _passed(x, y)
    elif kind == "while":
        made = _loop(x, y, step["name"], step["times"])
    else:
        made = _loop_in_place(x, y, step["inplace"], step["times"])
    return made


KINDS = {
    "unary": (UNARY, 3), "binary": (BINARY, 4), "reduce": (REDUCE, 1),
    "view": (VIEWS, 5), "inplace": (INPLACE, 2),
    "inplace binary": (INPLACE_BINARY, 4), "quiet": (QUIET, 1), "write": (PLACES, 2),
    "add at": (PLACES, 2), "cond": (UNARY, 1), "passed": (UNARY, 0.3),
    "while": (BINARY, 1), "while in place": (INPLACE, 1),
}


def _choose(rng, count, with_gradients):
    names = list(KINDS)
    weights = np.array([KINDS[name][1] for name in names], float)
    kind = names[rng.choice(len(names), p=weights / weights.sum())]
    table = sorted(KINDS[kind][0])
    return kind, {
        "name": table[rng.integers(len(table))],
        # The latest are the most interesting.
        "of": [int(count - 1 - min(rng.geometric(0.3) - 1, count - 1))
               for _ in range(2)],
        "axis": int(rng.integers(2)),
        "number": 0.375 if rng.random() < 0.5 else None,
        "inplace": sorted(INPLACE)[rng.integers(len(INPLACE))],
        "times": int(rng.integers(1 if with_gradients else 0, 4)),
    }


def generate(seed, with_gradients):
    """(steps, arguments): a program of 5 to 30 steps that runs eagerly."""
    rng = np.random.default_rng(seed)
    arrays, count, steps = arguments(rng), int(rng.integers(5, 31)), []
    for _ in range(4 * count):
        if len(steps) == count:
            break
        step = _choose(rng, 6 + len(steps), with_gradients)
        if _is_legal([*steps, step], arrays, seed, with_gradients):
            steps.append(step)
    return steps, arrays


def _is_legal(steps, arrays, seed, with_gradients):
    """Whether eager code runs it, to numbers that stay small."""
    mode = contextlib.nullcontext() if with_gradients else sy.no_grad()
    try:
        with mode:
            net = Net(seed, steps)
            tensors = net(*map(sy.tensor, arrays))
            if with_gradients:  # A second time, with what was written.
                loss_of(tensors).backward()
                loss_of(net(*map(sy.tensor, arrays))).backward()
    except (ValueError, TypeError, IndexError, RuntimeError,
            NotImplementedError):
        return False
    last = tensors[-1]
    kind, step = steps[-1]
    shapes = {tensors[i].shape for i in step["of"]}
    if kind in ("cond", "passed", "while", "while in place") and len(shapes) > 1:
        return False  # Both ways must agree, also the one that is not gone.
    return last.dtype == "float32" and last.size < 200 and all(
        bool((abs(t.numpy()) < 100).all()) for t in tensors)


def loss_of(tensors):
    """A number that depends on all of them."""
    total = 0.0
    for i, tensor in enumerate(tensors):
        total = total + sy.sum(tensor * (0.5 + 0.125 * (i % 5)))
    return total
