# SPDX-License-Identifier: Apache-2.0
"""Exports small programs with the PaddlePaddle that runs it, and what they give: `python export_programs.py FOLDER`.

A program is FOLDER/NAME/inference.json (or .pdmodel, of a version before 3) with its weights;
golden.npz beside it holds inputs (`in.NAME`) and the outputs in order (`out.N`). Made for
tests/paddle_programs/exported, whose programs have what needs a rule of its own on the way here.
"""
import os
import pathlib
import sys

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn

MAJOR = int(paddle.__version__.split(".")[0])


class Recurrent(nn.Layer):
    """Has a dropout_state, which is a parameter without weights."""

    def __init__(self, kind):
        super().__init__()
        self.rnn = kind(3, 4, num_layers=2, direction="bidirect", dropout=0.2)

    def forward(self, x):
        return self.rnn(x)[0]


class Decoder(nn.Layer):
    """A loop around values that grow, and one that is a placeholder before it."""

    def __init__(self):
        super().__init__()
        self.cell, self.embedding, self.out = nn.GRUCell(4, 4), nn.Embedding(5, 4), nn.Linear(4, 5)

    def forward(self, state):
        step = paddle.zeros([1], "int64")
        token = paddle.zeros([2], "int64")
        tokens = paddle.zeros([1, 2], "int64")
        while step < 4:
            scores, state = self.cell(self.embedding(token), state)
            token = self.out(scores).argmax(-1)
            tokens = paddle.concat([tokens, token.unsqueeze(0)], 0)
            step = step + 1
        return tokens


class Images(nn.Layer):
    """Statistics whose extents are products of unknown ones."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2D(3, 2, 3, padding=1), nn.InstanceNorm2D(2)

    def forward(self, x):
        return F.interpolate(self.norm(self.conv(x)), size=paddle.shape(x)[2:], mode="nearest")


class Volumes(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3DTranspose(2, 2, 2, 2)

    def forward(self, x):
        return self.conv(x)


class OneSided(nn.Layer):
    """A variable that one branch alone sets, and a view from its end."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 4)

    def forward(self, x):
        if paddle.mean(x) > 0:
            scores = paddle.argmax(self.out(x), 1)
            y = scores.astype("float32").unsqueeze(1) + x
        else:
            y = self.out(x)
        return y[:, ::-1]


class Steps(nn.Layer):
    """A loop that writes in place over its counter and its condition, by arrays of states and results."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(nn.GRUCell(3, 4))

    def forward(self, x, n):
        return self.rnn(x, sequence_length=n)[0]


class Rows(nn.Layer):
    """An array without a dtype that a loop fills."""

    def forward(self, x):
        rows = []
        i = paddle.zeros([], "int32")
        while i < paddle.shape(x)[0]:
            rows.append(x[i] * 2)
            i += 1
        return paddle.concat(rows)


class Sizes(nn.Layer):
    """Extents to resample to as one tensor, and one by one."""

    def forward(self, x, n):
        return F.interpolate(x, size=n, mode="bilinear"), F.interpolate(x, size=[n[0], 5], mode="nearest")


class Grown(nn.Layer):
    """A loop that lets the variable of a feed grow, whose description then is that of what it has become."""

    def forward(self, x):
        step = paddle.zeros([1], "int64")
        while step < 3:
            x = paddle.concat([x, x[:, -1:] + 1], 1)
            step = step + 1
        return x


def messages(x, n):
    """Messages that nodes and segments receive."""
    ends = paddle.geometric
    return (ends.send_u_recv(x, n, 3 - n, "max"), ends.send_ue_recv(x, x, n, 3 - n, "mul", "mean", 5),
            ends.send_uv(x, x * 2, n, 3 - n), ends.segment_mean(x, paddle.sort(n)), ends.segment_min(x, paddle.sort(n)))


def frames(x):
    """A signal, and what its frames are of frequencies."""
    parts = paddle.signal.stft(x, 8, 2)
    return paddle.abs(parts), paddle.signal.istft(parts, 8, 2)


def matrices(x):
    """Operators whose attributes have other names in JSON, and some that were lacking."""
    square = x @ x.transpose([1, 0])
    return (paddle.norm(square, "fro", [0, 1], keepdim=True), paddle.linalg.eigh(square)[0],
            paddle.linalg.multi_dot([x, x.transpose([1, 0]), x]), paddle.renorm(x, 2.0, 1, 0.5))


X = ("x", [3, 4], "float32")
IMAGES = ("x", [-1, 3, -1, -1], "float32")
VITERBI = [("p", [2, 4, 3], "float32"), ("t", [3, 3], "float32"), ("n", [2], "int64")]
LAYERS = {
    "gru": (lambda: Recurrent(nn.GRU), [("x", [2, 5, 3], "float32")]),
    "lstm": (lambda: Recurrent(nn.LSTM), [("x", [2, 5, 3], "float32")]),
    "decoder": (Decoder, [("state", [2, 4], "float32")]),
    "images": (Images, [IMAGES]),
    "grown": (Grown, [X]),
    "one_sided": (OneSided, [X]),
    "rows": (Rows, [X]),
    "sizes": (Sizes, [("x", [1, 2, 3, 4], "float32"), ("n", [2], "int32")]),
    "steps": (Steps, [("x", [-1, -1, 3], "float32"), ("n", [-1], "int64")]),
    "volumes": (Volumes, [("x", [1, 2, 2, 3, 2], "float32")]),
}
FUNCTIONS = {
    "dropout": (lambda x: F.dropout(x, 0.4, training=False, mode="downscale_in_infer"), [X]),
    "eye": (lambda x: x @ paddle.eye(4), [X]),
    "mean_all": (lambda x: F.l1_loss(x, x * 0.5), [X]),
    "unique": (lambda x: paddle.unique(x, True, True, True), [("x", [9], "int64")]),
    "det": (lambda x: paddle.linalg.det(x + paddle.eye(4)), [("x", [4, 4], "float32")]),
    "logsumexp": (paddle.logsumexp, [X]),
    "prod": (paddle.prod, [X]),
    "mish": (F.mish, [X]),
    "unbind": (lambda x: paddle.unbind(x, 1), [X]),
    "equal_all": (lambda x: paddle.equal_all(x, x), [X]),
    "viterbi": (paddle.text.viterbi_decode, VITERBI),
    "messages": (messages, [("x", [4, 3], "float32"), ("n", [4], "int64")]),
    "matrices": (matrices, [X]),
    "signal": (frames, [("x", [2, 32], "float32")]),
}


def feeds_of(specs):
    """Arrays for (name, shape, dtype): 2 for a first extent that is open, 4 for others."""
    random = np.random.RandomState(3)
    feeds = {}
    for name, shape, dtype in specs:
        shape = [extent if extent > 0 else (2 if axis == 0 else 4) for axis, extent in enumerate(shape)]
        feeds[name] = (random.uniform(-1, 1, shape) if dtype == "float32" else random.randint(1, 4, shape)).astype(dtype)
    return feeds


def strip(path):
    """Takes from a program the Python lines that made its operators."""
    program = paddle.static.Program.parse_from_string(path.read_bytes())
    for block in program.blocks:
        for op in block.ops:
            op.desc.remove_attr("op_callstack")
    path.write_bytes(program.desc.serialize_to_string())


def export(prefix, make, specs, layer):
    if layer:
        model = make()
        model.eval()
        inputs = [paddle.static.InputSpec(shape, dtype, name) for name, shape, dtype in specs]
        paddle.jit.save(paddle.jit.to_static(model, input_spec=inputs, full_graph=True), prefix)
        paddle.enable_static()
    else:
        paddle.enable_static()
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            inputs = [paddle.static.data(name, shape, dtype) for name, shape, dtype in specs]
            outputs = make(*inputs)
            outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
            executor = paddle.static.Executor()
            executor.run(startup)
            paddle.static.save_inference_model(prefix, inputs, outputs, executor, program=main)
    program = pathlib.Path(prefix).with_suffix(".pdmodel")
    if program.exists():
        strip(program)
    executor = paddle.static.Executor()
    program, _, fetches = paddle.static.load_inference_model(prefix, executor)
    feeds = feeds_of(specs)
    results = executor.run(program, feed=feeds, fetch_list=fetches)
    arrays = {f"in.{name}": array for name, array in feeds.items()}
    arrays.update({f"out.{i}": np.asarray(result) for i, result in enumerate(results)})
    for path in pathlib.Path(prefix).parent.glob("*.info"):
        path.unlink()
    np.savez(pathlib.Path(prefix).with_name("golden.npz"), **arrays)


def main(folder):
    for layer, programs in ((True, LAYERS), (False, FUNCTIONS)):
        for name, (make, specs) in programs.items():
            # A process each: what one leaves behind in PaddlePaddle must not reach the next.
            child = os.fork()
            if child == 0:
                paddle.seed(7)
                path = pathlib.Path(folder, f"v{MAJOR}_{name}")
                path.mkdir(parents=True, exist_ok=True)
                export(str(path / "inference"), make, specs, layer)
                os._exit(0)
            if os.waitpid(child, 0)[1]:
                sys.exit(f"export_programs: {name} failed")


if __name__ == "__main__":
    main(sys.argv[1])
