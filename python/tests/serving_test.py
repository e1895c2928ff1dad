# SPDX-License-Identifier: Apache-2.0
"""A server gives each request what its model gives it alone, bit by bit, whatever
it shares a run with. SERVING_REQUESTS=10000 is the long run, by hand."""
import json
import os
import threading
import unittest

import numpy as np
import serving_checks as checks
import switchyard as sy

CLIENTS = 16
REQUESTS = int(os.environ.get("SERVING_REQUESTS", "640"))


class ClientsTest(unittest.TestCase):
    def check_clients(self, port, program, draw, count):
        """Sends ``count`` requests from 16 clients; returns how many were right."""
        wrong, right = [], []

        def work(number):
            random = np.random.default_rng(number)
            client = checks.Client(port)
            for i in range(count // CLIENTS):
                inputs, as_json = draw(random)
                try:
                    if as_json:
                        found = client.run_json(**{name: array.tolist() for name, array
                                                   in inputs.items()})
                    else:
                        found = client.run_npy(*inputs.values())
                except OSError as error:
                    wrong.append((number, i, error))
                    client = checks.Client(port)
                    continue
                expected = program.run(inputs)
                same = isinstance(found, list) and len(found) == len(expected) and all(
                    a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
                    for a, b in zip(found, expected.values()))
                (right if same else wrong).append((number, i, found))
            client.close()

        threads = [threading.Thread(target=work, args=(number,))
                   for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong[:3], [])
        return len(right)

    def test_many_clients(self):
        program = checks.dense_program()

        def draw(random):
            rows = int(random.integers(1, 4))
            return ({"x": random.standard_normal((rows, 2, 6, 6)).astype(np.float32)},
                    random.integers(0, 2) == 0)

        with checks.serving(program) as running:
            count = self.check_clients(running.port, program, draw, REQUESTS)
            counts = checks.counts_of(running.port)
        self.assertEqual(count, REQUESTS // CLIENTS * CLIENTS)
        self.assertEqual(counts['switchyard_answers_total{status="200",error=""}'], count)
        self.assertEqual(counts["switchyard_gone_total"], 0)
        self.assertEqual(counts["switchyard_request_seconds_count"], count)
        # Requests did share runs.
        self.assertLess(counts["switchyard_runs_total"], count * 0.9)
        self.assertEqual(counts['switchyard_run_rows_bucket{le="8"}'],
                         counts["switchyard_run_rows_count"])

    def test_extents_and_numbers_that_differ(self):
        program = checks.table_program()

        def draw(random):
            rows, width = (int(random.integers(1, 3)) for _ in range(2))
            more = random.standard_normal((rows, 1, 1)).astype(np.float32)
            return {"ids": random.integers(0, 10, (rows, width)), "more": more}, False

        with checks.serving(program) as running:
            self.assertEqual(self.check_clients(running.port, program, draw, 160), 160)

    def test_one_by_one(self):
        program = checks.dense_program()

        def draw(random):
            return {"x": random.standard_normal((1, 2, 6, 6)).astype(np.float32)}, True

        with checks.serving(program, shared=False) as running:
            self.assertEqual(self.check_clients(running.port, program, draw, 96), 96)
            counts = checks.counts_of(running.port)
        self.assertEqual(counts["switchyard_runs_total"], 96)

    def test_one_wrong_request_in_a_run(self):
        """It gets the operator's error, and the others their results."""
        program = checks.table_program()
        more = np.ones((1, 1, 1), np.float32)
        answers = {}

        def ask(port, index):
            client = checks.Client(port)
            answers[index] = client.run_npy(np.array([[index]]), more)
            client.close()

        with checks.serving(program, delay=5.0, batch=4) as running:
            threads = [threading.Thread(target=ask, args=(running.port, index))
                       for index in (1, 2, 77, 3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            counts = checks.counts_of(running.port)
        self.assertEqual(answers.pop(77), (422, {
            "type": "RunFailed", "message": "embedding: x must be in [0, 10), got 77",
            "operator": "embedding", "argument": "x"}))
        for index, found in answers.items():
            expected = program.run({"ids": np.array([[index]]), "more": more})
            for a, b in zip(found, expected.values()):
                self.assertEqual(a.tobytes(), b.tobytes())
        self.assertEqual(counts["switchyard_repeated_total"], 1)

    def test_rows_that_differ_among_inputs_run_alone(self):
        with checks.serving(checks.table_program()) as running:
            client = checks.Client(running.port)
            status, error = client.run_npy(np.zeros((3, 2), np.int64),
                                           np.ones((2, 1, 1), np.float32))
            self.assertEqual((status, error["operator"], error["argument"]),
                             (422, "add", "y"))
            out, twice = client.run_npy(np.zeros((3, 2), np.int64),
                                        np.ones((1, 1, 1), np.float32))
            self.assertEqual((out.shape, twice.shape), ((3, 2, 3), (1, 1, 1)))
            out, twice = client.run_npy(np.zeros((0, 2), np.int64),
                                        np.ones((0, 1, 1), np.float32))
            self.assertEqual((out.shape, twice.shape), ((0, 2, 3), (0, 1, 1)))
            client.close()


class FormsTest(unittest.TestCase):
    def setUp(self):
        self.program = checks.table_program()
        context = checks.serving(self.program, delay=0.0)
        self.running = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.client = checks.Client(self.running.port)
        self.addCleanup(self.client.close)

    def test_numbers_of_json_have_their_bits(self):
        numbers = np.float32([0.1, 1e-45, 3.4028235e38, -0.0, 1 / 3, np.nan, np.inf,
                              -np.inf]).reshape(8, 1, 1)
        words = [[[w]] for w in (0.1, 1e-45, 3.4028235e38, -0.0, 1 / 3, "nan", "inf",
                                 "-inf")]
        with np.errstate(over="ignore"):
            expected = self.program.run({"ids": np.zeros((8, 1), np.int64),
                                         "more": numbers})
        status, body = self.client.post(json.dumps(
            {"inputs": {"ids": [[0]] * 8, "more": words}}).encode(), checks.JSON)
        self.assertEqual(status, 200)
        outputs = json.loads(body)["outputs"]
        self.assertEqual(list(outputs), ["out0", "out1"])
        for name, array in expected.items():
            found = np.array([float(value) for value in np.array(
                outputs[name]["values"], object).ravel()], np.float32)
            self.assertEqual(found[~np.isnan(found)].tobytes(),
                             array.ravel()[~np.isnan(array.ravel())].tobytes())
            self.assertEqual(np.isnan(found).tolist(), np.isnan(array.ravel()).tolist())

    def test_an_answers_form_is_an_inputs_form(self):
        more = {"dtype": "float32", "shape": [1, 1, 1], "values": [0.25]}
        for form in (more, {"values": [[[0.25]]]}, [[[0.25]]]):
            out, twice = self.client.run_json(ids=[[1, 2]], more=form)
            self.assertEqual((out.shape, twice.tolist()), ((1, 2, 3), [[[0.5]]]))
        out, _ = self.client.run_json(ids={"shape": [0, 2], "values": []},
                                      more={"shape": [0, 1, 1], "values": []})
        self.assertEqual(out.shape, (0, 2, 3))

    def test_forms_of_an_answer(self):
        arrays = np.zeros((1, 1), np.int64), np.ones((1, 1, 1), np.float32)
        body = checks.npy_of(*arrays)
        for accept, begins in (("*/*", b"\x93NUMPY"), (checks.JSON, b'{"outputs"'),
                               (f"text/html, {checks.NPY};q=0.5", b"\x93NUMPY")):
            status, found = self.client.post(body, checks.NPY, accept)
            self.assertEqual((status, found[:len(begins)]), (200, begins))
        status, found = self.client.post(body, checks.NPY, "text/html")
        self.assertEqual((status, json.loads(found)["error"]["type"]),
                         (406, "NotAcceptable"))

    def test_orders_of_bytes_and_elements(self):
        ids = np.array([[1, 2], [3, 4]])
        more = np.ones((2, 1, 1), np.float32)
        expected = self.program.run({"ids": ids, "more": more})
        for one in (ids.astype(">i8"), np.asfortranarray(ids)):
            out, _ = self.client.run_npy(one, more)
            self.assertEqual(out.tobytes(), expected["out0"].tobytes())

    def test_any_byte_of_a_bool_is_true_or_false(self):
        program = sy.static.trace(lambda x: (sy.logical_not(x), x.astype("int32")),
                                  sy.static.InputSpec([None], "bool", name="x"))
        body = checks.npy_of(np.array([True, False, True]))[:-3] + b"\x02\x00\xff"
        with checks.serving(program) as running:
            client = checks.Client(running.port)
            _, found = client.post(body, checks.NPY)
            client.close()
        self.assertEqual([array.tolist() for array in checks.arrays_of(found)],
                         [[False, True, False], [1, 0, 1]])

    def test_pages(self):
        self.assertEqual(self.client.call("GET", "/health"), (200, b'{"status": "ok"}\n'))
        status, body = self.client.call("GET", "/model")
        facts = json.loads(body)
        self.assertEqual((status, facts["batch"], [p["name"] for p in facts["inputs"]]),
                         (200, 8, ["ids", "more"]))


if __name__ == "__main__":
    unittest.main()
