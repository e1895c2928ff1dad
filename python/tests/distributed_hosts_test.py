# SPDX-License-Identifier: Apache-2.0
"""./sy launch with an agent for each of several machines, all of them this one."""

import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

from distributed_checks import environment

SCRIPT = """
import os
import switchyard as sy
sy.distributed.init()
total = sy.distributed.all_reduce(sy.tensor([sy.distributed.rank() + 1]))
print(sy.distributed.rank(), sy.distributed.world_size(), total.item(),
      os.environ["LOCAL_RANK"], flush=True)
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class HostsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = pathlib.Path(folder.name, "job.py")
        self.script.write_text(SCRIPT)

    def agent(self, *options, token="a token of the test"):
        return subprocess.Popen(
            [sys.executable, "-m", "switchyard", "launch", *options, self.script],
            env=environment(SWITCHYARD_TOKEN=token), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def job(self, tokens=("t", "t")):
        meet = f"127.0.0.1:{free_port()}"
        agents = [self.agent("-n", "2", "--hosts", "2", "--host", str(host), "--meet",
                             meet, token=tokens[host]) for host in (0, 1)]
        return [(*each.communicate(timeout=100), each.returncode) for each in agents]

    def test_the_ranks_of_two_agents_are_one_job(self):
        (first, _, code), (second, _, other) = self.job()
        self.assertEqual((code, other), (0, 0))
        self.assertEqual(sorted(first.splitlines()), ["0 4 10 0", "1 4 10 1"])
        self.assertEqual(sorted(second.splitlines()), ["2 4 10 0", "3 4 10 1"])

    def test_a_failure_names_the_rank_of_the_job_and_ends_both_agents(self):
        self.script.write_text(SCRIPT + "if sy.distributed.rank() == 3:\n"
                               "    os._exit(5)\nsy.distributed.barrier()\n")
        (_, said, code), (_, other, five) = self.job()
        self.assertEqual(five, 5, other)
        self.assertIn("sy: launch: rank 3 (process", other)
        self.assertEqual(code, 1, said)
        self.assertIn("DistributedError", said)

    def test_an_agent_with_another_token_is_refused(self):
        self.script.write_text(SCRIPT.replace("init()", "init(deadline=4.0)"))
        (_, first, code), (_, second, other) = self.job(("t", "u"))
        self.assertNotEqual(code, 0)
        self.assertNotEqual(other, 0)
        self.assertIn("SWITCHYARD_TOKEN must be the job's", second)
        self.assertIn("did not come before the deadline", first)

    def test_wrong_options(self):
        for words, token, options in (
                ("--host must be in [0, 2)", "t", ("--hosts", "2", "--host", "2")),
                ("--meet must say where host 0 listens", "t", ("--hosts", "2")),
                ("SWITCHYARD_TOKEN must have a text", "",
                 ("--hosts", "2", "--meet", "127.0.0.1:7000")),
                ("must be ADDRESS:PORT, got '7000'", "t", ("--meet", "7000")),
                ("-n must be given, or --elastic", "t", None),
                ("must be MIN:MAX", "t", ("--elastic", "3:2"))):
            with self.subTest(words):
                count = () if options is None else ("-n", "1", *options)
                agent = self.agent(*count, token=token)
                _, said = agent.communicate(timeout=60)
                self.assertNotEqual(agent.returncode, 0)
                self.assertIn(words, said)
                self.assertLessEqual(len(said.splitlines()[-1]), 200)
                self.assertNotIn("Traceback", said)


if __name__ == "__main__":
    unittest.main()
