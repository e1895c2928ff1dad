# SPDX-License-Identifier: Apache-2.0
import sys, time, numpy as np, torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader
torch.manual_seed(0); torch.set_num_threads(1)
rng = np.random.default_rng(0)
N = 64
LABELS = rng.integers(0, 10, N)
MEANS = rng.normal(size=(10, 3, 4, 4)).astype(np.float32).repeat(8, 2).repeat(8, 3)
IMAGES = (MEANS[LABELS] * .5 + rng.normal(size=(N, 3, 32, 32))).astype(np.float32)

class Augmented(Dataset):
    def __len__(self): return N
    def __getitem__(self, i):
        x = torch.from_numpy(IMAGES[i])
        if torch.rand(1).item() < 0.5: x = x.flip(-1)
        x = F.pad(x, (4, 4, 4, 4))
        a, b = torch.randint(0, 9, (2,)).tolist()
        return x[:, a:a + 32, b:b + 32], int(LABELS[i])

class Block(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(i, o, 3, stride, 1, bias=False); self.bn1 = nn.BatchNorm2d(o)
        self.conv2 = nn.Conv2d(o, o, 3, 1, 1, bias=False); self.bn2 = nn.BatchNorm2d(o)
        self.short = nn.Sequential()
        if stride != 1 or i != o:
            self.short = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))
    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += self.short(x)
        return F.relu(y)

class ResNet18(nn.Module):
    def __init__(self, w=4, classes=10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, w, 3, 1, 1, bias=False), nn.BatchNorm2d(w), nn.ReLU(inplace=True))
        layers, i = [], w
        for k, o in enumerate([w, 2 * w, 4 * w, 8 * w]):
            layers += [Block(i, o, 1 if k == 0 else 2), Block(o, o, 1)]; i = o
        self.layers = nn.Sequential(*layers)
        self.fc = nn.Linear(i, classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d): nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
    def forward(self, x):
        x = self.layers(self.stem(x))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))

model = ResNet18()
decay = [p for p in model.parameters() if p.ndim > 1]; rest = [p for p in model.parameters() if p.ndim <= 1]
opt = torch.optim.SGD([{"params": decay, "weight_decay": 5e-4}, {"params": rest, "weight_decay": 0}], lr=0.05, momentum=0.9, nesterov=True)
loader = DataLoader(Augmented(), batch_size=64, shuffle=True, drop_last=True)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=2 * len(loader))
crit = nn.CrossEntropyLoss(label_smoothing=0.1)
for epoch in range(2):
    t = time.process_time(); model.train(); tot = 0
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        l = crit(model(x), y); l.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step(); sched.step(); tot += l.item()
    print(f"epoch {epoch} loss {tot/len(loader):.4f} lr {sched.get_last_lr()[0]:.4f} cpu {time.process_time()-t:.2f}")
model.eval()
with torch.no_grad(): acc = (model(torch.from_numpy(IMAGES)).argmax(1).numpy() == LABELS).mean()
print("acc", acc)
