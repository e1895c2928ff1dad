# SPDX-License-Identifier: Apache-2.0
"""Loads short_softmax and shows who computes what: demo.py PLUGIN."""
import sys

import numpy as np

import switchyard as sy
from switchyard import static


def chosen(*lines):
    """The lines of record_selections() that tell of softmax."""
    return "; ".join(line for line in lines if line.startswith("softmax"))


def eager(*arguments):
    with sy.record_selections() as log:
        sy.softmax(*arguments)
    return chosen(*log)


def main():
    x = np.random.default_rng(7).normal(size=(64, 10)).astype("float32")
    ours = sy.softmax(sy.tensor(x)).numpy()
    earlier = static.trace(sy.softmax, x)

    print(sy.plugins.load(sys.argv[1]))
    later = static.trace(sy.softmax, x)
    print("eager, 10 columns:", eager(sy.tensor(x)))
    print("eager, 100 columns:", eager(sy.zeros([2, 100])))
    print("eager, axis 1:", eager(sy.tensor(x), 1))
    print("eager, axis 1 of 3:", eager(sy.zeros([2, 4, 8]), 1))
    print("eager, axis 0:", eager(sy.tensor(x), 0))
    with sy.policy(backends=["cpu"]):
        print("eager, without it:", eager(sy.tensor(x)))
    print("compiled before:", chosen(*earlier.selections({"x0": x})))
    print("compiled after:", chosen(*later.selections({"x0": x})))
    print(sy.explain("softmax", x=sy.zeros([2, 100])))
    for theirs in (sy.softmax(sy.tensor(x)), later(x)):
        np.testing.assert_allclose(theirs.numpy(), ours, rtol=1e-6)
    print("all agree")


main()
