# SPDX-License-Identifier: Apache-2.0
"""The recipes' steps, for Switchyard: cases "NAME eager" and "NAME static".

usage: author_cases.py THREADS, with the package and examples/recipes on the path.
"""

import numpy as np

import accumulation
import actor_critic
import char_lstm
import dcgan
import gpt
import mnist_cnn
import quantiles
from steps import train_step
import serving
import switchyard as sy
import unet
import vae
from worker import Case, serve


def random(*shape):
    return sy.tensor(np.random.default_rng(0).random(shape, np.float32))


def numbers(most, *shape):
    return sy.tensor(np.random.default_rng(0).integers(0, most, shape))


def adam(model):
    return sy.optim.Adam(model.parameters(), learning_rate=0.001)


def mnist(static):
    step = mnist_cnn.make_step(mnist_cnn.network(), static)
    images, labels = random(64, 1, 28, 28), numbers(10, 64)
    return lambda: step(images, labels)


def regression(static):
    step = quantiles.make_step(quantiles.network(), static)
    x, y = (sy.tensor(a) for a in quantiles.data(512))
    return lambda: step(x, y)


def autoencoder(static):
    step, images = vae.make_step(vae.VAE(), static), random(64, 64)
    return lambda: step(images, images)


def lstm(static):
    step = char_lstm.make_step(char_lstm.CharLSTM(70), static)
    x, y = numbers(70, 16, 24), numbers(70, 16, 24)
    return lambda: step(x, y)


def transformer(static):
    trainer = gpt.Trainer(gpt.GPT(70), static)
    x, y = numbers(70, 16, 64), numbers(70, 16, 64)
    return lambda: trainer.step(x, y)


def gan(static):
    step = dcgan.make_step(dcgan.generator(), dcgan.discriminator(), static)
    noise, images = random(32, 32, 1, 1), sy.tensor(dcgan.rings(32))
    return lambda: step(noise, images)


def generator(static):
    model, noise = dcgan.generator(), random(32, 32, 1, 1)
    step = train_step(model, lambda drawn, _: drawn.mean(), adam(model), static)
    return lambda: step(noise, noise)


def policy(static):
    model = actor_critic.network()
    step = train_step(model, actor_critic.loss, adam(model), static)
    states, labels = random(256, 4), numbers(2, 256, 2).float()
    return lambda: step(states, labels)


def segmentation(static):
    model = unet.UNet()
    step = train_step(model, unet.loss, adam(model), static)
    images, masks = (sy.tensor(a) for a in unet.discs(16))
    return lambda: step(images, masks)


def served(static):
    model, images = serving.network().eval(), random(32, 64)
    if static:
        return sy.static.trace(model, images), images
    return sy.no_grad()(model.forward), images


def inference(static):
    function, images = served(static)
    return lambda: function(images).argmax(1)


def mixed(static):
    step = accumulation.make_step(accumulation.network(), static,
                                     "bfloat16")
    images, labels = random(16, 1, 8, 8), numbers(10, 16)
    return lambda: [step(images, labels) for _ in range(4)]


def reader(static):
    """A model of GPT-2's small shape, 512 tokens, and a cache with room for 1024."""
    model = gpt.GPT(50257, 1024, 768, 12, 12).eval()
    return (sy.static.decode_step(model) if static else model,
            numbers(50257, 1, 512), sy.nn.KeyValueCache(1024))


def prefill(static):
    read, tokens, _ = reader(static)

    @sy.no_grad()
    def run():
        cache = sy.nn.KeyValueCache(1024)
        read(tokens, cache=cache)
        cache.advance()
    return run


def decode(static):
    read, tokens, cache = reader(static)

    @sy.no_grad()
    def run():
        cache.crop(512)
        read(tokens[:, :1], cache=cache)
        cache.advance()
    sy.no_grad()(read)(tokens, cache=cache)
    cache.advance()
    return run


MAKERS = {"mnist_cnn": mnist, "quantiles": regression, "vae": autoencoder,
          "char_lstm": lstm, "gpt": transformer, "dcgan": gan,
          "dcgan_generator": generator, "actor_critic": policy,
          "unet": segmentation, "accumulation": mixed,
          "serving": inference, "prefill": prefill, "decode": decode}


def case(make, static):
    return Case(lambda: make(static))


if __name__ == "__main__":
    serve({f"{name} {'static' if static else 'eager'}": case(make, static)
           for name, make in MAKERS.items() for static in (False, True)})
