# SPDX-License-Identifier: Apache-2.0
"""The bytes of PaddlePaddle's programs: fields of protocol buffers, and a program
whose operators ask for devices."""
import itertools

# They hold blocks, or are no calls.
_NO_CALLS = {b"feed", b"fetch", b"while", b"conditional_block", b"select_input"}


def varint(number):
    number &= 2**64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, value):
    """A field of a protocol buffer: a number, a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(data):
    """(number, value, whole field) of each field of numbers or of bytes."""
    at = 0

    def number():
        nonlocal at
        found = shift = 0
        while True:
            byte = data[at]
            at += 1
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found

    while at < len(data):
        begin = at
        key = number()
        if key & 7 == 0:
            value = number()
        else:
            size = number() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
            value, at = data[at:at + size], at + size
        yield key >> 3, value, data[begin:at]


def _asking(operator, device):
    """An OpDesc whose op_device is `device`."""
    kept = b"".join(whole for number, value, whole in fields(operator)
                    if number != 4 or next(fields(value))[1] != b"op_device")
    return kept + field(4, field(1, "op_device") + field(2, 2) + field(5, device))


def with_devices(program, devices):
    """A ProgramDesc whose calls ask for the devices in turn."""
    turn = itertools.cycle(devices)

    def block(data):
        for number, value, whole in fields(data):
            if number == 4:
                kind, = (v for n, v, _ in fields(value) if n == 3)
                if kind not in _NO_CALLS:
                    whole = field(4, _asking(value, next(turn)))
            yield whole

    return b"".join(field(1, b"".join(block(value))) if number == 1 else whole
                    for number, value, whole in fields(program))
