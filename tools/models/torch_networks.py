# SPDX-License-Identifier: Apache-2.0
"""The networks that make_torch_models.py writes: small, but each of another
kind."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional


class Network(NamedTuple):
    """``inputs`` makes the inputs of one batch of two."""

    make: Callable
    inputs: Callable
    names: list
    batch_axes: tuple  # None for an input without a batch.


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU())
        self.low = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1),
                                 nn.ReLU())
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.end = nn.Conv2d(32, 2, 3, padding=1)

    def forward(self, x):
        high = self.down(x)
        low = self.low(high)
        wide = functional.interpolate(low, scale_factor=2.0, mode="nearest")
        return torch.sigmoid(self.end(torch.cat([self.up(low), high, wide], 1)))


class Recurrent(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        width = layer.hidden_size * (2 if layer.bidirectional else 1)
        self.head = nn.Linear(width, 5)

    def forward(self, x):
        sequence, state = self.layer(x)
        last = state[0] if isinstance(state, tuple) else state
        return self.head(sequence), last


class Decoder(nn.Module):
    """One step of a decoder: the keys and values of earlier steps come in and
    go out longer by one."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.qkv = nn.Linear(16, 48)
        self.out = nn.Linear(16, 50)

    def forward(self, token, past_k, past_v):
        x = self.embed(token)
        q, k, v = (part.reshape(part.shape[0], -1, 4, 4).transpose(1, 2)
                   for part in self.qkv(x).chunk(3, -1))
        k, v = torch.cat([past_k, k], 2), torch.cat([past_v, v], 2)
        scores = torch.softmax(q @ k.transpose(2, 3) / 2.0, -1)
        y = (scores @ v).transpose(1, 2).reshape(x.shape)
        return self.out(y), k, v


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 8, stride=8)
        self.first = nn.Parameter(torch.randn(1, 1, 16) * 0.1)
        self.places = nn.Parameter(torch.randn(1, 17, 16) * 0.1)
        self.layer = nn.TransformerEncoderLayer(
            16, 4, 32, dropout=0.0, activation="gelu", batch_first=True,
            norm_first=True)
        self.head = nn.Linear(16, 7)

    def forward(self, x):
        y = self.patches(x).flatten(2).transpose(1, 2)
        y = torch.cat([self.first.expand(y.shape[0], -1, -1), y], 1) + self.places
        return self.head(self.layer(y)[:, 0])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(40, 16)
        self.layer = nn.TransformerEncoderLayer(
            16, 2, 32, dropout=0.0, activation="relu", batch_first=True)

    def forward(self, tokens, padding):
        return self.layer(self.embed(tokens), src_key_padding_mask=padding)


class Einsum(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 6, 5))

    def forward(self, x):
        y = torch.einsum("bsh,khd->bksd", x, self.w)
        return torch.logsumexp(torch.einsum("bksd,bktd->bkst", y, y), -1)


class GroupNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.GroupNorm(4, 8)
        self.instance = nn.InstanceNorm2d(8, affine=True)

    def forward(self, x):
        y = functional.silu(self.norm(self.conv(x)))
        return y + self.instance(y)


class Pool(nn.Module):
    def forward(self, x):
        # padding wider than half of the window, as ceil_mode makes it
        y = functional.max_pool2d(x, 3, 2, 1, ceil_mode=True)
        z = functional.avg_pool2d(functional.pad(x, (1, 2, 0, 1)), 3, 2)
        w = functional.pad(x, (2, 1, 1, 2), mode="reflect")
        return y, z, functional.adaptive_avg_pool2d(w, 1), functional.pad(
            x, (1, 1, 1, 1), value=0.5)


class Grid(nn.Module):
    def forward(self, x, grid):
        y = functional.grid_sample(x, grid, align_corners=False)
        return functional.interpolate(y, scale_factor=1.5, mode="bilinear",
                                      align_corners=False)


class Index(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.tensor([2, 0, 1]))

    def forward(self, x):
        top = torch.topk(x, 3, -1).values
        picked = x[:, self.rows, 1::2]
        kept = torch.where(x > 0, x, torch.full_like(x, -1.0))
        return torch.cat([top, picked], 1), kept.cumsum(1), x.argmax(-1)


class Depthwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.BatchNorm2d(8),
            nn.Hardswish(), nn.Conv2d(8, 16, 1), nn.PReLU(16),
            nn.PixelShuffle(2))

    def forward(self, x):
        return self.layers(x)


class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, 32), nn.Tanh(),
                                    nn.Linear(32, 8))

    def forward(self, x):
        return torch.softmax(self.layers.half()(x), -1)


class Loop(nn.Module):
    """A loop whose trips are data, and a branch in it."""

    def forward(self, x, count):
        # type: (Tensor, Tensor) -> Tensor
        for i in range(int(count)):
            if bool(x.sum() > 0.0):
                x = x - 0.5
            else:
                x = x * 1.5 + float(i)
        return x


def convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2), nn.ReLU6(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(16, 10))


def image(channels=3, size=32):
    return lambda: [torch.randn(2, channels, size, size)]


def rows(*shape):
    return lambda: [torch.randn(2, *shape)]


def recurrent(layer, **options):
    return lambda: Recurrent(layer(12, 9, batch_first=True, **options))


NETWORKS = {
    "conv": Network(convolutions, image(), ["x"], (0,)),
    "unet": Network(UNet, image(), ["x"], (0,)),
    "dw": Network(Depthwise, image(8, 16), ["x"], (0,)),
    "gn": Network(GroupNorm, image(3, 16), ["x"], (0,)),
    "pool": Network(Pool, image(3, 17), ["x"], (0,)),
    "lstm": Network(recurrent(nn.LSTM, num_layers=2), rows(7, 12), ["x"], (0,)),
    "gru": Network(recurrent(nn.GRU), rows(7, 12), ["x"], (0,)),
    "bilstm": Network(recurrent(nn.LSTM, bidirectional=True), rows(7, 12), ["x"],
                      (0,)),
    "encoder": Network(
        Encoder, lambda: [torch.randint(0, 40, (2, 6)), torch.rand(2, 6) > 0.7],
        ["tokens", "padding"], (0, 0)),
    "decoder": Network(
        Decoder, lambda: [torch.randint(0, 50, (2, 1)), torch.randn(2, 4, 5, 4),
                          torch.randn(2, 4, 5, 4)],
        ["token", "past_k", "past_v"], (0, 0, 0)),
    "vit": Network(Vit, image(), ["x"], (0,)),
    "einsum": Network(Einsum, rows(5, 6), ["x"], (0,)),
    "grid": Network(
        Grid, lambda: [torch.randn(2, 3, 8, 8), torch.rand(2, 6, 5, 2) * 2 - 1],
        ["x", "grid"], (0, 0)),
    "index": Network(Index, rows(4, 6), ["x"], (0,)),
    "half": Network(lambda: Half().half(), lambda: [torch.randn(2, 16).half()],
                    ["x"], (0,)),
    "loop": Network(lambda: torch.jit.script(Loop()),
                    lambda: [torch.randn(3, 4), torch.tensor(3)],
                    ["x", "count"], (None, None)),
}
