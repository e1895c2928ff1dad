# SPDX-License-Identifier: Apache-2.0
"""sy.distributed by NCCL, over fakes of its library and of the GPUs' driver."""

import ctypes
import os
import pathlib
import tempfile
import unittest

import data_parallel_test
from distributed_checks import PACKAGE, run

import switchyard as sy
from switchyard.distributed import environment

FAKES = {"libnccl.so.2": "libfake_nccl.so", "libcuda.so.1": "libfake_driver.so"}
# The sum of a tensor whose slices are larger than what goes through sockets.
SUMS = """
    sy.distributed.init(deadline={deadline})
    rank, size = sy.distributed.rank(), sy.distributed.world_size()
    for again in range(3):
        if again == 2 and rank == 1 and {dies}:
            import os
            os.kill(os.getpid(), 9)
        x = sy.tensor(np.arange(100003, dtype=np.float32) + rank)
        total = sy.distributed.all_reduce(x, name="x").numpy()
        expected = np.arange(100003) * size + size * (size - 1) / 2
        np.testing.assert_array_equal(total, expected.astype(np.float32))
    print("summed", rank, flush=True)
"""


def libraries(folder, names):
    """The variables with which a process finds the fakes of these names."""
    for name in names:
        fake = PACKAGE.parent / "framework" / "collective" / FAKES[name]
        os.symlink(fake.resolve(strict=True), pathlib.Path(folder) / name)
    return {"LD_LIBRARY_PATH": folder}


def sums(count, names=tuple(FAKES), deadline=20, dies=False, **variables):
    """The result of SUMS with the fakes of these names."""
    with tempfile.TemporaryDirectory() as folder:
        return run(count, SUMS.format(deadline=deadline, dies=dies), "nccl",
                   variables={**libraries(folder, names), **variables})


def is_there(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


class NcclTest(unittest.TestCase):

    def test_sums(self):
        for count in (1, 2, 3):
            with self.subTest(count):
                result = sums(count)
                self.assertEqual(result.code, 0, result)
                self.assertEqual(result.out.count("summed"), count, result)

    def test_training_has_the_bits_of_other_transports(self):
        training = data_parallel_test.SameBitsTest()
        values = {"kind": "lenet", "optimizer": "momentum", "steps": 2, "rows": 16}
        with tempfile.TemporaryDirectory() as folder:
            before = dict(os.environ)
            os.environ.update(libraries(folder, FAKES))
            try:
                by_nccl = training.digests(3, "nccl", **values)
            finally:
                os.environ.clear()
                os.environ.update(before)
        self.assertEqual(by_nccl, training.digests(1, **values))

    def test_a_rank_that_dies_is_named(self):
        result = sums(2, dies=True)
        self.assertNotEqual(result.code, 0)
        self.assertRegex(result.err, r"DistributedError: rank 1 \(host .*\) closed the "
                                     r"connection while rank 0 .* all_reduce\(sum\) 'x'")

    def test_an_error_of_nccl_names_rank_and_line(self):
        result = sums(2, FAKE_NCCL_FAULT="async=6@2")
        self.assertNotEqual(result.code, 0)
        self.assertRegex(
            result.err, r"DistributedError: rank \d \(host .*\) can't be reached by "
            r"NCCL \(remote process exited .*\) while rank \d .* was in call \d, "
            r"all_reduce\(sum\) 'x' float32\[100003\] of 2 shards \(job.py:\d+\)")

    def test_a_gpu_that_hangs_ends_by_the_deadline(self):
        result = sums(2, deadline=3, FAKE_NCCL_FAULT="hang=1@1")
        self.assertNotEqual(result.code, 0)
        self.assertRegex(result.err, r"DistributedError: rank \d .* has not ended an "
                                     r"exchange by NCCL for 3 s while rank \d .* 'x'")

    @unittest.skipIf(is_there("libnccl.so.2"), "NCCL is installed")
    def test_the_library_that_is_missing_is_named(self):
        result = sums(2, names=())
        self.assertNotEqual(result.code, 0)
        self.assertRegex(result.err, r"RuntimeError: transport nccl: NCCL could not be "
                                     r"opened \(libnccl.so.2: .*\); install the package "
                                     "libnccl2, or choose the transport tcp")

    @unittest.skipIf(is_there("libcuda.so.1"), "the driver is installed")
    def test_the_driver_that_is_missing_is_named(self):
        result = sums(2, names=("libnccl.so.2",))
        self.assertNotEqual(result.code, 0)
        self.assertIn("the driver of NVIDIA's GPUs could not be opened", result.err)

    def test_gpus_are_those_of_the_machine(self):
        place = environment.position(5, 8, {})
        for variables, device in (
                ({}, 5), ({"LOCAL_RANK": "1"}, 1), ({"SLURM_LOCALID": "2"}, 2),
                ({"OMPI_COMM_WORLD_LOCAL_RANK": "3", "SLURM_LOCALID": "2"}, 3)):
            self.assertEqual(environment.device_of(place, variables), device)

    def test_a_library_of_it_does_not_add(self):
        with self.assertRaisesRegex(ValueError, "mpi or gloo, got nccl"):
            sy.distributed.init(0, 2, transport="nccl", relaxed="reduction=library")


if __name__ == "__main__":
    unittest.main()
