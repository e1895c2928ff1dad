# SPDX-License-Identifier: Apache-2.0
"""float16 and bfloat16 of every public function, operator and layer beside float64,
rounded: within 2 units of the last place, and 2^-24 of the sum of absolute terms a
term. SY_LONG=1 tries ten times as many elements."""

import copy
import inspect
import itertools
import os
import unittest

import argument_names
import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
RNG = np.random.default_rng(3)
ROUNDS = 10 if os.environ.get("SY_LONG") else 1
KINDS = (1e-4, 1.0, 300.0, 6e4)
SIDE = 4
DIGITS = {"float16": (11, -24, 65520.0), "bfloat16": (8, -133, 3.3961775e38)}


def indices(*values):
    return sy.tensor(np.array(values))


# Functions that take more than one to three matrices.
FORMS = {
    "adaptive_avg_pool1d": lambda x: F.adaptive_avg_pool1d(x[None], 2),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x[None, None], 2),
    "adaptive_avg_pool3d": lambda x: F.adaptive_avg_pool3d(
        x[None, None, None], [1, 2, 2]),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x[None, None], 2),
    "avg_pool1d": lambda x: F.avg_pool1d(x[None], 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x[None, None], 2),
    "avg_pool3d": lambda x: F.avg_pool3d(x[None, None, None], [1, 2, 2]),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "bmm": lambda x, y: sy.bmm(x[None], y[None]),
    "conv1d": lambda x, y: F.conv1d(x[None], y[:, :, None]),
    "conv2d": lambda x, y: F.conv2d(x[None, None], y[None, None, :2, :2]),
    "conv3d": lambda x, y: F.conv3d(x[None, None, None],
                                    y[None, None, None, :2, :2]),
    "conv_transpose1d": lambda x, y: F.conv_transpose1d(x[None], y[:, :, None]),
    "conv_transpose2d": lambda x, y: F.conv_transpose2d(
        x[None, None], y[None, None, :2, :2]),
    "cross": lambda x, y: sy.cross(x[:, :3], y[:, :3]),
    "cosine_embedding_loss": lambda x, y: F.cosine_embedding_loss(
        x, y, indices(1, -1, 1, -1)),
    "cumulative_prod": lambda x: sy.cumulative_prod(x[:, :2], 1),
    "cumulative_sum": lambda x: sy.cumulative_sum(x, 1),
    "einsum": lambda x, y: sy.einsum("ij,jk->ik", x, y),
    "embedding": lambda x: F.embedding(indices(0, 2), x),
    "gather": lambda x: sy.gather(x, 1, indices([0], [2], [1], [0])),
    "group_norm": lambda x: F.group_norm(x, 2),
    "huber_loss": lambda x, y: F.huber_loss(x, y, delta=100.0),
    "index_add": lambda x, y: sy.index_add(x, 0, indices(0, 0, 1, 1), y),
    "instance_norm": lambda x: F.instance_norm(x[None]),
    "interpolate": lambda x: F.interpolate(x[None, None], size=(3, 3),
                                           mode="bilinear"),
    "layer_norm": lambda x: F.layer_norm(x, SIDE),
    "max_pool2d": lambda x: F.max_pool2d(x[None, None], 2),
    "mv": lambda x, y: sy.mv(x, y[0]),
    "nll_loss": lambda x: F.nll_loss(x, indices(0, 1, 2, 3)),
    "ormqr": lambda x, y, z: sy.ormqr(x, y[0], z),
    "outer": lambda x, y: sy.outer(x[0], y[0]),
    "prelu": lambda x: F.prelu(x, sy.tensor([0.25], x.dtype)),
    "rms_norm": lambda x: F.rms_norm(x, SIDE),
    "scatter_add": lambda x, y: sy.scatter_add(
        x, 0, sy.zeros([SIDE, SIDE], "int64"), y),
    "take_along_axis": lambda x: sy.take_along_axis(
        x, indices([0], [2], [1], [0]), axis=1),
    "where": lambda x, y: sy.where(sy.greater(x, y), x, y),
    "cross_entropy": lambda x: F.cross_entropy(x, indices(0, 1, 2, 3)),
    "glu": lambda x: F.glu(x),
}

# Where functions of numbers are.
MODULES = ("switchyard.functions", "switchyard.nn", "switchyard.linalg",
           "switchyard.special", "switchyard.fft", "switchyard.ops")
RANDOM = {"bernoulli", "cauchy", "exponential", "log_normal", "uniform",
          "dropout", "dropout1d", "dropout2d", "dropout3d", "dropout_nd", "gumbel_softmax",
          "multinomial", "rand_like", "randn_like", "randint_like", "empty_like", "rrelu",
          "shuffle_batch"}
OF_INTEGERS = {"bitwise_left_shift", "bitwise_right_shift"}

# The reason why a function is further off.
EXCEPTIONS = {
    "matrix_exp": "exponentials of 6e4 leave the range of float64",
    "scaled_dot_product_attention":
        "scores of 1e9 are exact to 100, and exponentials follow",
    "dot_attention": "the same",
    "fake_quantize_abs_max": "1 / scale is rounded to the dtype, as PaddlePaddle has it",
    "fake_channel_wise_quantize_abs_max": "the same",
    "expm1_grad": "from the result, as saved programs have it",
    "fusion_squared_mat_sub": "squares of sums less sums of squares, which cancel",
    "moving_average_abs_max_scale": "a state of running sums, which has the dtype",
}

# The reason why a layer is further off.
_ROUNDED = "the results of its parts are rounded to the dtype"
LAYERS = {
    "AdaptiveLogSoftmaxWithLoss": _ROUNDED,
    "MultiHeadAttention": _ROUNDED, "MultiheadAttention": _ROUNDED,
    "Transformer": _ROUNDED, "TransformerDecoder": _ROUNDED,
    "TransformerDecoderLayer": _ROUNDED, "TransformerEncoder": _ROUNDED,
    "TransformerEncoderLayer": _ROUNDED,
}

# Those that only the many elements of SY_LONG find.
if ROUNDS > 1:
    LAYERS.update(dict.fromkeys(
        ("GRU", "GRUCell"), "sums of 1e9 are exact to 100, and exponentials follow"))


def terms_of_log_softmax(x):
    """Those of x - max - log(sum(exp(x - max)))."""
    size = np.abs(x)
    return size + size.max(-1, keepdims=True) + np.log(x.shape[-1])


def terms_of_batch_norm(x):
    """Those of (x - mean) / sqrt(variance + epsilon)."""
    return (np.abs(x) + np.abs(x).mean(0)) / np.sqrt(x.var(0) + 1e-5)


# Where the absolute terms of the sum are not the result of absolute numbers.
TERMS = {"log_softmax": terms_of_log_softmax, "LogSoftmax": terms_of_log_softmax,
         "batch_norm": terms_of_batch_norm}

# Results below the least normal number may be 0.
FLUSHED = {"softmax": "half the instructions of an exponential that goes on below it",
           "Softmax2D": "the same"}
LEAST_NORMAL = {"float16": 2.0**-14, "bfloat16": 2.0**-126}


def samples(count):
    """Lists of ``count`` matrices of every kind of elements."""
    shape = (SIDE, SIDE)
    for size in KINDS:
        yield [np.full(shape, size)] * count
    for _ in range(ROUNDS):
        for size in KINDS:
            yield [size * RNG.choice([-1, 1], shape) * RNG.uniform(0.5, 1, shape)
                   for _ in range(count)]
        for sign in (1, RNG.choice([-1, 1], shape)):
            yield [RNG.choice(KINDS, shape) * sign for _ in range(count)]


def tensors(result):
    """The floating tensors of a result."""
    if isinstance(result, (tuple, list)):
        return [x for part in result for x in tensors(part)]
    return [result] if isinstance(result, sy.Tensor) and result.kind == "dense" and (
        "float" in str(result.dtype)) else []


def units(value, dtype):
    """The unit of the last place of each value."""
    digits, least, _ = DIGITS[dtype]
    with np.errstate(divide="ignore"):
        power = np.floor(np.log2(np.abs(value)))
    return np.exp2(np.maximum(power - digits + 1, least))


def wide(x):
    return sy.ops.cast(x, "float64").numpy()


def distance(got, want, terms, dtype):
    """The units by which ``got`` is off, beyond what its terms allow."""
    want = np.where(np.abs(want) >= DIGITS[dtype][2],
                    np.copysign(np.inf, want), want)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(all="ignore"):
        off = np.abs(got - want) - np.nan_to_num(terms, posinf=0.0)
        off = np.where(same, 0.0, np.maximum(off, 0.0) / units(want, dtype))
    return np.nan_to_num(off, nan=np.inf).max(initial=0.0)


def flushed(values, dtype):
    """The values, with 0 for those below the least normal number."""
    return np.where(np.abs(values) < LEAST_NORMAL[dtype], 0.0, values)


REFUSALS = (TypeError, ValueError, IndexError, NotImplementedError, AttributeError,
            KeyError, RuntimeError)


def worst(function, count, dtype, name=""):
    """The most units that results are off; None where it takes no halves."""
    most = None
    for arrays in samples(count):
        halves = [sy.ops.cast(sy.tensor(x), dtype) for x in arrays]
        exact = [sy.ops.cast(x, "float64") for x in halves]
        try:
            got, want = (tensors(function(*x)) for x in (halves, exact))
            sums = [sy.tensor(TERMS[name](wide(exact[0])))] if name in TERMS else (
                tensors(function(*map(sy.abs, exact))))
        except REFUSALS:
            return None
        most = farther(most, got, want, sums, dtype, name)
    return most


def farther(most, got, want, sums, dtype, name):
    """The most units that halves are off, those so far among them."""
    for g, w, s in zip(got, want, sums):
        if str(g.dtype) == dtype and g.shape == w.shape == s.shape:
            terms = np.abs(wide(s)) * SIDE * SIDE * 2.0**-24
            g, w = wide(g), wide(w)
            if name in FLUSHED:
                g, w = flushed(g, dtype), flushed(w, dtype)
            most = max(most or 0.0, distance(g, w, terms, dtype))
    return most


def functions():
    """{name: (function, how many tensors it takes)} of what takes halves."""
    found = {}
    seen = set()
    for space in (sy, sy.linalg, F, sy.special, sy.fft, sy.ops):
        for name in space.__all__ if hasattr(space, "__all__") else dir(space):
            function = getattr(space, name, None)
            operator = function is not None and (
                function is getattr(sy.ops, name, None))
            if not (operator or inspect.isfunction(function) and
                    function.__module__.startswith(MODULES)) or (
                        name in RANDOM | OF_INTEGERS or name.endswith("_")):
                continue
            if space in (sy.special, sy.fft, sy.ops):
                if function in seen:
                    continue
                form, counts = function, [1, 2, 3]
            else:
                form = FORMS.get(name, function)
                counts = ([form.__code__.co_argcount] if name in FORMS
                          else [1, 2, 3])
            seen.add(function)
            found[f"{space.__name__}.{name}"] = name, form, counts
    return found


def layers():
    """(name, layer, arguments) of the layers of nn that have a row."""
    for name in dir(nn):
        kind = getattr(nn, name)
        if not inspect.isclass(kind) or not issubclass(kind, nn.Module):
            continue
        row = argument_names.row_of(f"nn.{name}", kind)
        if row is None:
            continue
        try:
            made = argument_names.layer_call(name, row)
        except REFUSALS:  # Containers, bases, and of other ranks.
            continue
        if made is not None:
            yield name, *made


def of_size(size, arguments, seed):
    """The arguments with floats of about this size in place of theirs."""
    rng = np.random.default_rng(2 + seed)
    return [sy.tensor(size * rng.choice([-1, 1], x.shape) * rng.uniform(0.5, 1, x.shape))
            if isinstance(x, sy.Tensor) and "float" in str(x.dtype) else x
            for x in arguments]


def cast(arguments, dtype):
    return [sy.ops.cast(x, dtype)
            if isinstance(x, sy.Tensor) and "float" in str(x.dtype) else x
            for x in arguments]


def magnitudes(x):
    return sy.abs(x) if isinstance(x, sy.Tensor) and "float" in str(x.dtype) else x


def worst_of_layer(layer, arguments, options, dtype, name):
    """Does what ``worst`` does, with a layer's parameters of the dtype, too."""
    half = copy.deepcopy(layer).to(dtype)
    exact = copy.deepcopy(half).to("float64")
    positive = copy.deepcopy(exact)
    with sy.no_grad():
        for parameter in positive.parameters():
            parameter.copy_(sy.abs(parameter))
    most = None
    for size, seed in itertools.product(KINDS, range(ROUNDS)):
        halves = cast(of_size(size, arguments, seed), dtype)
        given = cast(halves, "float64")
        try:
            results = [tensors(module(*args, **options)) for module, args in (
                (half, halves), (exact, given), (positive, map(magnitudes, given)))]
        except REFUSALS:
            return None
        if name in TERMS:
            results[2] = [sy.tensor(TERMS[name](wide(given[0])))]
        most = farther(most, *results, dtype, name)
    return most


class HalfPrecisionTest(unittest.TestCase):

    def test_every_function(self):
        compared = set()
        for full, (name, form, counts) in functions().items():
            for dtype in DIGITS:
                off = [worst(form, count, dtype, name) for count in counts]
                off = [each for each in off if each is not None]
                if not off:
                    continue
                compared.update((name, full))
                if not {name, full} & set(EXCEPTIONS):
                    with self.subTest(name=full, dtype=dtype):
                        self.assertLessEqual(max(off), 2.0)
        self.assertLessEqual(set(FORMS) | set(EXCEPTIONS), compared)
        self.assertGreater(len(compared), 680)

    def test_every_layer(self):
        compared, exceptions = set(), set()
        for name, layer, arguments, options in layers():
            for dtype in DIGITS:
                off = worst_of_layer(layer, arguments, options, dtype, name)
                if off is None:
                    continue
                compared.add(name)
                if name in LAYERS:
                    exceptions.update([name] if off > 2.0 else [])
                else:
                    with self.subTest(name=name, dtype=dtype):
                        self.assertLessEqual(off, 2.0)
        self.assertEqual(exceptions, set(LAYERS))
        self.assertGreater(len(compared), 140)


if __name__ == "__main__":
    unittest.main()
