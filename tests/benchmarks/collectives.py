# SPDX-License-Identifier: Apache-2.0
"""./sy bench collectives: collective calls of processes of this machine over sockets.

    collectives.py --package FOLDER [--model] [--processes N,N] [--rounds N]

The time of a call is the least of the rounds, each of which makes several. With --model the
predictions of sy.distributed.estimate are beside it: the transport "model" makes the same calls in
virtual time, with the costs of a message that barriers and all_gathers of two processes have shown.
The model leaves out arithmetic, copies and that processes of a machine share its cores.
"""

import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys

CALLS = ("all_reduce", "reduce_scatter", "all_gather", "broadcast")
COUNTS = (256, 16_384, 262_144, 2_097_152)  # Elements of float32.


def arguments():
    parser = argparse.ArgumentParser(prog="./sy bench collectives")
    parser.add_argument("--package", type=pathlib.Path, required=True)
    parser.add_argument("--model", action="store_true", help="predictions beside them")
    parser.add_argument("--processes", default="2,3", help="how many processes (2,3)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def started(count, options):
    """Starts a job of this script; returns what its rank 0 has measured."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "WORLD_SIZE": str(count),
                   "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                   "PYTHONPATH": str(options.package)}
    words = [sys.executable, __file__, "--worker", "--package", str(options.package),
             "--rounds", str(options.rounds)]
    jobs = [subprocess.Popen(words, env={**environment, "RANK": str(rank)}, text=True,
                             stdout=subprocess.PIPE) for rank in range(count)]
    said = [each.communicate()[0] for each in jobs]
    if any(each.returncode for each in jobs):
        raise SystemExit("a process has failed")
    return json.loads(said[0])


def worker(rounds):
    """Prints [[call, elements, seconds]] of rank 0."""
    import time

    import numpy as np

    import switchyard as sy
    sy.distributed.init()
    size, found = sy.distributed.world_size(), []

    def measure(call, repeats):
        call()
        times = []
        for _ in range(rounds):
            sy.distributed.barrier()
            begin = time.perf_counter()
            for _ in range(repeats):
                call()
            times.append((time.perf_counter() - begin) / repeats)
        return min(times)

    found.append(("barrier", 0, measure(sy.distributed.barrier, 50)))
    for count in COUNTS:
        for name in CALLS:
            whole = count - count % size  # As the rows of a reduce_scatter.
            x = sy.tensor(np.ones(whole // size if name == "all_gather" else whole,
                                  np.float32))
            call = getattr(sy.distributed, name)
            repeats = max(2, min(50, 2_000_000 // count))
            if name == "broadcast":  # Its root waits for no other process.
                def both(call=call, x=x):
                    call(x)
                    sy.distributed.barrier()
                seconds = measure(both, repeats) - found[0][2]
            else:
                seconds = measure(lambda call=call, x=x: call(x), repeats)
            found.append((name, whole, max(0.0, seconds)))
    if sy.distributed.rank() == 0:
        print(json.dumps(found))


def costs(found):
    """(alpha, beta) of a message between two processes: in a barrier each sends one of no
    size and waits for one, in an all_gather one of half of the elements more."""
    barrier = next(seconds for name, _, seconds in found if name == "barrier")
    times = {count: seconds for name, count, seconds in found if name == "all_gather"}
    small, large = min(times), max(times)
    return barrier, max(0.0, (times[large] - times[small]) / (2 * (large - small)))


def main():
    options = arguments()
    if options.worker:
        worker(options.rounds)
        return
    sys.path.insert(0, str(options.package))
    link = None
    found = {2: started(2, options)} if options.model else {}
    if options.model:
        import switchyard as sy
        alpha, beta = link = costs(found[2])
        print(f"a message: {alpha * 1e6:.1f} us, {beta * 1e9:.3f} ns a byte")
    words = ("predicted", "ratio") if link else ()
    print(f"{'processes':>9}  {'call':<15}{'float32':>10}{'us':>10}"
          + "".join(f"{each:>11}" for each in words))
    for count in map(int, options.processes.split(",")):
        for name, elements, seconds in found.get(count) or started(count, options):
            if name == "barrier":
                continue
            row = f"{count:>9}  {name:<15}{elements:>10}{1e6 * seconds:>10.1f}"
            if link:
                guess = sy.distributed.estimate([(name, "float32", elements)], count,
                                                alpha=alpha, beta=beta).seconds
                row += f"{1e6 * guess:>11.1f}{guess / max(seconds, 1e-7):>11.2f}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
