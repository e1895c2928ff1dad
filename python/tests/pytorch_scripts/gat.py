# SPDX-License-Identifier: Apache-2.0
# node classification on a random block graph: 2-layer GAT by hand (scatter softmax, index_add), then GCN with sparse adjacency
import time, numpy as np, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0); torch.set_num_threads(1)
rng = np.random.default_rng(0); N, C, D = 120, 4, 32
lab = rng.integers(0, C, N); X = (np.eye(C, D)[lab] * .7 + rng.normal(size=(N, D))).astype(np.float32)
P = np.where(lab[:, None] == lab[None], .02, .002); A = rng.random((N, N)) < P; A |= A.T; np.fill_diagonal(A, True)
src, dst = map(torch.from_numpy, np.nonzero(A)); x = torch.from_numpy(X); y = torch.from_numpy(lab)
train = torch.zeros(N, dtype=torch.bool); train[torch.randperm(N)[:40]] = True
class GAT(nn.Module):
    def __init__(self, i, o, heads=4):
        super().__init__(); self.h, self.o = heads, o
        self.lin = nn.Linear(i, heads * o, bias=False); self.a_s = nn.Parameter(torch.empty(heads, o)); self.a_d = nn.Parameter(torch.empty(heads, o))
        nn.init.xavier_uniform_(self.a_s); nn.init.xavier_uniform_(self.a_d)
    def forward(self, x, src, dst):
        n = x.size(0); z = self.lin(x).view(n, self.h, self.o)
        e = F.leaky_relu((z * self.a_s).sum(-1)[src] + (z * self.a_d).sum(-1)[dst], 0.2)      # [E, h]
        m = torch.full((n, self.h), -1e9).scatter_reduce(0, dst[:, None].expand_as(e), e, "amax", include_self=False)
        w = (e - m[dst]).exp(); s = torch.zeros(n, self.h).index_add(0, dst, w)
        w = w / s[dst]
        return torch.zeros(n, self.h, self.o).index_add(0, dst, w[..., None] * z[src]).flatten(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.g1 = GAT(D, 8); self.g2 = GAT(32, 8); self.out = nn.Linear(32, C)
    def forward(self, x, src, dst):
        x = F.dropout(F.elu(self.g1(x, src, dst)), 0.3, self.training); return self.out(F.elu(self.g2(x, src, dst)))
net = Net(); opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=5e-4)
t = time.process_time()
for ep in range(20):
    net.train(); opt.zero_grad(); l = F.cross_entropy(net(x, src, dst)[train], y[train]); l.backward(); opt.step()
net.eval(); print("gat loss %.6f acc %.3f cpu %.2f" % (l.item(), (net(x, src, dst).argmax(1) == y)[~train].float().mean().item(), time.process_time() - t))
# GCN with a sparse matrix
deg = torch.zeros(N).index_add(0, dst, torch.ones(len(dst))); val = (deg[src] * deg[dst]).rsqrt()
adj = torch.sparse_coo_tensor(torch.stack([dst, src]), val, (N, N)).coalesce()
w1, w2 = nn.Linear(D, 16), nn.Linear(16, C); opt = torch.optim.Adam([*w1.parameters(), *w2.parameters()], lr=0.01)
t = time.process_time()
for ep in range(20):
    opt.zero_grad(); o = torch.sparse.mm(adj, w2(F.relu(torch.sparse.mm(adj, w1(x))))); l = F.cross_entropy(o[train], y[train]); l.backward(); opt.step()
print("gcn loss %.6f acc %.3f cpu %.2f" % (l.item(), (o.argmax(1) == y)[~train].float().mean().item(), time.process_time() - t))
