# SPDX-License-Identifier: Apache-2.0
# seq2seq GRU/LSTM with Bahdanau attention, teacher forcing, packed sequences: sorts digits
import time, random, numpy as np, torch, torch.nn as nn, torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence
torch.manual_seed(0); torch.set_num_threads(1); rng = np.random.default_rng(0)
PAD, BOS, V, H = 0, 1, 12, 64
def batch(n):
    seqs = [torch.from_numpy(rng.integers(2, V, rng.integers(4, 11))) for _ in range(n)]
    lens = torch.tensor([len(s) for s in seqs])
    return pad_sequence(seqs, batch_first=True), pad_sequence([s.sort()[0] for s in seqs], batch_first=True), lens
class Encoder(nn.Module):
    def __init__(self):
        super().__init__(); self.emb = nn.Embedding(V, 32, padding_idx=0); self.rnn = nn.LSTM(32, H, batch_first=True, bidirectional=True); self.fc = nn.Linear(2 * H, H)
    def forward(self, x, lens):
        p = pack_padded_sequence(self.emb(x), lens, batch_first=True, enforce_sorted=False)
        o, (h, c) = self.rnn(p)
        o, _ = pad_packed_sequence(o, batch_first=True)
        return o, torch.tanh(self.fc(torch.cat([h[0], h[1]], 1)))
class Decoder(nn.Module):
    def __init__(self):
        super().__init__(); self.emb = nn.Embedding(V, 32); self.wq = nn.Linear(H, H); self.wk = nn.Linear(2 * H, H); self.v = nn.Linear(H, 1, bias=False)
        self.cell = nn.LSTMCell(32 + 2 * H, H); self.out = nn.Linear(H + 2 * H, V)
    def forward(self, tgt, enc, h, mask):
        c = torch.zeros_like(h); k = self.wk(enc); outs = []
        for t in range(tgt.shape[1]):
            s = self.v(torch.tanh(self.wq(h).unsqueeze(1) + k)).squeeze(-1).masked_fill(mask, float("-inf"))
            ctx = torch.bmm(F.softmax(s, dim=-1).unsqueeze(1), enc).squeeze(1)
            h, c = self.cell(torch.cat([self.emb(tgt[:, t]), ctx], 1), (h, c))
            outs.append(self.out(torch.cat([h, ctx], 1)))
        return torch.stack(outs, 1)
class Model(nn.Module):
    def __init__(self): super().__init__(); self.e = Encoder(); self.d = Decoder()
    def forward(self, x, lens, tin):
        enc, h = self.e(x, lens)
        return self.d(tin, enc, h, x == PAD)
m = Model(); opt = torch.optim.RMSprop(m.parameters(), lr=2e-3); t0 = time.process_time()
crit = lambda o, y: F.cross_entropy(o.flatten(0, 1), y.flatten(), ignore_index=PAD)
for it in range(12):
    x, y, lens = batch(32); tin = torch.cat([torch.full((32, 1), BOS), y[:, :-1]], 1)
    opt.zero_grad(); l = crit(m(x, lens, tin), y); l.backward()
    nn.utils.clip_grad_norm_(m.parameters(), 1.0); opt.step()
    if it % 6 == 5: print(it, "%.6f" % l.item(), "cpu %.2f" % (time.process_time() - t0))
