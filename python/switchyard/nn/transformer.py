# SPDX-License-Identifier: Apache-2.0
"""Transformers: layers of attention, encoders, decoders, and both together."""

from __future__ import annotations

from collections.abc import Callable
import copy
import math

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, LAYERS, SHARE, checked, refuse, whole
from switchyard.nn import init
from switchyard.nn.activation import GELU, ReLU
from switchyard.nn.containers import ModuleList
from switchyard.nn.dropout import Dropout
from switchyard.nn.linear import Linear
from switchyard.nn.module import Module
from switchyard.nn.multi_head import MultiHeadAttention, finite_where_hidden
from switchyard.nn.norm import LayerNorm

_ops = _core.ops


def _activation(given, layer):
    if isinstance(given, Module) or callable(given):
        return given
    if given not in ("relu", "gelu"):
        raise ValueError(f"{layer}: activation must be 'relu', 'gelu' or a function, "
                         f"got {given!r}")
    return ReLU() if given == "relu" else GELU()


def _given(cache):
    """The argument, where it is given: layers of others need not have it."""
    return {} if cache is None else {"cache": cache}


def _turned(x):
    return None if x is None else _ops.transpose(x, [1, 0, 2])


class _Layer(Module):
    """Base: parts, each on a normalised x, whose results are added to x; or, unless
    ``norm_first``, each on x, and the sum normalised."""

    def _set(self, embed_dim, hidden_dim, dropout, activation, norm_first,
             batch_first, epsilon, bias):
        self.linear1 = Linear(embed_dim, hidden_dim, bias)
        self.activation = _activation(activation, type(self).__name__)
        self.linear2 = Linear(hidden_dim, embed_dim, bias)
        self.dropout = Dropout(dropout)
        self.norm_first, self.batch_first = norm_first, batch_first

    def _added(self, x, norm, part):
        if self.norm_first:
            return x + self.dropout(part(norm(x)))
        return norm(x + self.dropout(part(x)))

    def _feed(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Attention, then two linear layers; each on a normalised x, added to x.

    [n, t, embed_dim] to the same shape. ``activation``: "relu", "gelu" or a
    function. ``norm_first=False``: each on x, and the sum normalised.
    ``batch_first=False``: [t, n, embed_dim]. ``mask``: as MultiHeadAttention's.
    PyTorch's ``src_mask`` and ``src_key_padding_mask``: its ``attn_mask`` and
    ``key_padding_mask``, in which **True hides**. ``cache``: as MultiHeadAttention's.
    """

    @checked(embed_dim=FROM_1, num_heads=FROM_1, hidden_dim=FROM_1, dropout=SHARE,
             epsilon=FROM_0)
    def __init__(self, embed_dim: int, num_heads: int, hidden_dim: int = 2048,
                 dropout: float = 0.1, activation: str | Callable = "relu",
                 norm_first: bool = True, batch_first: bool = True,
                 epsilon: float = 1e-05, bias: bool = True):
        super().__init__()
        self.norm1 = LayerNorm(embed_dim, epsilon, bias=bias)
        self.attention = MultiHeadAttention(embed_dim, num_heads, dropout, bias)
        self.norm2 = LayerNorm(embed_dim, epsilon, bias=bias)
        self._set(embed_dim, hidden_dim, dropout, activation, norm_first,
                  batch_first, epsilon, bias)

    def forward(self, x, mask=None, is_causal: bool = False, *, src_mask=None,
                src_key_padding_mask=None, cache=None):
        if not self.batch_first and len(x.shape) == 3:
            x = _turned(x)
        x = finite_where_hidden(x, src_key_padding_mask)
        x = self._added(x, self.norm1, lambda h: self.attention(
            h, mask=mask, is_causal=is_causal, attn_mask=src_mask,
            key_padding_mask=src_key_padding_mask, cache=cache))
        x = self._added(x, self.norm2, self._feed)
        return x if self.batch_first or len(x.shape) != 3 else _turned(x)


class TransformerDecoderLayer(_Layer):
    """Causal attention, attention to ``memory``, then two linear layers; each on
    a normalised x, added to x.

    x [n, t, embed_dim] and memory [n, s, embed_dim] give x's shape. ``mask`` as that
    of MultiHeadAttention, **True allows**. PyTorch's ``tgt_mask``, ``memory_mask``
    [t, s], ``tgt_key_padding_mask`` and ``memory_key_padding_mask`` [n, s]: **True
    hides**. With a ``tgt_mask`` the attention is causal only where ``is_causal``
    says so; that to memory is where ``memory_is_causal`` does. ``cache``: of the
    first attention, as MultiHeadAttention's. Other arguments as those of
    TransformerEncoderLayer.
    """

    @checked(embed_dim=FROM_1, num_heads=FROM_1, hidden_dim=FROM_1, dropout=SHARE,
             epsilon=FROM_0)
    def __init__(self, embed_dim: int, num_heads: int, hidden_dim: int = 2048,
                 dropout: float = 0.1, activation: str | Callable = "relu",
                 norm_first: bool = True, batch_first: bool = True,
                 epsilon: float = 1e-05, bias: bool = True):
        super().__init__()
        self.norm1 = LayerNorm(embed_dim, epsilon, bias=bias)
        self.self_attention = MultiHeadAttention(embed_dim, num_heads, dropout, bias)
        self.norm2 = LayerNorm(embed_dim, epsilon, bias=bias)
        self.cross_attention = MultiHeadAttention(embed_dim, num_heads, dropout, bias)
        self.norm3 = LayerNorm(embed_dim, epsilon, bias=bias)
        self._set(embed_dim, hidden_dim, dropout, activation, norm_first,
                  batch_first, epsilon, bias)

    def forward(self, x, memory, mask=None, memory_mask=None,
                is_causal: bool | None = None, *, tgt_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None,
                cache=None, memory_is_causal: bool = False):
        if memory is None:  # Attention without a key would be x's own.
            refuse("TransformerDecoderLayer", "memory", "a tensor", memory)
        turned = not self.batch_first and len(x.shape) == 3
        if turned:
            x, memory = _turned(x), _turned(memory)
        x = finite_where_hidden(x, tgt_key_padding_mask)
        causal = tgt_mask is None if is_causal is None else is_causal
        x = self._added(x, self.norm1, lambda h: self.self_attention(
            h, mask=mask, is_causal=causal, attn_mask=tgt_mask,
            key_padding_mask=tgt_key_padding_mask, cache=cache))
        x = self._added(x, self.norm2, lambda h: self.cross_attention(
            h, memory, is_causal=memory_is_causal, attn_mask=memory_mask,
            key_padding_mask=memory_key_padding_mask))
        x = self._added(x, self.norm3, self._feed)
        return _turned(x) if turned else x


class _Stack(Module):
    """Base: several layers of one kind, then a normalisation."""

    kind: type = _Layer

    def _make(self, embed_dim, num_heads, hidden_dim, num_layers, norm, options):
        name = type(self).__name__
        if isinstance(embed_dim, self.kind):
            # (layer, number, norm), as PyTorch has it.
            count = num_heads if num_layers is None else num_layers
            norm = hidden_dim if norm is None else norm
            whole(name, "num_layers", count, LAYERS)
            self.layers = ModuleList(copy.deepcopy(embed_dim) for _ in range(count))
            self.norm = self._checked(norm)
            return
        for argument, value, within in (
                ("embed_dim", embed_dim, FROM_1), ("num_heads", num_heads, FROM_1),
                ("hidden_dim", hidden_dim, FROM_1), ("num_layers", num_layers, LAYERS)):
            if value is None:
                raise TypeError(f"{name}: {argument} must be given")
            whole(name, argument, value, within)
        self.layers = ModuleList(
            self.kind(embed_dim, num_heads, hidden_dim, *options)
            for _ in range(num_layers))
        epsilon, bias = options[-2:]
        self.norm = self._checked(norm) or LayerNorm(embed_dim, epsilon, bias=bias)

    def _checked(self, norm):
        if norm is not None and not isinstance(norm, Module):
            refuse(type(self).__name__, "norm", "a layer or None", norm)
        return norm

    def _last(self, x):
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """``num_layers`` encoder layers of the same sizes, then a LayerNorm.

    Or, as PyTorch has it: ``TransformerEncoder(layer, num_layers, norm)``, copies of
    a TransformerEncoderLayer, then ``norm``, if given. Masks
    and ``cache`` as its layers'.
    """

    kind = TransformerEncoderLayer

    @checked(dropout=SHARE, epsilon=FROM_0)
    def __init__(self, embed_dim, num_heads=None, hidden_dim=None,
                 num_layers=None, dropout: float = 0.1,
                 activation: str | Callable = "relu", norm=None,
                 norm_first: bool = True, batch_first: bool = True,
                 epsilon: float = 1e-05, bias: bool = True):
        super().__init__()
        self._make(embed_dim, num_heads, hidden_dim, num_layers, norm,
                   (dropout, activation, norm_first, batch_first, epsilon, bias))

    def forward(self, x, mask=None, is_causal: bool = False, *, src_mask=None,
                src_key_padding_mask=None, cache=None):
        more = _given(cache)
        for layer in self.layers:
            x = layer(x, mask, is_causal, src_mask=src_mask,
                      src_key_padding_mask=src_key_padding_mask, **more)
        return self._last(x)


class TransformerDecoder(_Stack):
    """``num_layers`` decoder layers of the same sizes, then a LayerNorm.

    Or, as PyTorch has it: ``TransformerDecoder(layer, num_layers, norm)``, copies of
    a TransformerDecoderLayer, then ``norm``, if given. Masks
    and ``cache`` as its layers'.
    """

    kind = TransformerDecoderLayer

    @checked(dropout=SHARE, epsilon=FROM_0)
    def __init__(self, embed_dim, num_heads=None, hidden_dim=None,
                 num_layers=None, dropout: float = 0.1,
                 activation: str | Callable = "relu", norm=None,
                 norm_first: bool = True, batch_first: bool = True,
                 epsilon: float = 1e-05, bias: bool = True):
        super().__init__()
        self._make(embed_dim, num_heads, hidden_dim, num_layers, norm,
                   (dropout, activation, norm_first, batch_first, epsilon, bias))

    def forward(self, x, memory, mask=None, memory_mask=None,
                is_causal: bool | None = None, *, tgt_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None,
                cache=None, memory_is_causal: bool = False):
        more = _given(cache)
        if memory_is_causal:
            more["memory_is_causal"] = True
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask, is_causal, tgt_mask=tgt_mask,
                      tgt_key_padding_mask=tgt_key_padding_mask,
                      memory_key_padding_mask=memory_key_padding_mask, **more)
        return self._last(x)


class Transformer(Module):
    """An encoder and a decoder, each with a LayerNorm at its end (Vaswani and
    others, 2017), with PyTorch's arguments and meaning.

    ``src`` [s, n, embed_dim] and ``tgt`` [t, n, embed_dim] give [t, n, embed_dim];
    n is first with ``batch_first``. In all masks **True hides**; numbers are added.
    Nothing is causal unless ``tgt_mask`` or ``tgt_is_causal`` says so. Layers
    normalise sums, or what they read with ``norm_first``.
    """

    @checked(embed_dim=FROM_1, num_heads=FROM_1, num_encoder_layers=LAYERS,
             num_decoder_layers=LAYERS, hidden_dim=FROM_1, dropout=SHARE,
             epsilon=FROM_0)
    def __init__(self, embed_dim: int = 512, num_heads: int = 8,
                 num_encoder_layers: int = 6, num_decoder_layers: int = 6,
                 hidden_dim: int = 2048, dropout: float = 0.1,
                 activation: str | Callable = "relu", custom_encoder=None,
                 custom_decoder=None, epsilon: float = 1e-05,
                 batch_first: bool = False, norm_first: bool = False,
                 bias: bool = True):
        super().__init__()
        sizes = (embed_dim, num_heads, hidden_dim, dropout, activation, norm_first,
                 batch_first, epsilon, bias)
        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*sizes), num_encoder_layers,
            LayerNorm(embed_dim, epsilon, bias=bias))
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*sizes), num_decoder_layers,
            LayerNorm(embed_dim, epsilon, bias=bias))
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.batch_first = batch_first
        for parameter in self.parameters():
            if len(parameter.shape) > 1:
                init.xavier_uniform_(parameter)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None,
                src_key_padding_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, src_is_causal: bool = False,
                tgt_is_causal: bool = False, memory_is_causal: bool = False):
        memory = self.encoder(src, is_causal=src_is_causal, src_mask=src_mask,
                              src_key_padding_mask=src_key_padding_mask)
        return self.decoder(tgt, memory, memory_mask=memory_mask,
                            is_causal=tgt_is_causal, tgt_mask=tgt_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask,
                            memory_is_causal=memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(size: int):
        """The mask [size, size] in which each place sees itself and those before
        it alone: 0, and -inf above the diagonal."""
        size = whole("generate_square_subsequent_mask", "size", size, FROM_0)
        above = _ops.triu(_ops.full([size, size], 1.0, "float32"), 1)
        return _ops.where(_ops.greater_than(above, 0.0),
                          _ops.full([], -math.inf, "float32"),
                          _ops.full([], 0.0, "float32"))
