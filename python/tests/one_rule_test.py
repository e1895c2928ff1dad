# SPDX-License-Identifier: Apache-2.0
"""A name that is public in two places stands for one function: the values and
gradients of ``sy.x``, ``sy.linalg.x`` and ``F.x`` are those of ``sy.ops.x``."""

import inspect
import unittest

import numpy as np

import switchyard as sy

SPACES = (sy, sy.linalg, sy.nn.functional)

# Other results by default: PaddlePaddle's axis, attributes or form.
OTHERWISE = {
    "argmax": "of all elements", "argmin": "of all elements",
    "argsort": "the indices alone", "cumsum": "of all elements",
    "flatten": "from the first axis", "hardsigmoid": "slope 1 / 6",
    "hardtanh": "limits -1 and 1", "leaky_relu": "slope 0.01",
    "logit": "no eps", "median": "the values alone", "nonzero": "a list an axis",
    "round": "halves to the even number", "unique": "the values alone",
    "unstack": "the count is the extent", "slogdet": "a pair",
    "lu": "as PyTorch's", "nanmedian": "PyTorch's", "unique_consecutive":
        "the values alone", "instance_norm": "the result alone", "smooth_l1_loss": "the mean",
    "dropout": "random", "bernoulli": "random", "multinomial": "random",
    "gumbel_softmax": "random", "rand_like": "random", "randn_like": "random",
    "rrelu": "random",
}

SAMPLES = (
    [np.array([[-2.5, -1, 0, 0.5], [1.5, 2.5, 2.5, np.inf]], np.float32)],
    [np.array([[0.2, 0.3], [0.3, 0.9]], np.float32)],
    [np.array([1, 1, 0], np.float32)], [np.array([7, -7, 0])],
    [np.array([[-2.5, -1, 0], [1.5, 7, 7]], np.float32),
     np.array([[3, 1, 2], [1, -2, 0.5]], np.float32)],
    [np.array([7, -7, 1]), np.array([2, 2, 2])],
)


def results(function, arrays):
    """The arrays of a call and of the first one's gradient; None of an error."""
    tensors = [sy.tensor(x) for x in arrays]
    tensors[0].requires_grad = arrays[0].dtype == np.float32
    try:
        found = function(*tensors)
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        values = [x.numpy() for x in found]
        if isinstance(found[0], sy.Tensor) and found[0].requires_grad:
            values.append(sy.grad(found[0].sum(), [tensors[0]])[0].numpy())
        return values
    except (AttributeError, IndexError, KeyError, NotImplementedError,
            RuntimeError, TypeError, ValueError):
        return None


class OneRuleTest(unittest.TestCase):

    def test_names_in_two_places(self):
        compared, other = set(), set()
        for space in SPACES:
            for name in dir(space):
                function, operator = getattr(space, name), getattr(
                    sy.ops, name, None)
                if name.startswith("_") or operator is None or (
                        function is operator or not callable(function)
                        or inspect.isclass(function)):
                    continue
                for arrays in SAMPLES:
                    mine, its = (results(f, arrays) for f in (function, operator))
                    if mine is None or its is None:
                        continue
                    compared.add(name)
                    if len(mine) != len(its) or not all(
                            np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
                            for a, b in zip(mine, its)):
                        other.add(name)
        self.assertLessEqual(other, set(OTHERWISE))
        self.assertGreater(len(compared), 50)


if __name__ == "__main__":
    unittest.main()
