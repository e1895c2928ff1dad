# SPDX-License-Identifier: Apache-2.0
"""Times operators on a GPU: gpu.py [--peer PYTHON].

Prints a Markdown table: microseconds of a call in a run of many, which is waited for, the least of
REPEATS runs; and for what mostly moves memory, bytes a second. All is float32. With --peer, also
what PyTorch takes in that interpreter, one after the other on the same GPU; its matmul without TF32,
as cuBLAS is called here.
"""
import argparse
import json
import subprocess
import time

import numpy as np

GPU = "gpu:0"
REPEATS = 5
LARGE = 1 << 26
# name: (shapes of the inputs, what is called, bytes moved). Both packages have the calls.
CASES = {
    "add, 8 elements": ([(8,), (8,)], lambda sy, a, b: a + b, None),
    "add, 64 Mi elements": ([(LARGE,), (LARGE,)], lambda sy, a, b: a + b, 12 * LARGE),
    "add of a row, 8192 x 8192": ([(8192, 8192), (8192,)], lambda sy, a, b: a + b, 8 * LARGE),
    "relu, 64 Mi elements": ([(LARGE,)], lambda sy, a: sy.relu(a), 8 * LARGE),
    "sigmoid, 64 Mi elements": ([(LARGE,)], lambda sy, a: sy.sigmoid(a), 8 * LARGE),
    "exp, 64 Mi elements": ([(LARGE,)], lambda sy, a: sy.exp(a), 8 * LARGE),
    "sum of all, 64 Mi elements": ([(LARGE,)], lambda sy, a: sy.sum(a), 4 * LARGE),
    "sum of rows, 8192 x 8192": ([(8192, 8192)], lambda sy, a: sy.sum(a, 1), 4 * LARGE),
    "sum of columns, 8192 x 8192": ([(8192, 8192)], lambda sy, a: sy.sum(a, 0), 4 * LARGE),
    "transposed copy, 8192 x 8192": ([(8192, 8192)], lambda sy, a: a.T.contiguous(), 8 * LARGE),
    "softmax, 8192 x 1024": ([(8192, 1024)], lambda sy, a: sy.softmax(a, -1), 64 << 20),
    "matmul, 64^3": ([(64, 64), (64, 64)], lambda sy, a, b: sy.matmul(a, b), None),
    "matmul, 4096^3": ([(4096, 4096), (4096, 4096)], lambda sy, a, b: sy.matmul(a, b), None),
}


def seconds(call, wait):
    """Returns the seconds of a call, in runs of some 20 ms."""
    call()
    wait()
    count, best = 1, float("inf")
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        if time.perf_counter() - start > 0.02:
            break
        count *= 2
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def measured(package, tensor, wait):
    """{case: seconds of a call}."""
    found = {}
    for name, (shapes, call, _) in CASES.items():
        rng = np.random.default_rng(1)
        tensors = [tensor(rng.random(size=shape, dtype=np.float32)) for shape in shapes]
        with package.no_grad():
            found[name] = seconds(lambda: call(package, *tensors), wait)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--torch", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.torch:
        import torch
        print(json.dumps(measured(torch, lambda a: torch.from_numpy(a).cuda(), torch.cuda.synchronize)))
        return
    import switchyard as sy
    ours = measured(sy, lambda a: sy.tensor(a, place=GPU), lambda: sy.synchronize(GPU))
    theirs = {}
    if arguments.peer:
        theirs = json.loads(subprocess.run([arguments.peer, __file__, "--torch"], check=True,
                                           stdout=subprocess.PIPE).stdout)
    print("| case | us | GB/s | PyTorch, us | ratio |")
    print("|---|---|---|---|---|")
    for name, took in ours.items():
        moved, peer = CASES[name][2], theirs.get(name)
        print(f"| {name} | {took * 1e6:.1f} | {f'{moved / took / 1e9:.0f}' if moved else ''} "
              f"| {f'{peer * 1e6:.1f}' if peer else ''} | {f'{took / peer:.2f}' if peer else ''} |")


if __name__ == "__main__":
    main()
