# SPDX-License-Identifier: Apache-2.0
"""DLPack both ways: the same memory on both sides, kept alive by either."""
import gc
import unittest
import weakref

import numpy as np

import switchyard as sy


class DlpackTest(unittest.TestCase):

    def test_to_numpy_without_copy(self):
        x = sy.tensor(np.arange(6.0).reshape(2, 3))
        array = np.from_dlpack(x)
        array = array.view()
        self.assertEqual(array.__array_interface__["data"][0],
                         x.numpy().__array_interface__["data"][0])
        x[0, 0] = 9.0
        self.assertEqual(array[0, 0], 9.0)
        del x
        gc.collect()
        self.assertEqual(array.sum(), 24.0)

    def test_from_numpy_without_copy(self):
        for dtype in (np.float32, np.float64, np.float16, np.int8, np.int32,
                      np.int64, np.uint8):
            array = np.arange(6, dtype=dtype).reshape(2, 3)
            x = sy.from_dlpack(array)
            self.assertEqual((x.dtype, x.shape), (array.dtype.name, (2, 3)))
            array[1, 2] = 77
            self.assertEqual(x[1, 2].item(), 77)
            x[0, 0] = 55
            self.assertEqual(array[0, 0], 55)
            np.testing.assert_array_equal((x + x).numpy(), array + array)

    def test_strides_and_empty(self):
        array = np.arange(24.0).reshape(4, 6)[1:, ::2].T
        x = sy.from_dlpack(array)
        np.testing.assert_array_equal(x.numpy(), array)
        np.testing.assert_array_equal((x * 2.0).numpy(), array * 2)
        np.testing.assert_array_equal(
            np.from_dlpack(sy.tensor(np.arange(6.0).reshape(2, 3)).T),
            np.arange(6.0).reshape(2, 3).T)
        self.assertEqual(sy.from_dlpack(np.zeros((0, 3))).shape, (0, 3))
        self.assertEqual(np.from_dlpack(sy.zeros((0, 3))).shape, (0, 3))
        self.assertEqual(sy.from_dlpack(np.array(4.0)).item(), 4.0)

    def test_the_source_lives_as_long_as_it_is_used(self):
        class Array(np.ndarray):
            pass
        array = np.arange(1000.0).view(Array)
        gone = weakref.ref(array)
        x = sy.from_dlpack(array)
        del array
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertEqual(x.sum().item(), 499500.0)
        del x
        gc.collect()
        self.assertIsNone(gone())

    def test_between_tensors(self):
        x = sy.tensor([1.0, 2.0], "bfloat16")
        y = sy.from_dlpack(x)
        y[0] = 5.0
        self.assertEqual((x.tolist(), y.dtype), ([5.0, 2.0], "bfloat16"))
        mask = sy.from_dlpack(sy.tensor([True, False]))
        self.assertEqual(mask.tolist(), [True, False])

    def test_capsules_are_used_once(self):
        capsule = sy.tensor([1.0]).__dlpack__()
        self.assertEqual(sy.from_dlpack(capsule).tolist(), [1.0])
        with self.assertRaisesRegex(BufferError, "once"):
            sy.from_dlpack(capsule)
        sy.tensor([1.0]).__dlpack__()  # Never used: freed with the capsule.
        self.assertEqual(sy.tensor([1.0]).__dlpack_device__(), (1, 0))

    def test_what_cannot_be_shared(self):
        with self.assertRaisesRegex(BufferError, "require grad"):
            np.from_dlpack(sy.tensor([1.0], requires_grad=True))
        with self.assertRaisesRegex(BufferError, "__dlpack__: tensor must have "
                                    r"elements of a byte, got int4 \(use"):
            sy.tensor(np.ones(2, np.uint8), "int4").__dlpack__()
        with self.assertRaisesRegex(BufferError, "negative"):
            sy.from_dlpack(np.arange(3.0)[::-1])
        with self.assertRaisesRegex(TypeError, "__dlpack__"):
            sy.from_dlpack([1.0])

        class OnDevice:
            def __dlpack__(self):
                raise AssertionError("must not be asked")

            def __dlpack_device__(self):
                return (2, 0)
        with self.assertRaisesRegex(BufferError, "device"):
            sy.from_dlpack(OnDevice())


if __name__ == "__main__":
    unittest.main()
