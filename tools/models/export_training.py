# SPDX-License-Identifier: Apache-2.0
"""Exports small training programs with PaddlePaddle 2.6.2, and what they do: `python export_training.py FOLDER`.
emb_first_* are of PaddlePaddle 3.3.1, with FLAGS_enable_pir_api=0.

A program is FOLDER/NAME/main.pdmodel and startup.pdmodel; golden.npz beside them holds the batches
(`in.NAME`), the losses, the variables' first values as Paddle saves them (`init.NAME`) and their last
ones (`final.NAME`). Made for tests/paddle_programs/exported_training.
"""
import os
import pathlib
import sys
import tempfile

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import static
from paddle.base import core
from paddle.static import nn

STEPS = 4
DROPPED = ("op_callstack", "op_namescope")
random = np.random.RandomState(3)


def floats(*shape):
    return [random.uniform(-1, 1, shape).astype("float32") for _ in range(STEPS)]


def integers(high, *shape):
    return [random.randint(0, high, size=shape).astype("int64") for _ in range(STEPS)]


X, Y, IDS = floats(4, 6), floats(4, 1), integers(20, 4, 3)


def error(prediction, y):
    return paddle.mean(F.square_error_cost(prediction, y))


def square(size=5):
    return static.create_parameter([size, size], "float32")


def branch(x, y):
    hidden = nn.fc(x, 5)
    made = nn.cond(paddle.mean(x) > 0, lambda: paddle.tanh(hidden) * 2, lambda: F.relu(hidden) + hidden * 0.5)
    return error(nn.fc(made, 1), y)


def switch(x, y):
    hidden = nn.fc(x, 5)
    case = paddle.cast(paddle.sum(x) > 0, "int32") + paddle.cast(paddle.mean(x) > 0.1, "int32")
    made = nn.switch_case(case, {0: lambda: hidden * 2, 1: lambda: paddle.tanh(hidden), 2: lambda: F.relu(hidden)})
    return error(nn.fc(made, 1), y)


def loop(x, y):
    weight, i, n = square(), paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64")
    _, hidden = nn.while_loop(lambda i, h: i < n, lambda i, h: [i + 1, paddle.tanh(paddle.matmul(h, weight)) + h * 0.5],
                              [i, nn.fc(x, 5)])
    return error(nn.fc(hidden, 1), y)


def array(x, y):
    """A loop that counts in place, which its gradient has to undo."""
    hidden, weight = nn.fc(x, 5), square()
    i, n = paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64")
    values = paddle.tensor.array_write(hidden, i)
    go = paddle.less_than(i, n)
    with static.nn.control_flow.While(cond=go).block():
        following = paddle.tanh(paddle.matmul(paddle.tensor.array_read(values, i), weight))
        paddle.increment(i)
        paddle.tensor.array_write(following, i, values)
        paddle.assign(paddle.less_than(i, n), go)
    return error(nn.fc(paddle.tensor.array_read(values, i), 1), y)


def stacked(x, y):
    weight, inner = square(), static.create_parameter([2, 5], "float32")
    i, n = paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64")
    steps = paddle.reshape(x, [4, 3, 2]).transpose([1, 0, 2])
    first = paddle.zeros([4, 5])
    first.stop_gradient = False

    def body(i, hidden, values):
        step = paddle.gather(steps, i).squeeze(0)
        hidden = paddle.tanh(paddle.matmul(hidden, weight) + paddle.matmul(step, inner))
        paddle.tensor.array_write(hidden, i, values)
        return [i + 1, hidden, values]

    _, _, values = nn.while_loop(lambda i, h, v: i < n, body, [i, first, paddle.tensor.create_array("float32")])
    whole, _ = paddle.tensor.manipulation.tensor_array_to_tensor(values, axis=0, use_stack=True)
    return error(nn.fc(whole.mean(0), 1), y)


def dense(x, y):
    return error(nn.fc(nn.fc(x, 5, activation="tanh"), 1), y)


def embedded(ids, y):
    return error(nn.fc(nn.embedding(ids, [20, 4], is_sparse=True).flatten(1), 1), y)


def twice(ids, y):
    """A table with two sparse gradients, which the program sums."""
    looked_up = [nn.embedding(which, [20, 4], is_sparse=True, param_attr=paddle.ParamAttr(name="table"))
                 for which in (ids, 19 - ids)]
    return error(nn.fc((looked_up[0] * looked_up[1] + looked_up[0]).flatten(1), 1), y)


def first_form(ids, y):
    """lookup_table, the first form of an embedding, whose ids have a last axis of one."""
    table = static.create_parameter([20, 4], "float32", name="table")
    block = static.default_main_program().global_block()
    rows = block.create_var(name="rows", dtype="float32", shape=[4, 3, 4])
    block.append_op(type="lookup_table", inputs={"W": [table], "Ids": [paddle.unsqueeze(ids, -1)]},
                    outputs={"Out": [rows]}, attrs={"is_sparse": True, "padding_idx": 2})
    return error(nn.fc(rows.flatten(1), 1), y)


def metric(ids, d, y):
    hidden = nn.fc(paddle.concat([nn.embedding(ids, [20, 4]).flatten(1), d], 1), 6, activation="relu")
    score = F.sigmoid(nn.fc(hidden, 1) + nn.fc(d, 1))
    label = paddle.cast(y > 0, "int64")
    area = static.auc(paddle.concat([1 - score, score], 1), label)
    return paddle.mean(F.log_loss(score, paddle.cast(label, "float32"))) + 0 * paddle.cast(area[0], "float32")


def order(x, y):
    h = nn.fc(x, 6)
    parts = [paddle.kthvalue(h, 2)[0].unsqueeze(1), paddle.mode(h)[0].unsqueeze(1), paddle.median(h, 1, keepdim=True),
             paddle.broadcast_tensors([h, h[:, :1]])[1].sum(1, keepdim=True),
             paddle.repeat_interleave(h, 2, 1).mean(1, keepdim=True), paddle.diag_embed(h).sum([1, 2]).unsqueeze(1)]
    return error(sum(parts), y)


def einsum(x, y):
    return error(paddle.einsum("bi,ij->bj", x, static.create_parameter([6, 1], "float32")), y)


def resized(x, y):
    image = F.interpolate(nn.conv2d(x, 2, 3), size=[9, 9], mode="bilinear")
    return paddle.mean(F.softmax_with_cross_entropy(nn.fc(image.flatten(1), 4), y))


def backwards(x, y):
    return error(nn.fc(nn.fc(x, 6)[:, ::-1] * paddle.arange(6, dtype="float32"), 1), y)


def recurrent(x, y):
    return error(nn.fc(paddle.nn.LSTM(2, 4)(x.reshape([4, 3, 2]))[0].mean(1), 1), y)


def sgd(**options):
    return lambda: paddle.optimizer.SGD(0.1, **options)


def mixed():
    """All operators in float32: what is left of mixed precision is the scaling of the loss."""
    lists = static.amp.AutoMixedPrecisionLists(custom_black_list=[
        "mul", "matmul_v2", "elementwise_add", "tanh", "square_error_cost", "reduce_mean", "square",
        "elementwise_sub"])
    return static.amp.decorate(paddle.optimizer.SGD(0.1), lists, init_loss_scaling=16.0, incr_every_n_steps=2,
                               decr_every_n_nan_or_inf=1, use_dynamic_loss_scaling=True)


def adam(**options):
    return lambda: paddle.optimizer.Adam(0.01, **options)


DATA = {"x": X, "y": Y}
PROGRAMS = {
    "cf_cond": (branch, DATA, adam()),
    "cf_switch": (switch, DATA, adam()),
    "cf_while": (loop, DATA, adam()),
    "cf_array": (array, DATA, adam()),
    "cf_array2": (stacked, DATA, adam()),
    "amp_dynamic": (dense, DATA, mixed),
    "opt_lars": (dense, DATA, lambda: paddle.incubate.optimizer.LarsMomentumOptimizer(0.1, 0.9)),
    "opt_gradmerge": (dense, DATA, lambda: paddle.incubate.optimizer.GradientMergeOptimizer(sgd()(), 2, True)),
    "emb_clip_sparse": (embedded, {"ids": IDS, "y": Y}, sgd(grad_clip=paddle.nn.ClipGradByGlobalNorm(0.05))),
    "emb_adam_lazy": (embedded, {"ids": IDS, "y": Y}, adam(lazy_mode=True)),
    "emb_adam_rows": (embedded, {"ids": IDS, "y": Y}, adam()),
    "emb_twice_lazy": (twice, {"ids": IDS, "y": Y}, adam(lazy_mode=True)),
    "emb_twice_rows": (twice, {"ids": IDS, "y": Y}, adam()),
    "emb_twice_sgd": (twice, {"ids": IDS, "y": Y}, sgd()),
    "ctr_widedeep_auc": (metric, {"ids": IDS, "d": floats(4, 2), "y": Y}, adam()),
    "ctr_datanorm": (lambda x, y: error(nn.fc(nn.data_norm(x, name="dn"), 1), y), DATA, sgd()),
    "m_kth": (order, DATA, adam()),
    "m_einsum": (einsum, DATA, adam()),
    "cv_interp": (resized, {"x": floats(2, 3, 8, 8), "y": integers(4, 2, 1)}, adam()),
    "m_neg_slice": (backwards, DATA, adam()),
    "nlp_lstm": (recurrent, DATA, adam()),
    "emb_first_sgd": (first_form, {"ids": IDS, "y": Y}, sgd()),
    "emb_first_lazy": (first_form, {"ids": IDS, "y": Y}, adam(lazy_mode=True)),
}


def without_stacks(program):
    """The program's bytes; where an operator came from is the machine's own business."""
    desc = core.ProgramDesc(program.desc.serialize_to_string())
    for block in map(desc.block, range(desc.num_blocks())):
        for op in map(block.op, range(block.op_size())):
            for name in DROPPED:
                if op.has_attr(name):
                    op.remove_attr(name)
    return desc.serialize_to_string()


def export(folder, build, feeds, optimizer):
    paddle.seed(7)
    main, startup = static.Program(), static.Program()
    main.random_seed = startup.random_seed = 7
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        loss = build(**{name: static.data(name, list(batches[0].shape), str(batches[0].dtype))
                        for name, batches in feeds.items()})
        optimizer().minimize(loss)
    executor, scope = static.Executor(), static.Scope()
    with static.scope_guard(scope), tempfile.TemporaryDirectory() as first:
        executor.run(startup)
        # Others than an operator names are copies that no step writes here.
        named = {name for block in main.blocks for op in block.ops for name in op.input_arg_names}
        variables = [variable for variable in main.list_vars()
                     if variable.persistable and variable.type == core.VarDesc.VarType.LOD_TENSOR]
        static.io.save_vars(executor, first, main, vars=variables)
        golden = {"init." + name: np.frombuffer((pathlib.Path(first) / name).read_bytes(), "uint8")
                  for name in os.listdir(first)}
        golden.update({"in." + name: np.stack(batches) for name, batches in feeds.items()})
        golden["losses"] = np.array([
            np.asarray(executor.run(main, feed={name: batches[step] for name, batches in feeds.items()},
                                    fetch_list=[loss])[0]).reshape(-1)[0] for step in range(STEPS)])
        golden.update({"final." + variable.name: np.asarray(scope.find_var(variable.name).get_tensor())
                       for variable in variables if variable.name in named})
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "golden.npz", **golden)
    saved = main.clone()
    static.io.prepend_feed_ops(saved, list(feeds))
    static.io.append_fetch_ops(saved, [loss.name])
    (folder / "main.pdmodel").write_bytes(without_stacks(saved))
    (folder / "startup.pdmodel").write_bytes(without_stacks(startup))


if __name__ == "__main__":
    paddle.enable_static()
    for name, (build, feeds, optimizer) in PROGRAMS.items():
        export(pathlib.Path(sys.argv[1]) / name, build, feeds, optimizer)
