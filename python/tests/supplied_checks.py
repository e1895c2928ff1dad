# SPDX-License-Identifier: Apache-2.0
"""Checks of attributes that tensors supply: an eager call, which reads them at
once, and a program, which reads them while it runs, have the same bits,
gradients included."""
import numpy as np

import switchyard as sy


def floats(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def gradients(function, arrays, numbers):
    """The result and the gradients of eager calls, as lists of bytes."""
    inputs = [sy.tensor(a, requires_grad=a.dtype == np.float32)
              for a in arrays]
    out = function(*inputs, *map(sy.tensor, numbers))
    outs = out if isinstance(out, list) else [out]
    for number, one in enumerate(outs):
        if one.requires_grad:
            weights = sy.tensor(floats(*one.shape, seed=number + 1))
            (one * weights).sum().backward(retain_graph=True)
    return ([one.numpy().tobytes() for one in outs],
            [one.shape for one in outs],
            [None if x.grad is None else x.grad.numpy() for x in inputs])


class SuppliedChecks:
    """Mixed into a TestCase: an eager call and a program have the same bits."""

    def check(self, function, arrays, sets, gradient=True, unknown=False):
        """`function` takes the arrays, then numbers of each of `sets`; no
        extent of the arrays is known to the program where `unknown`."""
        names = [f"x{i}" for i in range(len(arrays))]
        counts = [f"n{i}" for i in range(len(sets[0]))]
        graph = sy._core.GraphBuilder("supplied")
        values = [graph.feed(name, [None if unknown else n for n in a.shape],
                             a.dtype)
                  for name, a in zip(names, arrays)]
        supplied = [graph.feed(name, list(np.shape(n)), np.asarray(n).dtype)
                    for name, n in zip(counts, sets[0])]
        out = function(*values, *supplied)
        outs = out if isinstance(out, list) else [out]
        loss = None
        for number, one in enumerate(outs):
            graph.fetch(f"out{number}", one)
            if not gradient:
                continue
            weights = graph.feed(f"w{number}", [None] * len(one.shape),
                                 "float32")
            part = (one * weights).sum()
            loss = part if loss is None else loss + part
        if gradient:
            for name, grad in zip(names, graph.gradients(loss, values)):
                if grad is not None:  # Of an index.
                    graph.fetch(f"{name}_grad", grad)
        program = graph.finish()
        for numbers in sets:
            want, shapes, grads = gradients(function, arrays, numbers)
            feeds = dict(zip(names, arrays)) | dict(zip(counts, numbers))
            if gradient:
                feeds |= {f"w{i}": floats(*shape, seed=i + 1)
                          for i, shape in enumerate(shapes)}
            state = sy._core.State()
            got = program.run(feeds, state)
            with self.subTest(numbers=numbers):
                for i, data in enumerate(want):
                    self.assertEqual(got[f"out{i}"].tobytes(), data)
                if not gradient:
                    continue
                for name, grad in zip(names, grads):
                    if grad is None:
                        self.assertNotIn(f"{name}_grad", got)
                        continue
                    np.testing.assert_allclose(got[f"{name}_grad"], grad,
                                               rtol=1e-6, atol=1e-6)

    def check_reduction(self, function, gradient=True, data=None):
        """`function` takes an array, axes and whether they are kept."""
        x = floats(2, 3, 4) if data is None else data
        for unknown in (False, True):
            for keepdim in (False, True):
                for sets in ([(np.int64(a),) for a in (0, 1, -1)],
                             [(np.array(a),)
                              for a in ([0, 2], [-1, 0], [1, 2])],
                             [(np.array([2, 0, 1]),)]):
                    with self.subTest(unknown=unknown, keepdim=keepdim):
                        self.check(lambda x, n: function(x, n, keepdim), [x],
                                   sets, gradient=gradient, unknown=unknown)
                self.check(lambda x, n: function(x, [1, n], keepdim), [x],
                           [(np.int32(a),) for a in (0, -1)],
                           gradient=gradient, unknown=unknown)
