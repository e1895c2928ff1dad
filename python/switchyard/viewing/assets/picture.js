// SPDX-License-Identifier: Apache-2.0
// The graph, drawn on a canvas: what is in sight, so that thousands of
// operations can be moved and zoomed without a stall.

const COLOURS = {
  cpu: ["#e3f0fb", "#5b92c0", "kernel of Switchyard"],
  onednn: ["#dff3ea", "#3f9673", "oneDNN"],
  gpu: ["#f3eafb", "#8a62b3", "GPU"],
  fluid: ["#fff3d6", "#c39325", "PaddlePaddle's kernel"],
  open: ["#fdf9df", "#b5a642", "open until shapes are known"],
  control: ["#ece8f7", "#7b6bb0", "branch or loop"],
  transform: ["#f1f1f1", "#a7a7a7", "copy or reorder for a kernel"],
  fallback: ["#fbd9d5", "#b3261e", "fallback or no kernel"],
  other: ["#f7f9fb", "#8a97a5", "other"],
  group: ["#ffffff", "#5a6876", "group: a double click opens it"],
  port: ["#1f3a52", "#1f3a52", "input or output"],
};

const canvas = find("canvas");
const pen = canvas.getContext("2d");
const camera = {x: 0, y: 0, zoom: 1};
let scene = {boxes: [], lines: [], width: 1, height: 1};
let chosen = null;
let byTime = false;

function colourOf(item) {
  if (item.role) return COLOURS.port;
  if (item.isGroup && item.operation < 0) return COLOURS.group;
  const operation = data.operations[item.operation];
  if (byTime && wholeTime) {
    const share = (ownTime.get(item.operation) || 0) / wholeTime;
    const light = 97 - 52 * Math.min(1, Math.sqrt(share * 4));
    return [`hsl(18 90% ${light}%)`, "#a8552f"];
  }
  return COLOURS[kindOf(operation)] || COLOURS.other;
}

function hasFallback(item) {
  if (!item.isGroup) {
    return item.operation >= 0 &&
        kindOf(data.operations[item.operation]) === "fallback";
  }
  if (item.fallback === undefined) {
    item.fallback = item.members.some(hasFallback);
  }
  return item.fallback;
}

function fitCanvas() {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return ratio;
}

function drawLines(left, top, right, bottom) {
  for (const {points, count} of scene.lines) {
    const xs = points.map(([x]) => x);
    const ys = points.map(([, y]) => y);
    if (Math.max(...xs) < left || Math.min(...xs) > right ||
        Math.max(...ys) < top || Math.min(...ys) > bottom) continue;
    pen.strokeStyle = "#94a1af";
    pen.lineWidth = Math.min(4, 1 + Math.log2(count) * 0.7);
    pen.beginPath();
    pen.moveTo(...points[0]);
    for (let i = 1; i < points.length - 1; ++i) {
      const [x, y] = points[i];
      const [nextX, nextY] = points[i + 1];
      const last = i === points.length - 2;
      pen.quadraticCurveTo(x, y, last ? nextX : (x + nextX) / 2,
          last ? nextY : (y + nextY) / 2);
    }
    if (points.length === 2) pen.lineTo(...points[1]);
    pen.stroke();
    if (camera.zoom > 0.35) drawArrow(points);
  }
}

function drawArrow(points) {
  const [x, y] = points[points.length - 1];
  const [fromX, fromY] = points[points.length - 2];
  const angle = Math.atan2(y - fromY, x - fromX);
  pen.fillStyle = "#94a1af";
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x - 7 * Math.cos(angle - 0.4), y - 7 * Math.sin(angle - 0.4));
  pen.lineTo(x - 7 * Math.cos(angle + 0.4), y - 7 * Math.sin(angle + 0.4));
  pen.fill();
}

function roundBox(x, y, width, height, radius) {
  pen.beginPath();
  pen.roundRect(x, y, width, height, radius);
}

function drawBox({item, x, y, width, height}) {
  const open = item.opened && item.placed;
  const [fill, edge] = colourOf(item);
  roundBox(x, y, width, height, open ? 9 : item.role ? 16 : 6);
  pen.fillStyle = open ? (item.depth % 2 ? "#f6f8fa" : "#fdfdfe") : fill;
  pen.fill();
  const red = hasFallback(item);
  pen.strokeStyle = item === chosen ? "#e07a00" : red ? "#b3261e" : edge;
  pen.lineWidth = item === chosen ? 3 : red ? 2 : 1;
  if (item.isGroup && !open) {
    pen.stroke();
    roundBox(x + 3, y + 3, width - 6, height - 6, 4);
    pen.lineWidth = 1;
  }
  pen.stroke();
  if (camera.zoom < 0.28) return;
  pen.fillStyle = item.role ? "#fff" : "#1d2733";
  pen.font = TITLE_FONT;
  if (open) {
    pen.textAlign = "left";
    pen.fillText("− " + clipped(shown(item.title), 50), x + 10, y + 16);
    return;
  }
  const [title, small] = linesOf(item);
  pen.textAlign = "center";
  pen.fillText(title, x + width / 2, y + 15);
  if (camera.zoom < 0.45) return;
  pen.font = SMALL_FONT;
  pen.fillStyle = item.role ? "#cfdbe6" : "#51606e";
  pen.fillText(small, x + width / 2, y + 28);
}

// Where the picture shows the item, or the closed group around it.
function boxOf(item) {
  for (let each = item; each; each = each.parent) {
    const box = scene.boxes.find((one) => one.item === each);
    if (box) return box;
  }
  return null;
}

function liesIn(item, group) {
  for (let each = item; each; each = each.parent) {
    if (each === group) return true;
  }
  return false;
}

// Lines from the chosen item to what it reads and what reads it.
function drawNeighbours() {
  const box = chosen && boxOf(chosen);
  if (!box || box.item !== chosen) return;
  for (const [others, colour] of [[makersOf(chosen), "#c2571a"],
    [readersFrom(chosen), "#1b6ca8"]]) {
    for (const other of new Set(others)) {
      if (isHidden(other)) continue;
      const end = boxOf(other);
      if (!end || liesIn(chosen, end.item)) continue;
      pen.strokeStyle = colour;
      pen.lineWidth = 1.6 / Math.min(1, Math.sqrt(camera.zoom));
      pen.beginPath();
      const y = end.y + (end.y < box.y ? end.height : 0);
      const from = box.y + (end.y < box.y ? 0 : box.height);
      pen.moveTo(box.x + box.width / 2, from);
      pen.bezierCurveTo(box.x + box.width / 2, (y + from) / 2,
          end.x + end.width / 2, (y + from) / 2, end.x + end.width / 2, y);
      pen.stroke();
    }
  }
}

function draw() {
  const ratio = fitCanvas();
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const scale = camera.zoom * ratio;
  pen.setTransform(scale, 0, 0, scale, camera.x * ratio, camera.y * ratio);
  const left = -camera.x / camera.zoom;
  const top = -camera.y / camera.zoom;
  const right = left + canvas.clientWidth / camera.zoom;
  const bottom = top + canvas.clientHeight / camera.zoom;
  const isSeen = (box) => box.x < right && box.y < bottom &&
      box.x + box.width > left && box.y + box.height > top;
  const seen = scene.boxes.filter(isSeen);
  // Open groups lie below the lines, all else above.
  seen.filter(({item}) => item.opened && item.placed).forEach(drawBox);
  drawLines(left, top, right, bottom);
  seen.filter(({item}) => !(item.opened && item.placed)).forEach(drawBox);
  drawNeighbours();
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

function fit() {
  const zoom = Math.min((canvas.clientWidth - 40) / scene.width,
      (canvas.clientHeight - 120) / scene.height, 1.3);
  camera.zoom = Math.max(0.02, zoom);
  camera.x = (canvas.clientWidth - scene.width * camera.zoom) / 2;
  camera.y = Math.max(60,
      (canvas.clientHeight - scene.height * camera.zoom) / 2);
  redraw();
}

// The top at a size that can be read, where all would be too small.
function fitReadable() {
  fit();
  if (camera.zoom >= 0.55) return;
  camera.zoom = 0.85;
  const first = scene.boxes.length ? scene.boxes.reduce((one, other) =>
    other.y < one.y ? other : one) : {x: 0, width: scene.width};
  camera.x = canvas.clientWidth / 2 - (first.x + first.width / 2) * camera.zoom;
  camera.y = 70;
  redraw();
}

function zoomBy(factor, x, y) {
  const zoom = Math.min(4, Math.max(0.02, camera.zoom * factor));
  camera.x = x - (x - camera.x) * zoom / camera.zoom;
  camera.y = y - (y - camera.y) * zoom / camera.zoom;
  camera.zoom = zoom;
  redraw();
}

// The innermost item at a place of the canvas, or null.
function itemAt(x, y) {
  const left = (x - camera.x) / camera.zoom;
  const top = (y - camera.y) / camera.zoom;
  let found = null;
  for (const box of scene.boxes) {
    if (left >= box.x && left <= box.x + box.width && top >= box.y &&
        top <= box.y + box.height) found = box.item;
  }
  return found;
}

// Places what is open and draws it; `keep` stays where it is on the screen.
async function refresh(keep) {
  const before = keep && boxOf(keep);
  const busy = setTimeout(() => find("busy").classList.add("chosen"), 150);
  await layOut(root);
  clearTimeout(busy);
  find("busy").classList.remove("chosen");
  scene = sceneOf();
  const after = keep && boxOf(keep);
  if (before && after) {
    camera.x += (before.x - after.x) * camera.zoom;
    camera.y += (before.y - after.y) * camera.zoom;
  }
  redraw();
}

async function toggle(group) {
  group.opened = !group.opened;
  unplace(group);
  await refresh(group);
}

// Opens what is around an item, and shows it in the middle.
async function reveal(item) {
  for (let each = item.parent; each; each = each.parent) {
    if (!each.opened) {
      each.opened = true;
      unplace(each);
    }
  }
  if (isHidden(item)) {
    find("once").checked = true;
    showOnce(true);
  }
  await refresh(null);
  const box = boxOf(item);
  camera.zoom = Math.max(camera.zoom, 0.8);
  camera.x = canvas.clientWidth / 2 - (box.x + box.width / 2) * camera.zoom;
  camera.y = canvas.clientHeight / 2 -
      (box.y + Math.min(box.height, 200) / 2) * camera.zoom;
  choose(item);
}

function showOnce(on) {
  showsOnce = on;
  findEdges();
  (function forget(group) {
    group.placed = null;
    group.members.filter((item) => item.isGroup).forEach(forget);
  })(root);
}
