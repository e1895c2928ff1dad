# SPDX-License-Identifier: Apache-2.0
"""Reductions of views: the bits of a contiguous copy, and hardly any memory."""

import operator
import os
import resource
import subprocess
import sys
import unittest

import numpy as np

import switchyard as sy
from switchyard.functions import medians, reductions, statistics

# Functions that make few numbers of many, and with what beside the view.
FEW_OF_MANY = {name: () for module in (medians, reductions, statistics)
               for name in module.__all__}
FEW_OF_MANY |= {"allclose": ("view",), "dist": ("view",), "vecdot": ("view",),
                "linalg.matrix_norm": (1,), "unique_values": (), "unique_counts": (),
                "quantile": (0.3,), "nanquantile": (0.3,), "histogram": (9,)}
FEW_OF_MANY |= {f"nn.functional.{name}": ("view",) for name in (
    "binary_cross_entropy_with_logits", "hinge_embedding_loss", "huber_loss", "kl_div",
    "l1_loss", "mse_loss", "multilabel_soft_margin_loss", "poisson_nll_loss",
    "smooth_l1_loss", "soft_margin_loss")}
# Those that need memory for what the view spans: the reason.
COPIES = {
    "histogramdd": "NumPy counts",
    "cov": "a result as large as a square view",
    "corrcoef": "a result as large as a square view",
    "dist": "all elements in a row, which are copied for it",
}
HERE, SELF = os.path.split(os.path.splitext(os.path.abspath(__file__))[0])
REDUCTIONS = ("sum", "mean", "max", "min", "amax", "amin", "any", "all", "prod")
DTYPES = ("float32", "float64", "float16", "bfloat16", "int32", "int64", "bool",
          "complex64")


def legal(name, dtype):
    """Whether the reduction takes the dtype."""
    if name in ("any", "all", "sum"):
        return True
    if name == "mean":
        return dtype in ("float32", "float64", "float16", "bfloat16")
    return dtype not in ("bool", "complex64")


def views():
    """(name, view) of tensors above and below the size that is copied."""
    numbers = np.random.default_rng(2)
    small = sy.tensor(numbers.normal(size=(6, 5, 7)).astype(np.float32))
    large = sy.tensor(numbers.normal(size=(40, 70, 60)).astype(np.float32))
    line = sy.tensor(numbers.normal(size=(300, 1)).astype(np.float32))
    wide = sy.tensor(numbers.normal(size=(1, 5000)).astype(np.float32))
    for name, x in (("small", small), ("large", large)):
        yield f"{name}, last axes changed", sy.permute(x, (0, 2, 1))
        yield f"{name}, all axes changed", sy.permute(x, (2, 0, 1))
        yield f"{name}, every second", x[:, ::2, 1:]
        yield f"{name}, from the end", sy.permute(x[3:, :, ::3], (1, 2, 0))
    yield "columns of one number", line.expand(300, 1000)
    yield "rows of one row", wide.expand(70, 5000)
    yield "expanded between", wide.expand(30, 5000).reshape(
        30, 1, 5000).expand(30, 4, 5000)
    yield "one number", sy.ones([1, 1]).expand(700, 300)
    yield "a long row", sy.permute(large, (1, 0, 2)).flatten()[::2]


def called(name, view):
    others = [view if other == "view" else other for other in FEW_OF_MANY[name]]
    return operator.attrgetter(name)(sy)(view, *others)


def grown():
    """(function, dtype, KiB by which the process grew) of views of 16 MiB."""
    views = (sy.full([1, 1], 0.5).expand(1024, 4096),
             sy.ones([1, 4096]).expand(1024, 4096),
             sy.ones([1, 1], "float16").expand(1024, 8192),
             sy.ones([1, 1], "bool").expand(2048, 8192),
             sy.ones([1, 1], "uint16").expand(1024, 8192))
    for name, more in FEW_OF_MANY.items():
        if name in COPIES:
            continue
        for view in views[:1] if more else views:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            called(name, view)
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            yield name, view.dtype, after - before


class StridedReductionTest(unittest.TestCase):

    def test_bits_of_a_copy(self):
        for name, view in views():
            rank = len(view.shape)
            axes = [None, 0, -1] + ([(0, 2), 1] if rank == 3 else [])
            for dtype in DTYPES:
                # A cast would make a contiguous tensor.
                copy = sy.ops.cast(sy.ops.contiguous(view), dtype)
                x = self.like(view, copy)
                for axis in axes:
                    for reduction in REDUCTIONS:
                        if not legal(reduction, dtype):
                            continue
                        with self.subTest(name=name, dtype=dtype, axis=axis,
                                          reduction=reduction):
                            call = getattr(sy.ops, reduction)
                            given = [] if axis is None else (
                                [axis] if isinstance(axis, int) else list(axis))
                            got = call(x, given)
                            want = call(copy, given)
                            self.assertEqual(got.dtype, want.dtype)
                            self.assertEqual(
                                sy.ops.cast(got, wide(got.dtype)).numpy().tobytes(),
                                sy.ops.cast(want, wide(got.dtype)).numpy().tobytes())

    def test_positions(self):
        """argmax and argmin are those of a copy, of equals the first, NaN first."""
        for name, view in views():
            copy = sy.ops.contiguous(view)
            for dtype in ("float32", "float16", "int32", "uint8"):
                base = sy.ops.cast(copy, dtype)
                if dtype == "float32":
                    base = sy.where(base > 2, sy.full([], np.nan), base)
                x = self.like(view, base)
                for find in (sy.ops.argmax, sy.ops.argmin):
                    for given in (*({"axis": axis} for axis in range(view.ndim)),
                                  {"axis": -1, "keepdims": True, "dtype": "int32"},
                                  {"flatten": True}):
                        with self.subTest(f"{name}, {dtype}, {find.__name__}, {given}"):
                            got, want = find(x, **given), find(base, **given)
                            self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
                            np.testing.assert_array_equal(got.numpy(), want.numpy())

    def test_gradients_of_products(self):
        """Checks large views, which are read by strides, and small ones, which are
        copied, reduced over one axis and over all."""
        for name, view in views():
            copy = sy.ops.contiguous(view)
            # Near 1, so that products of many stay in the range.
            copy = sy.ops.scale(sy.ops.tanh(copy), 1e-3, 1.0)
            for dtype in ("float32", "float64"):
                base = sy.ops.cast(copy, dtype)
                for axis in (None, *range(view.ndim)):
                    with self.subTest(f"{name}, {dtype}, {axis}"):
                        bits = []
                        for x in (self.like(view, base), base):
                            x = x.detach()
                            x.requires_grad = True
                            sy.sum(sy.prod(x, axis)).backward()
                            bits.append(x.grad.numpy().tobytes())
                        self.assertEqual(*bits)

    @staticmethod
    def like(view, copy):
        """A view with the elements of ``copy`` that is not contiguous."""
        rank = len(view.shape)
        if view.shape[0] > 1 and rank > 1 and sy.allclose(
                view[:1].expand(*view.shape), view):
            return sy.ops.contiguous(copy[:1]).expand(*view.shape)
        if rank == 1:
            return sy.stack([copy, copy], 1)[:, 0]
        axes = list(range(rank))[::-1]
        return sy.permute(sy.ops.contiguous(sy.permute(copy, axes)), axes)

    def test_memory_of_functions(self):
        """var() of a view of 16 MiB took 2 times that, std() 3 times."""
        self.assertLessEqual(COPIES.keys(), FEW_OF_MANY.keys())
        # In a process of its own, which has taken nothing before.
        grown = subprocess.run(
            [sys.executable, "-c", f"import {SELF} as test\n"
             "for line in test.grown(): print(*line)"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([HERE, *sys.path])},
            stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        self.assertGreater(len(grown), 90)
        for line in grown:
            name, dtype, much = line.split()
            with self.subTest(name=name, view=dtype):
                self.assertLess(int(much), 6 * 1024)

    def test_values_of_functions(self):
        """Steps that compute repeated elements once have the bits of all of them."""
        numbers = np.random.default_rng(3)
        for shape in ((1, 300), (200, 1)):
            for dtype in ("float32", "float64", "float16"):
                base = sy.tensor(numbers.normal(size=shape), dtype)
                view = base.expand(200, 300)
                copy = sy.ops.contiguous(view)
                for name in FEW_OF_MANY:
                    if name == "histogramdd" or dtype == "float16" and (
                            name in ("quantile", "nanquantile", "linalg.matrix_norm")):
                        continue
                    with self.subTest(name=name, shape=shape, dtype=dtype):
                        same_bits(self, called(name, view), called(name, copy))

    def test_orders_of_repeated_elements(self):
        """Elements count as often as they are there where they are sorted."""
        numbers = np.random.default_rng(4)
        base = sy.tensor(numbers.normal(size=(1, 7, 1)).round(1).astype(np.float32))
        holes = sy.where(sy.greater(base, 0.5), sy.full([], np.nan), base)
        for x in (base, holes):
            view = x.expand(50, 7, 64)
            copy = sy.ops.contiguous(view)
            for name, call in {
                    **{f"{f.__name__} {axis}": lambda v, f=f, axis=axis: f(v, axis)
                       for f in (sy.median,) for axis in (None, 0, 1, -1, (0, 2), (1, 2))},
                    **{f"{f.__name__} {axis}, {method}":
                       lambda v, f=f, axis=axis, method=method: f(
                           v, sy.tensor([0.0, 0.3, 0.5, 1.0]), axis, True,
                           interpolation=method)
                       for f in (sy.quantile, sy.nanquantile) for axis in (None, 0, 1)
                       for method in ("linear", "lower", "higher", "midpoint", "nearest")},
                    "nanmedian": sy.nanmedian, "unique": sy.unique,
                    "nanmedian at": lambda v: sy.nanmedian(v, 2),
                    "unique_all": sy.unique_all,
                    "counts": lambda v: sy.unique(v, return_counts=True),
                    "norm of order 0": lambda v: sy.norm(v, 0, 1)}.items():
                with self.subTest(name, holes=x is holes):
                    same_bits(self, call(view), call(copy))
        view = base.expand(50, 7, 64)
        for call in (lambda v: sy.histc(v, 9), lambda v: sy.histogram(v, 9),
                     lambda v: sy.histogram(v, 9, density=True)):
            same_bits(self, call(view), call(sy.ops.contiguous(view)))
        leaf = sy.ops.contiguous(base).requires_grad_()
        sy.median(leaf.expand(50, 7, 64)).backward()
        self.assertEqual(sy.sum(leaf.grad).item(), 1)

    def test_results_can_be_written(self):
        """Each element of a result has memory."""
        x = sy.ones([1, 1]).expand(200, 300)
        for found in (sy.var(x.unsqueeze(0).expand(4, 200, 300), 0),
                      sy.ops.log_softmax(x), sy.ops.logsigmoid(x)):
            found[0, 0] = 7
            self.assertEqual(sy.count_nonzero(sy.equal(found, 7)).item(), 1)
        top = sy.amax(sy.ones([1, 1, 300]).expand(100, 3, 300), 2)
        top[0] = 7
        self.assertEqual(sy.count_nonzero(sy.equal(top, 7)).item(), 3)

    def test_extents_that_differ_are_refused(self):
        """Two views that repeat one element each have one element in common alone."""
        few, many = (sy.ones([1, 1]).expand(count, 300) for count in (200, 201))
        for function in (sy.vecdot, sy.dist, sy.allclose, sy.nn.functional.mse_loss):
            with self.subTest(function=function.__name__):
                self.assertRaises(ValueError, function, few, many)

    def test_memory(self):
        """sum() of this view took 763 MiB, now hardly any."""
        x = sy.ones([1, 1]).expand(20000, 10000)
        flags = sy.tensor(np.ones(1, bool)).expand(2**28)
        rows = sy.ones([1, 10000]).expand(20000, 10000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.assertEqual(sy.sum(x).item(), 2e8)
        self.assertEqual(sy.max(x).item(), 1.0)
        self.assertTrue(sy.all(x).item())
        self.assertEqual(sy.prod(x).item(), 1.0)
        self.assertEqual(sy.argmax(x).item(), 0)
        self.assertEqual(sy.argmin(rows, axis=0).tolist(), [0] * 10000)
        self.assertEqual(sy.sum(rows, axis=0).tolist(), [20000.0] * 10000)
        self.assertEqual(sy.count_nonzero(flags).item(), 2**28)
        self.assertTrue(sy.all(flags).item())
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.assertLess(after - before, 64 * 1024)  # KiB.


def same_bits(test, got, want):
    """Asserts that tensors, or tuples of them, are alike to the last bit."""
    pairs = zip(got, want) if isinstance(got, tuple) else ((got, want),)
    for a, b in pairs:
        test.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
        test.assertEqual(sy.ops.cast(a, wide(a.dtype)).numpy().tobytes(),
                         sy.ops.cast(b, wide(b.dtype)).numpy().tobytes())


def wide(dtype):
    """A dtype that NumPy has, and that has each value of ``dtype``."""
    return {"float16": "float32", "bfloat16": "float32"}.get(dtype, dtype)


if __name__ == "__main__":
    unittest.main()
