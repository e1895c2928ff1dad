# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers, attention, signals. Each function draws a
case of an operator from draws `g`."""

import numpy as np
from draws import Case


def rnn(g, op):
    T, B, I, H = g.pick(1, 2, 4), g.pick(1, 2), g.pick(1, 3), g.pick(1, 2, 3)
    G_ = {"RNN": 1, "GRU": 3, "LSTM": 4}[op]
    d = g.pick("forward", "reverse", "bidirectional")
    D = 2 if d == "bidirectional" else 1
    dt = g.dtype(0, only="f")
    a = lambda *s: g.array(s, dt, special=0)
    at = {"hidden_size": H}
    if d != "forward" or g.chance():
        at["direction"] = d
    lay = g.pick(0, 1) if g.version >= 14 and g.chance(.3) else 0
    if lay:
        at["layout"] = 1
    ins = [
        a(B, T, I) if lay else a(T, B, I),
        a(D, G_ * H, I),
        a(D, G_ * H, H),
        a(D, 2 * G_ * H) if g.chance(.7) else None,
        np.asarray(g.random.integers(1, T +
                                     1, B), np.int32) if g.chance(.4) else None,
        (a(B, D, H) if lay else a(D, B, H)) if g.chance() else None
    ]
    if op == "LSTM":
        ins.append((a(B, D, H) if lay else a(D, B, H)) if g.chance() else None)
        ins.append(a(D, 3 * H) if g.chance(.4) else None)
        if g.chance(.2):
            at["input_forget"] = 1
    if op == "GRU" and g.chance():
        at["linear_before_reset"] = g.pick(0, 1)
    if g.chance(.2):
        at["clip"] = .5
    if op == "RNN" and g.chance(.3):
        at["activations"] = ["Relu"] * D
    if op == "GRU" and g.chance(.3):
        at["activations"] = ["HardSigmoid", "Softsign"] * D
    if op == "LSTM" and g.chance(.3):
        at["activations"] = ["Sigmoid", "Relu", "Tanh"] * D
    return Case(ins,
                at,
                3 if op == "LSTM" else 2,
                const=[1, 2, 3] if g.chance() else [])


def window(g):
    return Case(
        [np.asarray(g.pick(1, 5, 8), g.dtype())], {
            k: v
            for k, v in (("periodic", g.pick(0, 1)),
                         ("output_datatype", g.pick(1, 11)))
            if g.chance(.7)
        },
        const=[0] if g.chance(.6) else [])


def mel_weights(g):
    return Case([
        np.asarray(g.pick(4, 8), np.int64),
        np.asarray(g.pick(16, 32), np.int64),
        np.asarray(8000, np.int64),
        np.asarray(0., np.float32),
        np.asarray(4000., np.float32)
    ],
                const=[0, 1, 2, 3, 4])


def dft(g):
    sh = (g.pick(1, 2), g.pick(3, 4, 5), g.pick(2, 4), g.pick(1, 2))
    dt = g.dtype(0, only="fd")
    at = {}
    inv = g.pick(0, 1)
    one = g.pick(0, 1) if not inv and sh[-1] == 1 else 0
    if inv:
        at["inverse"] = 1
    if one:
        at["onesided"] = 1
    ax = g.pick(1, 2, -2, -3)
    ln = np.asarray(g.pick(3, 4, 6), np.int64) if g.chance(.4) else None
    if g.version < 20:
        return Case([g.array(sh, dt, special=0), ln], {**at, "axis": ax % 4},
                    const=[1])
    return Case([
        g.array(sh, dt, special=0), ln,
        np.asarray(ax, np.int64) if g.chance(.8) else None
    ],
                at,
                const=[1, 2])


def stft(g):
    dt = g.dtype(0, only="fd")
    L = g.pick(16, 20)
    fl = g.pick(4, 8)
    st = g.pick(2, 4)
    one = g.pick(0, 1)
    return Case([
        g.array((g.pick(1, 2), L, 1), dt, special=0),
        np.asarray(st, np.int64),
        g.array((fl,), dt, special=0) if g.chance(.6) else None,
        np.asarray(fl, np.int64)
    ], {"onesided": one},
                const=[1, 3])


def rotary_embedding(g):
    dt = g.dtype(0, only="fh")
    B, S, N, H = g.pick(1, 2), g.pick(1, 3), g.pick(1, 2), g.pick(4, 8)
    rd = H
    at = {}
    if g.chance(.4):
        rd = H // 2
        at["rotary_embedding_dim"] = rd
    if g.chance():
        at["interleaved"] = g.pick(0, 1)
    x = g.array((B, N, S, H), dt, special=0)
    if g.chance(.4):
        x = g.array((B, S, N * H), dt, special=0)
        at["num_heads"] = N
    if g.chance():
        c = (6, rd // 2)
        pos = np.asarray(g.random.integers(0, 6, (B, S)), np.int64)
    else:
        c = (B, S, rd // 2)
        pos = None
    return Case(
        [x, g.array(c, dt, special=0),
         g.array(c, dt, special=0), pos], at)


def attention(g):
    dt = g.dtype(0, only="fh")
    B, S, L, D, Dv = g.pick(1,
                            2), g.pick(1,
                                       3), g.pick(2,
                                                  4), g.pick(2,
                                                             4), g.pick(2, 3)
    kv = g.pick(1, 2)
    q = kv * g.pick(1, 2)
    at = {}
    d3 = g.chance(.4)
    P = 0
    if d3:
        at.update(q_num_heads=q, kv_num_heads=kv)
        ins = [
            g.array((B, S, q * D), dt, special=0),
            g.array((B, L, kv * D), dt, special=0),
            g.array((B, L, kv * Dv), dt, special=0)
        ]
    else:
        ins = [
            g.array((B, q, S, D), dt, special=0),
            g.array((B, kv, L, D), dt, special=0),
            g.array((B, kv, L, Dv), dt, special=0)
        ]
    past = g.chance(.4)
    if past:
        P = g.pick(1, 2)
    T = L + P
    mask = None
    if g.chance(.6):
        ms = g.pick((S, T), (B, 1, S, T), (B, q, S, T), (1, q, S, T))
        mask = np.asarray(g.random.random(ms) < .7) if g.chance() else g.array(
            ms, dt, special=0)
    ins.append(mask)
    if past:
        ins += [
            g.array((B, kv, P, D), dt, special=0),
            g.array((B, kv, P, Dv), dt, special=0)
        ]
    if g.version >= 24 and not past and g.chance(.3):
        ins += [
            None, None,
            np.asarray(g.random.integers(1, L + 1, B), np.int64)
        ]
    if g.chance(.4):
        at["is_causal"] = 1
    if g.chance(.3):
        at["scale"] = float(np.float32(.7))
    if g.chance(.3):
        at["softcap"] = 2.
    outs = 1
    if past:
        outs = 3
    if past and g.chance(.5):
        outs = 4
        at["qk_matmul_output_mode"] = int(g.random.integers(0, 4))
    if g.version >= 25 and g.chance(.4):
        at["left_window_size"] = g.pick(0, 1, 2)
    if g.version >= 25 and g.chance(.3):
        at["right_window_size"] = g.pick(0, 1)
    return Case(ins, at, outs)


def linear_attention(g):
    dt = g.dtype(0, only="fh")
    B, T, kv, D, Dv = g.pick(1,
                             2), g.pick(1, 3,
                                        5), g.pick(1,
                                                   2), g.pick(2,
                                                              3), g.pick(2, 4)
    q = kv * g.pick(1, 2)
    rule = g.pick("linear", "gated", "delta", "gated_delta")
    at = {"q_num_heads": q, "kv_num_heads": kv, "update_rule": rule}
    a = lambda *s: g.array(s, dt, special=0)
    ins = [
        a(B, T, q * D),
        a(B, T, kv * D),
        a(B, T, kv * Dv),
        a(B, kv, D, Dv) if g.chance() else None, None, None
    ]
    if "gated" in rule:
        ins[4] = -np.abs(a(B, T, g.pick(kv, kv * D)))
    if "delta" in rule:
        ins[5] = g.array((B, T, g.pick(1, kv)), dt, special=0, low=0, high=1)
    if g.chance(.3):
        at["scale"] = float(np.float32(.5))
    return Case(ins, at, 2)


def causal_convolution(g):
    dt = g.dtype(0, only="fh")
    B, C, L, k = g.pick(1, 2), g.pick(1, 3), g.pick(1, 2, 5), g.pick(1, 2, 4)
    a = lambda *s: g.array(s, dt, special=0)
    return Case([
        a(B, C, L),
        a(C, 1, k),
        a(C) if g.chance() else None,
        a(B, C, k - 1) if g.chance() else None
    ], {"activation": g.pick("none", "silu", "swish")} if g.chance(.7) else {},
                2)
