# SPDX-License-Identifier: Apache-2.0
"""Writes models.json.xz: pipelines of scikit-learn by skl2onnx, and models of
one node of ai.onnx.ml, with ONNX Runtime's results. By hand:

    python3 -m venv VENV && VENV/bin/pip install onnx onnxruntime skl2onnx
    VENV/bin/python tests/conformance/onnx_ml/make_ml.py
"""

import base64
import json
import lzma
import pathlib
import warnings

import numpy as np
import onnxruntime
from onnx import helper, numpy_helper
from skl2onnx import to_onnx
from sklearn import (decomposition, ensemble, impute, linear_model, naive_bayes,
                     neighbors, neural_network, pipeline, preprocessing, svm,
                     tree)
from sklearn.cluster import KMeans

HERE = pathlib.Path(__file__).resolve().parent
RNG = np.random.default_rng(3)
ML = "ai.onnx.ml"
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ",
         "BRANCH_NEQ"]
onnxruntime.set_default_logger_severity(4)
warnings.filterwarnings("ignore")


def pipelines():
    """Names, models, and what each learns."""
    made = pipeline.make_pipeline
    two, three, real = "two", "three", "real"
    yield "forest of two", ensemble.RandomForestClassifier(3), two
    yield "forest of three", ensemble.RandomForestClassifier(3), three
    yield "boosting of two", ensemble.GradientBoostingClassifier(
        n_estimators=3), two
    yield "boosting of three", ensemble.GradientBoostingClassifier(
        n_estimators=3), three
    yield "tree", tree.DecisionTreeClassifier(), three
    yield "bagging", ensemble.BaggingClassifier(n_estimators=3), three
    yield "ada", ensemble.AdaBoostClassifier(n_estimators=3), three
    yield "logistic of two", linear_model.LogisticRegression(), two
    yield "logistic of three", linear_model.LogisticRegression(), three
    yield "svc of two", svm.SVC(), two
    yield "svc of three", svm.SVC(kernel="sigmoid"), three
    yield "linear svc of two", svm.LinearSVC(), two
    yield "linear svc of three", svm.LinearSVC(), three
    yield "svr", svm.SVR(), real
    yield "nu svr", svm.NuSVR(kernel="poly"), real
    yield "forest", ensemble.RandomForestRegressor(3), real
    yield "boosting", ensemble.GradientBoostingRegressor(n_estimators=5), real
    yield "scaled", made(preprocessing.StandardScaler(),
                         preprocessing.Normalizer(),
                         linear_model.LinearRegression()), real
    yield "ridge", made(preprocessing.MinMaxScaler(),
                        preprocessing.Normalizer("l1"),
                        linear_model.Ridge()), real
    yield "lasso", made(preprocessing.RobustScaler(),
                        preprocessing.Normalizer("max"),
                        linear_model.Lasso(0.01)), real
    yield "imputed", made(impute.SimpleImputer(),
                          preprocessing.PolynomialFeatures(2),
                          linear_model.LogisticRegression(max_iter=500)), three
    yield "binarized", made(preprocessing.Binarizer(threshold=0.1),
                            linear_model.LogisticRegression()), two
    yield "bayes", naive_bayes.GaussianNB(), three
    yield "neighbors", neighbors.KNeighborsClassifier(3), three
    yield "means", KMeans(3, n_init=1), None
    yield "components", made(decomposition.PCA(2),
                             linear_model.LogisticRegression()), two
    yield "perceptron", neural_network.MLPClassifier((8,), max_iter=50), three


def trees(count, depth, features, modes=MODES):
    """Lists of nodes of full trees, and the places of their leaves."""
    lists = {key: [] for key in (
        "treeids", "nodeids", "featureids", "values", "modes", "truenodeids",
        "falsenodeids", "missing_value_tracks_true")}
    leaves = []
    inner = 2 ** depth - 1
    for number in range(count):
        for node in range(2 * inner + 1):
            leaf = node >= inner
            row = [number, node, 0 if leaf else int(RNG.integers(features)),
                   0.0 if leaf else float(RNG.integers(-1, 2)),
                   "LEAF" if leaf else modes[RNG.integers(len(modes))],
                   0 if leaf else 2 * node + 1, 0 if leaf else 2 * node + 2,
                   0 if leaf else int(RNG.integers(2))]
            for key, value in zip(lists, row):
                lists[key].append(value)
            if leaf:
                leaves.append((number, node))
    return {f"nodes_{key}": value for key, value in lists.items()}, leaves


def regressors():
    for name, sum_name in (("", "SUM"), ("", "AVERAGE"), ("", "MIN"),
                           ("", "MAX"), ("NaN ", "SUM")):
        # ONNX Runtime says of NaN that it is not equal, whatever its node says.
        nodes, leaves = trees(3, 3, 4, MODES[:-1] if name else MODES)
        yield f"{name}trees {sum_name}", "TreeEnsembleRegressor", 1, dict(
            nodes, target_treeids=[one for one, _ in leaves] * 2,
            target_nodeids=[node for _, node in leaves] * 2,
            target_ids=[0] * len(leaves) + [1] * len(leaves),
            target_weights=RNG.standard_normal(2 * len(leaves)).tolist(),
            n_targets=2, base_values=[0.5, -1.0], aggregate_function=sum_name)


def classifiers():
    for transform in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
        nodes, leaves = trees(2, 2, 4)
        where = dict(class_treeids=[one for one, _ in leaves],
                     class_nodeids=[node for _, node in leaves])
        weights = np.abs(RNG.standard_normal(len(leaves))) + 0.1
        ids = [i % 3 for i in range(len(leaves))]
        yield f"classes {transform}", "TreeEnsembleClassifier", 1, dict(
            nodes, **where, class_ids=ids, class_weights=weights.tolist(),
            classlabels_int64s=[7, 5, 6], post_transform=transform)
        if transform in ("NONE", "LOGISTIC"):
            for sign in (1, -1):
                yield f"two classes {transform} {sign}", \
                    "TreeEnsembleClassifier", 1, dict(
                        nodes, **where, class_ids=[0] * len(leaves),
                        class_weights=(sign * weights).tolist(),
                        classlabels_int64s=[7, 5], post_transform=transform)
        yield f"linear {transform}", "LinearClassifier", 1, dict(
            coefficients=RNG.standard_normal(12).tolist(),
            intercepts=[0.1, -0.2, 0.3], classlabels_ints=[4, 2, 9],
            post_transform=transform)


def newest_trees():
    """TreeEnsemble: two trees, one with a set of members, one a mere leaf."""
    yield "members", "TreeEnsemble", 5, dict(
        nodes_featureids=[0, 1, 2, 0], nodes_modes=np.array([0, 6, 4, 0],
                                                            np.uint8),
        nodes_splits=np.array([0.5, 0, 1, 0], np.float32),
        nodes_truenodeids=[1, 0, 2, 5], nodes_falsenodeids=[2, 1, 3, 5],
        nodes_trueleafs=[0, 1, 1, 1], nodes_falseleafs=[0, 1, 1, 1],
        membership_values=np.array([-1, 1, np.nan], np.float32),
        leaf_targetids=[0, 1, 0, 1, 0, 1],
        leaf_weights=np.array([1, 2, 4, 8, 16, 32], np.float32),
        tree_roots=[0, 3], n_targets=2, aggregate_function=1,
        nodes_missing_value_tracks_true=[1, 0, 0, 0])


def features():
    for norm in ("MAX", "L1", "L2"):
        yield f"norm {norm}", "Normalizer", 1, {"norm": norm}
    yield "scaler", "Scaler", 1, {"offset": [1.0, 2.0, 0.0, -1.0],
                                  "scale": [0.5, 1.0, 2.0, 3.0]}
    yield "one scale", "Scaler", 1, {"offset": [1.0], "scale": [0.5]}
    yield "imputer of NaN", "Imputer", 1, {
        "imputed_value_floats": [1.0, 2.0, 3.0, 4.0],
        "replaced_value_float": float("nan")}
    yield "imputer of ones", "Imputer", 1, {
        "imputed_value_floats": [9.0], "replaced_value_float": 1.0}
    yield "labels", "LabelEncoder", 2, {
        "keys_floats": [1.0, -1.0, 0.0], "values_int64s": [5, 6, 7],
        "default_int64": 42}
    yield "hot", "OneHotEncoder", 1, {"cats_int64s": [1, 0, -1], "zeros": 1}
    yield "one class", "SVMRegressor", 1, {
        "coefficients": [0.5, -1.0, 0.25, 1.0], "rho": [0.1], "one_class": 1, "kernel_params": [0.0, 0.0, 0.0],
        "kernel_type": "LINEAR"}
    yield "regressor", "LinearRegressor", 1, {
        "coefficients": RNG.standard_normal(8).tolist(), "targets": 2,
        "intercepts": [0.5, -0.5]}


def of_texts():
    """Texts as features and as labels."""
    words, letters = ["cat", "dog", "", "üx"], np.array(
        [["dog", "cat", "?", ""], ["üx", "Cat", "dog", "dog"]], object)
    whole = np.array([[3, 1, 2, 9], [-1, 2, 0, 1]])
    yield "texts to integers", "LabelEncoder", 2, letters, {
        "keys_strings": words, "values_int64s": [5, 6, 7, 8],
        "default_int64": 42}
    yield "texts to floats", "LabelEncoder", 2, letters, {
        "keys_strings": words, "values_floats": [0.5, 1.5, -1.0, 2.0]}
    yield "texts to texts", "LabelEncoder", 2, letters, {
        "keys_strings": words, "values_strings": ["a", "b", "c", "d"]}
    yield "integers to texts", "LabelEncoder", 2, whole, {
        "keys_int64s": [1, 2, 3], "values_strings": ["a", "", "c"],
        "default_string": "none"}
    yield "a tensor of keys", "LabelEncoder", 4, letters, {
        "keys_tensor": np.array(words, object),
        "values_tensor": np.array([4, 3, 2, 1]),
        "default_tensor": np.array([-7])}
    yield "first version to integers", "LabelEncoder", 1, letters, {
        "classes_strings": words, "default_int64": 9}
    yield "first version to texts", "LabelEncoder", 1, whole, {
        "classes_strings": words, "default_string": "none"}
    yield "mapper to integers", "CategoryMapper", 1, letters, {
        "cats_strings": words, "cats_int64s": [3, 1, 4, 2]}
    yield "mapper to texts", "CategoryMapper", 1, whole, {
        "cats_strings": words, "cats_int64s": [3, 1, 4, 2],
        "default_string": "none"}
    yield "hot texts", "OneHotEncoder", 1, letters, {
        "cats_strings": words, "zeros": 1}
    yield "grams of texts", "TfIdfVectorizer", None, letters, {
        "mode": "TF", "min_gram_length": 1, "max_gram_length": 2,
        "max_skip_count": 1, "ngram_counts": [0, 3], "ngram_indexes": [
            1, 0, 2, 4, 3], "pool_strings": [
                "dog", "", "Cat", "dog", "dog", "cat", "dog"]}


def node_model(kind, version, attributes, x):
    node = helper.make_node(
        kind, ["X"], ["Y", "Z"] if kind.endswith("Classifier") else ["Y"],
        domain=ML if version else "",
        **{key: numpy_helper.from_array(value) if isinstance(value, np.ndarray)
           else value for key, value in attributes.items()})
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info(
            "X", helper.np_dtype_to_tensor_dtype(x.dtype), [None, x.shape[1]])],
        [helper.make_empty_tensor_value_info(name) for name in node.output])
    return helper.make_model(
        graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17),
                                            helper.make_opsetid(ML, version or 1)])


def encoded(array):
    array = np.asarray(array)
    if array.dtype.kind in "OU":
        return ["string", list(array.shape), array.ravel().tolist()]
    array = np.ascontiguousarray(array)
    return [array.dtype.name, list(array.shape),
            base64.b64encode(array.tobytes()).decode()]


def as_matrix(value):
    """The rows of a ZipMap, whose keys are in the order of the columns."""
    if isinstance(value, list):
        return np.array([list(row.values()) for row in value], np.float32)
    return np.asarray(value)


def case(model, feeds):
    data = model.SerializeToString()
    session = onnxruntime.InferenceSession(data)
    names = [port.name for port in session.get_outputs()]
    return {"model": base64.b64encode(data).decode(),
            "feeds": {name: encoded(value) for name, value in feeds.items()},
            "outputs": {name: encoded(as_matrix(value)) for name, value in
                        zip(names, session.run(None, feeds))}}


def main():
    x = RNG.standard_normal((80, 4)).astype(np.float32)
    goals = {"two": (x[:, 0] + x[:, 1] > 0) * 1,
             "three": (x[:, 0] > 0) * 1 + (x[:, 1] > 0) * 1, "real": x[:, 0] * 2}
    cases = {}
    for name, model, goal in pipelines():
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        model.fit(x, *([] if goal is None else [goals[goal]]))
        cases[name] = case(to_onnx(model, x[:1]), {"X": x[:20]})
    # Whole numbers, NaN and rows of zeros.
    few = RNG.integers(-1, 2, (12, 4)).astype(np.float32)
    few[3] = 0
    few[5:, 1] += np.float32(0.25)
    with_nan = few.copy()
    with_nan[1, 2] = with_nan[7, 0] = np.nan
    for group in (regressors, classifiers, newest_trees, features):
        for name, kind, version, attributes in group():
            fed = with_nan if "NaN" in name else few
            if kind == "TreeEnsemble":
                fed = np.floor(few)
            cases[name] = case(node_model(kind, version, attributes, fed),
                               {"X": fed})
    for name, kind, version, fed, attributes in of_texts():
        cases[name] = case(node_model(kind, version, attributes, fed),
                           {"X": fed})
    names = np.array(["low", "middle", "high"])[goals["three"]]
    for name, model, goal in (
            ("tree of texts", tree.DecisionTreeClassifier(), names),
            ("logistic of texts", linear_model.LogisticRegression(), names),
            ("logistic of two texts", linear_model.LogisticRegression(),
             np.where(goals["two"], "yes", "no")),
            ("svc of texts", svm.SVC(), names),
            ("boosting of texts", ensemble.GradientBoostingClassifier(
                n_estimators=3, random_state=0), names)):
        model.fit(x, goal)
        cases[name] = case(to_onnx(model, x[:1]), {"X": x[:20]})
    (HERE / "models.json.xz").write_bytes(
        lzma.compress(json.dumps(cases).encode()))
    print(len(cases), "models")


if __name__ == "__main__":
    main()
