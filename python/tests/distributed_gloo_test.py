# SPDX-License-Identifier: Apache-2.0
"""sy.distributed by Gloo: calls, bits and errors, as by sockets of our own."""

import unittest

import data_parallel_test
import distributed_library_test
import distributed_test
from distributed_checks import run

# Counts the bytes that a process sends and receives by TCP: the kernel knows for each socket.
BYTES = """
    import os, socket, struct
    def moved():
        total = [0, 0]
        for name in os.listdir("/proc/self/fd"):
            try:
                with socket.socket(fileno=os.dup(int(name))) as each:
                    if each.type == socket.SOCK_STREAM and each.getpeername():
                        facts = each.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 136)
                        for i, count in enumerate(struct.unpack_from("<QQ", facts, 120)):
                            total[i] += count
            except OSError:
                pass  # No connection.
        return total
    sy.distributed.init()
    x = sy.tensor(np.arange(1 << 18, dtype=np.float32))
    before = moved()
    sy.distributed.all_reduce(x)
    sy.distributed.barrier()
    after = moved()
    print("moved", after[0] - before[0], after[1] - before[1], flush=True)
"""


class CallsTest(unittest.TestCase):

    def test_every_count_of_processes(self):
        for count in (2, 3, 4):
            with self.subTest(count):
                result = run(count, distributed_test.SUMS, "gloo")
                self.assertEqual(result.code, 0, result)
                said = [line for line in result.out.splitlines() if "process" in line]
                self.assertEqual(len(set(said)), count, result)

    def test_a_group_ends_and_begins_again(self):
        result = run(2, """
            for _ in range(3):
                sy.distributed.init()
                sy.distributed.barrier()
                sy.distributed.destroy()
        """, "gloo")
        self.assertEqual(result.code, 0, result)

    def test_the_bytes_move_through_sockets(self):
        result = run(2, BYTES, "gloo")
        self.assertEqual(result.code, 0, result)
        lines = [line.split() for line in result.out.splitlines()]
        self.assertEqual(len(lines), 2, result)
        for _, sent, received in lines:
            # Half of the elements as pieces, and half as results; little else.
            for count in (int(sent), int(received)):
                self.assertGreaterEqual(count, 1 << 20)
                self.assertLess(count, (1 << 20) + 8192)


class BitsTest(unittest.TestCase):
    digests = data_parallel_test.SameBitsTest.digests

    def test_training(self):
        for kind, rows in (("mlp", 64), ("dropout", 37)):
            values = {"kind": kind, "optimizer": "adamw", "steps": 10, "rows": rows}
            first = self.digests(1, **values)
            for count in (2, 3):
                with self.subTest(f"{kind} {count}"):
                    self.assertEqual(self.digests(count, "gloo", **values), first)


class ErrorsTest(distributed_test.ErrorsTest):
    transport = "gloo"


class LibraryTest(distributed_library_test.Cases, unittest.TestCase):
    transport = "gloo"

    def test_a_process_that_stops_while_gloo_adds_is_named(self):
        for number, code, words in (
                (9, 137, r"rank 1 \(host .*, process \d+\) closed the connection while"),
                (19, 3, r"rank [02] \(host .*\) waited 2.* for rank 1 \(host")):
            with self.subTest(number):
                result = run(3, distributed_library_test.STOPPING.format(number=number),
                             "gloo")
                self.assertEqual(result.code, code, result)
                lines = result.out.splitlines()
                self.assertEqual(len(lines), 2, result)
                for line in lines:
                    self.assertRegex(line, words)
                    self.assertRegex(line, r"library_all_reduce\(sum\) 'w' float32"
                                     r"\[2097152\] of 3 shards \(job.py:\d+\)")

    def test_other_cpus_are_a_warning(self):
        result = run(2, """
            from switchyard.distributed import groups
            whole = groups.bits_decided_by
            def narrow(reduction=None):
                import os
                return {**whole(reduction), "cpu": "avx" + os.environ["RANK"]}
            groups.bits_decided_by = narrow
            sy.distributed.init(relaxed="reduction=library")
            assert sy.distributed.all_reduce(sy.tensor([1.0])).tolist() == [2.0]
        """, "gloo")
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.err.count("has a CPU with other instructions, and would "
                                          "give other bits: avx1; rank 0"), 1, result)


if __name__ == "__main__":
    unittest.main()
