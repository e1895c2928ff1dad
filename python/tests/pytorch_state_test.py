# SPDX-License-Identifier: Apache-2.0
"""load_state(path, pytorch=model): names and layouts of PyTorch's state.

The states are written as PyTorch names and lays them out; what the layers
compute with them is checked against their formulas.
"""
import os
import pathlib
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

PATH = pathlib.Path(os.environ.get("TEST_TMPDIR", "/tmp")) / "pytorch.safetensors"


def draw(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def loaded(model, state):
    """The model with the state that came through a file."""
    sy.save(state, PATH)
    model.load_state_dict(sy.load_state(PATH, pytorch=model))
    return model.eval()


def close(got, want):
    np.testing.assert_allclose(got.numpy(), want, rtol=2e-5, atol=1e-5)


class PytorchStateTest(unittest.TestCase):

    def test_square_weights_are_transposed(self):
        state = {"0.weight": draw(3, 3), "0.bias": draw(3),
                 "2.weight": draw(2, 3)}
        model = loaded(nn.Sequential(nn.Linear(3, 3), nn.ReLU(),
                                     nn.Linear(3, 2, bias=False)), state)
        x = draw(4, 3)
        hidden = np.maximum(x @ state["0.weight"].T + state["0.bias"], 0)
        close(model(sy.tensor(x)), hidden @ state["2.weight"].T)

    def test_batch_norm_and_convolution(self):
        state = {"0.weight": draw(2, 1, 1, 1), "0.bias": draw(2),
                 "1.weight": draw(2), "1.bias": draw(2),
                 "1.running_mean": draw(2), "1.running_var": draw(2)**2,
                 "1.num_batches_tracked": np.array(7)}
        model = loaded(nn.Sequential(nn.Conv2D(1, 2, 1), nn.BatchNorm2D(2)),
                       state)
        x = draw(1, 1, 2, 2)
        def channels(name):
            return state[name].reshape(-1, 1, 1)
        y = x * channels("0.weight") + channels("0.bias")
        y = (y - channels("1.running_mean")) / np.sqrt(
            channels("1.running_var") + 1e-5)
        close(model(sy.tensor(x)),
              y * channels("1.weight") + channels("1.bias"))

    def test_tracked_instance_norm(self):
        state = {"running_mean": draw(2), "running_var": draw(2)**2,
                 "num_batches_tracked": np.array(3)}
        model = loaded(nn.InstanceNorm2D(2, track_running_stats=True), state)
        np.testing.assert_array_equal(model.running_var.numpy(), state["running_var"])

    def test_attention(self):
        size, heads = 4, 2
        state = {"in_proj_weight": draw(12, 4), "in_proj_bias": draw(12),
                 "out_proj.weight": draw(4, 4), "out_proj.bias": draw(4)}
        model = loaded(nn.MultiHeadAttention(size, heads), state)
        x = draw(1, 3, 4)
        q, k, v = np.split(x[0] @ state["in_proj_weight"].T
                           + state["in_proj_bias"], 3, 1)
        mixed = []
        for part in (slice(0, 2), slice(2, 4)):
            scores = np.exp(q[:, part] @ k[:, part].T / np.sqrt(2))
            mixed.append(scores / scores.sum(1, keepdims=True) @ v[:, part])
        close(model(sy.tensor(x))[0], np.concatenate(mixed, 1)
              @ state["out_proj.weight"].T + state["out_proj.bias"])

    def test_names_of_transformer_layers(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(5, 4)
                self.encoder = nn.TransformerEncoder(4, 2, 8, 2)
                self.decoder = nn.TransformerDecoderLayer(4, 2, 8)
                self.rnn = nn.LSTM(4, 4)
        theirs = {"embed.weight": draw(5, 4)}
        def attention(name):
            theirs.update({f"{name}.in_proj_weight": draw(12, 4),
                           f"{name}.in_proj_bias": draw(12),
                           f"{name}.out_proj.weight": draw(4, 4),
                           f"{name}.out_proj.bias": draw(4)})
        def both(name, *shape):
            theirs.update({f"{name}.weight": draw(*shape),
                           f"{name}.bias": draw(shape[0])})
        for layer in ("encoder.layers.0", "encoder.layers.1", "decoder"):
            attention(f"{layer}.self_attn")
            both(f"{layer}.linear1", 8, 4)
            both(f"{layer}.linear2", 4, 8)
            both(f"{layer}.norm1", 4)
            both(f"{layer}.norm2", 4)
        attention("decoder.multihead_attn")
        both("decoder.norm3", 4)
        both("encoder.norm", 4)
        for part in ("ih", "hh"):
            theirs[f"rnn.weight_{part}_l0"] = draw(16, 4)
            theirs[f"rnn.bias_{part}_l0"] = draw(16)
        model = loaded(Model(), theirs)
        np.testing.assert_array_equal(model.decoder.linear1.weight.numpy(),
                                      theirs["decoder.linear1.weight"].T)
        np.testing.assert_array_equal(
            model.decoder.cross_attention.k_proj.weight.numpy(),
            theirs["decoder.multihead_attn.in_proj_weight"][4:8].T)
        np.testing.assert_array_equal(model.rnn.weight_hh_l0.numpy(),
                                      theirs["rnn.weight_hh_l0"])

    def test_tied_weights_and_what_does_not_fit(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)
                self.second.weight = nn.Parameter(self.first.weight)
        state = {"first.weight": draw(2, 2), "first.bias": draw(2),
                 "second.weight": draw(2, 2), "second.bias": draw(2)}
        model = loaded(Tied(), state)
        np.testing.assert_array_equal(model.second.weight.numpy(),
                                      state["first.weight"].T)
        with self.assertRaisesRegex(KeyError, r"unknown \['third.weight'\]"):
            loaded(model, {**state, "third.weight": draw(1)})
        with self.assertRaisesRegex(KeyError, r"missing \['first.bias'\]"):
            loaded(model, {name: tensor for name, tensor in state.items()
                           if name != "first.bias"})


if __name__ == "__main__":
    unittest.main()
