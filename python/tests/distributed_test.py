# SPDX-License-Identifier: Apache-2.0
"""sy.distributed with real processes: calls, errors, and ends of jobs."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from distributed_checks import HAS_MPI, run
from distributed_checks import environment as environment_of

import switchyard as sy
from switchyard import _collective
from switchyard.distributed import environment

SUMS = """
    sy.distributed.init()
    rank, size = sy.distributed.rank(), sy.distributed.world_size()
    for count in (0, 1, 3, 1023, 1025, 70001):
        values = np.arange(count, dtype=np.float32) + rank
        total = sy.distributed.all_reduce(sy.tensor(values), name="x").numpy()
        expected = np.arange(count) * size + size * (size - 1) / 2
        np.testing.assert_array_equal(total, expected.astype(np.float32))
    x = sy.tensor(np.arange(6) + rank, "int64")
    assert sy.distributed.all_reduce(x, "max").tolist() == list(
        range(size - 1, size + 5))
    half = sy.tensor([1.5, 2.0 + rank], "bfloat16")
    total = sy.distributed.all_reduce(half)
    assert total.dtype == "bfloat16"
    assert total.to("float32").tolist() == [
        1.5 * size, 2.0 * size + size * (size - 1) / 2]
    gathered = sy.distributed.all_gather(sy.tensor([rank, 7]))
    assert gathered.tolist() == [[each, 7] for each in range(size)]
    root = sy.distributed.broadcast(sy.tensor([[rank + 0.5]]), root=size - 1)
    assert root.tolist() == [[size - 0.5]]
    rows = sy.tensor(np.arange(2 * size * 3.0).reshape(2 * size, 3), "float64")
    part = sy.distributed.reduce_scatter(rows, "mean")
    np.testing.assert_array_equal(part.numpy(), rows.numpy()[2 * rank:2 * rank + 2])
    sy.distributed.barrier()
    import os
    print("process", os.getpid(), flush=True)
"""


class CallsTest(unittest.TestCase):

    def check(self, count, transport):
        result = run(count, SUMS, transport)
        self.assertEqual(result.code, 0, result)
        said = [line for line in result.out.splitlines() if "process" in line]
        self.assertEqual(len(set(said)), count, result)

    def test_every_count_of_processes(self):
        for count in (1, 2, 3, 4):
            with self.subTest(count):
                self.check(count, "tcp")

    @unittest.skipUnless(HAS_MPI, "needs mpirun, of the package openmpi-bin")
    def test_open_mpi(self):
        for count in (2, 3):
            with self.subTest(count):
                self.check(count, "mpi")

    def test_a_group_ends_and_begins_again(self):
        result = run(2, """
            for _ in range(3):
                sy.distributed.init()
                assert sy.distributed.is_initialized()
                sy.distributed.barrier()
                sy.distributed.destroy()
            assert sy.distributed.world_size() == 1
        """)
        self.assertEqual(result.code, 0, result)


class ErrorsTest(unittest.TestCase):
    transport = "tcp"

    def run_job(self, count, body):
        return run(count, body, self.transport)

    def test_different_calls_are_named_on_both_ranks(self):
        result = self.run_job(2, """
            sy.distributed.init()
            names = ["a", "b"] if sy.distributed.rank() == 0 else ["b", "a"]
            try:
                for name in names:
                    sy.distributed.all_reduce(sy.tensor([1.0, 2.0]), name=name)
            except sy.distributed.DistributedError as error:
                print(error, flush=True)
        """)
        lines = result.out.splitlines()
        self.assertEqual(len(lines), 2, result)
        self.assertEqual(lines[0], lines[1])
        self.assertRegex(lines[0], "ranks make different collective calls: as call 1, "
                         r"rank 0 \(host .*, process \d+\) makes all_reduce\(sum\) 'a' "
                         r"float32\[2\] of 2 shards \(job.py:8\) and rank 1 .* makes "
                         r"all_reduce\(sum\) 'b' float32\[2\]")

    def test_a_killed_process_is_named(self):
        result = self.run_job(3, """
            import os, signal
            sy.distributed.init()
            sy.distributed.barrier()
            if sy.distributed.rank() == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                sy.distributed.all_reduce(sy.tensor([1.0]), name="w")
            except sy.distributed.DistributedError as error:
                print(error, flush=True)
                raise SystemExit(3)
        """)
        self.assertEqual(result.code, 137, result)
        self.assertRegex(result.err, r"sy: launch: rank 1 \(process \d+\) died by "
                         r"signal 9 \(SIGKILL\); the job has ended")
        lines = result.out.splitlines()
        self.assertEqual(len(lines), 2, result)
        for line in lines:
            self.assertRegex(line, r"rank 1 \(host .*, process \d+\) .* in call 2, "
                             r"all_reduce\(sum\) 'w' float32\[1\] of 3 shards "
                             r"\(job.py:\d+\)")

    def test_a_process_that_raises_has_left(self):
        result = self.run_job(2, """
            sy.distributed.init()
            sy.distributed.barrier()
            if sy.distributed.rank() == 1:
                raise ZeroDivisionError("in the data of rank 1")
            try:
                sy.distributed.all_reduce(sy.tensor([1.0]), name="w")
            except sy.distributed.DistributedError as error:
                print(error, flush=True)
        """)
        self.assertEqual(result.code, 1, result)
        self.assertIn("ZeroDivisionError: in the data of rank 1", result.err)
        self.assertRegex(result.err, r"sy: launch: rank 1 .* ended with exit code 1")
        self.assertRegex(result.out, r"^rank 1 \(.*\) closed the connection while rank 0 "
                         r"\(.*\) was in call 2, all_reduce\(sum\) 'w'")

    def test_a_frozen_process_is_named_at_the_deadline(self):
        result = self.run_job(2, """
            import os, signal
            sy.distributed.init(deadline=1.5)
            sy.distributed.barrier()
            if sy.distributed.rank() == 0:
                os.kill(os.getpid(), signal.SIGSTOP)
            try:
                sy.distributed.all_reduce(sy.tensor([1.0]), name="w")
            except sy.distributed.DistributedError as error:
                print(error, flush=True)
                raise SystemExit(3)
        """)
        self.assertEqual(result.code, 3, result)
        self.assertRegex(result.out, r"rank 1 \(host .*\) waited 1.5 s in call 2, "
                         r"all_reduce\(sum\) 'w' float32\[1\] of 2 shards .*, for rank "
                         r"0 \(host .*, process \d+\), whose last call was 1")

    def test_a_process_that_is_busy_is_waited_for(self):
        result = self.run_job(2, """
            import time
            sy.distributed.init(deadline=1)
            if sy.distributed.rank() == 1:
                time.sleep(3.2)
            print(sy.distributed.all_reduce(sy.tensor([1.0])).item(), flush=True)
        """)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.out.split(), ["2.0", "2.0"])
        self.assertRegex(result.err, r"^switchyard: rank 0 \(.*\) waited 1 s in call 1, "
                         r"all_reduce.*, for rank 1 \(.*\), whose last call was 0, "
                         "still alive, and goes on waiting\n$")

    def test_a_busy_process_that_freezes_is_named(self):
        result = self.run_job(2, """
            import os, signal, time
            sy.distributed.init(deadline=1)
            if sy.distributed.rank() == 1:
                time.sleep(2)
                os.kill(os.getpid(), signal.SIGSTOP)
            try:
                sy.distributed.barrier()
            except sy.distributed.DistributedError as error:
                print(error, flush=True)
                raise SystemExit(3)
        """)
        self.assertEqual(result.code, 3, result)
        self.assertRegex(result.out, r"^rank 0 \(.*\) waited \S+ s in call 1, barrier.*, "
                         r"for rank 1 \(.*\), whose last call was 0, without an answer "
                         "for 1 s\n$")

    def test_a_process_that_never_comes(self):
        result = self.run_job(2, """
            if sy.distributed.rank() == 0:
                import os
                if os.environ["RANK"] == "1":
                    raise SystemExit(0)
            try:
                sy.distributed.init(deadline=1)
            except sy.distributed.DistributedError as error:
                print(error, flush=True)
        """)
        self.assertIn("init: rank 0 waited for rank 1, which did not come", result.out)

    def test_waiting_costs_no_processor(self):
        result = self.run_job(2, """
            import time
            sy.distributed.init()
            used = []
            for _ in range(8):  # Whatever else runs makes it cost more.
                sy.distributed.barrier()
                if sy.distributed.rank() == 1:
                    time.sleep(1.0)
                before = time.process_time()
                sy.distributed.barrier()
                used.append(time.process_time() - before)
            if sy.distributed.rank() == 0:
                print("used", min(used), flush=True)
        """)
        self.assertEqual(result.code, 0, result)
        self.assertLess(float(result.out.split()[1]), 0.03, result)


class OpenMpiTest(unittest.TestCase):

    @unittest.skipUnless(HAS_MPI, "needs mpirun, of the package openmpi-bin")
    def test_the_library_counts_the_messages(self):
        result = run(2, """
            sy.distributed.init()
            x = sy.tensor(np.arange(100000, dtype=np.float32))
            assert sy.distributed.all_reduce(x).numpy()[-1] == 199998
            sy.distributed.destroy()
        """, "mpi", variables={"OMPI_MCA_pml_monitoring_enable": "1",
                               "OMPI_MCA_pml_monitoring_enable_output": "1"})
        self.assertEqual(result.code, 0, result)
        sent = re.findall(r"^E\t(\d)\t(\d)\t(\d+) bytes\t(\d+) msgs sent", result.out, re.M)
        self.assertEqual(sorted(words[:2] for words in sent), [("0", "1"), ("1", "0")],
                         result)
        for _, _, size, count in sent:
            self.assertGreaterEqual(int(size), 400000)
            self.assertGreaterEqual(int(count), 5)
        # None by collectives of its own, whose sums would have other bits.
        said = re.findall(r"^(?:O2A|A2O|A2A)\t\d\t(\d+) bytes", result.out, re.M)
        self.assertEqual(set(said), {"0"}, result)

    @unittest.skipUnless(HAS_MPI, "needs mpirun, of the package openmpi-bin")
    def test_open_mpi_names_a_process_that_died(self):
        for died in ("os.kill(os.getpid(), signal.SIGKILL)", "os._exit(3)"):
            with self.subTest(died):
                result = run(3, f"""
                    import os, signal
                    sy.distributed.init()
                    sy.distributed.barrier()
                    if sy.distributed.rank() == 1:
                        {died}
                    try:
                        while True:
                            sy.distributed.all_reduce(sy.tensor([1.0]), name="w")
                    except sy.distributed.DistributedError as error:
                        print(error, flush=True)
                """, "mpi")
                self.assertNotEqual(result.code, 0, result)
                lines = result.out.splitlines()
                self.assertEqual(len(lines), 2, result)
                for line in lines:  # Its own, or that of the other one.
                    self.assertRegex(
                        line, r"^rank 1 \(host .*, process \d+\) ended, and mpirun ends the "
                        r"job while rank [02] \(host .*\) was at job.py:\d+$")

    @unittest.skipUnless(HAS_MPI, "needs mpirun, of the package openmpi-bin")
    def test_open_mpi_names_a_frozen_process(self):
        # mpirun waits for the frozen one: a child of that ends it, long after.
        result = run(2, """
            import os, signal, time
            sy.distributed.init(deadline=1.5)
            sy.distributed.barrier()
            if sy.distributed.rank() == 0:
                frozen = os.getpid()
                if os.fork() == 0:
                    time.sleep(6)
                    os.kill(frozen, signal.SIGKILL)
                    os._exit(0)
                os.kill(os.getpid(), signal.SIGSTOP)
            try:
                sy.distributed.all_reduce(sy.tensor([1.0]), name="w")
            except sy.distributed.DistributedError as error:
                print(error, flush=True)
        """, "mpi")
        self.assertRegex(result.out, r"rank 1 \(host .*\) waited 1.5 s in call 2, "
                         r"all_reduce\(sum\) 'w' .*, for rank 0 \(host .*")


class ArgumentsTest(unittest.TestCase):

    def test_a_missing_library_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            # _gloo.so is looked for beside it.
            os.symlink(_collective.__file__, os.path.join(folder, "_collective.so"))
            said = subprocess.run(
                [sys.executable, "-c", "import _collective\n"
                 "_collective.Group('gloo', 0, 2, [], 1.0, '127.0.0.1')"],
                env=environment_of(PYTHONPATH=folder), capture_output=True, text=True)
        self.assertRegex(said.stderr, "RuntimeError: transport gloo: Gloo could not be "
                         r"opened \(.*_gloo.so.*\); install the package libgloo0, .*, or "
                         "choose the transport tcp")

    def test_arguments(self):
        with self.assertRaisesRegex(RuntimeError, "all_reduce: call .*init.. first"):
            sy.distributed.all_reduce(sy.tensor([1.0]))
        with self.assertRaisesRegex(ValueError, "given together"):
            sy.distributed.init(rank=0)
        with self.assertRaisesRegex(ValueError, r"rank must be in \[0, 2\), got 2"):
            sy.distributed.init(rank=2, world_size=2)
        sy.distributed.init()
        self.addCleanup(sy.distributed.destroy)
        self.assertEqual(sy.distributed.world_size(), 1)
        with self.assertRaisesRegex(RuntimeError, "there is a group already"):
            sy.distributed.init()
        x = sy.tensor([1.0, np.nan])
        self.assertEqual(sy.distributed.all_reduce(x).numpy()[0], 1)
        for bad, kind in ((sy.tensor([True]), TypeError), ([1.0], TypeError)):
            with self.assertRaises(kind):
                sy.distributed.all_reduce(bad)
        with self.assertRaisesRegex(ValueError, "reduction must be 'sum'"):
            sy.distributed.all_reduce(x, "product")
        with self.assertRaisesRegex(TypeError, "floating for a mean, got int64"):
            sy.distributed.all_reduce(sy.tensor([1]), "mean")
        with self.assertRaisesRegex(IndexError, r"root must be in \[0, 1\)"):
            sy.distributed.broadcast(x, root=1)
        with self.assertRaisesRegex(ValueError, "rows for each"):
            sy.distributed.reduce_scatter(sy.tensor(1.0))


class EnvironmentTest(unittest.TestCase):

    def position(self, **variables):
        return environment.position(None, None, variables)

    def test_the_first_complete_family_counts(self):
        mpi = {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}
        step = {"SLURM_PROCID": "0", "SLURM_NTASKS": "1"}
        self.assertEqual(self.position(**mpi, **step), ("mpirun", 2, 4))
        self.assertEqual(self.position(**step), ("srun", 0, 1))
        self.assertEqual(self.position(PMIX_RANK="3", SLURM_NTASKS="4"), ("srun", 3, 4))
        self.assertEqual(self.position(RANK="1", WORLD_SIZE="3", **mpi),
                         ("launch", 1, 3))
        self.assertEqual(self.position(RANK="1", **mpi), ("mpirun", 2, 4))
        self.assertEqual(self.position(), ("alone", 0, 1))
        self.assertEqual(environment.position(1, 2, mpi), ("arguments", 1, 2))

    def test_contradictions(self):
        for variables in ({"RANK": "3", "WORLD_SIZE": "3"},
                          {"RANK": "x", "WORLD_SIZE": "3"},
                          {"RANK": "0", "WORLD_SIZE": "0"}):
            with self.assertRaisesRegex(ValueError, "^init: (RANK|WORLD_SIZE) must"):
                self.position(**variables)

    def test_stores(self):
        torchrun = {"MASTER_ADDR": "node", "MASTER_PORT": "29500",
                    "TORCHELASTIC_USE_AGENT_STORE": "True",
                    "TORCHELASTIC_RUN_ID": "run"}
        self.assertEqual(environment.store_of(torchrun), ("node", 29501, True, "run"))
        with self.assertRaisesRegex(ValueError, "MASTER_PORT must have a port"):
            environment.store_of({**torchrun, "MASTER_PORT": "-1"})
        with self.assertRaisesRegex(ValueError, "where rank 0 listens"):
            environment.store_of({})

    def test_transports(self):
        mpirun = environment.Position("mpirun", 0, 2)
        self.assertEqual(environment.transport_of(mpirun, None, {}), "mpi")
        self.assertEqual(environment.transport_of(mpirun, "tcp", {}), "tcp")
        self.assertEqual(environment.transport_of(
            mpirun, None, {"MASTER_ADDR": "node"}), "tcp")


if __name__ == "__main__":
    unittest.main()
