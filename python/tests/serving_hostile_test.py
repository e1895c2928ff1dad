# SPDX-License-Identifier: Apache-2.0
"""Clients that lie, are slow, go away or are too many: each gets a typed answer,
and nothing of the others is lost."""
import contextlib
import http.client
import json
import os
import random
import socket
import struct
import threading
import time
import unittest
import unittest.mock

import numpy as np
import serving_checks as checks

MUTATED = int(os.environ.get("SERVING_MUTATED", "300"))  # 20,000 by hand.
IDS, MORE = np.array([[1, 2]]), np.ones((1, 1, 1), np.float32)
GOOD = checks.npy_of(IDS, MORE)


def request(body, content_type=checks.NPY, length=None, fields=""):
    """The bytes of a request that may claim another length."""
    length = len(body) if length is None else length
    return (f"POST /run HTTP/1.1\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {length}\r\n{fields}\r\n").encode() + body


def npy(header, more=b"", version=b"\x01\x00"):
    """An array with that text as header."""
    text = header.encode()
    size = struct.pack("<H" if version[0] == 1 else "<I", len(text))
    return b"\x93NUMPY" + version + size + text + more


def header_of(descr="'<i8'", order="False", shape="(1, 2)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


class OneServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        context = checks.serving(checks.table_program(), delay=0.0, body=1 << 26,
                                 held=1 << 27, header_seconds=0.5)
        cls.running = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        cls.port = cls.running.port

    def tearDown(self):
        """After all that, it serves."""
        self.assertEqual(checks.raw(self.port, request(GOOD), end=True)[0], 200)
        self.assertFalse([name for name in checks.counts_of(self.port)
                          if 'status="500"' in name])

    def check(self, sent, status, kind, words="", argument=None, end=False):
        answer = checks.raw(self.port, sent, end)
        self.assertIsNotNone(answer, sent[:200])
        found, error = answer
        self.assertEqual((found, error["type"]), (status, kind), error)
        self.assertIn(words, error["message"])
        self.assertEqual(error.get("argument"), argument, error)

    def test_arrays_that_lie(self):
        wide = "0" * 5000
        for body, words in (
                (b"PK\x03\x04" + bytes(60), "begins with b'PK"),
                (npy(header_of(), version=b"\x09\x00"), "as np.save writes it"),
                (npy(header_of("'<f4'")), "must be int64, got float32"),
                (npy(header_of("'<f3'")), "must be of a dtype of numbers"),
                (npy(header_of("'|O'")), "must be of a dtype of numbers"),
                (npy(header_of("[('a', '<i8')]")), "must be of a dtype of numbers"),
                (npy(header_of("'<U900000'")), "must be of a dtype of numbers"),
                (npy(header_of(shape="(1, -2)"), bytes(999)), "and a shape"),
                (npy(header_of(shape="(1, 2, 3)"), bytes(999)), "got [1, 2, 3]"),
                (npy(header_of(shape="(1, 'a')")), "and a shape"),
                (npy(header_of(shape="(1 2)")), "and a shape"),
                (npy(header_of(shape="(0, 9999999999999999)")), "of at most 67108864"),
                (npy(header_of(shape="(2)")), "and a shape"),
                (npy(header_of(shape="(" * 1000)), "and a shape"),
                (npy(header_of(shape="-" * 3000 + "1")), "and a shape"),
                (npy(header_of().replace("descr", "shape")), "and a shape"),
                (npy(header_of() + "print(1)"), "and a shape"),
                (npy("import os\n"), "and a shape"),
                (npy(header_of(), version=b"\x02\x00")[:8] + b"\xff\xff\xff\x7f"
                 + bytes(99), "at most 4096 bytes, got 2147483647"),
                (npy(wide), "at most 4096 bytes"),
                (npy(header_of(shape="(3, 2)"), bytes(16)), "claims 48 bytes")):
            self.check(request(body), 400, "InvalidInput", words, "ids")
        self.check(request(GOOD + b"x"), 400, "InvalidInput", "end after 2 arrays")
        self.check(request(checks.npy_of(IDS)), 400, "InvalidInput",
                   "a body of 1 arrays", "more")
        self.check(request(b""), 400, "InvalidInput", "a body of 0 arrays", "ids")
        self.check(request(GOOD[:20]), 400, "InvalidBody", "where")

    def test_claims_are_refused_before_what_they_claim_comes(self):
        for extent, words in ((4000000, "claims 64000000 bytes"),
                              (1000000000000, "at most 67108864 bytes")):
            claim = npy(header_of(shape=f"({extent}, 2)"))
            self.check(request(claim, length=1 << 25), 400, "InvalidInput", words, "ids")
        self.check(request(b"", length=(1 << 26) + 1), 413, "BodyTooLarge", "67108864")
        self.check(request(b"", checks.JSON, length=5 << 20), 413, "BodyTooLarge",
                   "a body of JSON")
        # Nothing is held for what did not come.
        self.assertEqual(checks.counts_of(self.port)["switchyard_held_bytes"], 0)

    def test_json_that_lies(self):
        more = "[[[1]]]"
        for text, kind, argument in (
                ("", "InvalidBody", None), ("[1]", "InvalidBody", None),
                ('{"inputs": []}', "InvalidBody", None),
                ('{"inputs": {}, "more": 1}', "InvalidBody", None),
                ("[" * 100000, "InvalidBody", None),
                ('{"inputs": {"ids": [[NaN]], "more": 1}}', "InvalidBody", None),
                ('{"inputs": {"ids": 1, "ids": 2}}', "InvalidBody", None),
                ('{"inputs": {"ids": [[%s]]}}' % ("9" * 5000), "InvalidBody", None),
                ("\ud800".encode("utf-8", "surrogatepass"), "InvalidBody", None),
                ('{"inputs": {"ids": [[1]]}}', "InvalidInput", "more"),
                ('{"inputs": {"other": 1}}', "InvalidInput", "other")):
            body = text if isinstance(text, bytes) else text.encode()
            self.check(request(body, checks.JSON), 400, kind, argument=argument)
        for ids in ("[[1], [2, 3]]", "[[1], 2]", "[1, [2]]", '[["1"]]', "[[1.5]]",
                    "[[true]]", "[[null]]", "[[{}]]", "1", "[[99999999999999999999]]",
                    '{"values": [1], "shape": [1, 2]}', '{"values": [[1]], "shape": 1}',
                    '{"values": [], "shape": [0, 1000000000000000]}',
                    '{"values": [[1]], "shape": [-1, -1]}', '{"shape": [1, 1]}',
                    '{"values": [[1]], "dtype": "int32"}',
                    '{"values": [[1]], "lod": 3}', '{"values": [[1]], "size": 3}'):
            text = f'{{"inputs": {{"ids": {ids}, "more": {more}}}}}'
            self.check(request(text.encode(), checks.JSON), 400, "InvalidInput",
                       argument="ids")
        for more in ("[[[1e39]]]", "[[[1e999]]]", '[[["NaN"]]]', "[[[false]]]",
                     "[[[%s]]]" % ("9" * 400)):
            text = f'{{"inputs": {{"ids": [[1]], "more": {more}}}}}'
            self.check(request(text.encode(), checks.JSON), 400, "InvalidInput",
                       argument="more")

    def test_requests_that_are_none(self):
        head = "POST /run HTTP/1.1\r\nContent-Type: application/x-npy\r\n"
        for text, status, kind in (
                ("hello\r\n\r\n", 400, "MalformedRequest"),
                ("GET /health\r\n\r\n", 400, "MalformedRequest"),
                ("GET /health HTTP/2.0\r\n\r\n", 505, "HttpVersion"),
                ("GET /health HTTP/1.1\r\nno field\r\n\r\n", 400, "MalformedRequest"),
                ("GET /health HTTP/1.1\r\n a: b\r\n\r\n", 400, "MalformedRequest"),
                ("GET /health HTTP/1.1\r\n" + "a: b\r\n" * 101 + "\r\n", 431,
                 "HeaderTooLarge"),
                ("GET /" + "a" * 20000, 431, "HeaderTooLarge"),
                ("GET /etc/passwd HTTP/1.1\r\n\r\n", 404, "NotFound"),
                ("GET /run HTTP/1.1\r\n\r\n", 405, "MethodNotAllowed"),
                ("DELETE /model HTTP/1.1\r\n\r\n", 405, "MethodNotAllowed"),
                (head + "\r\n", 411, "LengthRequired"),
                (head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411,
                 "LengthRequired"),
                (head + "Content-Length: -1\r\n\r\n", 400, "MalformedRequest"),
                (head + "Content-Length: 1_0\r\n\r\n", 400, "MalformedRequest"),
                (head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400,
                 "MalformedRequest"),
                ("GET /health HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcde", 413,
                 "BodyTooLarge")):
            self.check(text.encode(), status, kind)
        self.check(request(GOOD, "text/plain"), 415, "UnsupportedMediaType")

    def test_slow_clients(self):
        self.check(b"GET /heal", 408, "HeaderTimeout", "0.5 seconds")
        self.check(request(GOOD, length=len(GOOD) + 9)[:-9], 408, "BodyTimeout")
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            begin = time.monotonic()
            with contextlib.suppress(OSError):
                while time.monotonic() < begin + 5:  # A byte now and then.
                    client.sendall(b"a")
                    client.settimeout(0.1)
                    with contextlib.suppress(TimeoutError):
                        if client.recv(12):
                            break
            self.assertLess(time.monotonic() - begin, 4)

    def test_two_requests_at_once(self):
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            client.sendall(request(GOOD) * 2 + b"GET /health HTTP/1.1\r\n\r\n")
            client.shutdown(socket.SHUT_WR)
            received = b""
            while (piece := client.recv(1 << 16)):
                received += piece
        self.assertEqual(received.count(b"HTTP/1.1 200 OK"), 3)
        self.assertTrue(received.endswith(b'{"status": "ok"}\n'))

    def test_a_client_that_expects_to_be_asked(self):
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            client.sendall(request(b"", length=len(GOOD),
                                   fields="Expect: 100-continue\r\n"))
            self.assertEqual(client.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
            client.sendall(GOOD)
            self.assertIn(b"200 OK", client.recv(20))

    def test_mutated_requests(self):
        drawn = random.Random(5)
        whole = [request(GOOD), request(json.dumps({"inputs": {
            "ids": [[1]], "more": {"values": [[[0.5]]], "shape": [1, 1, 1]}}}).encode(),
            checks.JSON), b"GET /model HTTP/1.1\r\nHost: a\r\n\r\n"]
        for _ in range(MUTATED):
            data = bytearray(drawn.choice(whole))
            for _ in range(drawn.choice((1, 1, 2, 5))):
                at = drawn.randrange(len(data))
                if drawn.random() < 0.6:
                    data[at] = drawn.randrange(256)
                else:
                    del data[at:at + drawn.randrange(1, 12)]
            # None: a request that ends too early gets no answer.
            answer = checks.raw(self.port, bytes(data), end=True)
            if answer is not None:
                self.assertIn(answer[0], (200, 400, 404, 405, 406, 408, 411, 413, 415,
                                          422, 431, 505), data)


class BoundsTest(unittest.TestCase):
    def ask(self, port, answers):
        """A thread that sends a good request and keeps its answer."""
        thread = threading.Thread(target=lambda: answers.append(
            checks.raw(port, request(GOOD))), daemon=True)
        thread.start()
        return thread

    def wait_for(self, port, name, number):
        for _ in range(2000):
            if checks.counts_of(port)[name] == number:
                return
            time.sleep(0.005)
        self.fail(f"{name} never was {number}")

    def gated(self, **options):
        return checks.serving(checks.table_program(), model=checks.Gated, **options)

    def test_a_full_queue(self):
        answers = []
        with self.gated(queue=3, batch=1) as running:
            threads = [self.ask(running.port, answers)]
            self.wait_for(running.port, "switchyard_held_bytes", len(GOOD))
            self.wait_for(running.port, "switchyard_waiting_requests", 0)
            threads += [self.ask(running.port, answers) for _ in range(3)]
            self.wait_for(running.port, "switchyard_waiting_requests", 3)
            status, error = checks.raw(running.port, request(GOOD))
            self.assertEqual((status, error["type"]), (503, "QueueFull"))
            running._model.gate.set()
            for thread in threads:
                thread.join()
            counts = checks.counts_of(running.port)
        self.assertEqual([status for status, _ in answers], [200] * 4)
        self.assertEqual(counts['switchyard_answers_total{status="503",error="QueueFull"}'],
                         1)
        self.assertEqual(counts["switchyard_held_bytes"], 0)

    def test_bodies_and_connections_are_bounded(self):
        answers = []
        with self.gated(held=len(GOOD) + 9, connections=3) as running:
            thread = self.ask(running.port, answers)
            self.wait_for(running.port, "switchyard_held_bytes", len(GOOD))
            status, error = checks.raw(running.port, request(GOOD))
            self.assertEqual((status, error["type"]), (503, "Busy"))
            more = [socket.create_connection(("127.0.0.1", running.port))
                    for _ in range(2)]
            status, error = checks.raw(running.port, b"GET /health HTTP/1.1\r\n\r\n")
            self.assertEqual((status, error["type"]), (503, "TooManyConnections"))
            for one in more:
                one.close()
            running._model.gate.set()
            thread.join()
        self.assertEqual(answers[0][0], 200)

    def test_clients_that_go_away(self):
        answers = []
        with self.gated(batch=1) as running:
            first = self.ask(running.port, answers)
            self.wait_for(running.port, "switchyard_held_bytes", len(GOOD))
            gone = []
            for sent in (request(GOOD), request(GOOD), request(GOOD)[:-10]):
                client = socket.create_connection(("127.0.0.1", running.port))
                client.sendall(sent)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                  struct.pack("ii", 1, 0))
                gone.append(client)
            self.wait_for(running.port, "switchyard_waiting_requests", 2)
            second = self.ask(running.port, answers)
            self.wait_for(running.port, "switchyard_waiting_requests", 3)
            for client in gone:
                client.close()
            self.wait_for(running.port, "switchyard_gone_total", 1)
            running._model.gate.set()
            first.join()
            second.join()
            self.wait_for(running.port, "switchyard_gone_total", 3)
            counts = checks.counts_of(running.port)
        self.assertEqual([status for status, _ in answers], [200, 200])
        # Nobody waited for their runs, and they had none.
        self.assertEqual(counts["switchyard_runs_total"], 2)
        self.assertEqual(counts["switchyard_held_bytes"], 0)

    def test_an_end_answers_what_was_sent(self):
        answers = []
        with self.gated(delay=60.0) as running:
            threads = [self.ask(running.port, answers) for _ in range(12)]
            self.wait_for(running.port, "switchyard_held_bytes", 12 * len(GOOD))
            client = checks.Client(running.port)
            self.assertEqual(client.call("GET", "/health")[0], 200)
            running.begin_to_end()
            while (found := client.call("GET", "/health"))[0] == 200:
                pass
            self.assertEqual(json.loads(found[1])["error"]["type"], "Draining")
            client.close()
            running._model.gate.set()
            self.assertTrue(running.end())
            for thread in threads:
                thread.join()
            with self.assertRaises(OSError):
                socket.create_connection(("127.0.0.1", running.port))
        self.assertEqual([status for status, _ in answers], [200] * 12)

    @unittest.mock.patch("switchyard.serving.server._GRACE", 3.0)
    def test_an_end_under_load(self):
        """Each connection gets its answers until one that says close."""
        statuses, ends = [], []

        def work(port):
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            while True:
                client.request("POST", "/run", GOOD, {"Content-Type": checks.NPY})
                answer = client.getresponse()
                statuses.append(answer.status)
                answer.read()
                if len(statuses) > 80:  # Once is enough.
                    running.begin_to_end()
                if answer.will_close:
                    break
            ends.append(answer.getheader("Connection"))
            client.close()

        with checks.serving(checks.table_program()) as running:
            threads = [threading.Thread(target=work, args=(running.port,))
                       for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            counts = running.server.counts
        self.assertEqual(ends, ["close"] * 8)
        self.assertEqual(set(statuses), {200})
        self.assertEqual(counts.answers[200, ""], len(statuses))


if __name__ == "__main__":
    unittest.main()
