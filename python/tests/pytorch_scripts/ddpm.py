# SPDX-License-Identifier: Apache-2.0
# DDPM on 16x16 blobs: small U-Net with time embedding, GroupNorm, attention in the middle, EMA, sampling
import math, time, copy, numpy as np, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0); torch.set_num_threads(1)
rng = np.random.default_rng(0)
def images(n):
    g = np.arange(16); c = rng.uniform(4, 12, (n, 2)); r = rng.uniform(1.5, 3, n)
    return (2 * np.exp(-(((g[None, :, None] - c[:, :1, None]) ** 2 + (g[None, None] - c[:, 1:, None]) ** 2) / (2 * r[:, None, None] ** 2))) - 1).astype(np.float32)[:, None]
T = 6; betas = torch.linspace(1e-4, 0.05, T); alphas = 1 - betas; abar = torch.cumprod(alphas, 0)
def time_embedding(t, d):
    f = torch.exp(-math.log(10000) * torch.arange(d // 2) / (d // 2)); a = t[:, None].float() * f[None]
    return torch.cat([a.sin(), a.cos()], -1)
class Res(nn.Module):
    def __init__(self, i, o, d):
        super().__init__()
        self.n1 = nn.GroupNorm(4, i); self.c1 = nn.Conv2d(i, o, 3, padding=1); self.t = nn.Linear(d, o)
        self.n2 = nn.GroupNorm(4, o); self.c2 = nn.Conv2d(o, o, 3, padding=1)
        self.skip = nn.Conv2d(i, o, 1) if i != o else nn.Identity()
    def forward(self, x, t):
        h = self.c1(F.silu(self.n1(x))) + self.t(t)[:, :, None, None]
        return self.c2(F.silu(self.n2(h))) + self.skip(x)
class Attn(nn.Module):
    def __init__(self, c): super().__init__(); self.n = nn.GroupNorm(4, c); self.qkv = nn.Conv2d(c, 3 * c, 1); self.o = nn.Conv2d(c, c, 1)
    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.n(x)).reshape(b, 3, c, h * w).transpose(-1, -2).unbind(1)
        return x + self.o(F.scaled_dot_product_attention(q, k, v).transpose(-1, -2).reshape(b, c, h, w))
class UNet(nn.Module):
    def __init__(self, w=8, d=16):
        super().__init__(); self.d = d
        self.temb = nn.Sequential(nn.Linear(d, d), nn.SiLU(), nn.Linear(d, d)); self.inp = nn.Conv2d(1, w, 3, padding=1)
        self.d1 = Res(w, w, d); self.down = nn.Conv2d(w, 2 * w, 3, 2, 1); self.d2 = Res(2 * w, 2 * w, d); self.mid = Attn(2 * w)
        self.up = nn.ConvTranspose2d(2 * w, w, 4, 2, 1); self.u1 = Res(2 * w, w, d); self.out = nn.Conv2d(w, 1, 3, padding=1)
    def forward(self, x, t):
        e = self.temb(time_embedding(t, self.d))
        a = self.d1(self.inp(x), e); h = self.mid(self.d2(self.down(a), e))
        return self.out(self.u1(torch.cat([self.up(h), a], 1), e))
net = UNet(); ema = copy.deepcopy(net).requires_grad_(False); opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
print("parameters", sum(p.numel() for p in net.parameters()))
c0 = time.process_time()
for it in range(6):
    x0 = torch.from_numpy(images(32)); t = torch.randint(0, T, (32,)); noise = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None, None, None] * x0 + (1 - abar[t]).sqrt()[:, None, None, None] * noise
    loss = F.mse_loss(net(xt, t), noise); opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p, q in zip(ema.parameters(), net.parameters()): p.lerp_(q, 0.05)
    if it % 3 == 2: print(it, "%.6f" % loss.item(), "cpu %.2f" % (time.process_time() - c0))
@torch.no_grad()
def sample(n):
    x = torch.randn(n, 1, 16, 16)
    for i in reversed(range(T)):
        e = ema(x, torch.full((n,), i))
        x = (x - betas[i] / (1 - abar[i]).sqrt() * e) / alphas[i].sqrt()
        if i: x += betas[i].sqrt() * torch.randn_like(x)
    return x.clamp(-1, 1)
c0 = time.process_time(); s = sample(8); print("sample mean %.4f" % s.mean().item(), "cpu %.2f" % (time.process_time() - c0))
