# SPDX-License-Identifier: Apache-2.0
"""Trains by every layer, loss and optimizer, eagerly and as a program: the same bits.

With and without autocast. A class that has no case here fails the test.
"""
import inspect
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, optim, static

STEPS = 2
ROWS = 3


def floats(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def indices(high, *shape):
    return np.random.default_rng(1).integers(0, high, shape)


class First(nn.Module):
    """The first result of a layer that has several."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, *inputs):
        return self.layer(*inputs)[0]


class Cell(nn.Module):
    """Two steps of a cell."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        state = self.layer(x)
        state = self.layer(x, state)
        return state[0] if isinstance(state, tuple) else state


class Classified(nn.Module):
    """The loss of an adaptive softmax whose classes are known."""

    def __init__(self):
        super().__init__()
        self.layer = nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4])

    def forward(self, x):
        return self.layer(x, sy.tensor(np.array([0, 3, 5]))).loss


class Named(nn.Module):
    """A layer of a dict of parameters."""

    def __init__(self):
        super().__init__()
        self.by_name = nn.ParameterDict({"scale": floats(4), "shift": floats(4, seed=2)})

    def forward(self, x):
        return x * self.by_name["scale"] + self.by_name["shift"]


class Back(nn.Module):
    """A pooling, and what puts its results back."""

    def __init__(self, pool, unpool):
        super().__init__()
        self.pool, self.unpool = pool, unpool

    def forward(self, x):
        return self.unpool(*self.pool(x))


class Pair(nn.Module):
    """A layer of two arguments."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.first = layer, nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(self.first(x), x)


class Parameters(nn.Module):
    """A layer of a list and a dict."""

    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList([floats(4), floats(4, seed=2)])
        self.layers = nn.ModuleList([nn.Linear(4, 4)])
        self.by_name = nn.ModuleDict({"last": nn.Linear(4, 4)})

    def forward(self, x):
        for scale in self.scales:
            x = x * scale
        return self.by_name["last"](self.layers[0](x))


def called(layer, shape):
    """A lazy layer after its first call."""
    layer(sy.tensor(floats(ROWS, *shape)))
    return layer


# {class: (what makes a model around it, its inputs)}; inputs of one number are x's shape.
ROW, SIGNAL, IMAGE, VOLUME = (4,), (4, 8), (4, 6, 6), (4, 3, 4, 4)
LAYERS = {
    nn.CELU: (nn.CELU, ROW),
    nn.ELU: (nn.ELU, ROW),
    nn.GLU: (nn.GLU, ROW),
    nn.Hardtanh: (nn.Hardtanh, ROW),
    nn.LogSigmoid: (nn.LogSigmoid, ROW),
    nn.CosineSimilarity: (lambda: Pair(nn.CosineSimilarity()), ROW),
    nn.Mish: (nn.Mish, ROW),
    nn.PReLU: (nn.PReLU, ROW),
    nn.PixelShuffle: (lambda: nn.Sequential(nn.Conv2D(IMAGE[0], 8, 1), nn.PixelShuffle(2)), IMAGE),
    nn.SELU: (nn.SELU, ROW),
    nn.Softsign: (nn.Softsign, ROW),
    nn.AdaptiveAvgPool1D: (lambda: nn.AdaptiveAvgPool1D(2), SIGNAL),
    nn.AdaptiveAvgPool3D: (lambda: nn.AdaptiveAvgPool3D(2), VOLUME),
    nn.AdaptiveMaxPool1D: (lambda: nn.AdaptiveMaxPool1D(2), SIGNAL),
    nn.AdaptiveMaxPool3D: (lambda: nn.AdaptiveMaxPool3D(2), VOLUME),
    nn.AvgPool3D: (lambda: nn.AvgPool3D(2), VOLUME),
    nn.MaxPool3D: (lambda: nn.MaxPool3D(2), VOLUME),
    nn.AdaptiveAvgPool2D: (lambda: nn.AdaptiveAvgPool2D(2), IMAGE),
    nn.AdaptiveMaxPool2D: (lambda: nn.AdaptiveMaxPool2D(2), IMAGE),
    nn.AvgPool1D: (lambda: nn.AvgPool1D(2), SIGNAL),
    nn.AdaptiveLogSoftmaxWithLoss: (Classified, (4,)),
    nn.AvgPool2D: (lambda: nn.AvgPool2D(2), IMAGE),
    nn.LPPool1D: (lambda: nn.LPPool1D(2, 2), SIGNAL),
    nn.LPPool2D: (lambda: nn.LPPool2D(2, 2), IMAGE),
    nn.LPPool3D: (lambda: nn.LPPool3D(2, 2), VOLUME),
    nn.BatchNorm1D: (lambda: nn.BatchNorm1D(4), SIGNAL),
    nn.BatchNorm2D: (lambda: nn.BatchNorm2D(4), IMAGE),
    nn.SyncBatchNorm: (lambda: nn.SyncBatchNorm(4), IMAGE),
    nn.BatchNorm3D: (lambda: nn.BatchNorm3D(4), VOLUME),
    nn.Conv1D: (lambda: nn.Conv1D(4, 5, 3), SIGNAL),
    nn.Conv1DTranspose: (lambda: nn.Conv1DTranspose(4, 5, 3), SIGNAL),
    nn.Conv2D: (lambda: nn.Sequential(nn.Conv2D(4, 4, 3), nn.Conv2D(4, 4, 3, groups=4)), IMAGE),
    nn.Conv2DTranspose: (lambda: nn.Conv2DTranspose(4, 5, 3, stride=2), IMAGE),
    nn.Conv3D: (lambda: nn.Conv3D(4, 5, 2), VOLUME),
    nn.Conv3DTranspose: (lambda: nn.Conv3DTranspose(4, 5, 2), VOLUME),
    nn.Dropout: (lambda: nn.Dropout(0.4), ROW),
    nn.Dropout2D: (lambda: nn.Dropout2D(0.4), IMAGE),
    nn.Flatten: (nn.Flatten, IMAGE),
    nn.GELU: (nn.GELU, ROW),
    nn.GRU: (lambda: First(nn.GRU(8, 5, num_layers=2, dropout=0.3, batch_first=True)), SIGNAL),
    nn.GRUCell: (lambda: Cell(nn.GRUCell(4, 5)), ROW),
    nn.GlobalAvgPool2D: (nn.GlobalAvgPool2D, IMAGE),
    nn.GroupNorm: (lambda: nn.GroupNorm(2, 4), IMAGE),
    nn.Hardsigmoid: (nn.Hardsigmoid, ROW),
    nn.Hardswish: (nn.Hardswish, ROW),
    nn.Identity: (nn.Identity, ROW),
    nn.InstanceNorm: (lambda: nn.InstanceNorm(4, affine=True), IMAGE),
    nn.LSTM: (lambda: First(nn.LSTM(8, 5, bidirectional=True, batch_first=True)), SIGNAL),
    nn.LSTMCell: (lambda: Cell(nn.LSTMCell(4, 5)), ROW),
    nn.LayerNorm: (lambda: nn.LayerNorm(8), SIGNAL),
    nn.LeakyReLU: (nn.LeakyReLU, ROW),
    nn.Linear: (lambda: nn.Linear(4, 5), ROW),
    nn.LogSoftmax: (nn.LogSoftmax, ROW),
    nn.MaxPool1D: (lambda: nn.MaxPool1D(2), SIGNAL),
    nn.MaxPool2D: (lambda: nn.MaxPool2D(2), IMAGE),
    nn.ModuleDict: (Parameters, ROW),
    nn.ModuleList: (Parameters, ROW),
    nn.MultiHeadAttention: (lambda: nn.MultiHeadAttention(8, 2, dropout=0.2), SIGNAL),
    nn.ParameterList: (Parameters, ROW),
    nn.RMSNorm: (lambda: nn.RMSNorm(8), SIGNAL),
    nn.RNN: (lambda: First(nn.RNN(8, 5, batch_first=True)), SIGNAL),
    nn.RNNCell: (lambda: Cell(nn.RNNCell(4, 5)), ROW),
    nn.ReLU: (lambda: nn.Sequential(nn.ReLU(), nn.Linear(4, 4), nn.ReLU(inplace=True)), ROW),
    nn.ReLU6: (nn.ReLU6, ROW),
    nn.Sequential: (lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU()), ROW),
    nn.SiLU: (nn.SiLU, ROW),
    nn.Sigmoid: (nn.Sigmoid, ROW),
    nn.Softmax: (nn.Softmax, ROW),
    nn.Softplus: (nn.Softplus, ROW),
    nn.Tanh: (nn.Tanh, ROW),
    nn.TransformerDecoder: (lambda: nn.TransformerDecoder(8, 2, 16, 1), (SIGNAL, SIGNAL)),
    nn.TransformerDecoderLayer: (lambda: nn.TransformerDecoderLayer(8, 2, 16), (SIGNAL, SIGNAL)),
    nn.TransformerEncoder: (lambda: nn.TransformerEncoder(8, 2, 16, 1), SIGNAL),
    nn.TransformerEncoderLayer: (lambda: nn.TransformerEncoderLayer(8, 2, 16), SIGNAL),
    nn.AlphaDropout: (lambda: nn.AlphaDropout(0.4), ROW),
    nn.Bilinear: (lambda: Pair(nn.Bilinear(4, 4, 5)), ROW),
    nn.ChannelShuffle: (lambda: nn.ChannelShuffle(2), IMAGE),
    nn.Dropout1D: (lambda: nn.Dropout1D(0.4), SIGNAL),
    nn.Dropout3D: (lambda: nn.Dropout3D(0.4), VOLUME),
    nn.FeatureAlphaDropout: (lambda: nn.FeatureAlphaDropout(0.4), IMAGE),
    nn.Fold: (lambda: nn.Fold((3, 5), (2, 2)), SIGNAL),
    nn.Hardshrink: (nn.Hardshrink, ROW),
    nn.InstanceNorm1D: (lambda: nn.InstanceNorm1D(4), SIGNAL),
    nn.InstanceNorm2D: (lambda: nn.InstanceNorm2D(4, affine=True), IMAGE),
    nn.InstanceNorm3D: (lambda: nn.InstanceNorm3D(4, track_running_stats=True), VOLUME),
    nn.LocalResponseNorm: (lambda: nn.LocalResponseNorm(3, 0.1), IMAGE),
    nn.ParameterDict: (Named, ROW),
    nn.MaxUnpool1D: (lambda: Back(nn.MaxPool1D(2, return_indices=True), nn.MaxUnpool1D(2)), SIGNAL),
    nn.MaxUnpool2D: (lambda: Back(nn.MaxPool2D(2, return_indices=True), nn.MaxUnpool2D(2)), IMAGE),
    nn.MaxUnpool3D: (lambda: Back(nn.MaxPool3D(2, return_indices=True), nn.MaxUnpool3D(2)), VOLUME),
    nn.MultiheadAttention: (lambda: First(nn.MultiheadAttention(8, 2, 0.2)), (SIGNAL, SIGNAL, SIGNAL)),
    nn.PairwiseDistance: (lambda: Pair(nn.PairwiseDistance()), ROW),
    nn.PixelUnshuffle: (lambda: nn.PixelUnshuffle(2), IMAGE),
    nn.RReLU: (nn.RReLU, ROW),
    nn.Softmax2D: (nn.Softmax2D, IMAGE),
    nn.Softmin: (nn.Softmin, ROW),
    nn.Softshrink: (nn.Softshrink, ROW),
    nn.Tanhshrink: (nn.Tanhshrink, ROW),
    nn.Threshold: (lambda: nn.Threshold(0.1, 0.5), ROW),
    nn.Transformer: (lambda: nn.Transformer(8, 2, 1, 1, 16, batch_first=True), (SIGNAL, SIGNAL)),
    nn.Unflatten: (lambda: nn.Unflatten(1, (2, 2)), ROW),
    nn.Unfold: (lambda: nn.Unfold(2), IMAGE),
    **{getattr(nn, f"{kind}Pad{n}D"): (lambda kind=kind, n=n: getattr(nn, f"{kind}Pad{n}D")(1), shape)
       for kind in ("Circular", "Reflection", "Replication", "Zero")
       for n, shape in ((1, SIGNAL), (2, IMAGE), (3, VOLUME))},
    nn.ConstantPad1D: (lambda: nn.ConstantPad1D(1, 2.0), SIGNAL),
    nn.ConstantPad2D: (lambda: nn.ConstantPad2D(1, 2.0), IMAGE),
    nn.ConstantPad3D: (lambda: nn.ConstantPad3D(1, 2.0), VOLUME),
    **{lazy: (lambda lazy=lazy, given=given, shape=shape: called(lazy(*given), shape), shape)
       for lazy, given, shape in (
           (nn.LazyLinear, (5,), ROW), (nn.LazyConv1D, (5, 3), SIGNAL), (nn.LazyConv2D, (5, 3), IMAGE),
           (nn.LazyConv3D, (5, 2), VOLUME), (nn.LazyConv1DTranspose, (5, 3), SIGNAL),
           (nn.LazyConv2DTranspose, (5, 3), IMAGE), (nn.LazyConv3DTranspose, (5, 2), VOLUME),
           (nn.LazyBatchNorm1D, (), SIGNAL), (nn.LazyBatchNorm2D, (), IMAGE), (nn.LazyBatchNorm3D, (), VOLUME),
           (nn.LazyInstanceNorm1D, (), SIGNAL), (nn.LazyInstanceNorm2D, (), IMAGE),
           (nn.LazyInstanceNorm3D, (), VOLUME))},
    nn.UpsamplingBilinear2D: (lambda: nn.UpsamplingBilinear2D(scale_factor=2), IMAGE),
    nn.UpsamplingNearest2D: (lambda: nn.UpsamplingNearest2D(scale_factor=2), IMAGE),
    nn.Upsample: (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), IMAGE),
}

# {class: a function of (4 logits, labels) to the loss, and the labels}.
CLASSES, TARGETS = indices(4, ROWS), floats(ROWS, 4, seed=3)
BITS = (TARGETS > 0).astype(np.float32)
SIGNS = (BITS * 2 - 1).astype(np.float32)
LOSSES = {
    nn.GaussianNLLLoss: (lambda x, y: nn.GaussianNLLLoss()(x, y, sy.exp(y)), TARGETS),
    nn.HingeEmbeddingLoss: (nn.HingeEmbeddingLoss(), SIGNS),
    nn.MarginRankingLoss: (lambda x, y: nn.MarginRankingLoss(0.1)(x, y * 0.5, y), SIGNS),
    nn.MultiLabelMarginLoss: (nn.MultiLabelMarginLoss(), np.array([[0, 2, -1, 1], [3, -1, 0, 0], [-1, 0, 0, 0]])),
    nn.MultiLabelSoftMarginLoss: (nn.MultiLabelSoftMarginLoss(), BITS),
    nn.MultiMarginLoss: (nn.MultiMarginLoss(2), CLASSES),
    nn.PoissonNLLLoss: (nn.PoissonNLLLoss(full=True), np.abs(TARGETS) * 3),
    nn.SoftMarginLoss: (nn.SoftMarginLoss(), SIGNS),
    nn.TripletMarginWithDistanceLoss: (lambda x, y: nn.TripletMarginWithDistanceLoss()(x, y, y * 0.5), TARGETS),
    nn.BCELoss: (lambda x, y: nn.BCELoss()(sy.sigmoid(x), y), BITS),
    nn.BCEWithLogitsLoss: (nn.BCEWithLogitsLoss(), BITS),
    nn.CTCLoss: (lambda x, y: nn.CTCLoss()
                 (sy.log_softmax(x.reshape(3, 1, 4), -1), y, sy.tensor([3]), sy.tensor([2])), np.array([[1, 2]])),
    nn.CosineEmbeddingLoss:
        (lambda x, y: nn.CosineEmbeddingLoss()(x, y, sy.tensor([1.0, -1.0, 1.0])), TARGETS),
    nn.CrossEntropyLoss: (nn.CrossEntropyLoss(label_smoothing=0.1), CLASSES),
    nn.HuberLoss: (nn.HuberLoss(), TARGETS),
    nn.KLDivLoss: (lambda x, y: nn.KLDivLoss()(sy.log_softmax(x, -1), sy.softmax(y, -1)), TARGETS),
    nn.L1Loss: (nn.L1Loss(), TARGETS),
    nn.MSELoss: (nn.MSELoss(), TARGETS),
    nn.NLLLoss: (lambda x, y: nn.NLLLoss()(sy.log_softmax(x, -1), y), CLASSES),
    nn.SmoothL1Loss: (nn.SmoothL1Loss(), TARGETS),
    nn.TripletMarginLoss: (lambda x, y: nn.TripletMarginLoss()(x, y, y * 0.5), TARGETS),
}
OPTIMIZERS = {kind: {} for kind in (optim.Adadelta, optim.Adagrad, optim.Adam, optim.AdamW, optim.Adamax,
                                    optim.Adafactor, optim.ASGD, optim.Rprop,
                                    optim.Lamb, optim.Momentum, optim.NAdam, optim.RAdam, optim.RMSprop, optim.SGD,
                                    optim.SparseAdam)}
# No layers, what is no step of one program, what wants a known number of rows. Muon has a test of its own.
OTHERS = {nn.Buffer, nn.Embedding, nn.EmbeddingBag, nn.FractionalMaxPool2D, nn.FractionalMaxPool3D, nn.Module,
          nn.Parameter, optim.EMA, optim.LBFGS, optim.Muon, optim.Optimizer, optim.Schedule}


class Model(nn.Module):
    """A linear layer before the one that is tested, and one after it."""

    def __init__(self, make, inputs):
        super().__init__()
        self.shapes = inputs if isinstance(inputs[0], tuple) else (inputs,)
        width = self.shapes[0][-1]
        self.before = nn.Linear(width, width)
        self.layer = make()

    def forward(self, *inputs):
        return self.layer(self.before(inputs[0]), *inputs[1:])


def square(x, y):
    return sy.mean(sy.square(x)) + sy.mean(y) * 0.0


def weights(model):
    return {name: slot.tensor.numpy().tobytes() for name, slot in model.named_slots()}


def train(make, loss, x, y, optimizer, dtype, traced):
    """Losses of some steps, and the model's parameters after them."""
    sy.seed(3)
    model = make()
    optimizer = optimizer(model.parameters(), learning_rate=0.05)
    step = static.train_step(model, loss, optimizer) if traced else None
    sy.seed(7)
    losses = []
    for _ in range(STEPS):
        with sy.amp.autocast(dtype or "bfloat16", enabled=dtype is not None):
            if traced:
                value = step(x, y)
            else:
                optimizer.zero_grad()
                value = loss(model(*map(sy.tensor, x)), sy.tensor(y))
        if not traced:
            value.backward()
            optimizer.step()
        losses.append(value.numpy().tobytes())
    return losses, weights(model)


class EagerStaticTest(unittest.TestCase):

    def compare(self, make, loss, x, y, optimizer=optim.SGD):
        for dtype in (None, "bfloat16", "float16"):
            with self.subTest(autocast=dtype):
                eager = train(make, loss, x, y, optimizer, dtype, traced=False)
                got = train(make, loss, x, y, optimizer, dtype, traced=True)
                self.assertEqual(got, eager)

    def test_every_class_has_a_case(self):
        classes = {value for value in (*vars(nn).values(), *vars(optim).values()) if inspect.isclass(value)}
        trained = {c for c in classes if issubclass(c, (nn.Module, optim.Optimizer))}
        missing = trained - LAYERS.keys() - LOSSES.keys() - OPTIMIZERS.keys() - OTHERS
        self.assertEqual(missing, set())

    def test_layers(self):
        for kind, (make, inputs) in LAYERS.items():
            with self.subTest(kind.__name__):
                shapes = inputs if isinstance(inputs[0], tuple) else (inputs,)
                x = tuple(floats(ROWS, *shape, seed=i) for i, shape in enumerate(shapes))
                self.compare(lambda: Model(make, inputs), square, x, floats(1))

    def test_embedding(self):
        for sparse in (False, True):
            with self.subTest(sparse=sparse):

                def make():
                    return nn.Sequential(nn.Embedding(7, 4, padding_idx=0, sparse=sparse), nn.Linear(4, 3))

                self.compare(make, square, (indices(7, ROWS, 5),), floats(1))

    def test_losses(self):
        for kind, (loss, y) in LOSSES.items():
            with self.subTest(kind.__name__):
                self.compare(lambda: nn.Linear(4, 4), loss, (floats(ROWS, 4),), y)

    def test_optimizers(self):
        for kind in OPTIMIZERS:
            with self.subTest(kind.__name__):
                self.compare(lambda: nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 4)), nn.CrossEntropyLoss(),
                             (floats(ROWS, 4),), CLASSES, kind)

    def test_muon_steps_matrices(self):
        self.compare(lambda: nn.Sequential(nn.Linear(4, 6, bias=False), nn.Tanh(), nn.Linear(6, 4, bias=False)),
                     nn.CrossEntropyLoss(), (floats(ROWS, 4),), CLASSES, optim.Muon)

    def test_autocast_computes_something_else(self):
        results = [
            train(lambda: nn.Linear(4, 4), nn.CrossEntropyLoss(), (floats(ROWS, 4),), CLASSES, optim.SGD, dtype, True)
            for dtype in (None, "bfloat16", "float16")
        ]
        self.assertNotEqual(results[0], results[1])
        self.assertNotEqual(results[1], results[2])


if __name__ == "__main__":
    unittest.main()
