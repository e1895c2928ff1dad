# SPDX-License-Identifier: Apache-2.0
"""The recipes' models and steps, for PyTorch. usage: torch_author_cases.py THREADS"""

import pathlib
import sys

import torch
from torch import nn
from torch.distributions import Categorical, Normal, kl_divergence
import torch.nn.functional as F

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from worker import Case, serve


def training(model, loss, inputs, labels, optimizer=None):
    """A step as the recipes make it."""
    optimizer = optimizer or torch.optim.Adam(model.parameters(), lr=0.001)

    def step():
        optimizer.zero_grad()
        value = loss(model(inputs), labels)
        value.backward()
        optimizer.step()
        return value
    return step


def mnist():
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(),
        nn.MaxPool2d(2), nn.Dropout(0.25), nn.Flatten(),
        nn.Linear(64 * 12 * 12, 128), nn.ReLU(), nn.Dropout(0.5),
        nn.Linear(128, 10))
    return training(model, nn.CrossEntropyLoss(), torch.rand(64, 1, 28, 28),
                    torch.randint(10, (64,)))


class Pinball(torch.autograd.Function):

    @staticmethod
    def forward(ctx, error, q):
        ctx.save_for_backward(error)
        ctx.q = q
        return torch.maximum(error * q, error * (q - 1.0)).mean()

    @staticmethod
    def backward(ctx, grad):
        (error,) = ctx.saved_tensors
        slope = (error > 0.0).float() + (ctx.q - 1.0)
        return grad * slope / error.numel(), None


def quantiles():
    model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64),
                          nn.Tanh(), nn.Linear(64, 3))

    def loss(predicted, y):
        return sum(Pinball.apply(y - predicted[:, i:i + 1], q)
                   for i, q in enumerate((0.1, 0.5, 0.9)))
    return training(model, loss, torch.rand(512, 1), torch.rand(512, 1))


class VAE(nn.Module):

    def __init__(self, pixels=64, hidden=128, latent=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, latent)
        self.log_scale = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(),
                                     nn.Linear(hidden, pixels))

    def forward(self, x):
        hidden = self.encoder(x)
        mean, scale = self.mean(hidden), torch.exp(self.log_scale(hidden))
        return self.decoder(Normal(mean, scale).rsample()), mean, scale


def vae():
    def loss(outputs, x):
        logits, mean, scale = outputs
        pixels = F.binary_cross_entropy_with_logits(logits, x, reduction="none")
        code = kl_divergence(Normal(mean, scale), Normal(0.0, 1.0))
        return (pixels.sum(1) + code.sum(1)).mean()
    images = torch.rand(64, 64)
    return training(VAE(), loss, images, images)


class CharLSTM(nn.Module):

    def __init__(self, symbols, size=64):
        super().__init__()
        self.embed = nn.Embedding(symbols, size)
        self.lstm = nn.LSTM(size, size, batch_first=True)
        self.head = nn.Linear(size, symbols)
        self.state = (torch.zeros(1, 16, size), torch.zeros(1, 16, size))

    def forward(self, x):
        y, (h, c) = self.lstm(self.embed(x), self.state)
        self.state = h.detach(), c.detach()
        return self.head(y)


def of_characters(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def char_lstm():
    model = CharLSTM(70)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = torch.randint(70, (16, 24)), torch.randint(70, (16, 24))

    def step():
        optimizer.zero_grad()
        of_characters(model(x), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return step


class GPT(nn.Module):

    def __init__(self, symbols, context=64, size=64, heads=4, layers=2):
        super().__init__()
        self.token = nn.Embedding(symbols, size)
        self.place = nn.Embedding(context, size)
        layer = nn.TransformerEncoderLayer(size, heads, 4 * size, 0.1, "gelu",
                                           batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, layers, nn.LayerNorm(size),
                                            enable_nested_tensor=False)
        self.head = nn.Linear(size, symbols, bias=False)
        self.mask = nn.Transformer.generate_square_subsequent_mask(context)

    def forward(self, x):
        x = self.token(x) + self.place(torch.arange(x.shape[1]))
        return self.head(self.blocks(x, mask=self.mask, is_causal=True))


def gpt():
    model = GPT(70)
    return training(model, of_characters, torch.randint(70, (16, 64)),
                    torch.randint(70, (16, 64)),
                    torch.optim.AdamW(model.parameters(), lr=0.003))


def make_generator(latent=32, width=16):
    layers, channels = [], [latent, 4 * width, 2 * width, width]
    for ins, outs in zip(channels, channels[1:]):
        how = (4, 2, 1) if layers else (4,)
        layers += [nn.ConvTranspose2d(ins, outs, *how, bias=False),
                   nn.BatchNorm2d(outs), nn.ReLU()]
    return nn.Sequential(*layers, nn.ConvTranspose2d(width, 1, 4, 2, 1),
                         nn.Tanh())


def make_discriminator(width=16):
    layers = [nn.Conv2d(1, width, 4, 2, 1), nn.LeakyReLU(0.2)]
    for channels in (width, 2 * width):
        layers += [nn.Conv2d(channels, 2 * channels, 4, 2, 1, bias=False),
                   nn.BatchNorm2d(2 * channels), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers, nn.Conv2d(4 * width, 1, 4))


def dcgan():
    drawing, judge = make_generator(), make_discriminator()
    optimizers = [torch.optim.Adam(model.parameters(), 0.0002, (0.5, 0.999))
                  for model in (judge, drawing)]
    noise, real = torch.rand(32, 32, 1, 1), torch.rand(32, 1, 32, 32)

    def step():
        optimizers[0].zero_grad()
        (F.softplus(-judge(real)).mean()
         + F.softplus(judge(drawing(noise).detach())).mean()).backward()
        optimizers[0].step()
        optimizers[1].zero_grad()
        F.softplus(-judge(drawing(noise))).mean().backward()
        optimizers[1].step()
    return step


def dcgan_generator():
    return training(make_generator(), lambda drawn, _: drawn.mean(),
                    torch.rand(32, 32, 1, 1), None)


def actor_critic():
    model = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 3))

    def loss(outputs, labels):
        value, (action, returns) = outputs[:, 2], labels.unbind(1)
        policy = Categorical(logits=outputs[:, :2])
        better = (returns - value).detach()
        return (((returns - value)**2).mean() - 0.01 * policy.entropy().mean()
                - (policy.log_prob(action.long()) * better).mean())
    return training(model, loss, torch.rand(256, 4),
                    torch.randint(2, (256, 2)).float())


def twice(inputs, outputs):
    layers = []
    for channels in (inputs, outputs):
        layers += [nn.Conv2d(channels, outputs, 3, padding=1, bias=False),
                   nn.BatchNorm2d(outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class UNet(nn.Module):

    def __init__(self, width=8, depth=2):
        super().__init__()
        widths = [width << level for level in range(depth + 1)]
        self.down = nn.ModuleList(
            twice(a, b) for a, b in zip([1, *widths], widths))
        back = widths[-2::-1]
        self.rise = nn.ModuleList(
            nn.ConvTranspose2d(2 * w, w, 2, 2) for w in back)
        self.up = nn.ModuleList(twice(2 * w, w) for w in back)
        self.head = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        left = []
        for level in self.down:
            left.append(level(F.max_pool2d(left[-1], 2) if left else x))
        x = left.pop()
        for rise, up in zip(self.rise, self.up):
            x = up(torch.cat([left.pop(), rise(x)], dim=1))
        return self.head(x)


def unet():
    def loss(logits, masks):
        share = torch.sigmoid(logits)
        overlap = 2 * (share * masks).sum() / (
            share.sum() + masks.sum() + 1e-6)
        return F.binary_cross_entropy_with_logits(logits, masks) + 1 - overlap
    return training(UNet(), loss, torch.rand(16, 1, 32, 32),
                    torch.rand(16, 1, 32, 32).round())


class Block(nn.Module):

    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + self.second(torch.relu(self.norm(self.first(x))))


def accumulation(width=16):
    model = nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1), Block(width), nn.ReLU(),
        nn.MaxPool2d(2), Block(width), nn.ReLU(), nn.Flatten(),
        nn.Linear(16 * width, 10))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)
    images, labels = torch.rand(16, 1, 8, 8), torch.randint(10, (16,))

    def step():
        for _ in range(4):
            with torch.autocast("cpu", torch.bfloat16):
                value = F.cross_entropy(model(images), labels)
            (value / 4).backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def serving():
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(),
                          nn.Linear(128, 10)).eval()
    images = torch.rand(32, 64)

    def answer():
        with torch.no_grad():
            return model(images).argmax(1)
    return answer


class ReaderLayer(nn.Module):
    """A layer of GPT-2 with a static cache, which it writes in place."""

    def __init__(self, size, heads, room):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(2))
        self.joined, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.feed = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(),
                                  nn.Linear(4 * size, size))
        self.cache = torch.zeros(2, 1, heads, room, size // heads)

    def forward(self, x, begin, mask):
        n, t, size = x.shape
        q, k, v = self.joined(self.norms[0](x)).view(
            n, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        keys, values = self.cache
        keys[:, :, begin:begin + t], values[:, :, begin:begin + t] = k, v
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True) if mask is None else (
            F.scaled_dot_product_attention(q, keys, values, attn_mask=mask))
        x = x + self.out(y.transpose(1, 2).reshape(n, t, size))
        return x + self.feed(self.norms[1](x))


class Reader(nn.Module):
    """GPT-2's small shape; the logits of the last token."""

    def __init__(self, words=50257, room=1024, size=768, heads=12, layers=12):
        super().__init__()
        self.token, self.place = nn.Embedding(words, size), nn.Embedding(room, size)
        self.layers = nn.ModuleList(
            ReaderLayer(size, heads, room) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(size), nn.Linear(size, words, bias=False)

    @torch.no_grad()
    def forward(self, x, begin):
        room = self.place.num_embeddings
        mask = (torch.arange(room) <= begin)[None, None, None] if begin else None
        x = self.token(x) + self.place(torch.arange(begin, begin + x.shape[1]))
        for layer in self.layers:
            x = layer(x, begin, mask)
        return self.head(self.norm(x[:, -1:]))


def prefill():
    model, tokens = Reader().eval(), torch.randint(50257, (1, 512))
    return lambda: model(tokens, 0)


def decode():
    model, tokens = Reader().eval(), torch.randint(50257, (1, 512))
    model(tokens, 0)
    return lambda: model(tokens[:, :1], 512)


CASES = {make.__name__: Case(make) for make in (
    mnist, quantiles, vae, char_lstm, gpt, dcgan, dcgan_generator, actor_critic,
    unet, accumulation, serving, prefill, decode)}
CASES["mnist_cnn"] = CASES.pop("mnist")

if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(int(sys.argv[1]))
    serve(CASES)
