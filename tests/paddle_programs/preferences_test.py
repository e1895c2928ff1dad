# SPDX-License-Identifier: Apache-2.0
"""Policies over whole networks that PaddlePaddle saved: legacy kernels first, lists and fusions, and
what single calls say of libraries. docs/parity_networks.md has all networks on legacy kernels."""
import json
import pathlib
import re
import tempfile
import unittest

import numpy as np

import switchyard as sy

DATA = pathlib.Path("../shared_data")
CLS = DATA / "models" / "ch_ppocr_mobile_v2.0_cls"
FEEDS = {"x": np.random.default_rng(5).normal(size=(1, 3, 48, 192)).astype(np.float32)}
LEGACY = sy.policy(prefer=["legacy"])
SUFFIXES = {".f32": np.float32, ".i64": np.int64}
# The networks, with the legacy calls that each has at least.
NETWORKS = {"mnist_mlp_scl1323": 4, "word2vec_pureboys": 3, "ch_ppocr_mobile_v2.0_cls": 27,
            "paddleclas_mobilenetv3_small_x0_35_3class": 27}
BOUND = 1e-4


def read(folder, stem, shape):
    path, = folder.glob(stem + ".*")
    return np.fromfile(path, SUFFIXES[path.suffix]).reshape(shape)


def kernels(program, feeds=FEEDS):
    """(operator, kernel) of each call, a kernel as "cpu" or "fluid cpu"."""
    return [(line.split()[0], re.split(" (?:float|int|bool)", line.split(" -> ")[1])[0])
            for line in program.selections(feeds)]


CONVOLUTIONS = rb"\x1a\x06conv2d|\x1a\x10depthwise_conv2d"


def edited(folder, flags, calls=CONVOLUTIONS):
    """A copy of cls whose calls of conv2d, or others, have use_mkldnn as flags(number of the call) says."""
    data = bytearray((CLS / "inference.pdmodel").read_bytes())
    # A call has its attributes after its type; the flag of one is name, type 6 and the value.
    at = [found.end() for found in re.finditer(calls, data)]
    for number, begin in enumerate(at):
        flag = re.compile(rb"use_mkldnn\x10\x06\x50").search(data, begin)
        data[flag.end()] = int(flags(number))
    (folder / "inference.pdmodel").write_bytes(data)
    (folder / "inference.pdiparams").write_bytes((CLS / "inference.pdiparams").read_bytes())
    return len(at)


class PreferencesTest(unittest.TestCase):

    def test_networks_on_legacy_kernels(self):
        for network, least in NETWORKS.items():
            with self.subTest(network):
                program = sy.load(DATA / "models" / network, policy=LEGACY)
                golden = DATA / "golden" / network
                golden = (sorted(golden.glob("case*")) or [golden])[0]
                shapes = json.loads((golden / "shapes.json").read_text())
                feeds = {name: read(golden, f"input_{name}", shapes[name]) for name in program.feeds}
                for i, (one, shape) in enumerate(zip(program.run(feeds).values(), shapes["outputs"].values())):
                    want = read(golden, f"output_{i}", shape).astype(np.float64)
                    self.assertLessEqual(np.abs(one - want).max(initial=0), BOUND * np.abs(want).max(initial=0))
                legacy = 0
                for call in json.loads(program.explain(feeds, json=True)):
                    guests = [one for one in call["candidates"] if one["origin"] == "fluid"]
                    fitting = [one for one in guests if one["outcome"] != "refused"]
                    if fitting:
                        self.assertEqual(call["chosen"]["origin"], "fluid", call["op"])
                    legacy += call["chosen"]["origin"] == "fluid"
                self.assertGreaterEqual(legacy, least)

    def test_fusions_ask_about_their_own_parts(self):
        plain = kernels(sy.load(CLS))
        self.assertIn(("conv2d_epilogue", "onednn"), plain)
        # No part of this network's convolutions.
        self.assertEqual(kernels(sy.load(CLS, policy=sy.policy(off={"onednn": ["softmax"]}))), plain)
        # Kept off oneDNN under its own name, a convolution is fused on the CPU's kernel.
        off = kernels(sy.load(CLS, policy=sy.policy(off={"onednn": ["conv2d", "depthwise_conv2d"]})))
        self.assertEqual([op for op, _ in off], [op for op, _ in plain])
        self.assertNotIn("onednn", [kernel for op, kernel in off if op == "conv2d_epilogue"])
        # oneDNN is for depthwise convolutions alone, and the fused operation is none: they stay with it.
        on = kernels(sy.load(CLS, policy=sy.policy(on={"onednn": ["depthwise_conv2d"]})))
        self.assertIn(("conv2d_epilogue", "cpu"), on)
        self.assertEqual({op for op, kernel in on if kernel == "onednn"}, {"depthwise_conv2d"})

    def test_fusions_leave_preferred_kernels(self):
        # An addition is a part of it, of which there is a legacy kernel.
        self.assertIn("squeeze_excite", [op for op, _ in kernels(sy.load(CLS))])
        self.assertNotIn("squeeze_excite", [op for op, _ in kernels(sy.load(CLS, policy=LEGACY))])
        # Where the fused operation's kernel is preferred too, it is made.
        self.assertEqual(kernels(sy.load(CLS, policy=sy.policy(prefer=["onednn"]))), kernels(sy.load(CLS)))

    def test_a_policy_that_admits_no_fused_kernel(self):
        off = ["conv2d_epilogue", "linear_epilogue", "squeeze_excite"]
        program = sy.load(CLS, policy=sy.policy(off={"cpu": off, "onednn": off}))
        self.assertTrue({op for op, _ in kernels(program)}.isdisjoint(off))
        want, = sy.load(CLS).run(FEEDS).values()
        np.testing.assert_allclose(*program.run(FEEDS).values(), want, atol=1e-4)

    def test_gradients_may_be_composed(self):
        folder = DATA / "models" / "made_train_mlp"
        rng = np.random.default_rng(7)
        feeds = {name: rng.normal(size=(4, width)).astype(np.float32) for name, width in (("x", 13), ("y", 1))}
        losses = []
        for prefer, kept in ((None, True), (["composed"], False), (["cpu", "composed"], True)):
            program = sy.load(folder, weights=folder / "init", policy=sy.policy(prefer=prefer))
            self.assertEqual("kernel.relu_grad" in program.text("kernel"), kept)
            losses.append([program.run(feeds)[program.fetches[0]] for _ in range(3)])
        np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
        np.testing.assert_array_equal(losses[2], losses[0])

    def test_calls_differ_in_their_libraries(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            count = edited(folder, lambda number: number % 2 == 0)
            plain = sy.load(folder)
            self.assertEqual(kernels(plain), kernels(sy.load(CLS)))  # Nobody asked for them.
            program = sy.load(folder, library_attributes=True, exact=True)
            calls = [kernel for op, kernel in kernels(program) if op in ("conv2d", "depthwise_conv2d")]
            self.assertEqual(len(calls), count)
            self.assertNotIn("onednn", calls[1::2])
            self.assertIn("onednn", calls[::2])
            text = program.text()
            self.assertIn('policy = "library=onednn"', text)
            self.assertIn('policy = "declined=onednn"', text)
            explained = json.loads(program.explain(FEEDS, json=True))
            self.assertEqual({call["policy"] for call in explained if call["op"] == "conv2d"},
                             {"library=onednn", "declined=onednn"})
            # Saved, read again, and run by either executor.
            saved = folder / "saved.sy"
            program.save(saved)
            again = sy.load(saved)
            self.assertEqual(kernels(again), kernels(program))
            want, = program.run(FEEDS).values()
            for run in (again.run, program.run_eagerly, again.run_eagerly):
                np.testing.assert_array_equal(*run(FEEDS).values(), want)
            # Fused: what declines oneDNN is on the CPU, and nothing else changes.
            fused = sy.load(folder, library_attributes=True)
            np.testing.assert_allclose(*fused.run(FEEDS).values(), want, atol=1e-4)

    def test_a_call_asks_for_a_legacy_kernel_of_a_library(self):
        def chosen(program):
            return [kernel for op, kernel in kernels(program) if op == "softmax"]

        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.assertEqual(edited(folder, lambda number: True, rb"\x1a\x07softmax"), 1)
            self.assertEqual(chosen(sy.load(folder)), ["cpu"])
            self.assertEqual(chosen(sy.load(folder, policy=LEGACY)), ["fluid cpu"])
            program = sy.load(folder, library_attributes=True)
            self.assertEqual(chosen(program), ["fluid onednn"])
            want, = sy.load(folder).run(FEEDS).values()
            np.testing.assert_allclose(*program.run(FEEDS).values(), want, rtol=2e-6)
            np.testing.assert_array_equal(*program.run_eagerly(FEEDS).values(), *program.run(FEEDS).values())
            # A policy may still keep it off.
            off = sy.policy(off={"onednn": ["softmax"]})
            self.assertEqual(chosen(sy.load(folder, library_attributes=True, policy=off)), ["cpu"])
            # The call may decline it, too.
            edited(folder, lambda number: False, rb"\x1a\x07softmax")
            self.assertEqual(chosen(sy.load(folder, library_attributes=True)), ["cpu"])

    def test_the_policy_around_admits_less(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            edited(folder, lambda number: True)
            program = sy.load(folder, library_attributes=True, policy=sy.policy(off={"onednn": ["conv2d"]}), exact=True)
            self.assertNotIn(("conv2d", "onednn"), kernels(program))
            preferring = sy.load(folder, library_attributes=True, policy=sy.policy(prefer=["cpu"]), exact=True)
            self.assertEqual({kernel for op, kernel in kernels(preferring) if op == "conv2d"}, {"cpu"})


if __name__ == "__main__":
    unittest.main()
