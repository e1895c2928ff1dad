# SPDX-License-Identifier: Apache-2.0
# one-scale YOLO: grid head, GIoU + objectness + class loss, NMS, on squares and crosses
import time, numpy as np, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0); torch.set_num_threads(1); rng = np.random.default_rng(0)
S, G, C = 64, 8, 2
def scene(n):
    im = rng.normal(0, .1, (n, 1, S, S)).astype(np.float32); boxes = []
    for b in range(n):
        bs = []
        for _ in range(rng.integers(1, 4)):
            w = rng.integers(10, 20); x, y = rng.integers(0, S - w, 2); c = rng.integers(0, C)
            if c == 0: im[b, 0, y:y + w, x:x + w] += 1
            else: im[b, 0, y + w // 2 - 1:y + w // 2 + 2, x:x + w] += 1; im[b, 0, y:y + w, x + w // 2 - 1:x + w // 2 + 2] += 1
            bs.append([x, y, x + w, y + w, c])
        boxes.append(np.array(bs, np.float32))
    return torch.from_numpy(im), boxes
def targets(boxes):
    n = len(boxes); obj = np.zeros((n, G, G), np.float32); box = np.zeros((n, G, G, 4), np.float32); cls = np.zeros((n, G, G), np.int64); k = S // G
    for b, bs in enumerate(boxes):
        for x0, y0, x1, y1, c in bs:
            i, j = int((y0 + y1) / 2) // k, int((x0 + x1) / 2) // k
            obj[b, i, j] = 1; box[b, i, j] = x0, y0, x1, y1; cls[b, i, j] = int(c)
    return tuple(map(torch.from_numpy, (obj, box, cls)))
def conv(i, o, s): return nn.Sequential(nn.Conv2d(i, o, 3, s, 1, bias=False), nn.BatchNorm2d(o), nn.LeakyReLU(0.1))
class Yolo(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(1, 16, 2), conv(16, 32, 2), conv(32, 64, 2), conv(64, 64, 1)); self.head = nn.Conv2d(64, 5 + C, 1)
        gy, gx = torch.meshgrid(torch.arange(G), torch.arange(G), indexing="ij")
        self.register_buffer("grid", torch.stack([gx, gy], -1).float())
    def forward(self, x):
        p = self.head(self.body(x)).permute(0, 2, 3, 1)
        xy = (p[..., 0:2].sigmoid() + self.grid) * (S / G); wh = p[..., 2:4].clamp(-4, 4).exp() * 16
        return torch.cat([xy - wh / 2, xy + wh / 2], -1), p[..., 4], p[..., 5:]
def giou(a, b):
    lt = torch.maximum(a[..., :2], b[..., :2]); rb = torch.minimum(a[..., 2:], b[..., 2:]); wh = (rb - lt).clamp(min=0); inter = wh[..., 0] * wh[..., 1]
    area = lambda t: (t[..., 2] - t[..., 0]) * (t[..., 3] - t[..., 1])
    u = area(a) + area(b) - inter; e = (torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])).clamp(min=0); hull = e[..., 0] * e[..., 1] + 1e-7
    return inter / (u + 1e-7) - (hull - u) / hull
def loss_fn(out, target):
    box, obj, cls = out; tobj, tbox, tcls = target; m = tobj > 0
    lo = F.binary_cross_entropy_with_logits(obj, tobj, pos_weight=torch.tensor(4.0))
    return lo + (1 - giou(box[m], tbox[m])).mean() + F.cross_entropy(cls[m], tcls[m])
net = Yolo(); opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4); t0 = time.process_time()
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=4e-3, total_steps=8)
for it in range(8):
    x, b = scene(8); t = targets(b)
    opt.zero_grad(); l = loss_fn(net(x), t); l.backward(); opt.step(); sched.step()
    if it % 4 == 3: print(it, "%.6f" % l.item(), "cpu %.2f" % (time.process_time() - t0))
def nms(boxes, scores, thr=0.5):
    order = scores.argsort(descending=True); keep = []
    while order.numel():
        i = order[0]; keep.append(i.item()); iou = giou(boxes[i][None], boxes[order[1:]]); order = order[1:][iou < thr]
    return keep
net.eval(); x, bs = scene(8); hit = tot = 0; t0 = time.process_time()
with torch.no_grad():
    box, obj, cls = net(x); sc = obj.sigmoid()
    for b in range(8):
        m = sc[b] > 0.4; bb, ss, cc = box[b][m], sc[b][m], cls[b][m].argmax(-1); k = nms(bb, ss)
        for g in bs[b]:
            tot += 1; g = torch.from_numpy(g)
            hit += any(giou(bb[i], g[:4]).item() > .5 and cc[i].item() == g[4].item() for i in k)
print("recall %.3f" % (hit / tot), "cpu %.2f" % (time.process_time() - t0))
