// SPDX-License-Identifier: Apache-2.0
// The timeline of a run, and memory over its steps.

const tip = element("div", "tip");
document.body.append(tip);

// A canvas that shows boxes [{x, y, width, height, colour, text, pick}] over an
// axis from 0 to `extent`; the wheel zooms, a drag moves, a click picks.
class Chart {
  constructor(parent, height, extent, boxes, axisText) {
    Object.assign(this, {extent, boxes, axisText, height});
    this.from = 0;
    this.to = extent;
    this.canvas = document.createElement("canvas");
    this.canvas.style.height = height + "px";
    parent.append(this.canvas);
    this.listen();
    requestAnimationFrame(() => this.draw());
  }

  xOf(at) {
    return (at - this.from) / (this.to - this.from) * this.canvas.clientWidth;
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    this.canvas.width = width * ratio;
    this.canvas.height = this.height * ratio;
    const ink = this.canvas.getContext("2d");
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.font = SMALL_FONT;
    for (const box of this.boxes) {
      const x = this.xOf(box.x);
      const right = this.xOf(box.x + box.width);
      if (right < 0 || x > width) continue;
      ink.fillStyle = box.colour;
      const wide = Math.max(0.7, right - x - 0.4);
      ink.fillRect(x, box.y, wide, box.height);
      if (wide > 40 && box.height > 11 && box.text) {
        ink.fillStyle = "#10202e";
        ink.fillText(clipped(box.text.split("\n")[0],
            Math.floor((wide - 6) / 5.4)), Math.max(x, 0) + 3,
        box.y + box.height / 2 + 3.5);
      }
    }
    ink.fillStyle = "#5a6876";
    for (let i = 0; i <= 6; ++i) {
      const at = this.from + (this.to - this.from) * i / 6;
      ink.textAlign = i === 0 ? "left" : i === 6 ? "right" : "center";
      ink.fillText(this.axisText(at), this.xOf(at), this.height - 4);
    }
    ink.textAlign = "left";
  }

  boxAt(event) {
    const {left, top} = this.canvas.getBoundingClientRect();
    const at = this.from + (event.clientX - left) / this.canvas.clientWidth *
        (this.to - this.from);
    const y = event.clientY - top;
    const reach = (this.to - this.from) / this.canvas.clientWidth;
    return this.boxes.findLast((box) => at >= box.x - reach &&
        at <= box.x + box.width + reach && y >= box.y &&
        y <= box.y + box.height);
  }

  listen() {
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const share = event.offsetX / this.canvas.clientWidth;
      const at = this.from + share * (this.to - this.from);
      const span = Math.min(this.extent, (this.to - this.from) *
          Math.exp(event.deltaY * 0.002));
      this.from = Math.max(0, Math.min(at - share * span, this.extent - span));
      this.to = this.from + span;
      this.draw();
    }, {passive: false});
    let last = null;
    this.canvas.onpointerdown = (event) => {
      last = event.offsetX;
    };
    this.canvas.onpointerup = () => {
      last = null;
    };
    this.canvas.onpointermove = (event) => {
      if (last !== null && event.buttons) {
        const span = this.to - this.from;
        const moved = (last - event.offsetX) / this.canvas.clientWidth * span;
        this.from = Math.max(0, Math.min(this.from + moved,
            this.extent - span));
        this.to = this.from + span;
        last = event.offsetX;
        this.draw();
        return;
      }
      const box = this.boxAt(event);
      tip.style.display = box && box.text ? "block" : "none";
      if (!box) return;
      tip.textContent = box.text;
      tip.style.whiteSpace = "pre-line";
      tip.style.left = Math.min(event.clientX + 12, innerWidth - 430) + "px";
      tip.style.top = event.clientY + 14 + "px";
    };
    this.canvas.onpointerleave = () => {
      tip.style.display = "none";
    };
    this.canvas.onclick = (event) => {
      const box = this.boxAt(event);
      if (box && box.pick) box.pick();
    };
  }
}

function hueOf(text) {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) % 9973;
  return hash % 360;
}

function pickOperation(number) {
  if (number < 0) return null;
  return () => {
    tip.style.display = "none";
    openTab("graph");
    reveal(itemOf[number]);
  };
}

function openRun() {
  const section = find("run");
  if (section.childElementCount) return;
  if (!data.profile) {
    section.append(element("p", "quiet", "No run was measured: ./sy view " +
      "MODEL --input x=FILE.npy --profile, or model.view(feeds, " +
      "profile=True)."));
    return;
  }
  const {steps, rows} = data.profile;
  const start = steps.length ? steps[0][3] : 0;
  const end = Math.max(1, ...steps.map((step) => step[4] - start));
  const places = [...new Set(steps.map((step) => step[6] || "cpu"))];
  // A loop or branch lies above the steps inside of it.
  const boxes = [];
  const deepest = places.map(() => 0);
  let around = [];
  const depths = steps.map((step) => {
    around = around.filter((other) => other[4] > step[3]);
    const depth = around.length;
    around.push(step);
    const lane = places.indexOf(step[6] || "cpu");
    deepest[lane] = Math.max(deepest[lane], depth);
    return depth;
  });
  const tops = [];
  let y = 8;
  for (const depth of deepest) {
    tops.push(y);
    y += 26 * (depth + 1) + 10;
  }
  steps.forEach((step, i) => {
    const [number, op, kernel, from, to, own, place, argument, fallback] = step;
    boxes.push({
      x: from - start, width: to - from, height: 24,
      y: tops[places.indexOf(place || "cpu")] + 26 * depths[i],
      colour: fallback ? "#e5564b" : `hsl(${hueOf(op)} 60% 76%)`,
      text: shown(op) + (argument ? " of " + shown(argument) : "") + "\n" +
          timeText(own) + " of its own\n" + shown(kernel) + "\n" +
          (place ? "on " + place : ""),
      pick: pickOperation(number),
    });
  });
  section.append(element("h2", "", "One run"), element("p", "quiet",
      `${steps.length} steps in ${timeText(end)}, given out by one thread; ` +
      `a row for each place: ${places.join(", ")}. The wheel zooms, a click ` +
      "shows the operation."));
  new Chart(section, y + 20, end, boxes, (at) => timeText(Math.round(at)));
  const table = element("table", "", [element("tr", "", [
    element("th", "number", "time"), element("th", "number", "share"),
    element("th", "number", "calls"), element("th", "", "operator"),
    element("th", "", "kernel")])]);
  for (const [op, kernel, calls, time] of rows) {
    table.append(element("tr", "", [element("td", "number", timeText(time)),
      element("td", "number", (100 * time / wholeTime).toFixed(1) + " %"),
      element("td", "number", calls), element("td", "mono", op),
      element("td", "mono", kernel)]));
  }
  section.append(element("h3", "", "By operator and kernel"), table);
}

function openMemory() {
  const section = find("memory");
  if (section.childElementCount) return;
  const {memory} = data;
  if (!memory || !memory.places.length) {
    section.append(element("p", "quiet", memory && memory.why ? memory.why :
      "No memory is planned."));
    return;
  }
  for (const place of memory.places) {
    section.append(element("h2", "", "Planned memory on " + place.place),
        element("p", "quiet", `${bytesText(place.bytes)} for the results ` +
          `between the ${memory.steps.length} steps of a run; each box is one ` +
          "result: from left to right the steps during which it lives, from " +
          "bottom to top its place in the memory."));
    const high = 420;
    const boxes = place.blocks.map(([offset, bytes, first, last]) => ({
      x: first, width: last - first + 1,
      y: high - (offset + bytes) / place.bytes * high,
      height: Math.max(1, bytes / place.bytes * high - 0.5),
      colour: `hsl(${hueOf(memory.steps[first])} 55% 78%)`,
      text: shown(memory.steps[first]) + "\n" +
          `${bytesText(bytes)} at ${bytesText(offset)}\n` +
          `steps ${first} to ${last}`,
      pick: pickOperation(memory.operations[first]),
    }));
    new Chart(section, high + 20, memory.steps.length, boxes, (at) =>
      "step " + Math.round(at));
    const used = new Float64Array(memory.steps.length);
    for (const [, bytes, first, last] of place.blocks) {
      for (let i = first; i <= last; ++i) used[i] += bytes;
    }
    const most = Math.max(1, ...used);
    section.append(element("h3", "",
        `In use at each step: at most ${bytesText(most)}`));
    new Chart(section, 160, memory.steps.length, [...used].map((bytes, i) => ({
      x: i, width: 1, y: 140 - bytes / most * 130,
      height: bytes / most * 130, colour: "#7fb0d6",
      text: `${bytesText(bytes)} in step ${i}: ` + shown(memory.steps[i]),
      pick: pickOperation(memory.operations[i]),
    })), (at) => "step " + Math.round(at));
  }
}
