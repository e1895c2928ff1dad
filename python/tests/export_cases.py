# SPDX-License-Identifier: Apache-2.0
"""Functions and networks that go out as ONNX, with inputs.

``CASES``: {name: (make, examples)}; ``make()`` is a Module or a function, and
``examples()`` its inputs, whose first axis is open unless ``FIXED`` has the name.
"""
import numpy as np

import switchyard as sy
from switchyard import nn
from switchyard.nn import functional as F

CASES = {}
FIXED = {"pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "adaptive_uneven", "einsum",
         "diag"}


def floats(*shape, low=-2.0, high=2.0, seed=7):
    values = np.random.default_rng(seed).uniform(low, high, shape)
    return values.astype(np.float32)


def whole(*shape, low=0, high=8, dtype=np.int64):
    return np.random.default_rng(3).integers(low, high, shape).astype(dtype)


def case(name, function, *examples):
    CASES[name] = (lambda: function, lambda: list(examples))


def network(name, make, *examples):
    CASES[name] = (make, lambda: list(examples))


X = floats(3, 4)
Y = floats(3, 4, seed=8)
POSITIVE = floats(3, 4, low=0.1)
IMAGE = floats(2, 4, 8, 8)
ROWS = floats(2, 5, 12)

# Element by element.
for _name in ("relu", "sigmoid", "tanh", "exp", "abs", "neg", "sign", "floor", "ceil", "trunc",
              "sin", "cos", "tan", "sinh", "cosh", "atan", "erf", "square", "round", "isnan",
              "isfinite"):
    case(_name, getattr(sy, _name), X)
for _name in ("sqrt", "log", "rsqrt", "log2", "log10", "log1p", "expm1", "reciprocal"):
    case(_name, getattr(sy, _name), POSITIVE)
for _name in ("gelu", "silu", "softplus", "elu", "celu", "selu", "mish", "relu6", "hardswish",
              "hardsigmoid", "softsign", "hardtanh", "leaky_relu", "softshrink", "hardshrink",
              "tanhshrink", "logsigmoid"):
    if hasattr(F, _name):
        case(_name, getattr(F, _name), X)
case("gelu_tanh", lambda x: F.gelu(x, approximate=True), X)
for _name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "equal", "not_equal",
              "less_than", "greater_equal", "floor_divide", "remainder", "fmod"):
    case(_name, getattr(sy, _name), X, Y)
case("logical", lambda x, y: sy.logical_not(sy.logical_or(x > 0, y > 0)), X, Y)
case("integers", lambda x, y: sy.floor_divide(x, y) + sy.remainder(x, y),
     whole(3, 4, low=-9, high=9), whole(3, 4, low=1, high=5))
case("where", lambda x, y: sy.where(x > y, x, y * 2.0 + 1.0), X, Y)
case("clip", lambda x: sy.clip(x, -0.5, 0.75), X)
case("power", lambda x: x ** 3 + x ** 0.5, POSITIVE)
case("cast", lambda x: (x * 3).astype("int32"), X)

# Reductions, orders.
for _name in ("sum", "mean", "max", "min", "prod"):
    case(_name, lambda x, f=getattr(sy, _name): f(x, 1), X)
case("mean_all", lambda x: (sy.mean(x), sy.sum(x, [0, 1], keepdim=True)), X)
case("argmax", lambda x: (sy.argmax(x, 1), sy.argmin(x, -1)), X)
case("cumsum", lambda x: sy.cumsum(x, 1), X)
case("topk", lambda x: sy.topk(x, 2, 1), X)
case("sort", lambda x: sy.sort(x, 1), X)
case("any", lambda x: (sy.any(x > 1, 1), sy.all(x > -1.9)), X)
case("logsumexp", lambda x: sy.logsumexp(x, 1), X)
case("variance", lambda x: x.var(1), X)
case("norm", lambda x: sy.norm(x), X)

# Shapes and arrangement.
case("reshape", lambda x: sy.reshape(x, [x.shape[0], 2, -1]), X)
case("transpose", lambda x: sy.transpose(x, [1, 0]), X)
case("flatten", lambda x: sy.flatten(x, 1), IMAGE)
case("squeeze", lambda x: sy.squeeze(sy.unsqueeze(x, 1), 1), X)
case("expand", lambda x: sy.unsqueeze(x, 1).expand(-1, 3, -1), X)
case("concat", lambda x, y: sy.concat([x, y], 1), X, Y)
case("stack", lambda x, y: sy.stack([x, y], 1), X, Y)
case("split", lambda x: sy.split(x, 2, 1), X)
case("slice", lambda x: (x[:, 1:3], x[..., ::2], x[:, -1], x[0]), X)
case("flip", lambda x: sy.flip(x, [1]), X)
case("roll", lambda x: sy.roll(x, [1, -5], [1, 0]), X)
case("roll of all", lambda x: sy.roll(x, 5), X)
case("diagonal", lambda x: sy.diagonal(x, 1, 2, 1), IMAGE[0])
case("unique", lambda x: sy.unique_all(sy.round(x))[::2][0], X)
case("unique counts", lambda x: sy.unique_counts(sy.round(x)), X)
case("unique inverse", lambda x: sy.unique_inverse(sy.round(x)), X)


def written(x, y):
    """x + y with numbers, a row and a column in parts of it."""
    z = x + y
    z[:, 1:3] = 7.0
    z[0] = y[1]
    z[::2, -1:] = y[:1, None, 0]
    z[1:, ::2] *= 2.0
    return z


case("written parts", written, X, Y)
case("tile", lambda x: sy.tile(x, [1, 2]), X)
case("tril", lambda x: sy.tril(x), X)
case("pad", lambda x: F.pad(x, (1, 2)), X)
case("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), IMAGE)
case("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), IMAGE)
case("channel_shuffle", lambda x: F.channel_shuffle(x, 2), IMAGE)

# Elements by numbers.
case("gather", lambda x, i: sy.index_select(x, 1, i), X, np.array([2, 0, 2]))
case("take_along_axis", lambda x, i: sy.gather(x, 1, i), X, whole(3, 2, high=4))
case("masked_select", lambda x: sy.masked_select(x, x > 0), X)
case("nonzero", lambda x: sy.nonzero(x > 0), X)
case("one_hot", lambda x: F.one_hot(x, 8), whole(3, 4))
case("masked_fill", lambda x: x.masked_fill(x > 0, -1.0), X)
case("full_like", lambda x: sy.full_like(x, 2.5) + sy.zeros_like(x), X)
case("arange", lambda x: x + sy.arange(x.shape[1]), X)

# Products and normalisations.
case("matmul", lambda x, y: sy.matmul(x, sy.transpose(y, [1, 0])), X, Y)
case("linear", lambda x, y, b: F.linear(F.linear(x, sy.transpose(y, [1, 0]), b), y), X, Y,
     floats(3))
case("bmm", sy.bmm, floats(2, 3, 4), floats(2, 4, 5))
case("einsum", lambda x, y: sy.einsum("bij,bkj->bik", x, y), floats(2, 3, 4), floats(2, 5, 4))
case("softmax", lambda x: (sy.softmax(x, 1), F.log_softmax(x, 1)), X)
case("interpolate", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), IMAGE)
case("interpolate_nearest", lambda x: F.interpolate(x, size=(5, 6), mode="nearest"), IMAGE)
case("adaptive", lambda x: F.adaptive_avg_pool2d(x, 4), IMAGE)
case("adaptive_uneven", lambda x: (F.adaptive_avg_pool2d(x, 3), F.adaptive_max_pool2d(x, (3, 5))), IMAGE)
case("attention_mask", lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, mask),
     floats(2, 2, 5, 4), floats(2, 2, 5, 4, seed=8), floats(2, 2, 5, 4, seed=9),
     floats(2, 1, 5, 5) > 0)
case("attention", lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
     floats(2, 2, 5, 4), floats(2, 2, 5, 4, seed=8), floats(2, 2, 5, 4, seed=9))


def _put(x, rows, columns):
    x = x + 0.0
    x[rows, columns] = 5.0
    return x


PLACES = (whole(3, low=-3, high=3), whole(3, low=-4, high=4))
case("subscripts", lambda x, rows, columns: (x[rows], x[rows, columns], x[:, columns], x[0, rows],
                                             x[[0, -1], [1, -2]], x[x > 0]), X, *PLACES)
case("put", _put, X, *PLACES)
case("diag", lambda x: (sy.diag(x[0], 1), sy.diag(x[:3, :3], -1)), X)
case("resampled_by_half", lambda x: F.interpolate(x, scale_factor=(1.5, 0.75)), IMAGE)


def _branch(x):
    return sy.static.cond(sy.mean(x) > 0, lambda: x * 2.0, lambda: x - 1.0)


def _loop(x):
    """Halves until the largest is below a tenth."""
    return sy.static.while_loop(lambda n, y: sy.max(sy.abs(y)) > 0.1,
                                lambda n, y: [n + 1, y * 0.5],
                                [sy.zeros([], dtype="int64"), x])


case("branch", _branch, X)
case("loop", _loop, X)



def _arrays(x, y):
    """An array of known length, an element in the place of another, and one taken out."""
    array = sy.array_write(x + y, 0, sy.create_array("float32", [x, y]))
    array, last = sy.array_pop(sy.array_write(y * 2.0, 2, array), 0)
    return (sy.array_read(array, 1), last, sy.array_length(array), *sy.array_to_tensor(array, 0),
            *sy.array_to_tensor(array, 1, use_stack=True))


def _array_loop(x):
    """Elements that a loop collects, and one that a second loop replaces."""
    array = sy.create_array("float32", element_shape=[-1, 4])

    def collect(i, array):
        return i + 1, sy.array_write(x * sy.ops.cast(i, "float32"), i, array)

    def replace(i, array):
        row = sy.array_read(array, i)
        return i + 2, sy.array_write(sy.concat([row, row]), i, array)
    for body in (collect, replace):
        _, array = sy.static.while_loop(lambda i, array: i < 5, body, (sy.tensor([0]), array))
    return sy.array_to_tensor(array, 0)


case("arrays", _arrays, X, Y)
case("array_loop", _array_loop, X)

# Networks.
network("mlp", lambda: nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)), X)
network("convolutions", lambda: nn.Sequential(
    nn.Conv2D(4, 8, 3, padding=1, stride=2), nn.BatchNorm2D(8), nn.ReLU(), nn.MaxPool2D(2),
    nn.Flatten(), nn.Linear(32, 5)), IMAGE)
network("transposed", lambda: nn.Sequential(
    nn.Conv2DTranspose(4, 6, 3, stride=2, padding=1), nn.Sigmoid(), nn.AvgPool2D(3)), IMAGE)
network("groups", lambda: nn.Sequential(nn.Conv2D(4, 4, 3, groups=4), nn.GroupNorm(2, 4)), IMAGE)
network("layer_norm", lambda: nn.Sequential(nn.LayerNorm(12), nn.Dropout(0.3)), ROWS)
network("lstm", lambda: nn.LSTM(12, 6), ROWS)
network("gru", lambda: nn.GRU(12, 6, bidirectional=True), ROWS)
network("embedding", lambda: nn.Sequential(nn.Embedding(9, 5), nn.Linear(5, 2)), whole(3, 4))
network("encoder", lambda: nn.TransformerEncoderLayer(12, 3, 20), ROWS)
