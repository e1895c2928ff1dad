# SPDX-License-Identifier: Apache-2.0
"""Mistakes in an entry, one at a time, and the messages that a user gets.

Each goes the way of a build: through list_entries.py, as the repository @sy_ops calls it, and, if
that lets it pass, through the generator, as the rule calls it. Either way the message has file, line,
entry and key, and the nearest word. What both can see, both say in the same words.
"""
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

# Lines 1 to 25.
ENTRY = """\
- op: cube
  args: (Tensor x, int axis = -1)
  output: Tensor(out)
  infer_meta: {func: UnchangedInferMeta, param: [x], header: elementwise}
  kernel: {func: cube, data_type: x, header: power}
  kernels:
    reference, cpu: number
    gpu: [float32, float64, int32]
  functor: Cube
  amp: wide
  inplace: (x -> out)
  traits: [elementwise]
  supplied: [axis]
  backward: cube_grad
  doc: x * x * x.
  paddle:
    - type: cube
      inputs: {X: x}
      outputs: {Out: out}

- backward_op: cube_grad
  args: (Tensor x, Tensor out_grad, int axis)
  output: Tensor(x_grad)
  infer_meta: {func: SameShapeInferMeta, param: [x, out_grad], header: elementwise}
  composite: {func: CubeGrad, uses: [cube]}
"""
GRADIENT = ENTRY[ENTRY.index("- backward_op"):]
HEADERS = {
    "phi/composite/power.h": "void CubeGrad();",
    "phi/infermeta/elementwise/elementwise.h": "void UnchangedInferMeta();\nvoid SameShapeInferMeta();",
    "phi/infermeta/elementwise/lerp.h": "",
    "phi/kernels/functors/power.h": "struct Cube {};\nstruct Pow {};",
    "phi/kernels/reference/elementwise/power.h": "",
}
KEYS = ("op, backward_op, args, output, infer_meta, kernel, kernels, functor, promote, amp, inplace, "
        "view, optional, intermediate, no_need_buffer, read_for, supplied, data_transform, batch, "
        "traits, composite, invoke, backward, version, upgrades, forward_only, result, doc, python, "
        "paddle, onnx")
BACKENDS = "a backend (reference, cpu, onednn, gpu, gpudnn) or fluid/<backend>"
SETS = ("index, full_precision, complex, full_numeric, full_differentiable, floating, pixel, "
        "full_number, differentiable, wide_numeric, wide_all, integer, wide_number, integral, "
        "numeric, all, real, every, ordered, number, complete, movable")
TRAITS = ("elementwise, view, random, commutative, inplace_only, transform, optimizer, extents, "
          "identity, same_size, permutes, filled")
UNKNOWN = f"cube: expected one of the keys {KEYS}, got"

# (text, what it becomes, line, message after "ops_gen/ops/power.yaml:<line>: ").
BOTH = [
    ("- op: cube", "- op: Cube", 1, "op: expected a name of a-z, 0-9 and _, got 'Cube'"),
    ("- op: cube", "- op: cube x", 1, "op: expected the end of the text, got ' x'"),
    ("- op: cube", "- opp: cube", 1, "expected one of the keys 'op' and 'backward_op', got none"),
    ("  functor: Cube", "  functr: Cube", 9, f"{UNKNOWN} 'functr'; did you mean 'functor'?"),
    ("  kernel: {", "  kernal: {", 5, f"{UNKNOWN} 'kernal'; did you mean 'kernel'?"),
    ("  kernels:", "  kernel_s:", 6, f"{UNKNOWN} 'kernel_s'; did you mean 'kernels'?"),
    ("  args: (Tensor x, int axis =", "  arg: (Tensor x, int axis =", 2,
     f"{UNKNOWN} 'arg'; did you mean 'args'?"),
    ("  backward: ", "  backwrd: ", 14, f"{UNKNOWN} 'backwrd'; did you mean 'backward'?"),
    ("  infer_meta: {func: Un", "  infermeta: {func: Un", 4,
     f"{UNKNOWN} 'infermeta'; did you mean 'infer_meta'?"),
    ("  doc: x", "  note: x", 15, f"{UNKNOWN} 'note'"),
    ("  doc: x", "  python: none\n  python: none\n  doc: x", 16,
     "cube: expected each key once, got 'python' again"),
    ("data_type: x, header: power", "dtype: x, header: power", 5,
     "cube: kernel: expected one of the keys func, param, data_type, header, kinds_header, got 'dtype'"),
    ("param: [x], header", "params: [x], header", 4, "cube: infer_meta: expected one of the keys "
     "func, param, header, got 'params'; did you mean 'param'?"),
    ("uses: [cube]", "use: [cube]", 25, "cube_grad: composite: expected one of the keys "
     "func, uses, header, got 'use'; did you mean 'uses'?"),
    ("  kernel: {func: cube, data_type: x, header: power}", "  kernel: cube", 5,
     "cube: kernel: expected a map, got 'cube'"),
    ("    reference, cpu: number", "    reference, cpx: number", 7,
     f"cube: kernels.reference, cpx: expected {BACKENDS}, got 'cpx'; did you mean 'cpu'?"),
    ("    gpu: [", "    fluid/gpux: [", 8,
     f"cube: kernels.fluid/gpux: expected {BACKENDS}, got 'fluid/gpux'"),
    ("  backward: cube_grad", "  backward: cube_grd", 21, "cube_grad: expected 'backward: cube_grad' in "
     "the entry right above, cube, got 'cube_grd'"),
    ("- backward_op: cube_grad", "- backward_op: cube_gradient", 21, "cube_gradient: expected 'backward: "
     "cube_gradient' in the entry right above, cube, got 'cube_grad'"),
    ("  backward: cube_grad\n", "", 20, "cube_grad: expected 'backward: cube_grad' in the entry right "
     "above, cube, got ''"),
    (GRADIENT, "", 1, "cube: backward: expected the entry of cube_grad right below, got none"),
]
# Only list_entries.py can see these: other families, and headers.
LIST_ALONE = [
    ("func: UnchangedInferMeta", "func: UnchangdInferMeta", 4, "cube: infer_meta.func: no function "
     "UnchangdInferMeta in phi/infermeta/elementwise/elementwise.h; did you mean UnchangedInferMeta?"),
    ("param: [x], header: elementwise", "param: [x], header: elementwse", 4, "cube: infer_meta.header: "
     "no header phi/infermeta/elementwse/elementwse.h; did you mean elementwise?"),
    ("param: [x], header: elementwise", "param: [x], header: lerp", 4, "cube: infer_meta.header: "
     "no header phi/infermeta/lerp/lerp.h; did you mean elementwise/lerp?"),
    ("data_type: x, header: power", "data_type: x, header: powr", 5, "cube: kernel.header: no header "
     "phi/kernels/reference/elementwise/powr.h; did you mean power?"),
    ("  functor: Cube", "  functor: Cbue", 9, "cube: functor: no functor Cbue in "
     "phi/kernels/functors/power.h; did you mean Cube?"),
    ("func: CubeGrad", "func: CubicGrad", 25, "cube_grad: composite.func: no function CubicGrad in "
     "phi/composite/power.h; did you mean CubeGrad?"),
    ("uses: [cube]", "uses: [cbue]", 25, "cube_grad: composite.uses: expected an operator, got 'cbue'; "
     "did you mean 'cube'?"),
]
# These are left to the generator: no target follows from them.
GENERATOR = [
    ("(Tensor x, int axis =", "(Tensr x, int axis =", 2, "cube: args: expected Tensor, Tensor[] or an "
     "attribute type, got 'Tensr'; did you mean 'Tensor'?"),
    ("int axis = -1", "int axis = true", 2, "cube: args: default of 'axis': expected a literal of type int, got "
     "'true'"),
    ("  output: Tensor(out)\n", "", 1, "cube: expected the key 'output', got none"),
    ("param: [x], header", "param: [y], header", 4, "cube: infer_meta.param: expected names of args, got "
     "'y'"),
    ("data_type: x, header", "data_type: axs, header", 5, "cube: kernel.data_type: expected a DataType "
     "attribute, then a tensor of args, then a dtype, got 'axs'; did you mean 'axis'?"),
    ("cpu: number", "cpu: numbr", 7, f"cube: kernels.reference, cpu: expected dtypes in brackets or one of "
     f"{SETS}, got 'numbr'; did you mean 'number'?"),
    ("[float32, float64, int32]", "[float32, flaot64, int32]", 8, "cube: kernels.gpu: expected dtypes, got "
     "'flaot64'; did you mean 'float64'?"),
    ("[float32, float64, int32]", "[float32, float64]", 8, "cube: kernels.gpu: expected the name "
     "'full_precision' of this set of dtypes, got a list"),
    ("  amp: wide", "  amp: wid", 10, "cube: amp: expected narrow, wide or widest, got 'wid'; did you mean "
     "'wide'?"),
    ("(x -> out)", "(x -> otu)", 11, "cube: inplace: expected an output, got 'otu'; did you mean 'out'?"),
    ("(x -> out)", "(y -> out)", 11, "cube: inplace: expected a tensor of args, got 'y'"),
    ("(x -> out)", "x -> out", 11, "cube: inplace: expected '(', got 'x -> out'"),
    ("[elementwise]", "[elementwize]", 12, f"cube: traits: expected traits of {TRAITS}, got 'elementwize'; "
     "did you mean 'elementwise'?"),
    ("[axis]", "[axes]", 13, "cube: supplied: expected an attribute of args, got 'axes'; did you mean "
     "'axis'?"),
    ("  doc: x", "  python: methd\n  doc: x", 15, "cube: python: expected function, method or none, then "
     "linalg or nn.functional, got 'methd'; did you mean 'method'?"),
    ("  doc: x", "  onnx: [{type: Cube, sinse: 6, inputs: {X: x}, outputs: {Y: out}}]\n  doc: x", 15,
     "cube: onnx: expected one of the keys type, domain, since, before, inputs, outputs, attrs, extra, "
     "constants, got 'sinse'; did you mean 'since'?"),
    ("{Out: out}", "{Out: otu}", 19, "cube: paddle.outputs.Out: expected an output, got 'otu'; did you mean "
     "'out'?"),
    ("out_grad, int axis)", "out_grad, Tensor ot, int axis)", 22, "cube_grad: args: expected tensors of "
     "cube: its arguments, its outputs, <output>_grad, got 'ot'; did you mean 'out'?"),
    ("int axis)", "int axs)", 22, "cube_grad: args: expected attributes of cube or a default, got 'axs'; did "
     "you mean 'axis'?"),
    ("Tensor(x_grad)", "Tensor(y_grad)", 23, "cube_grad: output: expected <input>_grad of an input of cube, "
     "got 'y_grad'"),
]


class MistakesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root)
        cls.family = cls.root / "ops_gen/ops/power.yaml"
        cls.family.parent.mkdir(parents=True)
        (cls.root / "ops_gen/schema").mkdir()
        for name in ("backends.h", "dtype_sets.def", "keys.def"):
            shutil.copy(f"ops_gen/schema/{name}", cls.root / "ops_gen/schema")
        for name, text in HEADERS.items():
            (cls.root / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.root / name).write_text(text + "\n")

    def run_tool(self, *words):
        """The message of a tool; "" if it is content."""
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(done.returncode == 0, not done.stderr, done.stderr)
        return done.stderr.strip()

    def listed(self, text):
        self.family.write_text(text)
        return self.run_tool("/usr/bin/python3", "-B", "ops_gen/list_entries.py", self.root, self.family)

    def generated(self, text):
        self.family.write_text(text)
        return self.run_tool("ops_gen/ops_gen", "--layer=signatures", f"--out={self.root}", self.family)

    def mistaken(self, before, after, line, message):
        self.assertEqual(ENTRY.count(before), 1, before)
        return ENTRY.replace(before, after), f"ops_gen/ops/power.yaml:{line}: {message}"

    def test_the_entry_is_good(self):
        self.assertEqual(self.listed(ENTRY), "")
        self.assertEqual(self.generated(ENTRY), "")

    def test_there_are_many(self):
        self.assertGreaterEqual(len(BOTH + LIST_ALONE + GENERATOR), 40)

    def test_what_both_see_both_say(self):
        for mistake in BOTH:
            with self.subTest(mistake[1]):
                text, message = self.mistaken(*mistake)
                self.assertEqual(self.listed(text), message)
                self.assertEqual(self.generated(text), message)

    def test_other_families_and_headers(self):
        for mistake in LIST_ALONE:
            with self.subTest(mistake[1]):
                text, message = self.mistaken(*mistake)
                self.assertEqual(self.listed(text), message)

    def test_what_is_left_to_the_generator(self):
        for mistake in GENERATOR:
            with self.subTest(mistake[1]):
                text, message = self.mistaken(*mistake)
                self.assertEqual(self.listed(text), "")
                self.assertEqual(self.generated(text), message)

    def test_files_that_hold_no_entries(self):
        for text, message in (("", "1: expected a list, got nothing"),
                              ("op: cube\n", "1: expected a list, got a map"),
                              ("- cube\n", "1: expected one of the keys 'op' and 'backward_op', got none")):
            with self.subTest(text):
                self.assertEqual(self.listed(text), f"ops_gen/ops/power.yaml:{message}")
                self.assertEqual(self.generated(text), f"ops_gen/ops/power.yaml:{message}")
        self.assertRegex(self.listed("- op: cube\n\targs: x\n"),
                         r"^ops_gen/ops/power.yaml:2: expected YAML, got: .+$")

    def test_damage_has_a_line(self):
        draw = random.Random(1)
        for _ in range(20):
            text = list(ENTRY)
            for _ in range(3):
                text[draw.randrange(len(text))] = draw.choice("x:{}[]-, \n\"'#&*|")
            said = self.listed("".join(text))
            if said:
                self.assertRegex(said, r"^ops_gen/ops/power.yaml:\d+: .+$")
                self.assertNotIn("Traceback", said)


if __name__ == "__main__":
    unittest.main()
