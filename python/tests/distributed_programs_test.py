# SPDX-License-Identifier: Apache-2.0
"""Collective calls as operations of programs: the calls of eager code, in its order."""

import unittest

from distributed_checks import run

# Every call, alone and beside the program, eager and traced.
CALLS = """
    d = sy.distributed
    d.init()
    rank, size = d.rank(), d.world_size()
    def step(x):
        first = d.all_reduce(x, name="a")
        work = d.all_gather(x * 2, wait=False)
        other = d.reduce_scatter(sy.concat([x] * size), "mean", wait=False)
        again = d.all_reduce(x, name="a")          # A call of its own.
        root = d.broadcast(x + 1, root=size - 1)
        d.all_reduce(root, name="unused")
        d.barrier()
        constant = d.all_reduce(sy.ones([3]) * 2, "max")
        return first + again, work.wait(), other.wait(), root, constant
    program = sy.static.trace(step, sy.static.InputSpec([None]))
    program.save(FILE)
    loaded = sy.load(FILE)
    for count in (3, 7, 7, 0):
        x = np.arange(count, dtype=np.float32) / 7 + rank
        with d.trace() as trace:
            eager = step(sy.tensor(x))
        expected = [each["name"].split(" (")[0] for each in trace.events]
        assert len(expected) == 8, expected
        for each in (program, loaded):
            with d.trace() as trace:
                got = each.run({"x0": x})
            events = trace.events
            assert [e["name"].split(" (")[0] for e in events] == expected, events
            assert [e["asynchronous"] for e in events] == [
                False, True, True, *[False] * 5], events
            assert all(e["name"].split(" (")[1].startswith("job.py:")
                       for e in events if "[" in e["name"]), events
            for i, result in enumerate(eager):
                value = got[f"out{i}"]
                assert value.shape == result.numpy().shape, (i, value)
                assert value.tobytes() == result.numpy().tobytes(), (i, value)
    print("equal", flush=True)
"""

# A step of training whose gradients are summed by the program.
STEP = """
    d = sy.distributed
    d.init()
    rank = d.rank()
    def trained(static):
        sy.seed(1)
        model = sy.nn.Sequential(sy.nn.Linear(4, 8), sy.nn.Tanh(), sy.nn.Linear(8, 2))
        parameters = list(model.parameters())
        def step(x):
            loss = model(x).square().mean()
            works = [d.all_reduce(each, "mean", wait=False)
                     for each in sy.grad(loss, parameters)]
            with sy.no_grad():
                for each, work in zip(parameters, works):
                    each.copy_(each - 0.1 * work.wait())
            return d.all_reduce(loss.detach(), "mean")
        if static:
            step = sy.static.train_function(step, [model], [])
        losses = [step(sy.tensor(np.full((3, 4), rank + i, np.float32))).item()
                  for i in range(4)]
        assert not static or step.traces == 1
        return losses, [each.numpy().tobytes() for each in parameters]
    eager, static = trained(False), trained(True)
    assert eager == static, (eager[0], static[0])
    assert len(set(eager[0])) == 4
    print("equal", flush=True)
"""


class ProgramsTest(unittest.TestCase):

    def check(self, body, counts=(1, 2, 3)):
        for count in counts:
            with self.subTest(count):
                result = run(count, body)
                self.assertEqual(result.code, 0, result)
                self.assertEqual(result.out.count("equal"), count, result)

    def test_calls_are_those_of_eager_code(self):
        self.check("    import os, tempfile\n    FILE = os.path.join(tempfile.mkdtemp("
                   "), 'program')\n" + CALLS)

    def test_a_step_of_training(self):
        self.check(STEP, (1, 3))

    def test_other_orders_are_named_when_a_program_is_made(self):
        result = run(3, """
            d = sy.distributed
            d.init()
            names = ["b", "a"] if d.rank() == 2 else ["a", "b"]
            def step(x):
                for name in ["first", *names]:
                    x = d.all_reduce(x, name=name)
                return x
            try:
                sy.static.trace(step, sy.static.InputSpec([2]))
            except d.DistributedError as error:
                print(error, flush=True)
        """)
        lines = result.out.splitlines()
        self.assertEqual((len(lines), len(set(lines))), (3, 1), result)
        self.assertEqual(
            lines[0], "ranks have programs of different collective calls: as call 1 of the "
            "program, rank 0 makes all_reduce(sum) 'a' float32 (job.py:9) and rank 2 "
            "all_reduce(sum) 'b' float32 (job.py:9)")

    def test_an_order_is_compared_once(self):
        result = run(2, """
            d = sy.distributed
            d.init()
            def step(x):
                return d.all_reduce(x)
            sy.static.trace(step, sy.static.InputSpec([2]))
            with d.trace() as trace:
                if d.rank() == 0:        # A rank alone traces again.
                    sy.static.trace(step, sy.static.InputSpec([3]))
            print(len(trace.events), flush=True)
        """)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.out.split(), ["0", "0"])

    def test_a_failed_call_is_named_with_its_line(self):
        result = run(2, """
            d = sy.distributed
            d.init()
            def step(x):
                return d.all_reduce(x, name="w")
            program = sy.static.trace(step, sy.static.InputSpec([None]))
            try:
                program.run({"x0": np.ones(2 + d.rank(), np.float32)})
            except d.DistributedError as error:
                print(error, flush=True)
        """)
        lines = result.out.splitlines()
        self.assertEqual((len(lines), len(set(lines))), (2, 1), result)
        self.assertRegex(lines[0], r"all_reduce\(sum\) 'w' float32\[2\] of 2 shards "
                         r"\(job.py:7\) and rank 1 .* 'w' float32\[3\] of 2 shards ")

    def test_what_programs_refuse(self):
        result = run(1, """
            import os
            d = sy.distributed
            os.environ.update(RANK="0", WORLD_SIZE="1")
            d.init()
            cond, spec = sy.static.cond, sy.static.InputSpec([None])
            for bad in (lambda x: cond(x.sum() > 0, lambda: d.all_reduce(x), lambda: x),
                        lambda x: d.all_reduce(x, "product"), lambda x: d.all_reduce(x > 1),
                        lambda x: d.all_reduce(x.to("int64"), "mean"),
                        lambda x: d.reduce_scatter(x.sum()), lambda x: d.broadcast(x, 9),
                        lambda x: d.all_reduce([1.0]),
                        lambda x: (d.all_reduce(x, wait=False), x)[1]):
                try:
                    sy.static.trace(bad, spec)
                except Exception as error:
                    print(type(error).__name__, error)
            program = sy.static.trace(lambda x: d.all_gather(x), spec)
            d.destroy()
            for size in (0, 2):
                if size:
                    from switchyard.distributed import groups
                    class Pair: size = 2
                    groups._group = Pair()
                try:
                    program.run({"x0": np.ones(1, np.float32)})
                except RuntimeError as error:
                    print(error)
            groups._group = None
        """)
        self.assertEqual(result.code, 0, result)
        for line, words in zip(result.out.splitlines(), (
                "NotImplementedError all_reduce: a program makes collective calls outside "
                "of its branches", "ValueError reduction must be 'sum', 'mean', 'min' or",
                "TypeError all_reduce: x must be floating or an integer, got bool",
                "TypeError dtype must be floating for a mean, got int64",
                "ValueError reduce_scatter: x must have rows for each of 1 ranks, got",
                "IndexError broadcast: root must be in [0, 1), got 9",
                "TypeError all_reduce: x must be a tensor, got list",
                "ValueError a program must wait for the 1 calls that it makes with "
                "wait=False, got 0 calls of wait()",
                "all_gather: call switchyard.distributed.init() first",
                "all_gather: the program was traced by one of 1 processes, and this is one "
                "of 2 (at job.py:"), strict=True):
            self.assertIn(words, line)


if __name__ == "__main__":
    unittest.main()
