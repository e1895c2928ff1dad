# SPDX-License-Identifier: Apache-2.0
"""A classifier is trained, exported to a file and served over HTTP.

    ./sy python examples/recipes/serving.py digits.sy [--static]

A request is a JSON list of images, 64 numbers each; the answer their digits.
"""
import http.server
import json
import pathlib
import sys
import threading
import urllib.request

import numpy as np

from steps import train_step
import switchyard as sy
from switchyard import nn

DIGITS = pathlib.Path(__file__).parent.parent / "digits/data/digits.csv.gz"


def network():
    sy.seed(1)
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def export(model, path):
    """Writes the model with its weights as a program of any batch."""
    images = sy.static.InputSpec([None, 64], "float32", name="images")
    sy.static.trace(model.eval(), images).save(path)


def server(path):
    """A server of the program: requests share it, each in a thread."""
    program = sy.load(path)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            try:
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                logits = program(np.array(json.loads(sent), np.float32))
                status, answer = 200, logits.argmax(1).tolist()
            except (ValueError, TypeError) as error:
                status, answer = 400, str(error)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *args):
            pass
    return http.server.ThreadingHTTPServer(("localhost", 0), Handler)


def main(path, static=False, epochs=10):
    rows = np.loadtxt(DIGITS, np.float32, delimiter=",")
    images, labels = rows[:, :64] / 16, rows[:, 64].astype(np.int64)
    model = network()
    optimizer = sy.optim.Adam(model.parameters(), learning_rate=0.003)
    step = train_step(model, nn.CrossEntropyLoss(), optimizer, static)
    data = sy.io.ArrayDataset(images[200:], labels[200:])
    loader = sy.io.DataLoader(data, 32, shuffle=True, seed=1)
    losses = [step(x, y).item() for _ in range(epochs) for x, y in loader]
    export(model, path)
    with server(path) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        url = f"http://localhost:{serving.server_port}"
        sent = json.dumps(images[:200].tolist()).encode()
        digits = np.array(json.load(urllib.request.urlopen(url, sent)))
        serving.shutdown()
    print(f"right answers: {(digits == labels[:200]).mean():.3f}")
    return losses


if __name__ == "__main__":
    main(sys.argv[1], "--static" in sys.argv)
