# SPDX-License-Identifier: Apache-2.0
"""Short-time Fourier transforms, of frames of a signal that a window weighs."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import FROM_1, flag, whole
from switchyard.functions.arguments import is_empty, tensor_of, to_shape
from switchyard.functions.picking import index_add
from switchyard.functions.pieces import unfold
from switchyard.functions.shaping import concat, matrix_transpose

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["istft", "stft"]

_MODES = ("reflect", "constant", "replicate", "circular")


def _sizes(name, n_fft, hop_length, win_length):
    size = whole(name, "n_fft", n_fft, FROM_1)
    hop = whole(name, "hop_length", max(size // 4, 1) if hop_length is None
                else hop_length, FROM_1)
    width = whole(name, "win_length", size if win_length is None else win_length,
                  FROM_1)
    if width > size:
        raise ValueError(f"{name}: win_length must be at most n_fft {size}, got {width}")
    return size, hop, width


def _weights(name, window, width, size):
    """The window as a tensor of ``size``, with zeros on both sides; None without."""
    if window is None and width == size:
        return None
    window = _ops.full([width], 1.0, "float32") if window is None else tensor_of(window)
    if tuple(window.shape) != (width,):
        raise ValueError(f"{name}: window must have win_length {width} numbers, got "
                         f"shape {tuple(window.shape)}")
    before = (size - width) // 2
    return _ops.pad(window, [before, size - width - before]) if width < size else window


def _padded(x, size, mode):
    """Half a frame more on both sides of the signals x [n, samples]."""
    half, count = size // 2, x.shape[-1]
    if mode not in _MODES:
        raise ValueError(f"stft: pad_mode must be one of {_MODES}, got {mode!r}")
    if mode == "constant":
        return _ops.pad(x, [0, 0, half, half])
    if mode != "replicate" and half >= count + (mode == "circular"):
        raise ValueError(f"stft: x must have more than {half} samples to be padded, "
                         f"got {count}")
    place = {"reflect": lambda i: abs(i) if i < count else 2 * (count - 1) - i,
             "replicate": lambda i: min(max(i, 0), count - 1),
             "circular": lambda i: i % count}[mode]
    sides = [[place(i) for i in range(first, first + half)] for first in (-half, count)]
    sides = [_ops.index_select(x, _core.tensor(side, "int64"), 1) for side in sides]
    return concat([sides[0], x, sides[1]], -1) if half else x


def stft(x: T, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
         window=None, center: bool = True, pad_mode: str = "reflect",
         normalized: bool = False, onesided: bool | None = None,
         return_complex: bool | None = None) -> T:
    """The Fourier transforms [..., frequencies, frames] of the frames of ``n_fft``
    samples, ``hop_length`` apart (by default a fourth), of signals x [samples] or
    [n, samples]; ``center`` pads so that frames are around their sample.

    The window has ``win_length`` numbers (ones; zeros fill it up to ``n_fft``).
    ``normalized`` divides by sqrt(n_fft). ``onesided``, the default for real
    signals, leaves out the frequencies that are conjugates. A real x says by
    ``return_complex`` whether the result is complex or has a last axis of 2.
    """
    from switchyard import fft
    x = tensor_of(x)
    size, hop, width = _sizes("stft", n_fft, hop_length, win_length)
    weights = _weights("stft", window, width, size)
    if len(x.shape) not in (1, 2):
        raise ValueError(f"stft: x must have one or two axes, got {len(x.shape)}")
    is_complex = any(each is not None and each.dtype.startswith("complex")
                     for each in (x, weights))
    if return_complex is None and not is_complex:
        raise ValueError("stft: return_complex must be given for real numbers")
    if onesided and is_complex:
        raise ValueError("stft: onesided must be False for complex numbers")
    rows = x if len(x.shape) == 2 else _ops.unsqueeze(x, [0])
    rows = _padded(rows, size, pad_mode) if center else rows
    if rows.shape[-1] < size:
        raise ValueError(f"stft: n_fft must be at most the {rows.shape[-1]} samples of x, "
                         f"got {size}")
    frames = unfold(rows, -1, size, hop)
    frames = frames if weights is None else _ops.multiply(frames, weights)
    half = not is_complex and (onesided is None or onesided)
    scale = "ortho" if normalized else "backward"
    found = (fft.rfft if half else fft.fft)(frames, norm=scale)
    found = matrix_transpose(found)
    found = found if len(x.shape) == 2 else _ops.squeeze(found, [0])
    return found if return_complex or return_complex is None else _ops.as_real(found)


def _added(frames, hop):
    """The sums of overlapping frames [n, frames, samples]."""
    n, count, size = frames.shape
    total = size + hop * (count - 1)
    places = _ops.add(
        _ops.unsqueeze(_ops.scale(_ops.arange(0, count, 1, "int64"), float(hop)), [1]),
        _ops.arange(0, size, 1, "int64"))
    return index_add(_ops.full([n, total], 0, frames.dtype), 1, to_shape(places, [-1]),
                     to_shape(frames, [n, count * size]))


def istft(x: T, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
          window=None, center: bool = True, normalized: bool = False,
          onesided: bool | None = None, length: int | None = None,
          return_complex: bool = False) -> T:
    """The signals whose ``stft`` with the same arguments is x [..., frequencies,
    frames]: sums of frames times the window, divided by those of its squares; of ``length`` samples, with zeros behind where there
    are fewer. ValueError where the windows leave a sample out."""
    from switchyard import fft
    x = tensor_of(x)
    size, hop, width = _sizes("istft", n_fft, hop_length, win_length)
    weights = _weights("istft", window, width, size)
    flag("istft", "return_complex", return_complex)
    if len(x.shape) not in (2, 3) or not x.dtype.startswith("complex") or is_empty(x):
        raise ValueError("istft: x must be complex [frequencies, frames] or [n, "
                         f"frequencies, frames], got {x.dtype} {tuple(x.shape)}")
    half = onesided if onesided is not None else x.shape[-2] != size
    if half and return_complex:
        raise ValueError("istft: return_complex must be False where x has half of the "
                         "frequencies, got True")
    if x.shape[-2] != (size // 2 + 1 if half else size):
        raise ValueError(f"istft: x must have {size // 2 + 1 if half else size} "
                         f"frequencies for n_fft {size}, got {x.shape[-2]}")
    rows = matrix_transpose(x if len(x.shape) == 3 else _ops.unsqueeze(x, [0]))
    scale = "ortho" if normalized else "backward"
    # The other frequencies of a real signal are conjugates, and not read.
    frames = fft.ifft(rows, norm=scale) if return_complex else fft.irfft(
        rows[..., :size // 2 + 1], size, norm=scale)
    squares = _ops.full([size], 1.0, "float64" if x.dtype == "complex128" else "float32")
    if weights is not None:
        frames = _ops.multiply(frames, weights)
        squares = _ops.square(weights)
    spread = _added(_ops.expand(squares, [1, frames.shape[1], size]), hop)
    first = size // 2 if center else 0
    end = first + whole("istft", "length", length, FROM_1) if length is not None else (
        spread.shape[1] - first)
    found, spread = (_ops.slice(each, [1], [first], [end])
                     for each in (_added(frames, hop), spread))
    if type(spread) is _core.Tensor and not bool(_ops.all(
            _ops.greater_than(_ops.abs(spread), 1e-11)).item()):
        raise ValueError("istft: window must leave no sample out between the frames")
    found = _ops.divide(found, spread)
    if end - first > found.shape[1]:
        found = _ops.pad(found, [0, 0, 0, end - first - found.shape[1]])
    return found if len(x.shape) == 3 else _ops.squeeze(found, [0])
