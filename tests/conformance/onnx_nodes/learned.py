# SPDX-License-Identifier: Apache-2.0
"""Operators of ai.onnx.ml. Each function draws a case of an operator from draws
`g`."""

import numpy as np
from draws import Case

_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ",
          "BRANCH_NEQ")
_TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")


def _rows(g, columns, dtype="float32"):
    return g.array((g.pick(1, 3, 5), columns), dtype, 0)


def _floats(g, count):
    return [g.fraction(-1, 1) for _ in range(count)]


def _words(array):
    return np.array(["abcde"[int(one) % 5] for one in array.reshape(-1)],
                    object).reshape(array.shape)


def extractor(g):
    """Columns; of a vector its elements."""
    shape = g.pick((3, 5), (5,), (2, 2, 5))
    x = g.array(shape, g.pick("float32", "float64", "int64", "int32"), 0)
    x = _words(x) if x.dtype == np.int64 and g.chance() else x
    places = np.asarray(g.random.integers(0, 5, g.pick(1, 2, 4)), np.int64)
    return Case([x, places])


def binarizer(g):
    return Case([g.array(g.shape(1, 3), "float32")], {"threshold": g.pick(
        0., .5, -1.)} if g.chance() else {})


def categories(g):
    at = {"cats_int64s": [3, 1, 0, 2], "cats_strings": ["c", "b", "a", "d"]}
    if g.chance():
        at.update(default_int64=-7, default_string="none")
    numbers = g.random.integers(0, 5, g.shape(1, 2))
    return Case([_words(numbers) if g.chance() else numbers], at)


def features(g):
    rows, sizes = g.pick(1, 3), [g.extent() for _ in range(g.pick(1, 2, 3))]
    return Case([g.array((rows, size), "float32", 0) for size in sizes],
                {"inputdimensions": sizes})


def imputer(g):
    if g.chance(.3):
        x = g.random.integers(0, 3, (g.pick(1, 3), 3))
        return Case([x], {"imputed_value_int64s": [5] if g.chance() else
                          [5, 6, 7], "replaced_value_int64": 1})
    x = _rows(g, 3)
    old = g.pick(float("nan"), 0.)
    x[g.random.random(x.shape) < .4] = old
    return Case([x], {"imputed_value_floats": [2.5] if g.chance() else
                      [1., 2., 3.], "replaced_value_float": old})


def label_encoder(g):
    """Integers, floats and texts to one another."""
    numbers = g.random.integers(0, 5, g.shape(1, 2))
    if g.version == 1:
        at = {"classes_strings": ["b", "a", "e"]}
        if g.chance():
            at.update(default_int64=9, default_string="?")
        return Case([_words(numbers) if g.chance() else numbers], at)
    keys = {"int64s": [0, 3, 2], "floats": [0., 3., 2.],
            "strings": ["a", "d", "c"]}
    values = {"int64s": [7, -1, 5], "floats": [.5, 2., -3.],
              "strings": ["x", "", "z"]}
    default = {"int64s": ("default_int64", 4), "floats": ("default_float", 8.),
               "strings": ("default_string", "other")}
    one, other = g.pick(("int64s", "strings"), ("strings", "int64s"),
                        ("floats", "strings"), ("int64s", "floats"),
                        ("strings", "floats"), ("floats", "int64s"),
                        ("floats", "floats"), ("int64s", "int64s"))
    at = {"keys_" + one: keys[one], "values_" + other: values[other]}
    if g.chance():
        name, value = default[other]
        at[name] = value
    feeds = {"int64s": numbers, "floats": numbers.astype(np.float32),
             "strings": _words(numbers)}
    return Case([feeds[one]], at)


def linear_classifier(g):
    classes, columns = g.pick(2, 3), g.extent()
    at = {"coefficients": _floats(g, classes * columns),
          "post_transform": g.pick(*_TRANSFORMS)}
    at["intercepts"] = _floats(g, classes)
    at.update(g.pick({"classlabels_ints": [4, 2, 9][:classes]},
                     {"classlabels_strings": ["x", "y", "z"][:classes]}))
    return Case([_rows(g, columns)], at, 2)


def linear_regressor(g):
    targets, columns = g.pick(1, 2), g.extent()
    at = {"coefficients": _floats(g, targets * columns), "targets": targets}
    if g.chance():
        at["intercepts"] = _floats(g, targets)
    return Case([_rows(g, columns)], at)


def normalizer(g):
    return Case([_rows(g, g.extent())], {"norm": g.pick("MAX", "L1", "L2")})


def one_hot(g):
    """Others than the categories are zeros."""
    numbers = g.random.integers(0, 5, g.shape(1, 2, zeros=False))
    if g.chance():
        return Case([_words(numbers)], {"cats_strings": ["c", "a", "b"]})
    return Case([numbers], {"cats_int64s": [2, 0, 3]})


def _kernel(g):
    name = g.pick("LINEAR", "POLY", "RBF", "SIGMOID")
    return {"kernel_type": name,
            "kernel_params": [g.fraction(.1, 1), g.fraction(0, 1), 2.]}


def vector_classifier(g):
    """Votes of pairs of classes."""
    classes, columns = g.pick(2, 3), g.pick(1, 2, 3)
    counts = [g.pick(1, 2) for _ in range(classes)]
    count = sum(counts)
    at = {"support_vectors": _floats(g, count * columns),
          "vectors_per_class": counts,
          "coefficients": _floats(g, count * (classes - 1)),
          "rho": _floats(g, classes * (classes - 1) // 2), **_kernel(g)}
    at.update(g.pick({"classlabels_ints": [4, 2, 9][:classes]},
                     {"classlabels_strings": ["x", "y", "z"][:classes]}))
    return Case([_rows(g, columns)], at, 2)


def vector_regressor(g):
    count, columns = g.pick(1, 3), g.pick(1, 2, 3)
    return Case([_rows(g, columns)], {
        "support_vectors": _floats(g, count * columns), "n_supports": count,
        "coefficients": _floats(g, count), "rho": _floats(g, 1), **_kernel(g)})


def scaler(g):
    columns = g.extent()
    count = g.pick(1, columns)
    dtype = g.pick("float32", "float64", "int64", "int32")
    return Case([_rows(g, columns, dtype)], {
        "offset": _floats(g, count), "scale": _floats(g, count)})


def _trees(g, columns):
    """Lists of nodes of full trees, and the places of their leaves."""
    lists = {key: [] for key in (
        "treeids", "nodeids", "featureids", "values", "modes", "truenodeids",
        "falsenodeids")}
    leaves, inner = [], 2 ** g.pick(1, 2) - 1
    for number in range(g.pick(1, 3)):
        for node in range(2 * inner + 1):
            leaf = node >= inner
            row = [number, node, 0 if leaf else int(g.random.integers(columns)),
                   0. if leaf else g.fraction(-1, 1),
                   "LEAF" if leaf else g.pick(*_MODES),
                   0 if leaf else 2 * node + 1, 0 if leaf else 2 * node + 2]
            for key, value in zip(lists, row):
                lists[key].append(value)
            if leaf:
                leaves.append((number, node))
    return {f"nodes_{key}": value for key, value in lists.items()}, leaves


def _as_tensors(g, at, *names):
    """Floats as tensors, float64 for inputs of it, which version 3 brought."""
    if g.version < 3 or g.chance():
        return "float32"
    for name in names:
        if name in at:
            at[name + "_as_tensor"] = np.array(at.pop(name), np.float64)
    return "float64"


def tree_classifier(g):
    columns, classes = g.pick(2, 3), g.pick(2, 3)
    at, leaves = _trees(g, columns)
    at.update(class_treeids=[one for one, _ in leaves],
              class_nodeids=[node for _, node in leaves],
              class_ids=[i % classes for i in range(len(leaves))],
              class_weights=[g.fraction(.1, 1) for _ in leaves],
              post_transform=g.pick(*_TRANSFORMS) if classes > 2 else "NONE")
    at.update(g.pick({"classlabels_int64s": [7, 5, 6][:classes]},
                     {"classlabels_strings": ["x", "y", "z"][:classes]}))
    if g.chance(.3) and classes > 2:
        at["base_values"] = _floats(g, classes)
    dtype = _as_tensors(g, at, "class_weights", "base_values", "nodes_values")
    return Case([_rows(g, columns, dtype)], at, 2)


def tree_regressor(g):
    columns, targets = g.pick(2, 3), g.pick(1, 2)
    at, leaves = _trees(g, columns)
    at.update(target_treeids=[one for one, _ in leaves] * targets,
              target_nodeids=[node for _, node in leaves] * targets,
              target_ids=[i // len(leaves)
                          for i in range(targets * len(leaves))],
              target_weights=_floats(g, targets * len(leaves)),
              n_targets=targets,
              aggregate_function=g.pick("SUM", "AVERAGE", "MIN", "MAX"))
    if g.chance():
        at["base_values"] = _floats(g, targets)
    dtype = _as_tensors(g, at, "target_weights", "base_values", "nodes_values")
    return Case([_rows(g, columns, dtype)], at)


def ensemble(g):
    """A tree of two splits, of which one may ask for membership, and a mere
    leaf."""
    dtype = g.pick("float32", "float64")
    number = lambda *values: np.array(values, dtype)
    modes = [g.pick(0, 1, 2, 3, 4, 5), g.pick(0, 6), 0]
    at = {"nodes_featureids": [0, 1, 0],
          "nodes_modes": np.array(modes, np.uint8),
          "nodes_splits": number(g.fraction(-1, 1), g.fraction(-1, 1), 0),
          "nodes_truenodeids": [1, 1, 3], "nodes_trueleafs": [0, 1, 1],
          "nodes_falsenodeids": [0, 2, 3], "nodes_falseleafs": [1, 1, 1],
          "leaf_targetids": [0, 1, 0, 1],
          "leaf_weights": number(*_floats(g, 4)), "n_targets": 2,
          "tree_roots": [0, 2], "aggregate_function": g.pick(0, 1, 2, 3),
          "post_transform": 0}
    x = _rows(g, 2, dtype)
    if modes[1] == 6:
        at["nodes_splits"][1] = 0
        at["membership_values"] = number(1, 2, np.nan)
        x[:, 1] = g.random.integers(0, 4, len(x))
    return Case([x], at)


def zip_map(g):
    columns = g.pick(2, 3)
    return Case([_rows(g, columns)],
                g.pick({"classlabels_int64s": [4, 2, 9][:columns]},
                       {"classlabels_strings": ["x", "y", "z"][:columns]}))
