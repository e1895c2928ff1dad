# SPDX-License-Identifier: Apache-2.0
"""Losses against NumPy's formulas, and as programs with the bits of eager."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
RNG = np.random.default_rng(5)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def log_softmax(x, axis):
    x = x - x.max(axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis, keepdims=True))


def cross_entropy(x, label, axis=1, weight=None, ignore=-100, smoothing=0.0,
                  reduction="mean"):
    """As PyTorch defines it."""
    logs = np.moveaxis(log_softmax(x.astype(np.float64), axis), axis, -1)
    classes = logs.shape[-1]
    weight = np.ones(classes) if weight is None else weight
    counted = label != ignore
    known = np.where(counted, label, 0)
    own = weight[known] * counted
    loss = -np.take_along_axis(logs, known[..., None], -1)[..., 0] * own
    spread = -(logs * weight).mean(-1) * counted
    loss = (1 - smoothing) * loss + smoothing * spread
    if reduction == "none":
        return loss
    return loss.sum() / (own.sum() if reduction == "mean" else 1.0)


class Differently(nn.Module):
    """A loss as a module of arrays that can be traced."""

    def __init__(self, loss):
        super().__init__()
        self.loss = loss

    def forward(self, *args):
        return self.loss(*args)


class LossTest(unittest.TestCase):

    def check(self, loss, arguments, expected, gradient=True):
        tensors = [sy.tensor(x) for x in arguments]
        tensors[0].requires_grad = gradient
        got = loss(*tensors)
        np.testing.assert_allclose(got.numpy(), expected, 2e-5, 2e-6)
        program = sy.static.trace(Differently(loss), *arguments)
        again = program.run({f"x{i}": x for i, x in enumerate(arguments)})
        np.testing.assert_array_equal(np.asarray(again["out"]), got.numpy())
        if gradient:
            self.check_gradient(loss, arguments, tensors, got)

    def check_gradient(self, loss, arguments, tensors, got):
        """Along a direction, in float64, against a difference."""
        got.sum().backward()
        grad = tensors[0].grad.numpy()
        self.assertTrue(np.isfinite(grad).all())
        way = RNG.normal(size=grad.shape)
        x = arguments[0].astype(np.float64)
        wide = [sy.tensor(a.astype(np.float64) if a.dtype == np.float32 else a)
                for a in arguments[1:]]
        ends = [loss(sy.tensor(x + step * way), *wide).sum().item()
                for step in (1e-6, -1e-6)]
        slope = (ends[0] - ends[1]) / 2e-6
        self.assertAlmostEqual((grad * way).sum(), slope, 3)

    def test_cross_entropy_of_rows_and_of_images(self):
        label = np.array([0, 2, -100, 1])
        images = RNG.integers(0, 3, (2, 4, 5))
        images[0, 1] = -100
        for x, y in ((normal(4, 3), label), (normal(2, 3, 4, 5), images),
                     (normal(2, 3, 3), np.array([[0, 1, 2], [2, 2, 0]]))):
            for reduction in ("mean", "sum", "none"):
                self.check(nn.CrossEntropyLoss(reduction=reduction), (x, y),
                           cross_entropy(x, y, reduction=reduction))
        x = normal(2, 5, 3)
        y = RNG.integers(0, 3, (2, 5))
        self.check(nn.CrossEntropyLoss(axis=-1), (x, y),
                   cross_entropy(x, y, axis=2))
        x = normal(3)
        got = nn.CrossEntropyLoss()(sy.tensor(x), sy.tensor(1))
        self.assertAlmostEqual(got.item(), -log_softmax(x, 0)[1], 5)

    def test_weights_smoothing_and_what_is_ignored(self):
        x, y = normal(5, 4), np.array([0, 3, 3, 1, 2])
        weight = np.array([0.5, 2.0, 0.0, 1.5], np.float32)
        for reduction in ("mean", "sum", "none"):
            for smoothing in (0.0, 0.1):
                for given in (None, weight):
                    loss = nn.CrossEntropyLoss(
                        None if given is None else sy.tensor(given), 3, smoothing,
                        reduction=reduction)
                    expected = cross_entropy(x, y, 1, given, 3, smoothing,
                                             reduction)
                    tensors = sy.tensor(x), sy.tensor(y)
                    np.testing.assert_allclose(loss(*tensors).numpy(), expected,
                                               2e-5, 2e-6)
        self.check(nn.CrossEntropyLoss(label_smoothing=0.2), (x, y),
                   cross_entropy(x, y, smoothing=0.2))
        all_ignored = nn.CrossEntropyLoss()(
            sy.tensor(x), sy.tensor(np.full(5, -100)))
        self.assertEqual(all_ignored.item(), 0.0)

    def test_probabilities_as_labels(self):
        x, soft = normal(4, 3), np.exp(log_softmax(normal(4, 3), 1))
        plain = -(soft * log_softmax(x, 1)).sum(1)
        self.check(nn.CrossEntropyLoss(soft_label=True), (x, soft), plain.mean())
        self.check(nn.CrossEntropyLoss(), (x, soft), plain.mean())
        spread = -log_softmax(x, 1).mean(1)
        self.check(nn.CrossEntropyLoss(soft_label=True, label_smoothing=0.1),
                   (x, soft), (0.9 * plain + 0.1 * spread).mean())

    def test_wrong_shapes_name_the_axis_of_classes(self):
        with self.assertRaisesRegex(
                ValueError, r"CrossEntropyLoss: label must have shape \(2, 3\), "
                r"input's \(2, 5, 3\) without its axis 1 of classes \(axis=-1.*, got \(2, 5\)$"):
            nn.CrossEntropyLoss()(sy.ones([2, 5, 3]), sy.zeros([2, 5], "int64"))
        with self.assertRaisesRegex(ValueError, "label_smoothing must be in"):
            nn.CrossEntropyLoss(label_smoothing=1.5)

    def test_nll(self):
        x, y = log_softmax(normal(5, 4), 1), np.array([0, 3, -100, 1, 2])
        own = np.array([-x[i, c] for i, c in enumerate(y) if c >= 0])
        self.check(nn.NLLLoss(), (x, y), own.mean())
        self.check(nn.NLLLoss(reduction="sum"), (x, y), own.sum())

    def test_distances(self):
        x, y = normal(3, 4), normal(3, 4)
        d = np.abs(x - y)
        self.check(nn.SmoothL1Loss(beta=0.5), (x, y),
                   np.where(d < 0.5, d * d, d - 0.25).mean())
        self.check(nn.SmoothL1Loss(beta=0), (x, y), d.mean())
        self.assertEqual(sy.autograd.functional.jacobian(
            lambda z: nn.functional.smooth_l1_loss(z, sy.zeros([3]), beta=0.0, reduction="sum"),
            sy.tensor([-2.0, 0.0, 3.0])).tolist(), [-1, 0, 1])
        self.check(nn.HuberLoss(delta=0.7), (x, y), np.where(
            d <= 0.7, d * d / 2, 0.7 * (d - 0.35)).mean())
        a, b, c = normal(4, 3), normal(4, 3), normal(4, 3)
        near = np.linalg.norm(a - b + 1e-6, axis=1)
        far = np.linalg.norm(a - c + 1e-6, axis=1)
        swapped = np.minimum(far, np.linalg.norm(b - c + 1e-6, axis=1))
        self.check(nn.TripletMarginLoss(), (a, b, c),
                   np.maximum(near - far + 1, 0).mean())
        self.check(nn.TripletMarginLoss(swap=True), (a, b, c),
                   np.maximum(near - swapped + 1, 0).mean())

    def test_binary_cross_entropies(self):
        x, y = normal(3, 4), RNG.random((3, 4)).astype(np.float32)
        p = 1 / (1 + np.exp(-x))
        want = -(y * np.log(p) + (1 - y) * np.log(1 - p))
        self.check(nn.BCELoss(), (p, y), want.mean())
        self.check(nn.BCEWithLogitsLoss(), (x, y), want.mean())
        weighted = nn.BCEWithLogitsLoss(pos_weight=sy.tensor(3.0))
        got = weighted(sy.tensor(x), sy.tensor(y)).item()
        self.assertAlmostEqual(got, (-(3 * y * np.log(p) + (1 - y) * np.log(
            1 - p))).mean(), 5)
        self.check(nn.BCELoss(), (np.array([0.0, 1.0], np.float32),
                                  np.array([1.0, 1.0], np.float32)), 50.0, False)
        for loss, at in ((nn.BCELoss, p), (nn.BCEWithLogitsLoss, x)):
            self.check(loss("sum", weight=sy.tensor(y)), (at, y), (y * want).sum())

    def test_logits_that_are_sure_and_right(self):
        """Their loss is exp(-|x|), which no difference of terms of |x| holds."""
        x = np.float32([20, -20, 60, -60, 88, 0])
        label = (x > 0).astype(np.float32)
        logits = sy.tensor(x, requires_grad=True)
        got = F.binary_cross_entropy_with_logits(logits, sy.tensor(label),
                                                 reduction="none")
        want = np.log1p(np.exp(-np.abs(x.astype(np.float64))))
        np.testing.assert_allclose(got.detach().numpy(), want, 3e-7)
        slope = sy.grad(got.sum(), [logits])[0].numpy()
        want = np.exp(-want) * np.expm1(want) * np.where(x > 0, -1, 1)
        np.testing.assert_allclose(slope, want, 5e-7)

    def test_certain_probabilities_have_finite_gradients(self):
        """As PyTorch has them: (p - label) / max(p (1 - p), 1e-12)."""
        p = sy.tensor([0.0, 1.0, 0.5], requires_grad=True)
        label = sy.tensor([0.0, 0.0, 1.0], requires_grad=True)
        nn.BCELoss("sum")(p, label).backward()
        np.testing.assert_allclose(p.grad.numpy(), [0.0, 1e12, -2.0], 1e-6)
        np.testing.assert_allclose(label.grad.numpy(), [100.0, -100.0, 0.0],
                                   atol=1e-6)

    def test_divergence(self):
        x = log_softmax(normal(3, 4), 1)
        y = np.exp(log_softmax(normal(3, 4), 1))
        y[0, 0] = 0.0
        parts = np.where(y > 0, y * (np.log(np.where(y > 0, y, 1)) - x), 0)
        self.check(nn.KLDivLoss(), (x, y), parts.mean())
        self.check(nn.KLDivLoss("batchmean"), (x, y), parts.sum() / 3)
        logs = log_softmax(normal(3, 4), 1)
        self.check(nn.KLDivLoss(log_target=True), (x, logs),
                   (np.exp(logs) * (logs - x)).mean())
        with self.assertRaisesRegex(ValueError, "KLDivLoss: reduction must be "
                                    "'mean', 'sum', 'none' or 'batchmean'"):
            nn.KLDivLoss("most")

    def test_cosine_embedding(self):
        a, b, y = normal(4, 3), normal(4, 3), np.array([1, -1, 1, -1])
        cos = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(
            b, axis=1)
        self.check(nn.CosineEmbeddingLoss(margin=0.1), (a, b, y), np.where(
            y == 1, 1 - cos, np.maximum(cos - 0.1, 0)).mean())

    def test_ctc(self):
        """Against the sum over all alignments."""
        x = log_softmax(normal(3, 2, 3), 2)
        label, lengths = np.array([[1, 2], [2, 0]]), np.array([2, 1])

        def collapsed(path):
            merged = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
            return [c for c in merged if c]
        losses = []
        for n in range(2):
            total = 0.0
            for path in np.ndindex(3, 3, 3):
                if collapsed(path) == label[n, :lengths[n]].tolist():
                    total += np.exp(sum(x[t, n, c] for t, c in enumerate(path)))
            losses.append(-np.log(total))
        arguments = (x, label, np.array([3, 3]), lengths)
        self.check(nn.CTCLoss(), arguments,
                   np.mean(np.array(losses) / lengths), False)
        self.check(nn.CTCLoss(reduction="none"), arguments, losses, False)
        joined = (x, np.array([1, 2, 2]), np.array([3, 3]), lengths)
        self.check(nn.CTCLoss(reduction="none"), joined, losses, False)

    def test_a_label_that_takes_more_steps_than_there_are(self):
        """Two alike take a blank between them; beyond its length none counts."""
        x = log_softmax(normal(2, 3, 3), 2)
        arguments = (x, np.array([[1, 1], [1, 2], [1, 1]]), np.array([2, 2, 2]),
                     np.array([2, 2, 1]))
        got = nn.CTCLoss(reduction="none")(*map(sy.tensor, arguments)).numpy()
        np.testing.assert_array_equal(np.isinf(got), [True, False, False])
        self.check(nn.CTCLoss(reduction="none", zero_infinity=True), arguments,
                   np.where(np.isinf(got), 0, got), False)
        tensors = [sy.tensor(a) for a in arguments]
        tensors[0].requires_grad = True
        nn.CTCLoss(reduction="sum", zero_infinity=True)(*tensors).backward()
        grad = tensors[0].grad.numpy()
        self.assertTrue((grad[:, 0] == 0).all() and (grad[:, 1] != 0).any())


class DtypeTest(unittest.TestCase):

    def test_a_float64_batch_is_refused_with_the_cure(self):
        for layer, x in ((nn.Linear(3, 2), np.ones((4, 3))),
                         (nn.Conv2D(1, 1, 1), np.ones((1, 1, 2, 2))),
                         (nn.LayerNorm(3), np.ones((4, 3))),
                         (nn.BatchNorm2D(1), np.ones((1, 1, 2, 2)))):
            name = type(layer).__name__
            with self.assertRaisesRegex(
                    TypeError, rf"{name}: x must be float32 as weight, got "
                    r"float64: x.astype\('float32'\)"):
                layer(sy.tensor(x))
            with self.assertRaisesRegex(TypeError, f"{name}: x must be float32"):
                sy.static.trace(layer, x)
            layer(sy.tensor(x.astype("float32")))

    def test_wrong_betas_are_refused_when_the_optimizer_is_made(self):
        w = [sy.tensor([1.0], requires_grad=True)]
        for make in (sy.optim.Adam, sy.optim.AdamW):
            with self.assertRaisesRegex(ValueError, r"beta2 must be in \[0, 1\), "
                                        "got 1.0"):
                make(w, betas=(0.9, 1.0))
            with self.assertRaisesRegex(ValueError, "betas must be two numbers"):
                make(w, betas=0.9)
            self.assertEqual(make(w, betas=(0.8, 0.9)).beta1, 0.8)

    def test_errors_are_of_python(self):
        for call in (lambda: sy.seed("x"), lambda: sy.tensor(),
                     lambda: sy.policy(3), lambda: sy.set_num_threads("a"),
                     lambda: sy.record_selections(3)):
            with self.assertRaisesRegex(TypeError, r"^\w+: arguments must be \(.*"
                                        r"\), got \(.*\)$"):
                call()
        w = sy.tensor([1.0], requires_grad=True)
        with self.assertRaisesRegex(RuntimeError, r"under no_grad\(\) only"):
            w.relu_()


if __name__ == "__main__":
    unittest.main()
