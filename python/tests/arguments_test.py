# SPDX-License-Identifier: Apache-2.0
"""Every argument of every public function and class of Python, outside of its
range: an error whose text names the function or the argument."""
import inspect
import re
import unittest

import argument_kinds as kinds
import argument_names as names
import argument_rows as rows

import switchyard as sy

ERRORS = (TypeError, ValueError, IndexError, KeyError, NotImplementedError,
          RuntimeError, MemoryError)
# Words of errors that Python, NumPy and pybind11 raise of their own accord.
INNER = re.compile(
    r"object has no attribute|unsupported operand|not supported between|"
    r"object is not|cannot be interpreted|must be real number|could not convert|"
    r"cannot convert|not subscriptable|has no len|incompatible function arguments|"
    r"math domain|unhashable|index out of range|expected at most|cannot unpack|"
    r"not enough values|too many values|division by zero|can't multiply|"
    r"could not be broadcast|setting an array element|invalid literal")


def is_free(function, kind):
    """Flags of functions are Python's truth, since a check would cost as much as a
    call; of operators that are functions, the entries say what numbers they take."""
    if kind is kinds.flag:
        return not inspect.isclass(function)
    of_numbers = (kinds.number, kinds.not_negative, kinds.positive, kinds.share)
    return kind in of_numbers and inspect.isbuiltin(function)


def cases(name, function, row):
    """(argument, wrong value, the arguments of the call) of one row."""
    signature = inspect.signature(function)
    for argument, parameter in signature.parameters.items():
        kind = kinds.OF_FUNCTION.get(f"{name}.{argument}",
                                     kinds.KINDS.get(argument))
        if kind is None or parameter.kind in (
                parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or (
                    is_free(function, kind)):
            continue
        for wrong in kind():
            args, kwargs = row.made()
            bound = signature.bind_partial(*args, **kwargs)
            bound.arguments[argument] = wrong
            yield argument, wrong, bound


class ArgumentsTest(unittest.TestCase):

    def test_every_name_has_a_row(self):
        lacking = [name for name, thing in names.public().items()
                   if name not in rows.NO_ROWS and names.row_of(name, thing) is None]
        self.assertEqual(lacking, [], "give each a row in argument_rows.py")

    def test_rows_are_valid_calls(self):
        for name, function in names.public().items():
            if name in rows.NO_ROWS:
                continue
            args, kwargs = names.row_of(name, function).made()
            with self.subTest(name):
                function(*args, **kwargs)

    def test_what_is_outside_is_an_error_with_a_sentence(self):
        for name, function in names.public().items():
            if name in rows.NO_ROWS:
                continue
            for argument, wrong, call in cases(name, function,
                                               names.row_of(name, function)):
                what = f"{name}({argument}={kinds.text(wrong)})"
                with self.subTest(what):
                    self.check(name, argument, function, call)

    def test_methods(self):
        """Those of the names of functions, and in place, as the functions."""
        known = names.public()
        tried = 0
        for name in sorted(n for n in dir(sy.Tensor) if not n.startswith("_")):
            function = name if name in known else name.removesuffix("_")
            row = None if function not in known or function in rows.NO_ROWS else (
                names.row_of(function, known[function]))
            method = getattr(sy.Tensor, name)
            if row is None or not hasattr(method, "__code__") or not isinstance(
                    row.made()[0][0], sy.Tensor):
                continue
            for argument, wrong, call in cases(function, method, row):
                if call.args[0] is wrong:
                    continue
                tried += 1
                with self.subTest(f"Tensor.{name}({argument}={kinds.text(wrong)})"):
                    self.check(function, argument, method, call)
        self.assertGreater(tried, 500)

    def test_layers(self):
        """A layer that gets what is no tensor names the argument."""
        for name, layer in names.public().items():
            if not name.startswith("nn.") or name in rows.NO_ROWS or not (
                    inspect.isclass(layer) and issubclass(layer, sy.nn.Module)) or (
                        name in ("nn.ParameterList", "nn.ModuleList", "nn.ParameterDict")):
                continue
            args, kwargs = names.row_of(name, layer).made()
            module = layer(*args, **kwargs)
            signature = inspect.signature(module.forward)
            needed = [p.name for p in signature.parameters.values()
                      if p.default is p.empty]
            row = rows.FORWARDS.get(name[3:]) or rows.Row.of(*[rows.matrix] * len(needed))
            with self.subTest(name):
                module(*row.made()[0])
            for argument in signature.parameters:
                if argument.endswith("is_causal"):
                    continue  # A flag of a function.
                for wrong in [*kinds.tensor(), *[None] * (argument in needed)]:
                    call = signature.bind_partial(*row.made()[0])
                    call.arguments[argument] = wrong
                    with self.subTest(f"{name}.forward({argument}={kinds.text(wrong)})"):
                        self.check(name, argument, module, call)

    def test_what_is_traced_and_trained(self):
        for function, arguments in rows.TRACES:
            function()
            for argument, more in arguments.items():
                for wrong in (*kinds.OTHERS, *more):
                    with self.subTest(f"{function.__name__}({argument}={kinds.text(wrong)})"):
                        self.check(function.__name__, argument, lambda: function(
                            **{argument: wrong}))

    def test_steps_of_optimizers(self):
        for name in ("SGD", "Momentum", "Adam", "AdamW", "RMSprop", "Adagrad", "LBFGS"):
            for method, (argument, more) in rows.STEPS.items():
                for wrong in (*kinds.OTHERS, *more):
                    optimizer = getattr(sy.optim, name)([rows.leaf(True)], learning_rate=0.1)
                    with self.subTest(f"{name}.{method}({kinds.text(wrong)})"):
                        self.check(method, argument,
                                   lambda: getattr(optimizer, method)(wrong))

    def check(self, name, argument, function, call=None):
        with self.assertRaises(ERRORS) as caught:
            function(*call.args, **call.kwargs) if call else function()
        text = str(caught.exception)
        self.assertIsNone(INNER.search(text), text)
        words = (name.split(".")[-1], argument, *kinds.SAME.get(argument, ()))
        self.assertTrue(isinstance(caught.exception, MemoryError) or any(
            word in text for word in words), text)


if __name__ == "__main__":
    unittest.main()
