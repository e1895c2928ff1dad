# SPDX-License-Identifier: Apache-2.0
"""The rows of the table: what is measured, against whom, and the target.

A side of a row is (runner, case, divisor): runner names are bench.py's. The
target is the largest ratio ours / peer, or, without a peer, the largest value.
"""

import dataclasses

UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6}


@dataclasses.dataclass
class Row:
    name: str
    unit: str
    ours: tuple
    peer: tuple = None
    target: float = None
    threads: int = 1

    @property
    def label(self):
        return f"{self.name}/t{self.threads}"


def _call(name, cpp_case, torch_case, target, divisor=1):
    return Row(name, "ns", ("eager_benchmark", cpp_case, divisor),
               ("libtorch", torch_case, divisor), target)


def _python(name, target, divisor=1):
    return Row(f"python/{name}", "ns", ("python", name, divisor),
               ("torch", name, divisor), target)


def _kernel(name, case, threads, ours_case=None):
    return Row(f"kernel/{name}", "us",
               ("kernels_benchmark", ours_case or case, 1),
               ("limit_benchmark", case, 1), 1.1, threads)


_KERNELS = {
    "matmul 512": "BM_Matmul/512",
    "matmul 1024": "BM_Matmul/1024",
    "matmul 512, transposed twice": "BM_MatmulTransposed/512",
    "matmul 1024, transposed twice": "BM_MatmulTransposed/1024",
    "matmul 32x[128,64]x[64,128]": "BM_MatmulStack",
    "conv 16x320x320 3x3 stride 2": "BM_Conv/0",
    "depthwise conv 120x40x40 5x5": "BM_Conv/1",
    "conv 40x80x80 1x1": "BM_Conv/2",
    "conv 64x56x56 3x3": "BM_Conv/3",
    "max_pool [8,64,112,112] 3x3 stride 2": "BM_MaxPool/0",
    "max_pool [8,64,56,56] 2x2 stride 2": "BM_MaxPool/1",
    "max_pool [8,512,7,7] 3x3 stride 1": "BM_MaxPool/2",
    "max_pool [64,16,10,10] 2x2 stride 2": "BM_MaxPool/3",
    "softmax [128,1000]": "BM_Softmax",
    "layer_norm [1024,768]": "BM_LayerNorm",
    "relu 1e6": "BM_Relu",
    "add 1e6": "BM_Add",
    "sum 1e6": "BM_Sum",
}


def rows(threads):
    """All rows, those of large work once for each number of threads."""
    table = [
        _call("c++/add", "BM_AddNoGrad", "add", 0.3),
        _call("c++/relu", "BM_ReluNoGrad", "relu", 0.3),
        _call("c++/add recording", "BM_AddRecording", "add_recording", 0.3),
        _call("c++/chain of 100 adds, per add", "BM_Chain100Add", "chain",
              0.35, 100),
        _python("add", 0.35),
        _python("add_recording", 0.35),
        _python("softmax", 0.5),
        _python("layer_norm", 0.5),
        _python("matmul", 0.5),
        _python("reshape", 0.5),
        _python("concat", 0.5),
        _python("chain", None, 100),
        Row("static/relu node", "ns",
            ("static_benchmark", "BM_ChainNode/relu/manual_time", 200),
            ("onnxruntime", "relu_node", 1), 1 / 3),
        Row("static/add node", "ns",
            ("static_benchmark", "BM_ChainNode/add/manual_time", 200),
            ("onnxruntime", "add_node", 1), 1 / 3),
        Row("static/call of one node", "us",
            ("static_benchmark", "BM_OneNodeCall", 1), None, 0.4),
        Row("start/c++ product with all kernels", "ms",
            ("start", "product", 1), None, 5),
        Row("start/import beyond numpy", "ms",
            ("start", "import", 1), None, 50),
    ]
    for count in threads:
        table += [_kernel(name, case, count)
                  for name, case in _KERNELS.items()]
        table += [_kernel(f"sum [1000,1000] along {axis}", "BM_Sum", count,
                          f"BM_SumAlong/{axis}") for axis in (0, 1)]
        for model in ("mlp", "lenet", "encoder"):
            for mode in ("eager", "static"):
                table.append(Row(f"train/{model} {mode}", "ms",
                                 ("python", f"{model}_{mode}", 1),
                                 ("torch", f"{model}_eager", 1), 1.0, count))
    return table
