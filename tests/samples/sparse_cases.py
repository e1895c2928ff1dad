# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors for tests, and functions that call every sparse operator."""
import numpy as np
import scipy.sparse

from tests.samples import samples
import switchyard as sy
from switchyard import sparse


def random_coo(rows, columns, count, dtype=np.float32, seed=1):
    """A SciPy matrix with values of one position, in no order."""
    rng = np.random.default_rng(seed)
    return scipy.sparse.coo_matrix(
        (rng.normal(size=count).astype(dtype),
         (rng.integers(0, rows, count), rng.integers(0, columns, count))),
        shape=(rows, columns))


def ours(matrix, **kwargs):
    """Returns a SciPy matrix as a COO tensor."""
    return sparse.sparse_coo_tensor(
        np.stack([matrix.row, matrix.col]),
        sy.tensor(matrix.data, **kwargs), matrix.shape)


def csr_of(matrix):
    return sparse.sparse_csr_tensor(matrix.indptr, matrix.indices,
                                    sy.tensor(matrix.data), matrix.shape)


def eager_argument(value):
    """A sample's argument, as an eager tensor where it is one."""
    if not isinstance(value, str):
        return value
    spec = samples.parse_value(value.removeprefix("sparse_coo ")
                               .removeprefix("sparse_csr "))
    x = samples.tensor(samples.array_of(spec, "argument"), sy)
    if value.startswith("sparse_coo"):
        return sparse.to_sparse_coo(x)
    return sparse.to_sparse_csr(x) if value.startswith("sparse_csr") else x


def objective(values, dense, pattern):
    """A number that hangs on everything, from values of a pattern."""
    rows, columns, shape = pattern
    coo = sparse.sparse_coo_tensor(np.stack([rows, columns]), values, shape)
    csr = sparse.to_sparse_csr(coo)
    product = sparse.matmul(coo, dense)
    other = sparse.matmul(csr, sy.tanh(dense))
    twice = sparse.to_sparse_coo(csr)
    again = sparse.to_sparse_coo(coo.to_dense() * 2.0)
    return ((product * other).sum() + sy.exp(sparse.values(csr)).sum()
            + (twice.to_dense() * csr.to_dense()).sum()
            + sparse.values(sparse.coalesce(again)).sum()
            + sparse.matmul(sparse.to_sparse_csr(again.to_dense()), dense).sum())


def weighed(x):
    """A number that tells the elements of a sparse tensor from each other."""
    dense = x.to_dense()
    weights = np.cos(np.arange(np.prod(dense.shape), dtype=dense.dtype))
    return (dense * weights.reshape(dense.shape)).sum()


def arithmetic(values, dense, pattern):
    """A number that hangs on products, relu, sums and transpositions."""
    rows, columns, shape = pattern
    coo = sparse.sparse_coo_tensor(np.stack([rows, columns]), values, shape)
    other = sparse.sparse_coo_tensor(np.stack([rows[::-1], columns]), values,
                                     shape)
    total = weighed(sparse.multiply(coo, dense.sum()))
    for a, b in ((coo, other), (sparse.to_sparse_csr(coo),
                                sparse.to_sparse_csr(other))):
        product = sparse.multiply(sparse.multiply(a, b),
                                  sparse.multiply(a, 2.0))
        total = (total + weighed(product) + weighed(sparse.relu(a))
                 + weighed(sparse.multiply(a, sparse.matmul(b, dense)))
                 + weighed(sparse.multiply(sparse.sum(b), sparse.sum(a)))
                 + weighed(sparse.sum(product, axis=1))
                 + weighed(sparse.transpose(sparse.multiply(a, a), [1, 0]))
                 + weighed(sparse.transpose(b, [0, 1])))
    return total


def backends():
    """Policies that leave one backend each."""
    return [sy.policy(backends=[name]) for name in ("cpu", "reference")]
