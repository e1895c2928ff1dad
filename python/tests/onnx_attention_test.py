# SPDX-License-Identifier: Apache-2.0
"""Attention of ONNX and of ONNX Runtime, and what stands beside it in
decoders, against the formulas in float64."""
import unittest

import numpy as np
from onnx_checks import RNG, OnnxCase, floats

_MICROSOFT = "com.microsoft"


def split(x, heads):
    """[batch, steps, heads * size] as [batch, heads, steps, size]."""
    return x.reshape(x.shape[:2] + (heads, -1)).swapaxes(1, 2)


def join(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def scores_of(q, k, scale=None, softcap=0):
    k = np.repeat(k, q.shape[1] // k.shape[1], 1)
    scores = q.astype(np.float64) @ k.swapaxes(2, 3)
    scores *= scale or 1 / np.sqrt(q.shape[3])
    return np.tanh(scores / softcap) * softcap if softcap else scores


def weights_of(scores):
    """The softmax; 0 where all of a row is -inf."""
    most = scores.max(-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isinf(most), 0, most))
    sums = powers.sum(-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)


def attend(q, k, v, bias=0.0, **options):
    weights = weights_of(scores_of(q, k, **options) + bias)
    return weights @ np.repeat(v, q.shape[1] // v.shape[1], 1)


def unseen(seen):
    return np.where(seen, 0.0, -np.inf)


def turned(x, cosines, sines, interleaved):
    """Turns [batch, heads, steps, size] by angles of [batch, steps, pairs]."""
    pairs = cosines.shape[-1]
    cosines, sines = cosines[:, None], sines[:, None]
    y = x.astype(np.float64)
    a = slice(0, 2 * pairs, 2) if interleaved else slice(0, pairs)
    b = slice(1, 2 * pairs, 2) if interleaved else slice(pairs, 2 * pairs)
    y[..., a] = x[..., a] * cosines - x[..., b] * sines
    y[..., b] = x[..., a] * sines + x[..., b] * cosines
    return y


class AttentionTest(OnnxCase):

    def check(self, got, wanted):
        np.testing.assert_allclose(got, wanted, 2e-5, 2e-6)

    def test_groups_of_heads(self):
        q, k, v = floats(2, 4, 3, 8), floats(2, 2, 5, 8), floats(2, 2, 5, 6)
        self.check(self.one("Attention", q, k, v, opset=23), attend(q, k, v))
        flat = [join(x) for x in (q, k, v)]
        got = self.one("Attention", *flat, opset=23, q_num_heads=4,
                       kv_num_heads=2, scale=0.7, softcap=2.0)
        wanted = attend(q, k, v, scale=0.7, softcap=2.0)
        self.check(got, join(wanted))

    def test_past_order_and_scores(self):
        """Keys of the past come first, and none is after its query."""
        q, k, v = floats(1, 2, 3, 4), floats(1, 2, 3, 4), floats(1, 2, 3, 4)
        past_k, past_v = floats(1, 2, 2, 4), floats(1, 2, 2, 4)
        mask = floats(1, 1, 3, 5)
        keys = np.concatenate([past_k, k], 2)
        values = np.concatenate([past_v, v], 2)
        seen = np.arange(5) <= np.arange(3)[:, None] + 2
        scores = scores_of(q, keys)
        capped = scores_of(q, keys, softcap=1.5)
        biased = capped + mask + unseen(seen)
        modes = [scores, capped, biased, weights_of(biased)]
        for mode, wanted in enumerate(modes):
            y, now_k, now_v, extra = self.one(
                "Attention", q, k, v, mask, past_k, past_v, outputs=4,
                opset=24, is_causal=1, softcap=1.5, qk_matmul_output_mode=mode)
            np.testing.assert_array_equal(now_k, keys)
            np.testing.assert_array_equal(now_v, values)
            self.check(extra, wanted)
            self.check(y, weights_of(biased) @ values)

    def test_rows_that_see_nothing(self):
        q, k, v = floats(2, 1, 3, 4), floats(2, 1, 4, 4), floats(2, 1, 4, 4)
        mask = RNG.random((3, 4)) < 0.5
        mask[1] = False
        got = self.one("Attention", q, k, v, mask, opset=23)
        self.check(got, attend(q, k, v, unseen(mask)))
        np.testing.assert_array_equal(got[:, :, 1], 0)

    def test_lengths_and_windows(self):
        q, k, v = floats(2, 1, 2, 4), floats(2, 1, 5, 4), floats(2, 1, 5, 4)
        count = np.array([5, 3])
        place = np.arange(2)[:, None] + (count - 2)[:, None, None, None]
        key = np.arange(5)
        seen = (key <= place) & (key < count[:, None, None, None])
        got = self.one("Attention", q, k, v, None, None, None, count, opset=24,
                       is_causal=1)
        self.check(got, attend(q, k, v, unseen(seen)))
        near = (key >= np.arange(2)[:, None] - 1) & (
            key <= np.arange(2)[:, None] + 2)
        got = self.one("Attention", q, k, v, opset=25, left_window_size=1,
                       right_window_size=2)
        self.check(got, attend(q, k, v, unseen(near)))

    def test_rotary_embedding(self):
        x = floats(2, 3, 4, 8)
        places = RNG.integers(0, 6, (2, 4))
        for interleaved in (0, 1):
            for pairs in (4, 2):
                angles = floats(6, pairs), floats(6, pairs)
                wanted = turned(x, angles[0][places], angles[1][places],
                                interleaved)
                options = dict(opset=23, interleaved=interleaved)
                if pairs == 2:
                    options["rotary_embedding_dim"] = 4
                got = self.one("RotaryEmbedding", x, *angles, places,
                               **options)
                self.check(got, wanted)
                got = self.one("RotaryEmbedding", join(x),
                               angles[0][places], angles[1][places],
                               num_heads=3, **options)
                self.check(got, join(wanted))

    def test_tensor_scatter(self):
        cache, update = floats(2, 3, 5, 2), floats(2, 3, 2, 2)
        for mode, first in (("linear", [3, 0]), ("circular", [4, 1])):
            wanted = cache.copy()
            for batch, start in enumerate(first):
                for step in range(2):
                    wanted[batch, :, (start + step) % 5] = update[batch, :,
                                                                  step]
            got = self.one("TensorScatter", cache, update, np.array(first),
                           opset=24, mode=mode)
            np.testing.assert_array_equal(got, wanted)


class StateTest(OnnxCase):

    def test_linear_attention(self):
        """Each rule, with and without a state before."""
        batch, steps, heads, q_heads, size, width = 2, 4, 2, 4, 3, 5
        q = floats(batch, steps, q_heads * size)
        k, v = floats(batch, steps, heads * size), floats(
            batch, steps, heads * width)
        decay = -np.abs(floats(batch, steps, heads * size))
        beta = RNG.random((batch, steps, heads)).astype(np.float32)
        past = floats(batch, heads, size, width)
        for rule in ("linear", "gated", "delta", "gated_delta"):
            for first in (None, past):
                state = np.zeros((batch, heads, size, width))
                state = state if first is None else first.astype(np.float64)
                gated, corrects = "gated" in rule, "delta" in rule
                results = []
                for i in range(steps):
                    key = k[:, i].reshape(batch, heads, size)
                    value = v[:, i].reshape(batch, heads, width)
                    if gated:
                        state = state * np.exp(decay[:, i].reshape(
                            batch, heads, size, 1).astype(np.float64))
                    if corrects:
                        known = np.einsum("bhdm,bhd->bhm", state, key)
                        value = beta[:, i, :, None] * (value - known)
                    state = state + key[..., None] * value[..., None, :]
                    query = q[:, i].reshape(batch, q_heads, size)
                    results.append(np.einsum(
                        "bhd,bhdm->bhm", query,
                        np.repeat(state, 2, 1)).reshape(batch, -1))
                wanted = np.stack(results, 1) / np.sqrt(size)
                got, last = self.one(
                    "LinearAttention", q, k, v, first, decay if gated else None,
                    beta if corrects else None, outputs=2, opset=27,
                    q_num_heads=q_heads, kv_num_heads=heads, update_rule=rule)
                np.testing.assert_allclose(got, wanted, 1e-4, 1e-5)
                np.testing.assert_allclose(last, state, 1e-4, 1e-5)

    def test_causal_convolution(self):
        """A text in two parts gives what the whole one gives."""
        x, w, bias = floats(2, 3, 7), floats(3, 1, 4), floats(3)
        padded = np.pad(x, [(0, 0), (0, 0), (3, 0)]).astype(np.float64)
        wanted = bias[:, None] + sum(
            padded[:, :, k:k + 7] * w[:, :, k] for k in range(4))
        wanted = wanted / (1 + np.exp(-wanted))
        y, state = self.one("CausalConvWithState", x[:, :, :5], w, bias,
                            outputs=2, opset=27, activation="silu")
        np.testing.assert_array_equal(state, x[:, :, 2:5])
        rest, state = self.one("CausalConvWithState", x[:, :, 5:], w, bias,
                               state, outputs=2, opset=27, activation="swish")
        np.testing.assert_allclose(np.concatenate([y, rest], 2), wanted, 1e-5,
                                   1e-5)
        np.testing.assert_array_equal(state, x[:, :, 4:])


class FusedAttentionTest(OnnxCase):
    """Operators that ONNX Runtime writes into models."""

    def fused(self, kind, *arrays, **options):
        return self.one(kind, *arrays, domain=_MICROSOFT, **options)

    def check(self, got, wanted):
        np.testing.assert_allclose(got, wanted, 2e-5, 2e-5)

    def test_attention(self):
        """The projections are one matrix; masks count keys, or name them."""
        x, w, bias = floats(2, 3, 6), floats(6, 24), floats(24)
        q, k, v = (split(part, 2)
                   for part in np.split(x.astype(np.float64) @ w + bias, 3, -1))
        counts = np.array([3, 1], np.int32)
        seen = np.arange(3) < counts[:, None]
        bias_of_keys = np.where(seen, 0.0, -10000.0)[:, None, None]
        for mask in (counts, seen.astype(np.int32)):
            got = self.fused("Attention", x, w, bias, mask, num_heads=2)
            self.check(got, join(attend(q, k, v, bias_of_keys)))
        past = floats(2, 2, 2, 4, 4)
        keys = np.concatenate([past[0], k], 2)
        values = np.concatenate([past[1], v], 2)
        got, present = self.fused("Attention", x, w, bias, None, past,
                                  outputs=2, num_heads=2, unidirectional=1)
        self.check(present, np.stack([keys, values]))
        order = unseen(np.arange(7) <= np.arange(3)[:, None] + 4)
        self.check(got, join(attend(q, keys, values, order)))

    def test_multi_head_attention(self):
        """Separate, packed, with a bias, a mask and past keys."""
        parts = [floats(2, 3, 8) for _ in range(3)]
        bias = floats(24)
        biased = [split(part + one, 2)
                  for part, one in zip(parts, np.split(bias, 3))]
        plain = [split(part, 2) for part in parts]
        got = self.fused("MultiHeadAttention", *parts, bias, num_heads=2)
        self.check(got, join(attend(*biased)))
        packed = np.stack([part.reshape(2, 3, 2, 4) for part in parts], 3)
        got = self.fused("MultiHeadAttention", packed, num_heads=2)
        self.check(got, join(attend(*plain)))
        seen = np.array([[1, 1, 0], [1, 0, 1]], np.int32)
        extra = floats(1, 2, 3, 3)
        got = self.fused("MultiHeadAttention", *parts, None, seen, extra,
                         num_heads=2)
        mask = np.where(seen, 0.0, -10000.0)[:, None, None] + extra
        self.check(got, join(attend(*plain, mask)))
        past = floats(2, 2, 5, 4), floats(2, 2, 5, 4)
        got, keys, values = self.fused(
            "MultiHeadAttention", *parts, None, None, None, *past, outputs=3,
            num_heads=2)
        self.check(keys, np.concatenate([past[0], plain[1]], 2))
        self.check(got, join(attend(plain[0], keys, values)))

    def test_group_query_attention(self):
        """A prompt and then a step, with rotary embeddings and a window."""
        angles = floats(16, 4), floats(16, 4)
        for window in (-1, 3):
            x = [floats(1, 6, heads * 8) for heads in (4, 2, 2)]
            q, k, v = (split(part, heads)
                       for part, heads in zip(x, (4, 2, 2)))
            here = [table[None, :6] for table in angles]
            q, k = turned(q, *here, False), turned(k, *here, False)
            after = np.arange(6) - np.arange(6)[:, None]
            seen = after <= 0
            if window > 0:
                seen &= after > -window
            wanted = join(attend(q, k, v, unseen(seen)))
            past = [np.zeros((1, 2, 0, 8), np.float32)] * 2
            results = []
            for first, last in ((0, 4), (4, 6)):
                y, *past = self.fused(
                    "GroupQueryAttention", *(part[:, first:last] for part in x),
                    *past, np.array([last - 1], np.int32),
                    np.array(last, np.int32), *angles, outputs=3, num_heads=4,
                    kv_num_heads=2, do_rotary=1, local_window_size=window)
                results.append(y)
            self.check(np.concatenate(results, 1), wanted)
            self.check(past[0], k)

    def test_a_cache_with_room(self):
        """New keys are written after those of each text."""
        x = [floats(2, 1, heads * 4) for heads in (2, 1, 1)]
        caches = floats(2, 1, 5, 4), floats(2, 1, 5, 4)
        last = np.array([4, 2], np.int32)
        y, keys, values = self.fused(
            "GroupQueryAttention", *x, *caches, last, np.array(5, np.int32),
            outputs=3, num_heads=2, kv_num_heads=1)
        for batch, place in enumerate(last):
            wanted = caches[0][batch].copy()
            wanted[:, place] = x[1][batch]
            np.testing.assert_array_equal(keys[batch], wanted)
        seen = np.arange(5) <= last[:, None, None, None]
        self.check(y, join(attend(split(x[0], 2), keys, values, unseen(seen))))

    def test_rotary_embedding(self):
        x, angles = floats(2, 3, 8), (floats(9, 2), floats(9, 2))
        for places in (np.array([4]), np.array([[0, 1, 2], [5, 6, 8]])):
            rows = (places + np.arange(3))[None].repeat(2, 0) if (
                places.ndim == 1) else places
            got = self.fused("RotaryEmbedding", x, places, *angles)
            self.check(got, join(turned(split(x, 2), angles[0][rows],
                                        angles[1][rows], False)))

    def test_products_of_few_bits(self):
        """Blocks of a row have a scale and a zero point each."""
        rows, columns, block = 3, 10, 4
        x, scales = floats(2, columns), np.abs(floats(rows, 3))
        for bits in (4, 8):
            numbers = RNG.integers(0, 1 << bits, (rows, 3, block))
            zeros = RNG.integers(0, 1 << bits, (rows, 4))
            pack = (lambda n: n) if bits == 8 else (
                lambda n: n[..., ::2] | n[..., 1::2] << 4)
            packed_zeros = zeros[:, :3] if bits == 8 else pack(zeros)
            for zero in (None, packed_zeros.astype(np.uint8)):
                point = (1 << bits - 1) if zero is None else zeros[:, :3, None]
                w = ((numbers - point) * scales[..., None]).reshape(rows, -1)
                got = self.fused("MatMulNBits", x,
                                 pack(numbers).astype(np.uint8), scales, zero,
                                 K=columns, N=rows, bits=bits, block_size=block)
                np.testing.assert_allclose(got, x @ w[:, :columns].T, 1e-4,
                                           1e-4)

    def test_quantised_product(self):
        a = RNG.integers(0, 255, (3, 4)).astype(np.uint8)
        b = RNG.integers(-128, 127, (5, 4)).astype(np.int8)
        bias = RNG.integers(-500, 500, 5).astype(np.int32)
        a_scale, b_scale = np.float32(0.02), np.abs(floats(5)) + 0.01
        a_zero, b_zero = np.uint8(7), RNG.integers(-5, 5, 5).astype(np.int8)
        sums = (a.astype(np.int64) - 7) @ (
            b.astype(np.int64) - b_zero[:, None]).T + bias
        wanted = sums * (a_scale * b_scale.astype(np.float64)) * 0.5
        inputs = (a, np.array(a_scale), np.array(a_zero), b,
                  b_scale.astype(np.float32), b_zero, bias)
        got = self.fused("QGemm", *inputs, transB=1, alpha=0.5)
        np.testing.assert_allclose(got, wanted, 1e-5)
        got = self.fused("QGemm", *inputs, np.array(np.float32(0.5)),
                         np.array(np.uint8(100)), transB=1, alpha=0.5)
        rounded = np.clip(np.rint(wanted / 0.5) + 100, 0, 255)
        self.assertLessEqual(np.abs(got.astype(int) - rounded).max(), 1)


if __name__ == "__main__":
    unittest.main()
