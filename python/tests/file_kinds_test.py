# SPDX-License-Identifier: Apache-2.0
"""The first bytes of a file of another kind say what it is, with the way here."""
import os
import pathlib
import tempfile
import unittest
import zipfile

import numpy as np

import switchyard as sy
from switchyard.file_kinds import describe

SAFETENSORS = (2).to_bytes(8, "little") + b"{}"
# The first bytes: what is said of them as a model.
KINDS = {
    b"\x08\x07\x12\x07pytorch\x3a\x10": "an ONNX model: sy.load reads it",
    b"\x08\x09\x1a\x00": "an ONNX model",
    b"\x08\x01\x12\x20": "TensorFlow's SavedModel: save the weights as safetens",
    b"\x1c\x00\x00\x00TFL3\x14\x00": "a TensorFlow Lite model",
    b"\x89HDF\r\n\x1a\n\0\0": "an HDF5 file, as Keras writes",
    b"GGUF\3\0\0\0": "a GGUF file of llama.cpp",
    SAFETENSORS: "a safetensors file: it has weights alone",
    b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.": "before PyTorch 1.6: write it",
    b"\x80\x04\x95\0": "a pickle",
    b"\x93NUMPY\1\0": "an array of NumPy (.npy): it is no model but an input",
    b"\x1f\x8b\x08": "a gzip file: unpack it",
    b"\x89PNG\r\n\x1a\n": "a PNG picture",
    b"1.0 2.0\n3.0 4.0\n": "a text file: a model is a file of Program.save",
    b"PK\3\4 damaged": "a zip file that is cut off or damaged: write it again",
}
# The names in a zip file.
ARCHIVES = {
    ("m/data.pkl", "m/data/0", "m/version"): "a file of torch.save: it has weights",
    ("m/data.pkl", "m/constants.pkl", "m/code/x.py"): "a TorchScript module",
    ("serialized_exported_program.json", "version"): "an exported program of PyT",
    ("m/models/model.json", "m/data/weights/0", "m/data.pkl"): "(.pt2)",
    ("a.npy", "b.npy"): "NumPy's archive of several arrays (.npz): it is no model",
    ("metadata.json", "config.json", "model.weights.h5"): "a Keras model",
    ("letter.txt",): "a zip file: unpack it",
}


class FileKindsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "file"

    def test_first_bytes(self):
        for start, said in KINDS.items():
            self.path.write_bytes(start + (b"" if said.startswith("a text") else
                                           b"\0" * 99))
            self.assertIn(said, describe(self.path, "model"))
            with self.assertRaisesRegex(ValueError, "^load: .*/file is an? |Tens|/file: its "):
                sy.load(self.path)

    def test_archives(self):
        for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            for names, said in ARCHIVES.items():
                with zipfile.ZipFile(self.path, "w", packing) as archive:
                    for name in names:
                        archive.writestr(name, b"x" * 100)
                self.assertIn(said, describe(self.path, "model"))

    def test_a_folder(self):
        (self.folder / "saved_model.pb").write_bytes(b"")
        self.assertIn("SavedModel", describe(self.folder, "model"))
        with self.assertRaisesRegex(ValueError, "is TensorFlow's SavedModel"):
            sy.load(self.folder)

    def test_states_and_arrays(self):
        sy.static.trace(sy.relu, np.ones(2, np.float32)).save(self.path)
        with self.assertRaisesRegex(ValueError, "is a saved program of "
                                    "Switchyard: sy.load reads it"):
            sy.load_state(self.path)
        self.path.write_bytes(b"\x08\x07\x12\x07pytorch\x3a\x10")
        with self.assertRaisesRegex(ValueError, "load_state: .* is an ONNX model: "
                                    "save the weights"):
            sy.load_state(self.path)
        self.path.write_text("1 2 3\n")
        self.assertEqual(describe(self.path, "array"), "a text file: np.save the "
                         "array that np.loadtxt reads")

    def test_what_has_no_mark(self):
        for data in (b"", b"\0\1\2\3", b"\xff" * 50):
            self.path.write_bytes(data)
            self.assertIsNone(describe(self.path, "model"))
            with self.assertRaisesRegex(ValueError, "must begin with SYPROG"):
                sy.load(self.path)
        self.assertIsNone(describe(self.folder / "none", "model"))
        self.assertIsNone(describe(self.folder, "model"))
        os.mkfifo(self.folder / "pipe")  # Nobody writes: no wait.
        self.assertIsNone(describe(self.folder / "pipe", "model"))


if __name__ == "__main__":
    unittest.main()
