# SPDX-License-Identifier: Apache-2.0
"""Blocks that record which kernels run, or change what may."""
import unittest

import numpy as np

import switchyard as sy


X = sy.ones([2, 3])


def chosen():
    """The line of one call."""
    with sy.record_selections() as log:
        sy.softmax(X)
    (line,) = log
    return line


class BlocksTest(unittest.TestCase):

    def test_recordings_nest(self):
        with sy.record_selections() as outer:
            line = chosen()
            sy.relu(X)
        self.assertTrue(line.startswith("softmax "), line)
        self.assertEqual(outer[:-1], [line])
        self.assertTrue(outer[-1].startswith("relu "), outer)

    def test_a_recording_is_entered_and_left_in_turn(self):
        recording = sy.record_selections()
        with self.assertRaisesRegex(RuntimeError, "entered before"):
            recording.__exit__(None, None, None)
        with recording as first:
            with self.assertRaisesRegex(RuntimeError, "left before"):
                recording.__enter__()
            sy.relu(X)
        with recording as second:
            pass
        self.assertEqual((len(first), second), (1, []))

    def test_a_policy_inside_itself(self):
        plain, policy = chosen(), sy.policy(origin="fluid")
        with policy:
            guest = chosen()
            with policy:
                self.assertEqual(chosen(), guest)
            self.assertEqual(chosen(), guest)
        self.assertEqual(chosen(), plain)
        self.assertNotEqual(guest, plain)
        with self.assertRaisesRegex(RuntimeError, "entered before"):
            policy.__exit__(None, None, None)
        with self.assertRaisesRegex(ValueError, "origin"):
            sy.policy(origin="solid")
        with self.assertRaisesRegex(ValueError, "backends"):
            sy.policy(backends=["tpu"])

    def test_lists_of_operators_by_backend(self):
        x, w = sy.ones([1, 32, 16, 16]), sy.ones([16, 32, 3, 3])

        def backends():
            with sy.record_selections() as log:
                sy.ops.conv2d(x, w)
                sy.softmax(x)
            return [line.split(" -> ")[1].split()[0] for line in log]

        self.assertEqual(backends(), ["onednn", "cpu"])
        with sy.policy(off={"onednn": ["conv2d"]}):
            self.assertEqual(backends(), ["cpu", "cpu"])
        with sy.policy(on={"onednn": ["matmul"]}):
            self.assertEqual(backends(), ["cpu", "cpu"])
        with sy.policy(on={"onednn": ["conv2d"]}):
            self.assertEqual(backends(), ["onednn", "cpu"])
        policy = sy.policy(off={"onednn": ["matmul", "conv2d"]})
        self.assertEqual(str(policy), "off=onednn:conv2d+matmul")
        traced = sy.static.trace(lambda a: sy.ops.conv2d(a, w), x, policy=policy)
        self.assertIn("none that the policy keeps off onednn (conv2d, matmul)",
                      " ".join(traced.explain().split()))
        with self.assertRaisesRegex(ValueError, "on must be of operators"):
            sy.policy(on={"onednn": ["matmull"]})

    def test_an_old_call_declines_a_library(self):
        x, w = sy.ones([1, 32, 16, 16]), sy.ones([16, 32, 3, 3])

        def backend(**attrs):
            with sy.record_selections() as log:
                sy.legacy.run("conv2d", {"Input": x, "Filter": w}, attrs)
            return log[0].split(" -> ")[1].split()[0]

        self.assertEqual(backend(), "onednn")
        self.assertEqual(backend(use_mkldnn=True), "onednn")
        self.assertEqual(backend(use_mkldnn=False), "cpu")
        self.assertEqual(backend(use_onednn=False), "cpu")
        self.assertEqual(backend(use_cudnn=False), "onednn")
        text = sy.explain("conv2d", policy="declined=onednn", input=x,
                          filter=w)
        self.assertIn("library must be one that the call does not decline",
                      " ".join(text.split()))

    def test_an_old_call_asks_for_a_library(self):
        x = sy.tensor([[1.0, 2.0, 4.0], [-3.0, 0.5, 90.0]])

        def softmax(axis=-1, **attrs):
            with sy.record_selections() as log:
                results = sy.legacy.run("softmax", {"X": x},
                                        {"axis": axis, **attrs})
            return log[0].split(" -> ")[1].split(" float")[0], results["Out"]

        self.assertEqual(softmax()[0], "cpu")
        self.assertEqual(softmax(use_mkldnn=False)[0], "cpu")
        for axis in (0, 1):
            backend, asked = softmax(axis, use_mkldnn=True)
            self.assertEqual(backend, "fluid onednn")
            np.testing.assert_allclose(asked.numpy(), softmax(axis)[1].numpy(),
                                       rtol=1e-6)
        # There is none of float64: a plain kernel takes the call.
        x = x.astype("float64")
        self.assertEqual(softmax(use_mkldnn=True)[0], "cpu")


if __name__ == "__main__":
    unittest.main()
