# SPDX-License-Identifier: Apache-2.0
"""Program.view: what the page says is what the program says."""
import hashlib
import html.parser
import json
import os
import pathlib
import tempfile
import unittest

import numpy as np
import onnx_models
import switchyard as sy
from switchyard import nn
from switchyard.commands import main
from switchyard.viewing.program_parts import parts_of
from switchyard.viewing.scopes import LIMIT

HOSTILE = '</script><img src=x onerror="alert(1)">\'\x01\u202e'


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.norm = nn.BatchNorm1D(8)

    def forward(self, x):
        return sy.relu(self.norm(self.linear(x))) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block()
        self.second = Block()

    def forward(self, x):
        x = self.second(self.first(x))
        return sy.static.cond(sy.sum(x) > 0, lambda: sy.tanh(x), lambda: -x)


def traced():
    net = Net()
    net.eval()
    return sy.static.trace(net, np.ones((2, 8), np.float32))


def shown(view):
    """[(number, operation)] of those that are calls of kernels."""
    return [(number, operation) for number, operation in enumerate(
        view.data["operations"]) if operation["call"] is not None]


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


class DataTest(unittest.TestCase):
    def test_kernels_are_those_that_explain_tells_of(self):
        program = traced()
        x = np.ones((4, 8), np.float32)
        for feeds in (None, {"x0": x}):
            told = json.loads(program.explain(feeds, json=True))
            calls = [operation["call"] for _, operation in
                     shown(program.view(feeds))]
            self.assertEqual(calls, told)
        names = {operation["name"] for operation in
                 program.view().data["operations"]}
        self.assertLessEqual({"kernel.matmul", "kernel.tanh", "cf.if"}, names)

    def test_groups_are_layers_and_blocks(self):
        data = traced().view().data
        titles = [group["title"] for group in data["groups"]]
        for title in ("first", "second", "then", "else"):
            self.assertEqual(titles.count(title), 1, titles)
        members = [member for group in data["groups"]
                   for member in group["members"] if member >= 0]
        owners = [group["owner"] for group in data["groups"]
                  if group["owner"] >= 0]
        self.assertEqual(sorted(members + owners),
                         list(range(len(data["operations"]))))
        first = data["groups"][titles.index("first")]
        self.assertEqual([data["operations"][number]["name"] for number in
                          first["members"]][:2],
                         ["kernel.matmul", "kernel.add"])

    def test_long_programs_are_cut(self):
        def chain(x):
            for _ in range(1000):
                x = sy.sin(x) * 0.5
            return x
        data = sy.static.trace(chain, np.ones(3, np.float32)).view().data
        self.assertGreater(len(data["groups"]), 2000 // LIMIT)
        for group in data["groups"]:
            visible = [member for member in group["members"] if member < 0 or
                       not data["operations"][member]["hidden"]]
            self.assertLessEqual(len(visible), LIMIT)

    def test_bytes(self):
        program = sy.static.trace(lambda x: sy.relu(x) + x,
                                  sy.static.InputSpec([None, 4], name="x"))
        sizes = [operation["results"][0][1:] for _, operation in
                 shown(program.view({"x": np.ones((8, 4), np.float32)}))]
        self.assertEqual(sizes[0], ["float32[8, 4]", 128])
        self.assertIsNone(shown(program.view())[0][1]["results"][0][2])

    def test_a_profile_names_its_operations(self):
        program = traced()
        x = np.ones((2, 8), np.float32)
        view = program.view({"x0": x}, profile=True)
        steps = view.data["profile"]["steps"]
        self.assertGreaterEqual(len(steps), 10)
        for number, operator, *_ in steps:
            if operator.startswith("cf."):
                continue
            self.assertEqual(view.data["operations"][number]["name"],
                             "kernel." + operator)
        numbers = [step[0] for step in steps if not step[1].startswith("cf.")]
        self.assertEqual(len(set(numbers)), len(numbers))

    def test_a_profile_changes_nothing(self):
        net = nn.Sequential(nn.BatchNorm1D(3), nn.Dropout(0.5))
        program = sy.static.trace(net, np.ones((4, 3), np.float32))
        before = {name: program.state[name].numpy().copy()
                  for name in program.state.keys()}
        sy.seed(5)
        x = np.arange(12, dtype=np.float32).reshape(4, 3)
        program.view({"x0": x}, profile=True)
        drawn = sy.rand([3]).numpy()
        for name, array in before.items():
            if name != "rng":
                np.testing.assert_array_equal(program.state[name].numpy(),
                                              array)
        sy.seed(5)
        np.testing.assert_array_equal(sy.rand([3]).numpy(), drawn)

    def test_memory(self):
        def function(x):
            return sy.matmul(sy.exp(x), sy.sin(x)) + x
        program = sy.static.trace(function,
                                  sy.static.InputSpec([None], name="x"))
        memory = program.view().data["memory"]
        self.assertEqual(memory["places"], [])
        self.assertIn("--input", memory["why"])
        memory = program.view({"x": np.ones(100, np.float32)}).data["memory"]
        self.assertEqual(memory["steps"], ["exp", "sin", "matmul", "add"])
        (place,) = memory["places"]
        self.assertEqual([block[1:] for block in place["blocks"]],
                         [(400, 0, 2), (400, 1, 2), (4, 2, 3)])
        for offset, size, *_ in place["blocks"]:
            self.assertLessEqual(offset + size, place["bytes"])
        self.assertEqual(memory["operations"], [0, 1, 2, 3])

    def test_errors(self):
        program = traced()
        with self.assertRaisesRegex(ValueError, "feed"):
            program.view({"y": np.ones((2, 8), np.float32)})
        with self.assertRaisesRegex(ValueError, "x0"):
            program.view(profile=True)
        with self.assertRaises(OSError):
            program.view().save("/no/folder/page.html")


class TextTest(unittest.TestCase):
    def test_parts(self):
        parts = parts_of(traced().text("kernel"))
        self.assertEqual([block.title for block in parts.blocks],
                         ["", "then", "else"])
        (control,) = (operation for operation in parts.operations
                      if operation.name == "cf.if")
        self.assertEqual(len(control.captured), 1)
        self.assertEqual([port.name for port in parts.ports
                          if port.role in ("feed", "fetch")], ["x0", "out"])
        norm = next(operation for operation in parts.operations
                    if operation.name == "kernel.batch_norm")
        self.assertEqual(len(norm.results), 5)
        self.assertEqual(norm.results[1][1], "tensor<float32[8]>")
        self.assertIn('data_format = "NCHW"', norm.attributes)


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_page_asks_no_network_and_runs_no_name(self):
        program = sy.static.trace(lambda x: {HOSTILE: sy.relu(x)},
                                  np.ones(3, np.float32), names=[HOSTILE])
        path = self.folder / (HOSTILE.replace("/", "_"))
        program.save(path)
        page = sy.load(path).view().html()
        tags = Tags()
        tags.feed(page)
        self.assertEqual([tag for tag, _ in tags.found].count("script"), 4)
        self.assertNotIn("img", {tag for tag, _ in tags.found})
        for tag, attributes in tags.found:
            for name in ("src", "href", "action", "onerror", "onload"):
                self.assertIn(attributes.get(name, "data:,"), ("data:,",))
        policy = next(attributes["content"] for tag, attributes in tags.found
                      if "http-equiv" in attributes)
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)

    def test_the_library_is_what_its_licence_says(self):
        assets = pathlib.Path(sy.__file__).parent / "viewing" / "assets"
        self.assertEqual(
            hashlib.sha256((assets / "dagre.min.js").read_bytes()).hexdigest(),
            "ca5f85641aa02af159fd8ac7b8e36465bb38ad2bf9fb57b34efd6e127387c0d3")
        page = traced().view().html()
        self.assertIn("Permission is hereby granted, free of charge", page)

    def test_a_notebook_shows_a_frame(self):
        view = traced().view()
        tags = Tags()
        tags.feed(view._repr_html_())
        ((tag, attributes),) = tags.found
        self.assertEqual((tag, attributes["sandbox"]),
                         ("iframe", "allow-scripts"))
        self.assertEqual(attributes["srcdoc"], view.html())

    def test_stages_of_a_loaded_program(self):
        path = self.folder / "program"
        traced().save(path)
        program = sy.load(path)
        data = program.view().data
        self.assertEqual(data["title"], "program")
        self.assertEqual(data["stages"][-1]["name"], "lowered")
        self.assertEqual(data["stages"][-1]["text"], program.text("kernel"))
        os.remove(path)
        self.assertEqual([stage["name"] for stage in
                          program.view().data["stages"]],
                         ["operators", "lowered"])

    def test_an_onnx_model(self):
        path = self.folder / "m.onnx"
        w = np.eye(3, dtype=np.float32)
        path.write_bytes(onnx_models.model(onnx_models.graph(
            [onnx_models.node("MatMul", ["x", "layer.w"], ["h"]),
             onnx_models.node("Relu", ["h"], ["y"])],
            [onnx_models.port("x", "float32", ["n", 3])],
            ["y"], [("layer.w", w)])))
        program = sy.load(path)
        view = program.view({"x": np.ones((2, 3), np.float32)}, profile=True)
        self.assertEqual(view.data["title"], "m.onnx")
        stages = [stage["name"] for stage in view.data["stages"]]
        self.assertEqual((stages[0], stages[-1]), ("imported", "lowered"))
        self.assertIn("op.matmul", view.data["stages"][0]["text"])
        self.assertTrue(shown(view))
        self.assertTrue(view.data["profile"]["steps"])
        self.assertTrue(view.data["memory"]["steps"])

    def test_the_command(self):
        model, page = str(self.folder / "m.sy"), str(self.folder / "m.html")
        x = str(self.folder / "x.npy")
        np.save(x, np.ones((2, 8), np.float32))
        traced().save(model)
        self.assertEqual(main(["view", model, "-o", page]), 0)
        text = pathlib.Path(page).read_text(encoding="utf-8")
        self.assertIn('"profile":null', text)
        self.assertEqual(main(["view", model, "-o", page, "--input", x,
                               "--profile"]), 0)
        text = pathlib.Path(page).read_text(encoding="utf-8")
        self.assertNotIn('"profile":null', text)
        self.assertEqual(main(["view", model, "-o", page, "--profile"]), 2)
        self.assertEqual(main(["view", model, "-o", "/no/folder/m.html"]), 1)


if __name__ == "__main__":
    unittest.main()
