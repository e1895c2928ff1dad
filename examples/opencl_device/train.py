# SPDX-License-Identifier: Apache-2.0
"""Trains the network of examples/digits on the device of a plugin: train.py PLUGIN.

Eagerly and by a program, twice each, beside the CPU: losses are within 1e-3 of
the CPU's, as many test digits are right but for two, and both runs have the same bits.
Operators without a kernel of the device fall back to the CPU, each with a
receipt, eager calls and those of programs; what must not fall back is checked
by name.
"""
import collections
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "digits"))

import digits
import switchyard as sy
from switchyard import nn

BATCH, EPOCHS = 32, 2
# They never run on the CPU.
OWN = ("matmul", "conv2d", "adam_", "sgd_")


def make_network():
    sy.seed(7)
    # Without a bias before the batch norm: its gradient is rounding alone,
    # which Adam would make steps of, another one on each device.
    return nn.Sequential(
        nn.Conv2D(1, 16, 3, padding=1, bias=False), nn.BatchNorm2D(16),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Conv2D(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2),
        nn.Flatten(), nn.Dropout(0.25), nn.Linear(32 * 2 * 2, 10))


def accuracy(model, images, labels):
    """How many of the test digits are right."""
    model.eval()
    with sy.no_grad():
        found = model(sy.tensor(images)).numpy().argmax(axis=1)
    model.train()
    return int(np.sum(found == labels))


def train(place, static, make_optimizer, data):
    """(the loss after each epoch, right test digits, the weights' bits)."""
    sy.set_default_place(place)
    policy = sy.policy(allow_fallback=True)
    with policy:
        trained = run_epochs(static, make_optimizer, data, policy)
    sy.set_default_place("cpu")
    return trained


def run_epochs(static, make_optimizer, data, policy):
    (images, labels), test = data
    model, loss = make_network(), nn.CrossEntropyLoss()
    optimizer = make_optimizer(model.parameters())
    step = sy.static.train_step(model, loss, optimizer, policy=policy)
    losses = []
    for epoch in range(EPOCHS):
        order = np.random.default_rng(epoch).permutation(len(images))
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[begin:begin + BATCH]
            if static:
                value = step(images[rows], labels[rows])
            else:
                optimizer.zero_grad()
                value = loss(model(sy.tensor(images[rows])),
                             sy.tensor(labels[rows]))
                value.backward()
                optimizer.step()
        losses.append(value.item())
    right = accuracy(model, *test)
    bits = b"".join(tensor.numpy().tobytes()
                    for tensor in model.state_dict().values())
    if static:  # After all else: it trains one step more.
        check_choices(step.program, images[rows], labels[rows])
    return losses, right, bits


def check_choices(program, images, labels):
    """Says which of the program's operators have kernels of the device."""
    if sy.default_place() == "cpu":
        return
    lines = program.selections({"inputs": images, "labels": labels})
    own = [line for line in lines if "-> opencl " in line]
    print(f"the program: {len(own)} of {len(lines)} operators on the device")
    for line in lines:
        assert line in own or line.split(" ")[0] not in OWN, line
    # One more run: a receipt for each line that says so.
    fell = collections.Counter(line.split(" ")[0] for line in lines
                               if " fallback: opencl:0 -> cpu" in line)
    before = receipts_of_programs()
    steps = program.profile({"inputs": images, "labels": labels}).steps
    after = receipts_of_programs()
    after.subtract(before)
    assert fell and +after == fell, (after, fell)
    assert fell == collections.Counter(
        step.op for step in steps if step.fallback and not step.call)


def check(place, static, make_optimizer, data):
    """Trains on the CPU and twice on the device, and compares."""
    expected, right, _ = train("cpu", static, make_optimizer, data)
    first, second = [train(place, static, make_optimizer, data)
                     for _ in range(2)]
    losses, own_right, _ = first
    print(f"{'static' if static else 'eager'}: losses {losses}, on the CPU "
          f"{expected}; right {own_right} and {right} of {len(data[1][1])}")
    np.testing.assert_allclose(losses, expected, rtol=1e-3)
    assert abs(own_right - right) <= 2, (own_right, right)
    assert first == second, "two runs must have the same bits"


def call_the_others(place):
    """Calls the kernels that training does not, and compares them with ours."""
    x = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
    on = lambda array: sy.tensor(array, place=place)
    for function in (
            lambda a: sy.softmax(a), lambda a: sy.softmax(a, 1),
            lambda a: sy.ops.scale(a, 3.0, 1.0),
            lambda a: sy.subtract(a, a[:1]), lambda a: sy.sum(a, 1),
            lambda a: sy.multiply(a, a[:1]), lambda a: sy.multiply(a, a),
            lambda a: sy.ops.contiguous(sy.ops.transpose(a, [1, 0])),
            lambda a: sy.mean(a, 0)):
        np.testing.assert_allclose(function(on(x)).numpy(),
                                   function(sy.tensor(x)).numpy(), rtol=1e-5)
    stepped = [sy.ops.sgd_(*[sy.tensor(array, place=where) for array in
                             (x, np.full(1, 0.1, np.float32), x * x)]).numpy()
               for where in (place, "cpu")]
    np.testing.assert_allclose(*stepped, rtol=1e-6)
    alike = "shape(x) must be that of y, [1, 4], got [3, 4]"
    assert alike in sy.explain("add", x=on(x), y=on(x[:1])), alike
    for dtype in ("int64", "int32", "bool", "float64"):
        array = x.astype(dtype)
        np.testing.assert_array_equal(
            sy.ops.cast(on(array), "float32").numpy(),
            array.astype("float32"))


def convolve(place):
    """Convolutions of both layouts with paddings of each kind, beside ours."""
    random = np.random.default_rng(3)
    image = random.normal(size=(2, 3, 7, 8)).astype(np.float32)
    window = random.normal(size=(4, 3, 3, 2)).astype(np.float32)
    for layout, x in (("NCHW", image), ("NHWC", image.transpose(0, 2, 3, 1))):
        for strides, paddings, algorithm, dilations in (
                ([1, 1], [0, 0], "SAME", [1, 1]),
                ([2, 3], [5, 5], "SAME", [2, 2]),
                ([2, 1], [5, 5], "VALID", [2, 1]),
                ([1, 2], [2, 1], "EXPLICIT", [1, 2]),
                ([2, 2], [1, 0, 2, 3], "EXPLICIT", [1, 1])):
            made = [sy.ops.conv2d(
                sy.tensor(np.ascontiguousarray(x), place=where),
                sy.tensor(window, place=where), strides, paddings, algorithm,
                dilations, 1, layout).numpy() for where in (place, "cpu")]
            np.testing.assert_allclose(*made, rtol=1e-4, atol=1e-5)


def check_strict(place):
    """Checks that a strict policy makes an error of what falls back elsewhere."""
    x = sy.tensor(np.arange(6, dtype=np.float32), place=place)
    for policy, kind, said in (
            ({"allow_fallback": True, "strict": True}, RuntimeError,
             "cumsum: a strict policy forbids the fallback to cpu"),
            ({"allow_fallback": False}, NotImplementedError,
             "cumsum: no kernel for float32[6]")):
        with sy.policy(**policy):
            try:
                sy.ops.cumsum(x, axis=0)
            except kind as error:
                assert said in str(error), error
            else:
                raise AssertionError(f"{policy} must refuse a fallback")
    with sy.policy(allow_fallback=True):
        assert sy.ops.cumsum(x, axis=0).tolist() == [0, 1, 3, 6, 10, 15]


def receipts_of_programs():
    counts = collections.Counter()
    for entry in sy.fallback_log():
        if entry["location"]:
            counts[entry["op"]] += entry["count"]
    return counts


def show_receipts(plugin, ran):
    fallbacks = collections.Counter()
    for entry in sy.fallback_log():
        if entry["location"]:
            continue
        fallbacks[entry["op"]] += entry["count"]
        if entry["op"] == "cumsum":  # To the CPU and back.
            assert entry == {"op": "cumsum", "location": "",
                             "from": "opencl:0", "to": "cpu", "bytes": 48,
                             "count": 1}, entry
    share = sum(fallbacks.values()) / (sum(ran.values()) +
                                       sum(fallbacks.values()))
    print("ran on the device:", dict(ran))
    print(f"fell back: {dict(fallbacks)}, {100 * share:.0f} % of the calls")
    print("fell back in programs:", dict(receipts_of_programs()))
    for op in OWN:
        assert op not in fallbacks, f"{op} must not fall back"
        assert op not in receipts_of_programs(), f"{op} must not fall back"
    # Copies are not recorded: selection asks for them itself.
    missing = {kernel.op for kernel in plugin.kernels} - set(ran) - {"copy"}
    assert len(plugin.kernels) >= 20, len(plugin.kernels)
    assert not missing, f"these did not run on the device: {missing}"


def main():
    plugin = sy.plugins.load(sys.argv[1])
    place = "opencl:0"
    print(*[device for device in sy.devices() if device["place"] == place])
    data = digits.load()
    adam = lambda parameters: sy.optim.Adam(parameters, 0.01)
    with sy.record_selections() as log:
        for static in (False, True):
            check(place, static, adam, data)
        with sy.policy(allow_fallback=True):
            call_the_others(place)
            convolve(place)
        check_strict(place)
    ran = collections.Counter(line.split(" ")[0] for line in log
                              if "-> opencl " in line)
    show_receipts(plugin, ran)


main()
