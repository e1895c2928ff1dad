# SPDX-License-Identifier: Apache-2.0
"""Attention, containers, hooks, and layers as functions."""

import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn
from switchyard.nn import functional as F

RNG = np.random.default_rng(2)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def attention(q, k, v, allowed=None):
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


class AttentionTest(unittest.TestCase):

    def test_scaled_dot_products(self):
        q, k, v = normal(2, 3, 4, 8), normal(2, 3, 6, 8), normal(2, 3, 6, 5)
        tensors = [sy.tensor(x) for x in (q, k, v)]
        np.testing.assert_allclose(
            F.scaled_dot_product_attention(*tensors).numpy(),
            attention(q, k, v), 1e-4, 1e-5)
        causal = np.tril(np.ones((4, 6), bool))
        np.testing.assert_allclose(
            F.scaled_dot_product_attention(*tensors, is_causal=True).numpy(),
            attention(q, k, v, causal), 1e-4, 1e-5)
        mask = RNG.random((2, 1, 4, 6)) > 0.3
        mask[..., 0] = True
        np.testing.assert_allclose(F.scaled_dot_product_attention(
            *tensors, attn_mask=sy.tensor(mask), is_causal=True).numpy(),
            attention(q, k, v, mask & causal), 1e-4, 1e-5)

    def test_long_causal_attention(self):
        """Rows in blocks: the values, the program's bits, and the gradients of
        the same mask at once."""
        for places in (300, 200):
            arrays = normal(2, 300, 8), normal(2, places, 8), normal(2, places, 4)
            mask = np.tril(np.ones((300, places), bool))

            def causal(q, k, v):
                return F.scaled_dot_product_attention(q, k, v, is_causal=True)

            def masked(q, k, v, mask=mask):
                return F.scaled_dot_product_attention(q, k, v, sy.tensor(mask))
            result = causal(*map(sy.tensor, arrays)).numpy()
            np.testing.assert_allclose(result, attention(*arrays, mask), 1e-4, 1e-5)
            program = sy.static.trace(causal, *arrays)
            np.testing.assert_array_equal(program(*arrays).numpy(), result)
            weight, grads = sy.tensor(normal(*result.shape)), []
            for attend in (causal, masked):
                tensors = [sy.tensor(a, requires_grad=True) for a in arrays]
                (attend(*tensors) * weight).sum().backward()
                grads.append([x.grad.numpy() for x in tensors])
            for one, other in zip(*grads):
                np.testing.assert_allclose(one, other, 1e-4, 1e-5)

    def test_causal_layers_see_nothing_later(self):
        sy.seed(2)
        x = normal(2, 5, 8)
        changed = x.copy()
        changed[:, 3:, 0] += 1.0
        memory = sy.tensor(normal(2, 3, 8))
        encoder = nn.TransformerEncoder(8, 2, 16, 2).eval()
        decoder = nn.TransformerDecoder(8, 2, 16, 2).eval()
        heads = nn.MultiHeadAttention(8, 2)
        for layer in (lambda x: encoder(x, is_causal=True),
                      lambda x: decoder(x, memory),
                      lambda x: heads(x, is_causal=True)):
            first = layer(sy.tensor(x)).numpy()
            second = layer(sy.tensor(changed)).numpy()
            np.testing.assert_allclose(first[:, :3], second[:, :3], 1e-5, 1e-6)
            self.assertGreater(abs(first[:, 3:] - second[:, 3:]).max(), 1e-3)
        other = decoder(sy.tensor(x), memory * 2.0).numpy()
        self.assertGreater(abs(other - decoder(sy.tensor(x), memory).numpy()
                               ).max(), 1e-3)

    def test_programs_have_the_bits_of_eager(self):
        x, memory = normal(2, 5, 8), normal(2, 3, 8)
        for layer, arguments in (
                (nn.TransformerEncoder(8, 2, 16, 2).eval(), (x,)),
                (nn.TransformerDecoder(8, 2, 16, 1, activation="gelu").eval(),
                 (x, memory))):
            program = sy.static.trace(layer, *arguments)
            got = program.run({f"x{i}": a for i, a in enumerate(arguments)})
            np.testing.assert_array_equal(
                np.asarray(got["out"]),
                layer(*map(sy.tensor, arguments)).numpy())

    def test_wrong_activation(self):
        with self.assertRaisesRegex(ValueError, "TransformerDecoderLayer: "
                                    "activation must be 'relu', 'gelu' or a "):
            nn.TransformerDecoderLayer(8, 2, 16, activation="tan")


class ContainersTest(unittest.TestCase):

    def test_dicts(self):
        layers = nn.ModuleDict({"a": nn.Linear(2, 3), "b": nn.ReLU()})
        self.assertEqual(list(layers), ["a", "b"])
        self.assertIn("a", layers)
        self.assertEqual(len(layers), 2)
        self.assertEqual([n for n, _ in layers.named_parameters()],
                         ["a.weight", "a.bias"])
        del layers["b"]
        self.assertEqual(list(layers.keys()), ["a"])
        for name, wrong in (("c", 3), ("training", nn.ReLU())):
            with self.assertRaises((TypeError, KeyError)):
                layers[name] = wrong
        with self.assertRaisesRegex(NotImplementedError, "ModuleDict"):
            layers(3)

    def test_parameter_lists(self):
        listed = nn.ParameterList([sy.ones([2]), nn.Parameter(sy.zeros([3]))])
        self.assertEqual([p.shape for p in listed], [(2,), (3,)])
        listed.append(sy.ones([4]))
        self.assertEqual([n for n, _ in listed.named_parameters()],
                         ["0", "1", "2"])
        listed[0] = sy.ones([5])
        self.assertEqual(listed[0].shape, (5,))
        self.assertEqual([p.shape for p in listed[1:]], [(3,), (4,)])

    def test_forward_hooks(self):
        layer, x = nn.Linear(2, 2), sy.tensor(normal(3, 2))
        plain, seen = layer(x).numpy(), []
        handle = layer.register_forward_hook(
            lambda module, args, result: seen.append((module, args, result)))
        layer(x)
        self.assertIs(seen[0][0], layer)
        self.assertIs(seen[0][1][0], x)
        handle.remove()
        handle.remove()
        layer(x)
        self.assertEqual(len(seen), 1)
        double = layer.register_forward_hook(lambda m, a, result: result * 2.0)
        np.testing.assert_array_equal(layer(x).numpy(), plain * 2.0)
        double.remove()
        before = layer.register_forward_pre_hook(lambda m, args: args[0] * 0.0)
        np.testing.assert_array_equal(layer(x).numpy()[0], layer.bias.numpy())
        before.remove()
        with self.assertRaisesRegex(TypeError, "hook must be callable"):
            layer.register_forward_hook(3)

    def test_a_hook_is_traced_and_traced_again(self):
        model = nn.Sequential(nn.Linear(2, 2))
        step = sy.static.train_step(model, nn.MSELoss(),
                                    sy.optim.SGD(model.parameters(), 0.0))
        x, y = normal(3, 2), np.zeros((3, 2), np.float32)
        first = step(x, y).item()
        handle = model[0].register_forward_hook(lambda m, a, r: r * 2.0)
        self.assertAlmostEqual(step(x, y).item(), 4 * first, 4)
        handle.remove()
        self.assertEqual(step(x, y).item(), first)
        self.assertEqual(step.traces, 2)


class FunctionalTest(unittest.TestCase):

    def same(self, got, expected):
        np.testing.assert_array_equal(got.numpy(), expected.numpy())

    def test_functions_are_the_layers(self):
        images, rows = sy.tensor(normal(2, 4, 6, 6)), sy.tensor(normal(3, 4))
        conv, linear = nn.Conv2D(4, 2, 3, 2, 1), nn.Linear(4, 2)
        norm, table = nn.LayerNorm(4), nn.Embedding(5, 3, padding_idx=1)
        index = sy.tensor(np.array([[0, 1], [4, 2]]))
        self.same(F.conv2d(images, conv.weight, conv.bias, 2, 1), conv(images))
        self.same(F.linear(rows, linear.weight, linear.bias), linear(rows))
        self.same(F.layer_norm(rows, 4, norm.weight, norm.bias), norm(rows))
        self.same(F.embedding(index, table.weight, 1), table(index))
        self.same(F.max_pool2d(images, 2), nn.MaxPool2D(2)(images))
        self.same(F.avg_pool2d(images, 3, 1, 1), nn.AvgPool2D(3, 1, 1)(images))
        self.same(F.adaptive_avg_pool2d(images, 3),
                  nn.AdaptiveAvgPool2D(3)(images))
        self.same(F.group_norm(images, 2), nn.GroupNorm(2, 4, affine=False)(
            images))
        label = sy.tensor(np.array([0, 3, 1]))
        self.same(F.cross_entropy(rows, label, label_smoothing=0.1),
                  nn.CrossEntropyLoss(label_smoothing=0.1)(rows, label))
        self.same(F.nll_loss(F.log_softmax(rows, dim=1), label),
                  nn.NLLLoss()(F.log_softmax(rows, 1), label))
        other = sy.tensor(normal(3, 4))
        for function, layer in (
                (F.mse_loss, nn.MSELoss()), (F.l1_loss, nn.L1Loss()),
                (F.smooth_l1_loss, nn.SmoothL1Loss()),
                (F.huber_loss, nn.HuberLoss()), (F.kl_div, nn.KLDivLoss()),
                (F.binary_cross_entropy_with_logits, nn.BCEWithLogitsLoss())):
            self.same(function(rows, sy.sigmoid(other)),
                      layer(rows, sy.sigmoid(other)))
        self.same(F.binary_cross_entropy(sy.sigmoid(rows), sy.sigmoid(other)),
                  nn.BCELoss()(sy.sigmoid(rows), sy.sigmoid(other)))

    def test_functions_without_a_layer(self):
        x, y = normal(3, 4), normal(3, 4)
        tensors = sy.tensor(x), sy.tensor(y)
        lengths = np.linalg.norm(x, axis=1, keepdims=True)
        np.testing.assert_allclose(F.normalize(tensors[0]).numpy(), x / lengths,
                                   1e-5)
        np.testing.assert_allclose(
            F.cosine_similarity(*tensors).numpy(), (x * y).sum(1)
            / lengths[:, 0] / np.linalg.norm(y, axis=1), 1e-5)
        np.testing.assert_allclose(
            F.glu(tensors[0]).numpy(), x[:, :2] / (1 + np.exp(-x[:, 2:])), 1e-5)
        self.assertEqual(F.one_hot(sy.tensor(np.array([1, 0])), 3).tolist(),
                         [[0, 1, 0], [1, 0, 0]])
        self.assertIs(F.dropout(tensors[0], training=False), tensors[0])


class MemoryMasksTest(unittest.TestCase):
    """Masks of the memory, with PyTorch's meaning: True hides."""

    def setUp(self):
        sy.seed(4)
        self.layer = nn.TransformerDecoderLayer(8, 2, 16, 0.0)
        self.x, self.memory = sy.tensor(normal(3, 4, 8)), normal(3, 5, 8)
        self.rows = np.array([[0, 0, 1, 0, 1], [0, 1, 1, 0, 0],
                              [0, 0, 0, 0, 0], [1, 0, 0, 1, 0]], bool)
        self.items = np.array([[0, 0, 0, 1, 1], [0, 1, 0, 0, 0],
                               [0, 0, 0, 0, 0]], bool)

    def called(self, layer, memory, **masks):
        return layer(self.x, sy.tensor(memory), **masks).numpy()

    def wanted(self, hidden):
        """The cross attention of each row to what it sees alone."""
        result = np.zeros((3, 4, 8), np.float32)
        for item in range(3):
            for row in range(4):
                seen = self.memory[item:item + 1, ~hidden[item, row]]
                result[item, row] = self.layer(
                    self.x[item:item + 1], sy.tensor(seen)).numpy()[0, row]
        return result

    def test_each_and_both(self):
        rows, items = self.rows[None], self.items[:, None]
        added = np.where(self.rows, -np.inf, 0.0).astype(np.float32)
        for masks, hidden in (
                ({"memory_mask": self.rows}, rows),
                ({"memory_mask": added}, rows),
                ({"memory_mask": np.tile(self.rows, (6, 1, 1))}, rows),
                ({"memory_key_padding_mask": self.items}, items),
                ({"memory_mask": self.rows,
                  "memory_key_padding_mask": self.items}, rows | items)):
            given = {name: sy.tensor(mask) for name, mask in masks.items()}
            np.testing.assert_allclose(
                self.called(self.layer, self.memory, **given),
                self.wanted(np.broadcast_to(hidden, (3, 4, 5))), 1e-4, 1e-5)

    def test_causal(self):
        np.testing.assert_allclose(
            self.called(self.layer, self.memory, memory_is_causal=True),
            self.wanted(np.broadcast_to(~np.tri(4, 5, dtype=bool), (3, 4, 5))),
            1e-4, 1e-5)

    def test_stacks_pass_them_on(self):
        model = nn.Transformer(8, 2, 1, 1, 16, 0.0, batch_first=True).eval()
        layer, source = model.decoder.layers[0], sy.tensor(normal(3, 5, 8))
        masks = {"memory_mask": sy.tensor(self.rows),
                 "memory_key_padding_mask": sy.tensor(self.items)}
        memory = model.encoder(source)
        wanted = model.decoder.norm(layer(self.x, memory, is_causal=False, **masks))
        np.testing.assert_array_equal(model(source, self.x, **masks).numpy(),
                                      wanted.numpy())
        np.testing.assert_array_equal(
            model.decoder(self.x, memory, is_causal=False, **masks).numpy(),
            wanted.numpy())


if __name__ == "__main__":
    unittest.main()
