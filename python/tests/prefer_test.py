# SPDX-License-Identifier: Apache-2.0
"""Policies that prefer kernels: eager calls, programs, the two executors."""
import json
import unittest

import numpy as np

import switchyard as sy

LEGACY = sy.policy(prefer=["legacy"])


def backends(call, *args):
    """The kernels of a call's operators: "cpu", "fluid cpu"."""
    with sy.record_selections() as log:
        call(*args)
    return [line.split(" -> ")[1].split(" float32")[0] for line in log]


class PreferTest(unittest.TestCase):

    def test_the_first_that_fits_comes_first(self):
        x, w = sy.ones([1, 32, 16, 16]), sy.ones([16, 32, 3, 3])
        self.assertEqual(backends(sy.ops.conv2d, x, w), ["onednn"])
        for prefer, expected in ((["cpu"], "cpu"), (["cpu", "onednn"], "cpu"), (["phi"], "onednn"), ([], "onednn")):
            with sy.policy(prefer=prefer):
                self.assertEqual(backends(sy.ops.conv2d, x, w), [expected], prefer)
        # There is a legacy kernel of softmax.
        for prefer, expected in ((["legacy"], "fluid cpu"), (["legacy", "cpu"], "fluid cpu"), (["phi"], "cpu"),
                                 (["cpu", "legacy"], "cpu"), ([], "cpu")):
            with sy.policy(prefer=prefer):
                self.assertEqual(backends(sy.softmax, w), [expected], prefer)
        # Preferring admits nothing.
        with sy.policy(prefer=["legacy"], backends=["onednn"]):
            self.assertEqual(backends(sy.ops.conv2d, x, w), ["onednn"])
        with sy.policy(prefer=["legacy"], origin="phi"):
            self.assertEqual(backends(sy.softmax, w), ["cpu"])
        # An equal call again, under the old policy.
        self.assertEqual(backends(sy.ops.conv2d, x, w), ["onednn"])

    def test_what_has_no_such_kernel_runs_as_before(self):
        # cumsum has no legacy kernel, softmax has one.
        x = sy.ones([4, 4])
        with LEGACY:
            self.assertEqual(backends(lambda: sy.softmax(sy.cumsum(x, 0))), ["cpu", "fluid cpu"])

    def test_composed_is_a_preference(self):
        x = sy.tensor(np.float32([[1, -2, 3]]), requires_grad=True)

        def gradient(prefer):
            x.grad = None
            with sy.policy(prefer=prefer), sy.record_selections() as log:
                sy.softmax(x)[0, 0].backward()
            return {line.split()[0] for line in log}, x.grad.numpy()

        own, by_kernel = gradient([])
        self.assertIn("softmax_grad", own)
        composed, by_others = gradient(["composed"])
        self.assertNotIn("softmax_grad", composed)
        self.assertIn("multiply", composed)
        np.testing.assert_allclose(by_others, by_kernel, rtol=1e-6, atol=1e-7)
        # Kernels that are preferred to that serve.
        self.assertIn("softmax_grad", gradient(["legacy", "composed"])[0])
        self.assertNotIn("softmax_grad", gradient(["composed", "legacy"])[0])
        text = sy.explain("softmax_grad", policy="prefer=composed", out=x, out_grad=x, axis=-1)
        self.assertIn("preferred: composed: it runs as ", text)

    def test_as_text_and_refusals(self):
        self.assertEqual(str(sy.policy(prefer=["legacy", "cpu", "legacy"], strict=True)), "prefer=legacy+cpu,strict")
        with self.assertRaisesRegex(ValueError, "policy: prefer must be composed, phi, legacy, .*, got 'fluid'"):
            sy.policy(prefer=["fluid"])

    def test_explain_says_that_preference_decided(self):
        x = sy.ones([2, 3])
        text = sy.explain("softmax", policy=LEGACY, x=x)
        self.assertRegex(text, r"\nchosen: fluid cpu float32 \(.*\)\ntransforms: none\npreferred: as legacy, to cpu float32 \(")
        facts = json.loads(sy.explain("softmax", policy="prefer=legacy", json=True, x=x))
        self.assertEqual((facts["preferred"]["as"], facts["preferred"]["to"]["origin"]), ("legacy", "phi"))
        self.assertIsNone(json.loads(sy.explain("softmax", policy="prefer=cpu", json=True, x=x))["preferred"])

    def test_gradients(self):
        with LEGACY, sy.record_selections() as log:
            x = sy.tensor(np.ones((2, 3), np.float32), requires_grad=True)
            sy.softmax(x).sum().backward()
        kernels = {line.split()[0]: line.split(" -> ")[1] for line in log}
        self.assertTrue(kernels["softmax_grad"].startswith("fluid cpu"), log)

    def test_programs(self):
        x = sy.tensor(np.random.default_rng(0).normal(size=(2, 5)).astype(np.float32))
        program = sy.static.trace(lambda a: sy.softmax(sy.softmax(a), 0), x, policy=LEGACY)
        feeds = {program.feeds[0]: x.numpy()}
        chosen = [line.split(" -> ")[1].split(" float32")[0] for line in program.selections(feeds)]
        self.assertEqual(chosen, ["fluid cpu", "fluid cpu"])
        self.assertIn("preferred: as legacy, to cpu float32", program.explain(feeds))
        rows = json.loads(program.explain(feeds, json=True))
        self.assertEqual({row["preferred"]["as"] for row in rows}, {"legacy"})
        with LEGACY:
            eager = sy.softmax(sy.softmax(x), 0).numpy()
        # The program's policy holds, whichever executor runs it.
        np.testing.assert_array_equal(*program.run(feeds).values(), eager)
        np.testing.assert_array_equal(*program.run_eagerly(feeds).values(), eager)
        kernels = {row.kernel for row in program.profile_eagerly(feeds).rows()}
        self.assertEqual({kernel.split(" float32")[0] for kernel in kernels}, {"fluid cpu"})

    def test_open_extents_keep_the_order(self):
        # oneDNN's kernel depends on extents; it is asked before or after cpu's.
        w = sy.ones([16, 32, 3, 3])

        def conv(a):
            return sy.ops.conv2d(a, w)

        spec = sy.static.InputSpec([None, 32, None, None], "float32", "x")
        for prefer, small, large in ((["cpu"], "cpu", "cpu"), (["onednn", "cpu"], "cpu", "onednn"),
                                     (["cpu", "onednn"], "cpu", "cpu")):
            program = sy.static.trace(conv, spec, policy=sy.policy(prefer=prefer))
            for size in (8, 16, 33):
                x = sy.ones([2, 32, size, size])
                line, = (line for line in program.selections({"x": x.numpy()}) if line.startswith("conv2d "))
                self.assertEqual(line.split(" -> ")[1].split(" float32")[0], small if size == 8 else large)
                with sy.policy(prefer=prefer):
                    np.testing.assert_array_equal(*program.run({"x": x.numpy()}).values(), conv(x).numpy())


if __name__ == "__main__":
    unittest.main()
