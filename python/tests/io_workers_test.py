# SPDX-License-Identifier: Apache-2.0
"""Worker processes, samplers, data that comes in a row, splits."""
import collections
import itertools
import os
import random
import threading
import time
import unittest

import numpy as np

import switchyard as sy
from switchyard.io import (ArrayDataset, BatchSampler, DataLoader, Dataset,
                           IterableDataset, RandomSampler, Sampler,
                           SequentialSampler, SubsetRandomSampler,
                           WeightedRandomSampler, random_split, worker_info)

WAYS = ({"num_workers": 0}, {"num_workers": 2},
        {"num_workers": 2, "processes": True},
        {"num_workers": 3, "processes": "spawn"})


class Odd(Exception):
    """An exception that pickle can't make again."""

    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


class Items(Dataset):
    """Every kind that a batch may have; ``broken`` raises, ``gone`` dies."""

    def __init__(self, count=9, broken=None, gone=None, error=LookupError):
        self.count, self.broken, self.gone = count, broken, gone
        self.error = error

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        if i == self.broken:
            raise self.error("item", "is broken")
        if i == self.gone:
            os._exit(3)
        return {"number": i, "many": (np.full((50, 40), i, np.float32),
                                      [i % 2 == 0, sy.tensor(i / 4)]),
                "half": sy.tensor([i / 2], "bfloat16"),
                "process": os.getpid(), "empty": np.zeros((0, 2), np.int16)}


class Row(IterableDataset):
    """The numbers up to ``count``, divided among the workers."""

    def __init__(self, count, broken=None):
        self.count, self.broken = count, broken

    def __iter__(self):
        number, step = worker_info() or (0, 1)
        for i in itertools.islice(range(self.count), number, None, step):
            if i == self.broken:
                raise LookupError("broken")
            yield i


class Drawing(Dataset):
    """Random numbers of all generators."""

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return np.array([random.random(), np.random.random(),
                         sy.rand(1, dtype="float64").item()])


def flat(batch):
    if isinstance(batch, dict):
        return [part for key in sorted(batch) if key != "process"
                for part in flat(batch[key])]
    if isinstance(batch, (tuple, list)):
        return [part for each in batch for part in flat(each)]
    return [(batch.dtype, batch.shape, batch.numpy().tolist())]


class ProcessesTest(unittest.TestCase):

    def test_batches_are_those_of_threads(self):
        want = [flat(batch) for batch in DataLoader(Items(), 2)]
        for way in WAYS:
            with self.subTest(str(way)):
                loader = DataLoader(Items(), 2, **way)
                got, found = [], set()
                for batch in loader:
                    got.append(flat(batch))
                    found |= set(batch["process"].tolist())
                self.assertEqual(got, want)
                if "processes" in way:
                    self.assertEqual(len(found), way["num_workers"])
                    self.assertNotIn(os.getpid(), found)

    def test_batches_stay_and_may_be_written(self):
        batches = list(DataLoader(ArrayDataset(np.arange(40.0)), 8,
                                  num_workers=2, processes=True))
        for i, (batch,) in enumerate(batches):
            batch += 1.0
            self.assertEqual(batch.tolist(), [8.0 * i + j + 1 for j in range(8)])

    def test_own_collate(self):
        def squares(items):
            numbers = np.array([item[0] for item in items])
            return {"array": numbers**2, "text": str(numbers), "count": len(items)}
        for way in WAYS[:3]:
            (first, *_) = DataLoader(ArrayDataset(np.arange(6)), 3,
                                     collate=squares, **way)
            self.assertIs(type(first["array"]), np.ndarray)
            self.assertEqual(first["array"].tolist(), [0, 1, 4])
            self.assertEqual((first["text"], first["count"]), ("[0 1 2]", 3))

    def test_errors_name_item_and_worker(self):
        for way in WAYS:
            with self.subTest(str(way)):
                seen = []
                with self.assertRaisesRegex(LookupError, "broken") as raised:
                    for batch in DataLoader(Items(broken=5), 2, **way):
                        seen.append(batch["number"].tolist())
                self.assertEqual(seen, [[0, 1], [2, 3]])
                notes = "\n".join(raised.exception.__notes__)
                self.assertIn("item 5", notes)
                if way["num_workers"]:
                    number = 2 % way["num_workers"]
                    self.assertIn(f"worker {number} of {way['num_workers']}",
                                  notes)
                if "processes" in way:
                    self.assertIn("in __getitem__", notes)

    def test_an_error_that_cannot_be_sent(self):
        with self.assertRaisesRegex(RuntimeError, "Odd: item is broken") as got:
            list(DataLoader(Items(broken=1, error=Odd), 1, num_workers=1,
                            processes=True))
        self.assertIn("item 1, worker 0", "\n".join(got.exception.__notes__))

        class Unsendable(Items):
            def __getitem__(self, i):
                return i
        with self.assertRaises(Exception) as got:
            list(DataLoader(Unsendable(), 1, num_workers=1, processes=True,
                            collate=lambda items: lambda: items))
        self.assertIn("pickle", str(got.exception).lower())

    def test_a_process_that_dies(self):
        with self.assertRaisesRegex(
                RuntimeError, r"worker 1 \(process \d+\) has ended, exit code 3, "
                r"in items \[2, 3\]"):
            list(DataLoader(Items(gone=2), 2, num_workers=2, processes=True))

    def test_random_numbers_differ_by_worker_and_epoch(self):
        def drawn(seed):
            loader = DataLoader(Drawing(), 1, num_workers=2, processes=True,
                                seed=seed)
            return [batch.tolist() for _ in range(2) for batch in loader]
        first = drawn(1)
        self.assertEqual(len({str(row) for row in first}), 8)
        self.assertEqual(len({n for row in first for n in row[0]}), 24)
        self.assertEqual(drawn(1), first)
        self.assertNotEqual(drawn(2), first)

    def test_processes_end_with_the_loop(self):
        before, handles = threading.active_count(), len(os.listdir("/proc/self/fd"))
        for way in (2, 3):
            for batch in DataLoader(Items(1000), 1, num_workers=2,
                                    processes=True):
                number = batch["process"].item()
                break
        del batch
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and (
                threading.active_count() > before or
                len(os.listdir("/proc/self/fd")) > handles):
            time.sleep(0.02)
        self.assertLessEqual(threading.active_count(), before)
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), handles)
        with self.assertRaises(ProcessLookupError):
            os.kill(number, 0)

    def test_wrong_arguments(self):
        for wrong in ({"processes": "thread"}, {"shuffle": True, "sampler": [0]},
                      {"sampler": [0], "batch_sampler": [[0]]}):
            with self.assertRaises(ValueError):
                DataLoader(Items(), **wrong)
        with self.assertRaisesRegex(ValueError, "its own order"):
            DataLoader(Row(3), shuffle=True)


class RowTest(unittest.TestCase):

    def test_each_item_comes_once(self):
        for way in WAYS:
            for drop in (False, True):
                loader = DataLoader(Row(23), 4, drop_last=drop, **way)
                for _ in range(2):
                    batches = [batch.tolist() for batch in loader]
                    numbers = [n for batch in batches for n in batch]
                    self.assertEqual(len(set(numbers)), len(numbers))
                    if drop:
                        self.assertEqual({len(b) for b in batches}, {4})
                    else:
                        self.assertEqual(sorted(numbers), list(range(23)))
        self.assertEqual([batch.tolist() for batch in DataLoader(
            Row(9), 2, num_workers=2)], [[0, 2], [1, 3], [4, 6], [5, 7], [8]])
        with self.assertRaisesRegex(TypeError, "no len"):
            len(DataLoader(Row(3)))

    def test_errors(self):
        for way in WAYS[:3]:
            with self.assertRaisesRegex(LookupError, "broken") as raised:
                list(DataLoader(Row(9, broken=4), 2, **way))
            self.assertIn("of the row", "\n".join(raised.exception.__notes__))


class Backwards(Sampler):
    """An own sampler: other numbers each epoch."""

    def __iter__(self):
        return iter(range(4 + self.epoch, -1, -2))


class SamplersTest(unittest.TestCase):

    def test_random_samplers(self):
        data = Items(10)
        one, two = (RandomSampler(data, seed=1) for _ in range(2))
        self.assertEqual(list(one), list(two))
        self.assertEqual(sorted(one), list(range(10)))
        two.set_epoch(1)
        self.assertNotEqual(list(one), list(two))
        few = RandomSampler(data, num_samples=4, seed=1)
        self.assertEqual((len(few), len(set(few))), (4, 4))
        more = RandomSampler(data, replacement=True, num_samples=50, seed=1)
        self.assertEqual(len(list(more)), 50)
        self.assertTrue(set(more) <= set(range(10)))
        some = SubsetRandomSampler([3, 1, 8], seed=1)
        self.assertEqual((len(some), sorted(some)), (3, [1, 3, 8]))
        self.assertEqual(list(SequentialSampler(data)), list(range(10)))
        with self.assertRaisesRegex(ValueError, "num_samples must be in"):
            RandomSampler(data, num_samples=11)

    def test_weights(self):
        sampler = WeightedRandomSampler([1.0, 0.0, 3.0], 10_000, seed=2)
        counts = collections.Counter(sampler)
        self.assertEqual(counts[1], 0)
        self.assertAlmostEqual(counts[2] / 10_000, 0.75, delta=0.02)
        once = WeightedRandomSampler([1, 0, 3], 2, replacement=False, seed=2)
        self.assertEqual(sorted(once), [0, 2])
        for weights, count, replacement in [
                ([1, 0], 2, False), ([-1, 2], 1, True), ([0, 0], 1, True),
                ([1, 1], -1, True)]:
            with self.assertRaises(ValueError):
                WeightedRandomSampler(weights, count, replacement)

    def test_in_a_loader(self):
        loader = DataLoader(ArrayDataset(np.arange(9)), 2, sampler=Backwards())
        epochs = [[batch.tolist() for (batch,) in loader] for _ in range(2)]
        self.assertEqual(epochs, [[[4, 2], [0]], [[5, 3], [1]]])
        data = ArrayDataset(np.arange(9))
        lists = DataLoader(data, batch_sampler=[[1, 2, 3], [8]], num_workers=2)
        self.assertEqual([b.tolist() for (b,) in lists], [[1, 2, 3], [8]])
        self.assertEqual(len(lists), 2)
        batches = BatchSampler(RandomSampler(data, seed=3), 4)
        got = [b.tolist() for (b,) in DataLoader(data, batch_sampler=batches)]
        same = DataLoader(data, 4, shuffle=True, seed=3)
        self.assertEqual(got, [b.tolist() for (b,) in same])
        with self.assertRaisesRegex(ValueError, "batch_size must be"):
            BatchSampler([0], 0)

    def test_random_split(self):
        data = ArrayDataset(np.arange(10))
        for lengths, want in (([7, 3], [7, 3]), ([0.5, 0.25, 0.25], [6, 2, 2]),
                              ([1.0], [10])):
            parts = random_split(data, lengths, seed=1)
            self.assertEqual([len(part) for part in parts], want)
            numbers = [part[i][0] for part in parts for i in range(len(part))]
            self.assertEqual(sorted(numbers), list(range(10)))
            again = random_split(data, lengths, seed=1)
            self.assertEqual([p.numbers for p in again],
                             [p.numbers for p in parts])
        for wrong in ([7, 4], [0.5, 0.6], [11, -1]):
            with self.assertRaisesRegex(ValueError, "random_split: (the sum|len)"):
                random_split(data, wrong)


if __name__ == "__main__":
    unittest.main()
