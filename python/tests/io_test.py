# SPDX-License-Identifier: Apache-2.0
"""Datasets, DataLoader, the progress bar."""
import io
import threading
import time
import unittest
from unittest import mock

import numpy as np

import switchyard as sy
from switchyard.io import ArrayDataset, DataLoader, Dataset, ProgressBar, Subset


class Squares(Dataset):
    """Item i is {"number": i, "pair": (i * i, [i, i])}."""

    def __init__(self, count, broken=None):
        self.count, self.broken = count, broken
        self.threads = set()

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        self.threads.add(threading.get_ident())
        time.sleep(0.001 * (i % 3))
        if i == self.broken:
            raise LookupError("item is broken")
        return {"number": i, "pair": (i * i, np.array([i, i], np.float32))}


def numbers(loader):
    return [batch["number"].tolist() for batch in loader]


class LoaderTest(unittest.TestCase):

    def test_batches(self):
        loader = DataLoader(Squares(7), 3)
        self.assertEqual(len(loader), 3)
        self.assertEqual(numbers(loader), [[0, 1, 2], [3, 4, 5], [6]])
        batch = next(iter(loader))
        self.assertEqual(batch["pair"][0].tolist(), [0, 1, 4])
        self.assertEqual(batch["pair"][1].shape, (3, 2))
        self.assertEqual(batch["pair"][1].dtype, "float32")
        self.assertEqual(numbers(DataLoader(Squares(7), 3, drop_last=True)),
                         [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(list(DataLoader(Squares(0), 3)), [])

    def test_shuffles_by_seed_and_epoch_alone(self):
        def epochs(seed, workers=0):
            loader = DataLoader(Squares(20), 4, shuffle=True, seed=seed,
                                num_workers=workers)
            return [numbers(loader) for _ in range(2)]
        first = epochs(1)
        self.assertEqual(first, epochs(1))
        self.assertEqual(first, epochs(1, workers=3))
        self.assertNotEqual(first, epochs(2))
        self.assertNotEqual(first[0], first[1])
        self.assertEqual(sorted(sum(first[0], [])), list(range(20)))

    def test_seed_of_the_package(self):
        def order():
            sy.seed(4)
            return numbers(DataLoader(Squares(9), 3, shuffle=True))
        self.assertEqual(order(), order())

    def test_resumes(self):
        loader = DataLoader(Squares(9), 3, shuffle=True, seed=1)
        numbers(loader)
        state = loader.state_dict()
        want = numbers(loader)
        other = DataLoader(Squares(9), 3, shuffle=True, seed=2)
        other.load_state_dict(state)
        self.assertEqual(numbers(other), want)

    def test_workers_are_threads_and_end(self):
        data = Squares(30)
        before = threading.active_count()
        self.assertEqual(numbers(DataLoader(data, 4, num_workers=3)),
                         numbers(DataLoader(Squares(30), 4)))
        self.assertNotIn(threading.get_ident(), data.threads)
        with mock.patch("sys.stderr", io.StringIO()):
            loaders = [DataLoader(data, 1, num_workers=2, progress=progress)
                       for progress in (None, True)]
            for loader in loaders:
                for _ in loader:
                    break
        deadline = time.monotonic() + 10
        while threading.active_count() > before and (
                time.monotonic() < deadline):
            time.sleep(0.01)
        self.assertEqual(threading.active_count(), before)

    def test_errors_come_with_their_batch(self):
        for workers in (0, 2):
            seen = []
            with self.assertRaisesRegex(LookupError, "broken"):
                for batch in DataLoader(Squares(9, broken=5), 2,
                                        num_workers=workers):
                    seen.append(batch["number"].tolist())
            self.assertEqual(seen, [[0, 1], [2, 3]])

    def test_datasets_one_after_another(self):
        first, second = ArrayDataset(np.arange(3)), ArrayDataset(np.arange(10, 12))
        data = first + second
        self.assertEqual([item[0] for item in data], [0, 1, 2, 10, 11])
        self.assertEqual((len(data), data[-1][0], data[-5][0]), (5, 11, 0))
        self.assertEqual(data.cumulative_sizes, [3, 5])
        batches = [batch[0].tolist() for batch in DataLoader(
            sy.utils.data.ConcatDataset([[(1,), (2,)], [], data]), 4)]
        self.assertEqual(batches, [[1, 2, 0, 1], [2, 10, 11]])
        for number in (5, -6):
            with self.assertRaisesRegex(IndexError, f"ConcatDataset: number must be .*{number}"):
                data[number]
        for wrong, text in (([], "must be one or more"), ([3], "must be one with a length")):
            with self.assertRaisesRegex((TypeError, ValueError), text):
                sy.io.ConcatDataset(wrong)

    def test_array_dataset_and_subset(self):
        x, y = np.arange(10.0).reshape(5, 2), np.arange(5)
        data = ArrayDataset(x, y)
        got = [(a.tolist(), b.tolist()) for a, b in DataLoader(data, 2)]
        self.assertEqual(got[2], ([[8.0, 9.0]], [4]))
        part = Subset(data, [4, 0])
        self.assertEqual([b.tolist() for _, b in DataLoader(part, 2)], [[4, 0]])
        with self.assertRaisesRegex(ValueError, "one length"):
            ArrayDataset(x, np.arange(4))

    def test_dtypes_of_collated_items(self):
        half = sy.tensor([1.5], "bfloat16")
        for items, dtype in [([1.5, 2.5], "float32"), ([1, 2.5], "float32"),
                             ([1, 2], "int64"), ([half, half], "bfloat16"),
                             ([half, sy.ones([1])], "float32"),
                             ([np.float64(1), np.float64(2)], "float64")]:
            with self.subTest(str(items)):
                self.assertEqual(sy.io.collate(items).dtype, dtype)
        batch = sy.io.collate([{"x": (0.5, half)}, {"x": (1.5, half)}])
        self.assertEqual([x.dtype for x in batch["x"]], ["float32", "bfloat16"])
        self.assertEqual(batch["x"][1].tolist(), [[1.5], [1.5]])

    def test_own_collate(self):
        loader = DataLoader(ArrayDataset(np.arange(4)), 2, collate=len)
        self.assertEqual(len(list(loader)), 2)

    def test_wrong_arguments(self):
        for wrong in ({"batch_size": 0}, {"num_workers": -1}, {"prefetch": 0}):
            with self.assertRaises(ValueError):
                DataLoader(Squares(3), **wrong)


class Terminal(io.StringIO):

    def isatty(self):
        return True


class ProgressTest(unittest.TestCase):

    def test_one_line_where_nobody_watches(self):
        stream = io.StringIO()
        bar = ProgressBar(range(3), "epoch 1", stream=stream)
        for i in bar:
            bar.report(loss=i / 2, phase="train")
        self.assertEqual(stream.getvalue(),
                         "epoch 1: 3/3 batches  loss 1.0000  phase train\n")

    def test_a_bar_on_a_terminal(self):
        stream = Terminal()
        bar = ProgressBar(range(3), "epoch 1", stream=stream)
        self.assertEqual(len(bar), 3)
        for _ in bar:
            bar.report(loss=sy.tensor(0.25))
        self.assertIn("epoch 1: 100%", stream.getvalue())
        self.assertIn("loss 0.2500", stream.getvalue())

    def test_of_a_loader(self):
        stream = io.StringIO()
        with mock.patch("sys.stderr", stream):
            loader = DataLoader(ArrayDataset(np.arange(4)), 2, progress="train")
            for _ in loader:
                loader.report(accuracy=0.5)
        self.assertEqual(stream.getvalue(),
                         "train: 2/2 batches  accuracy 0.5000\n")


if __name__ == "__main__":
    unittest.main()
