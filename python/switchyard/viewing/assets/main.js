// SPDX-License-Identifier: Apache-2.0
// Tabs, search, mouse and keys; starts the page.

function openTab(name) {
  for (const each of document.querySelectorAll(".tab, nav button")) {
    each.classList.toggle("chosen", (each.dataset.tab || each.id) === name);
  }
  if (name === "graph") redraw();
  if (name === "stages") openStages();
  if (name === "run") openRun();
  if (name === "memory") openMemory();
}

// What the search looks in, by operation.
const searched = data.operations.map((operation) => [
  shortName(operation), ...operation.results.map(([value]) => value),
  ...operation.operands, kernelOf(operation),
  operation.call ? operation.call.location : "",
  operation.call && operation.call.fallback ? "fallback" : "",
].join("\n").toLowerCase());

function describeSearch() {
  const parts = [element("p", "quiet", "By name, value, kernel, place in a " +
    "file; all words must be there. Enter shows the first.")];
  const offer = (title, numbers) => {
    if (!numbers.length) return;
    parts.push(element("h3", "", title), ...numbers.map(foundRow));
  };
  offer("Fallbacks", data.operations.map((_, i) => i).filter((i) =>
    kindOf(data.operations[i]) === "fallback").slice(0, FOUND));
  offer("Slowest", [...ownTime].filter(([number]) => number >= 0)
      .sort((one, other) => other[1] - one[1]).slice(0, 12)
      .map(([number]) => number));
  return parts;
}

function foundRow(number) {
  const operation = data.operations[number];
  const time = ownTime.get(number);
  const type = operation.results.length ?
    operation.results[0][0] + " " + typeText(operation.results[0][1]) : "";
  const row = element("div", "row", [
    element("div", kindOf(operation) === "fallback" ? "bad" : "",
        shortName(operation) + (time === undefined ? "" :
          ` · ${(100 * time / wholeTime).toFixed(1)} %`)),
    element("small", "", type)]);
  row.onclick = () => {
    find("found").querySelectorAll(".chosen").forEach((other) =>
      other.classList.remove("chosen"));
    row.classList.add("chosen");
    reveal(itemOf[number]);
  };
  return row;
}

const FOUND = 200;
function search(text) {
  const list = find("found");
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [];
  let count = 0;
  if (words.length) {
    searched.forEach((texts, number) => {
      if (!words.every((word) => texts.includes(word))) return;
      if (++count > FOUND) return;
      rows.push(foundRow(number));
    });
    rows.unshift(element("div", "quiet", count === 1 ? "1 operation" :
      count + " operations" + (count > FOUND ? `, the first ${FOUND}` : "")));
  }
  if (!words.length) rows.push(...describeSearch());
  list.replaceChildren(...rows);
}

function listenToPicture() {
  let last = null;
  let moved = false;
  canvas.onpointerdown = (event) => {
    last = [event.clientX, event.clientY];
    moved = false;
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    if (!last) return;
    const x = event.clientX - last[0];
    const y = event.clientY - last[1];
    if (!moved && Math.hypot(x, y) < 4) return;
    moved = true;
    camera.x += x;
    camera.y += y;
    last = [event.clientX, event.clientY];
    redraw();
  };
  canvas.onpointerup = (event) => {
    last = null;
    if (!moved) choose(itemAt(event.offsetX, event.offsetY));
  };
  canvas.ondblclick = (event) => {
    const item = itemAt(event.offsetX, event.offsetY);
    if (item && item.isGroup) toggle(item);
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    zoomBy(Math.exp(-event.deltaY * lines * 0.0015), event.offsetX,
        event.offsetY);
  }, {passive: false});
}

async function openAll(opened) {
  (function each(group) {
    group.opened = opened || group === root;
    group.placed = null;
    group.members.filter((item) => item.isGroup).forEach(each);
  })(root);
  await refresh(null);
  fit();
}

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT") {
      if (event.key === "Escape") event.target.blur();
      if (event.key === "Enter") {
        const first = find("found").querySelector(".row");
        if (first) first.click();
      }
      return;
    }
    const middle = [canvas.clientWidth / 2, canvas.clientHeight / 2];
    if (event.key === "/") {
      event.preventDefault();
      openTab("graph");
      find("search").focus();
    } else if (event.key === "+") {
      zoomBy(1.25, ...middle);
    } else if (event.key === "-") {
      zoomBy(0.8, ...middle);
    } else if (event.key === "0") {
      fit();
    } else if (event.key === "Escape") {
      choose(null);
    }
  });
}

function makeLegend() {
  const kinds = new Set(data.operations.filter((operation) =>
    !operation.hidden).map(kindOf));
  if (data.groups.length > 1) kinds.add("group");
  kinds.add("port");
  for (const [kind, [fill, edge, text]] of Object.entries(COLOURS)) {
    if (!kinds.has(kind)) continue;
    const square = element("i");
    square.style.background = fill;
    square.style.borderColor = edge;
    find("legend").append(element("span", "", [square,
      element("span", "", text)]));
  }
}

async function start() {
  find("title").textContent = shown(data.title);
  find("summary").textContent = shown(data.summary);
  find("summary").title = shown(data.summary);
  document.querySelectorAll("nav button").forEach((button) => {
    button.onclick = () => openTab(button.dataset.tab);
  });
  find("search").oninput = (event) => search(event.target.value);
  find("fit").onclick = fit;
  find("open").onclick = () => openAll(true);
  find("close").onclick = () => openAll(false);
  find("once").onchange = (event) => {
    showOnce(event.target.checked);
    refresh(null);
  };
  find("heat").onchange = (event) => {
    byTime = event.target.checked;
    redraw();
  };
  if (!wholeTime) find("heat-label").remove();
  listenToPicture();
  listenToKeys();
  makeLegend();
  choose(null);
  search("");
  new ResizeObserver(redraw).observe(find("picture"));
  await refresh(null);
  fitReadable();
  draw();
  document.body.dataset.ready = String(Math.round(performance.now()));
}
start();
