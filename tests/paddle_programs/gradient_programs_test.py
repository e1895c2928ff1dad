# SPDX-License-Identifier: Apache-2.0
"""Gradients without a form of their own in training programs, with the slots that PaddlePaddle gives them,
against eager gradients of the operator."""
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy

import program_desc
from program_desc import Block, Op, Variable

_DTYPES = {np.dtype(np.bool_): 0, np.dtype(np.int32): 2, np.dtype(np.int64): 3}


def normal(*shape, seed=8):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def fraction(*shape, seed=8):
    return np.random.default_rng(seed).uniform(0.1, 0.9, size=shape).astype(np.float32)


def ints(high, *shape, dtype=np.int64):
    return np.random.default_rng(5).integers(0, high, size=shape).astype(dtype)


# (type, inputs by slot, attributes, output whose gradient is given, inputs and outputs that the gradient is given,
# inputs whose gradients it writes)
CASES = [
    ("group_norm", {"X": normal(2, 4, 3, 3), "Scale": normal(4), "Bias": normal(4, seed=3)}, {"groups": 2}, "Y",
     "X Y Scale Bias Mean Variance", "X Scale Bias"),
    ("instance_norm", {"X": normal(2, 4, 3, 3), "Scale": normal(4), "Bias": normal(4, seed=3)}, {}, "Y",
     "X Scale SavedMean SavedVariance", "X Scale Bias"),
    ("norm", {"X": normal(3, 4)}, {"axis": 1, "epsilon": 1e-10}, "Out", "X Norm", "X"),
    ("lrn", {"X": normal(2, 5, 3, 3)}, {"n": 3, "k": 1.0, "alpha": 0.1, "beta": 0.75}, "Out", "X Out MidOut", "X"),
    ("affine_channel", {"X": normal(2, 3, 2, 2), "Scale": normal(3), "Bias": normal(3, seed=3)}, {}, "Out",
     "X Scale", "X Scale Bias"),
    ("prelu", {"X": normal(2, 3, 2, 2), "Alpha": fraction(1, 3, 1, 1)}, {"mode": "channel"}, "Out", "X Alpha",
     "X Alpha"),
    ("brelu", {"X": 4 * normal(3, 4)}, {"t_min": -1.0, "t_max": 2.0}, "Out", "X", "X"),
    ("maxout", {"X": normal(2, 6, 2, 2)}, {"groups": 2}, "Out", "X Out", "X"),
    ("matmul", {"X": normal(4, 3), "Y": normal(5, 4, seed=3)}, {"transpose_X": True, "transpose_Y": True,
                                                              "alpha": 0.5}, "Out", "X Y", "X Y"),
    ("slice", {"Input": normal(4, 5)}, {"axes": [0, 1], "starts": [1, -3], "ends": [3, 5]}, "Out", "Input", "Input"),
    ("tril_triu", {"X": normal(4, 4)}, {"diagonal": 1, "lower": True}, "Out", "", "X"),
    ("kldiv_loss", {"X": normal(3, 4), "Target": fraction(3, 4)}, {"reduction": "mean"}, "Loss", "X Target", "X"),
    ("nll_loss", {"X": normal(4, 3), "Label": ints(3, 4), "Weight": fraction(3)}, {"reduction": "mean"}, "Out",
     "X Label Weight Total_weight", "X"),
    ("label_smooth", {"X": fraction(3, 4)}, {"epsilon": 0.1}, "Out", "", "X"),
    ("cos_sim", {"X": normal(3, 4), "Y": normal(1, 4, seed=3)}, {}, "Out", "X Y XNorm YNorm Out", "X Y"),
    ("rank_loss", {"Label": ints(2, 4, 1).astype(np.float32), "Left": normal(4, 1), "Right": normal(4, 1, seed=3)}, {},
     "Out", "Label Left Right", "Left Right"),
    ("margin_rank_loss", {"Label": np.ones((4, 1), np.float32), "X1": normal(4, 1), "X2": normal(4, 1, seed=3)},
     {"margin": 0.1}, "Out", "Label Activated", "X1 X2"),
    ("bpr_loss", {"X": normal(4, 3), "Label": ints(3, 4, 1)}, {}, "Y", "X Label", "X"),
    ("index_put", {"x": normal(4, 3), "indices": [np.array([2, 0], np.int64)], "value": normal(2, 3, seed=3)},
     {"accumulate": True}, "out", "x indices value", "x value"),
    ("einsum", {"Operands": [normal(2, 3), normal(3, 4, seed=3)]}, {"equation": "ij,jk->ki"}, "Out", "Operands",
     "Operands"),
    ("dot", {"X": normal(3, 4), "Y": normal(3, 4, seed=3)}, {}, "Out", "X Y", "X Y"),
    ("mv", {"X": normal(3, 4), "Vec": normal(4, seed=3)}, {}, "Out", "X Vec", "X Vec"),
    ("addmm", {"Input": normal(2, 4), "X": normal(2, 3), "Y": normal(3, 4, seed=3)}, {"Alpha": 2.0, "Beta": 0.5},
     "Out", "Input X Y", "Input X Y"),
    ("kron", {"X": normal(2, 3), "Y": normal(3, 2, seed=3)}, {}, "Out", "X Y", "X Y"),
    ("cross", {"X": normal(4, 3), "Y": normal(4, 3, seed=3)}, {"dim": 1}, "Out", "X Y", "X Y"),
    ("dist", {"X": normal(3, 4), "Y": normal(3, 4, seed=3)}, {"p": 2.0}, "Out", "X Y Out", "X Y"),
    ("affine_grid", {"Theta": normal(2, 2, 3)}, {"output_shape": [2, 3, 4, 5], "align_corners": True}, "Output", "",
     "Theta"),
    ("space_to_depth", {"X": normal(1, 4, 4, 4)}, {"blocksize": 2}, "Out", "X", "X"),
    ("temporal_shift", {"X": normal(4, 4, 2, 2)}, {"seg_num": 2, "shift_ratio": 0.25}, "Out", "", "X"),
    ("multiplex", {"X": [normal(4, 3), normal(4, 3, seed=3)], "Ids": ints(2, 4, 1, dtype=np.int32)}, {}, "Out", "Ids",
     "X"),
    ("crop_tensor", {"X": normal(4, 5)}, {"shape": [2, 3], "offsets": [1, 2]}, "Out", "X", "X"),
    ("crop", {"X": normal(4, 5)}, {"shape": [2, 3], "offsets": [1, 2]}, "Out", "X", "X"),
    ("index_sample", {"X": normal(3, 4), "Index": ints(4, 3, 2)}, {}, "Out", "X Index", "X"),
    ("masked_select", {"X": normal(3, 4), "Mask": normal(3, 4, seed=3) > 0}, {}, "Y", "X Mask", "X"),
    ("fused_elemwise_activation", {"X": normal(3, 4), "Y": normal(3, 4, seed=3)},
     {"functor_list": ["elementwise_add", "relu"], "axis": -1}, "Out", "X Y Out IntermediateOut", "X Y"),
    ("spectral_norm", {"Weight": normal(3, 4), "U": normal(3), "V": normal(4)},
     {"dim": 0, "power_iters": 0, "eps": 1e-12}, "Out", "Weight U V", "Weight"),
]


def arrays_of(inputs):
    """{name of a variable: array}, {slot: names}"""
    arrays, slots = {}, {}
    for slot, value in inputs.items():
        several = value if isinstance(value, list) else [value]
        slots[slot] = [f"{slot}_{i}" for i in range(len(several))]
        arrays.update(zip(slots[slot], several))
    return arrays, slots


def eager(op_type, inputs, attrs, out, seed, targets):
    """(the output, {slot: gradients})"""
    tensors = {slot: [sy.tensor(one, requires_grad=slot in targets) for one in value] if isinstance(value, list)
               else sy.tensor(value, requires_grad=slot in targets) for slot, value in inputs.items()}
    result = sy.legacy.run(op_type, tensors, attrs)[out]
    weights = normal(*result.shape, seed=seed)
    leaves = [one for slot in targets for one in
              (tensors[slot] if isinstance(tensors[slot], list) else [tensors[slot]])]
    return weights, [grad.numpy() for grad in sy.grad([result], leaves, [sy.tensor(weights)])]


def load(ops, arrays, fetches, weights):
    variables = [Variable(name, tuple(array.shape), _DTYPES.get(array.dtype, program_desc.FLOAT32))
                 for name, array in {**arrays, "weights": weights}.items()]
    written = {name for op in ops for names in op.outputs.values() for name in names}
    variables += [Variable(name, None) for name in sorted(written)]
    feeds = [*arrays, "weights"]
    ports = [Op("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": i}) for i, name in enumerate(feeds)]
    last = [Op("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": i}) for i, name in enumerate(fetches)]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "__model__").write_bytes(program_desc.write([Block(variables, [*ports, *ops, *last])]))
        return sy.load(folder)


def program(op_type, inputs, attrs, out, given, targets, weights):
    """A program of the operator and its gradient; (the program, the names of the gradients)"""
    arrays, slots = arrays_of(inputs)
    outputs = {slot: [f"{slot}_out"] for slot in [out, *given.split()] if slot not in slots}
    call = Op(op_type, slots, outputs, attrs)
    sources = {slot: slots.get(slot) or outputs[slot] for slot in given.split()}
    gradients = {slot + "@GRAD": [name + "@GRAD" for name in slots[slot]] for slot in targets}
    backward = Op(op_type + "_grad", {**sources, out + "@GRAD": ["weights"]}, gradients, {**attrs, "op_role": 1})
    fetches = [name for names in gradients.values() for name in names]
    return load([call, backward], arrays, fetches, weights), arrays, fetches


class GradientProgramsTest(unittest.TestCase):
    def test_every_case(self):
        for seed, (op_type, inputs, attrs, out, given, targets) in enumerate(CASES):
            with self.subTest(op_type):
                targets = targets.split()
                weights, want = eager(op_type, inputs, attrs, out, seed, targets)
                loaded, arrays, fetches = program(op_type, inputs, attrs, out, given, targets, weights)
                got = loaded.run({**arrays, "weights": weights})
                self.assertEqual(len(fetches), len(want))
                for name, one in zip(fetches, want):
                    self.assertEqual(got[name].shape, one.shape)
                    np.testing.assert_allclose(got[name], one, rtol=1e-5, atol=1e-6)

    def test_lists_of_outputs(self):
        """unstack and meshgrid, whose gradients take one of each output."""
        x = normal(2, 3)
        halves = Op("unstack", {"X": ["x"]}, {"Y": ["a", "b"]}, {"axis": 0, "num": 2})
        backward = Op("unstack_grad", {"Y@GRAD": ["weights", "weights"]}, {"X@GRAD": ["x@GRAD"]}, {"axis": 0, "num": 2})
        weights = normal(3)
        got = load([halves, backward], {"x": x}, ["x@GRAD"], weights).run({"x": x, "weights": weights})
        np.testing.assert_array_equal(got["x@GRAD"], np.stack([weights, weights]))
        arrays = {"x": normal(2), "y": normal(3)}
        weights = normal(2, 3)
        mesh = Op("meshgrid", {"X": ["x", "y"]}, {"Out": ["a", "b"]})
        backward = Op("meshgrid_grad", {"X": ["x", "y"], "Out@GRAD": ["weights", "@EMPTY@"]},
                      {"X@GRAD": ["x@GRAD", "y@GRAD"]})
        got = load([mesh, backward], arrays, ["x@GRAD", "y@GRAD"], weights).run({**arrays, "weights": weights})
        np.testing.assert_allclose(got["x@GRAD"], weights.sum(1), rtol=1e-6)
        np.testing.assert_array_equal(got["y@GRAD"], np.zeros(3))

    def test_one_variable_as_two_inputs(self):
        x, weights = normal(2, 2), normal(4, 4)
        call = Op("kron", {"X": ["x"], "Y": ["x"]}, {"Out": ["out"]})
        backward = Op("kron_grad", {"X": ["x"], "Y": ["x"], "Out@GRAD": ["weights"]},
                      {"X@GRAD": ["x@GRAD"], "Y@GRAD": ["x@GRAD@RENAME@0"]})
        got = load([call, backward], {"x": x}, ["x@GRAD", "x@GRAD@RENAME@0"], weights).run(
            {"x": x, "weights": weights})
        blocks = weights.reshape(2, 2, 2, 2).astype(np.float64)
        np.testing.assert_allclose(got["x@GRAD"], np.einsum("iajb,ab->ij", blocks, x), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(got["x@GRAD@RENAME@0"], np.einsum("iajb,ij->ab", blocks, x), rtol=1e-5, atol=1e-6)

    def test_gradient_of_quantisation(self):
        x, weights = normal(2, 3), normal(2, 3, seed=2)
        backward = Op("stright_throuth_estimator_grad", {"Out@GRAD": ["weights"]}, {"X@GRAD": ["x@GRAD"]})
        got = load([backward], {"x": x}, ["x@GRAD"], weights).run({"x": x, "weights": weights})
        np.testing.assert_array_equal(got["x@GRAD"], weights)

    def test_errors(self):
        x = normal(2, 2)
        for inputs, outputs, attrs, message in (
                ({"X": ["x"], "Y": ["x"], "Z": ["x"]}, {"X@GRAD": ["x@GRAD"]}, {},
                 "kron_grad: inputs must be slots of kron, or their gradients, got Z"),
                ({"X": ["x"], "Y": ["x"]}, {"Z@GRAD": ["x@GRAD"]}, {},
                 "kron_grad: outputs must be gradients of slots of kron, got Z@GRAD"),
                ({"X": ["x"], "Out@GRAD": ["weights"]}, {"X@GRAD": ["x@GRAD"]}, {},
                 "kron_grad: Y must be given, got none"),
                ({"X": ["x"], "Out@GRAD": ["weights"]}, {"Y@GRAD": ["other"]}, {},
                 "kron_grad: Y must be given, or the name of its gradient's variable, got 'other'"),
                ({"X": ["x"], "Y": ["x"], "Out@GRAD": ["weights"]}, {"X@GRAD": ["x@GRAD"]}, {"axis": 3},
                 "kron_grad: axis must be absent or neutral"),
                ({"X": ["x"], "Y": ["x"], "Out@GRAD": ["x"]}, {"X@GRAD": ["x@GRAD"]}, {},
                 r"kron_grad: Out@GRAD must be float32\[4, 4\] as Out, got float32\[2, 2\]")):
            with self.subTest(message), self.assertRaisesRegex((ValueError, NotImplementedError), message):
                load([Op("kron_grad", inputs, outputs, attrs)], {"x": x}, ["x@GRAD"], normal(4, 4))


if __name__ == "__main__":
    unittest.main()
