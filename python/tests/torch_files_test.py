# SPDX-License-Identifier: Apache-2.0
"""load_state of files of torch.save: what is read, what is refused, and that no
damaged file is a crash, a wait or much memory.

The files in testdata are PyTorch's own (make_torch_files.py there); others are
written here, byte by byte.
"""
import os
import pathlib
import random
import resource
import struct
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

DATA = pathlib.Path(__file__).parent / "testdata"
# SY_FUZZ=20000 by hand.
MUTANTS = int(os.environ.get("SY_FUZZ", "400"))


def zipped(parts, wide=False):
    """A zip file of stored parts, with 64-bit numbers if ``wide``."""
    data, listed = b"", b""
    for name, part in parts.items():
        at, size = len(data), len(part)
        data += struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, 0, 0, 0, 0, 0, size,
                            size, len(name), 0) + name.encode() + part
        extra, short = b"", (size, size, at)
        if wide:
            extra = struct.pack("<HHQQQ", 1, 24, size, size, at)
            short = (0xFFFFFFFF,) * 3
        listed += struct.pack(
            "<4sHHHHHHIIIHHHHHII", b"PK\1\2", 45, 45, 0, 0, 0, 0, 0, *short[:2],
            len(name), len(extra), 0, 0, 0, 0, short[2]) + name.encode() + extra
    at, end = len(data), b""
    last = (len(parts), len(parts), len(listed), at)
    if wide:
        end = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, *last)
        end += struct.pack("<4sIQI", b"PK\6\7", 0, at + len(listed), 1)
        last = (0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    return data + listed + end + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0,
                                             *last, 0)


def text(word):
    return b"X" + struct.pack("<I", len(word)) + word.encode()


def tensor(offset=0, shape=(2,), strides=(1,), count=4, key="0"):
    """The opcodes of a float32 tensor in a storage."""
    def numbers(values):
        return b"(" + b"".join(b"J" + struct.pack("<i", one)
                               for one in values) + b"t"
    return (b"ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage")
            + b"ctorch\nFloatStorage\n" + text(key) + text("cpu")
            + b"J" + struct.pack("<i", count) + b"tQ"
            + b"J" + struct.pack("<i", offset) + numbers(shape)
            + numbers(strides) + b"\x89ccollections\nOrderedDict\n)RtR")


def saved(opcodes, wide=False, **parts):
    """A file with these opcodes and the elements 0, 1, 2, 3."""
    return zipped({"archive/data.pkl": b"\x80\2" + opcodes + b".",
                   "archive/data/0": np.arange(4, dtype="<f4").tobytes(),
                   **parts}, wide)


class TorchFilesTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "file.pt")

    def load(self, data):
        self.path.write_bytes(data)
        return sy.load_state(self.path)

    def refused(self, data, message):
        with self.assertRaisesRegex(ValueError, message):
            self.load(data)

    def test_a_state_dict_into_the_same_model(self):
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 2))
        state = sy.load_state(DATA / "state_dict.pt")
        model.load_state_dict(sy.load_state(DATA / "state_dict.pt",
                                            pytorch=model))
        x = np.ones((2, 3), np.float32)
        first = {name: state[name].numpy() for name in state}
        hidden = x @ first["0.weight"].T + first["0.bias"]
        want = hidden / np.sqrt(np.float32(1 + 1e-5)) @ first["2.weight"].T
        np.testing.assert_allclose(model.eval()(sy.tensor(x)).numpy(),
                                   want + first["2.bias"], rtol=1e-5)
        self.assertEqual(state["1.num_batches_tracked"].item(), 0)

    def test_a_checkpoint(self):
        found = sy.load_state(DATA / "checkpoint.pt")
        self.assertEqual(
            {name: found[name] for name in
             ("epoch", "name", "rates", "size", "dtype", "none", "set", "bytes")},
            {"epoch": 3, "name": "é", "rates": [0.1, (1, 2)], "size": (2, 3),
             "dtype": "float32", "none": None, "set": {1, 2}, "bytes": b"ab"})
        base = np.arange(12, dtype=np.float32).reshape(3, 4)
        for name, want in {
                "rows": base[1:], "turned": base.T,
                "expanded": np.ones(5, np.float32),
                "bool": np.array([True, False]),
                "bfloat16": np.arange(5, dtype=np.float32),
                "half": np.arange(3, dtype=np.float16), "int64": np.arange(3),
                "empty": np.zeros((0, 3), np.float32),
                "complex": np.ones(2, np.complex64),
                "scalar": np.float32(3.5)}.items():
            got = found[name].numpy()
            np.testing.assert_array_equal(got, want, name)
            self.assertEqual(got.dtype, want.dtype, name)
        self.assertEqual(found["bfloat16"].dtype, "bfloat16")
        step = found["optimizer"]["state"][0]
        self.assertEqual((step["step"].item(), step["exp_avg"].shape), (1, (4, 3)))
        # They shared a storage there.
        found["rows"].fill_(7)
        np.testing.assert_array_equal(found["turned"].numpy()[:, 1:],
                                      np.full((4, 2), 7))

    def test_what_is_no_state(self):
        with self.assertRaisesRegex(
                ValueError, r"module.pt has an object of the class "
                r"torch\.nn\.modules\.container\.Sequential; .*"
                r"torch\.save\(model\.state_dict\(\), path\)"):
            sy.load_state(DATA / "module.pt")
        with self.assertRaisesRegex(ValueError, r"float8.pt has a tensor of a dtype that "
                                    r"there is none of here \(float8.*tensor\.float"):
            sy.load_state(DATA / "float8.pt")
        for name, message in (("_rebuild_qtensor", "a quantised tensor: save"),
                              ("_rebuild_sparse_tensor", "a sparse tensor: save")):
            self.refused(saved(b"ctorch._utils\n" + name.encode() + b"\n"), message)
        self.refused(saved(tensor()), "must hold a dict, .* got a tensor")
        self.refused(saved(b"cos\nsystem\n" + text("true") + b"\x85R"),
                     "class os.system")
        with self.assertRaisesRegex(ValueError, "it has weights alone"):
            sy.load(DATA / "state_dict.pt")

    def test_wide_numbers(self):
        opcodes = b"}" + text("x") + tensor(1, (3,)) + b"s"
        for wide in (False, True):
            np.testing.assert_array_equal(
                self.load(saved(opcodes, wide))["x"].numpy(), [1, 2, 3])

    def test_places_are_checked_against_the_storage(self):
        for words, message in (
                ((3, (2,), (1,)), "reaches element 4 of a storage of 4"),
                ((0, (2, 3), (3, 2)), "reaches element 7"),
                ((0, (2,), (2**31 - 1,)), "reaches element 2147483647"),
                ((0, (-1,), (1,)), "no counts"), ((0, (2,), (-1,)), "no counts"),
                ((-1, (2,), (1,)), "no counts"),
                ((0, (2,), (1, 1)), "1 extents and 2 strides"),
                ((0, (1,) * 9, (1,) * 9), "at most 8 axes"),
                ((0, (2**31 - 1,) * 3, (0,) * 3), "too many elements"),
                ((0, (2,), (1,), 5), "a storage of 5 float32, whose part has 16"),
                ((0, (2,), (1,), 4, "1"), "no part archive/data/1")):
            self.refused(saved(b"}" + text("x") + tensor(*words) + b"s"), message)

    def test_hostile_opcodes(self):
        deep = b"]" * 300 + b"a" * 299
        doubled = b"]" + b"".join(b"q" + bytes([i]) + b"0]h" + bytes([i]) + b"ah"
                                  + bytes([i]) + b"a" for i in range(150))
        itself = b"}q\0" + text("x") + b"h\0s"
        for opcodes, message in (
                (b"}" + text("x") + deep + b"s", "more than 200 deep"),
                (itself, "contains itself"),
                (b"}" + b"]" * 2_000_000, "take more than 56 MiB"),
                (b"(" * 10 + b"t", "no single object"), (b"", "no single object"),
                (b"t", "more than there is"), (b"h\1", "was not made"),
                (b"P1\n", "which torch.save does not write"),
                (b"X\xff\xff\xff\xff", "cut off"), (b"}]K\1s", "must be plain")):
            self.refused(saved(opcodes), message)
        # 2**150 paths to one list: it is walked once.
        made = self.load(saved(b"}" + text("x") + doubled + b"s"))
        self.assertEqual(len(made["x"]), 2)

    def test_hostile_archives(self):
        good = saved(b"}")
        listed = good.index(b"PK\1\2")
        packed = bytearray(good)
        packed[listed + 10] = 8
        self.refused(bytes(packed), "that is packed")
        self.refused(good[:-30], "cut off|damaged")
        name = "archive/data.pkl"
        self.refused(zipped({name: b"\x80\2}."}).replace(b"data.pkl", b"data.pkk"),
                     "is a zip file")
        self.refused(saved(b"}", **{"archive/byteorder": b"big"}),
                     "little-endian order, got big")

    def test_damaged_files(self):
        """A file that is not read is a ValueError, soon, without much memory."""
        files = [(DATA / name).read_bytes() for name in
                 ("state_dict.pt", "checkpoint.pt", "module.pt")]
        files.append(saved(b"}" + text("x") + tensor() + b"s", wide=True))
        drawn = random.Random(7)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        read = 0
        for i in range(MUTANTS):
            data = bytearray(drawn.choice(files))
            for _ in range(drawn.choice((1, 1, 2, 5))):
                at, how = drawn.randrange(len(data)), drawn.randrange(4)
                if how == 0:
                    data[at] = drawn.randrange(256)
                elif how == 1:
                    del data[at:at + drawn.randrange(1, 9)]
                elif how == 2:
                    data[at:at] = drawn.randbytes(drawn.randrange(1, 9))
                else:
                    data[at:at + 4] = struct.pack("<I", drawn.choice(
                        (0, 1, 0x7FFFFFFF, 0xFFFFFFFF)))
            try:
                self.load(data)
                read += 1
            except ValueError:
                pass
        self.assertGreater(read, 0)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 128 * 1024)  # KiB.


if __name__ == "__main__":
    unittest.main()
