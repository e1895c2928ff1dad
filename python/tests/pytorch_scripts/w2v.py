# SPDX-License-Identifier: Apache-2.0
# skip-gram with negative sampling, sparse gradients, SparseAdam; vocabulary of 20000
import time, numpy as np, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0); torch.set_num_threads(1); rng = np.random.default_rng(0)
V, D, K, B = 500, 16, 5, 128
zipf = 1 / np.arange(1, V + 1); zipf /= zipf.sum(); corpus = rng.choice(V, 6000, p=zipf); corpus[1::2] = (corpus[::2] * 7 + 3) % V
freq = np.bincount(corpus, minlength=V) ** .75; freq = torch.from_numpy(freq / freq.sum())
class SkipGram(nn.Module):
    def __init__(self):
        super().__init__(); self.u = nn.Embedding(V, D, sparse=True); self.v = nn.Embedding(V, D, sparse=True)
        nn.init.uniform_(self.u.weight, -.5 / D, .5 / D); nn.init.zeros_(self.v.weight)
    def forward(self, c, o, neg):
        u = self.u(c); pos = (u * self.v(o)).sum(-1); n = torch.bmm(self.v(neg), u.unsqueeze(2)).squeeze(2)
        return -(F.logsigmoid(pos) + F.logsigmoid(-n).sum(1)).mean()
m = SkipGram(); opt = torch.optim.SparseAdam(list(m.parameters()), lr=0.01); t0 = time.process_time()
for it in range(12):
    i = torch.from_numpy(rng.integers(1, len(corpus) - 1, B)).numpy(); c = torch.from_numpy(corpus[i]); o = torch.from_numpy(corpus[i + rng.choice([-1, 1], B)])
    neg = torch.multinomial(freq, B * K, replacement=True).view(B, K)
    opt.zero_grad(); l = m(c, o, neg); l.backward(); opt.step()
    if it % 6 == 5: print(it, "%.6f" % l.item(), "cpu %.2f" % (time.process_time() - t0))
