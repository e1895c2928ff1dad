# SPDX-License-Identifier: Apache-2.0
"""An actor-critic (Mnih and others, 2016) balances poles on carts.

    ./sy python examples/recipes/actor_critic.py [--static]
"""
import sys

import numpy as np

from steps import train_step
import switchyard as sy
from switchyard import nn
from switchyard.distributions import Categorical


class Poles:
    """Poles on carts (Barto and others, 1983): place, speed, angle, turn."""

    def __init__(self, count):
        self.random, self.state = np.random.default_rng(0), np.zeros((count, 4))

    def step(self, actions):
        """Pushes right by 1, left by 0; returns 1 of those that still stand."""
        x, v, angle, turn = self.state.T
        push = (20.0 * actions - 10 + 0.05 * turn**2 * np.sin(angle)) / 1.1
        faster = (9.8 * np.sin(angle) - np.cos(angle) * push) / (
            0.5 * (4 / 3 - 0.1 * np.cos(angle)**2 / 1.1))
        pull = push - 0.05 * faster * np.cos(angle) / 1.1
        self.state += 0.02 * np.stack([v, pull, turn, faster], 1)
        fallen = np.any(np.abs(self.state[:, ::2]) > [2.4, 0.21], 1)
        self.state[fallen] = self.random.uniform(-0.05, 0.05, (fallen.sum(), 4))
        return 1.0 - fallen


def network(width=64):
    """The logits of the two actions, and the value of the state."""
    sy.seed(1)
    return nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Linear(width, 3))


def loss(outputs, labels):
    """labels: the action and the return, side by side."""
    value, (action, returns) = outputs[:, 2], labels.unbind(1)
    policy = Categorical(logits=outputs[:, :2])
    better = (returns - value).detach()
    return (((returns - value)**2).mean() - 0.01 * policy.entropy().mean()
            - (policy.log_prob(action.long()) * better).mean())


def main(static=False, updates=400, count=16, time=16):
    poles, agent, losses = Poles(count), network(), []
    act = (sy.static.trace(agent, sy.static.InputSpec([None, 4])) if static
           else sy.no_grad()(agent.forward))
    optimizer = sy.optim.Adam(agent.parameters(), learning_rate=0.003)
    learn = train_step(agent, loss, optimizer, static)
    for _ in range(updates):
        states, labels, rewards = [], [], []
        for _ in range(time):
            states.append(sy.tensor(poles.state, "float32"))
            policy = Categorical(logits=act(states[-1])[:, :2])
            labels.append([policy.sample()])
            rewards.append(poles.step(labels[-1][0].numpy()))
        value = act(sy.tensor(poles.state, "float32"))[:, 2].numpy()
        for t in reversed(range(time)):
            value = rewards[t] * (1 + 0.99 * value)
            labels[t].append(value)
        labels = np.concatenate([np.stack(label, 1) for label in labels])
        labels = sy.tensor(labels, "float32")
        losses.append(learn(sy.concat(states), labels).item())
    print(f"share that still stood: {np.mean(rewards):.3f}")
    return losses


if __name__ == "__main__":
    main("--static" in sys.argv)
