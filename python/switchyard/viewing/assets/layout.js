// SPDX-License-Identifier: Apache-2.0
// Where the parts of each open group lie. A library places the members of one
// group at a time, in a worker, so that the page stays quick.

const HEADER = 24;  // Of an open group.
const MARGIN = 12;
const HEIGHT = 36;  // Of an operation.

const tickets = new Map();  // [task, what takes its answer].
let lastTicket = 0;
let worker = startWorker();

// A worker where the browser lets the page have one, else null.
function startWorker() {
  const source = find("library").textContent + "\n" +
      find("worker").textContent +
      "\nonmessage = (event) => postMessage(place(event.data));";
  try {
    const made = new Worker(URL.createObjectURL(
        new Blob([source], {type: "text/javascript"})));
    made.onmessage = (event) => finish(event.data.ticket, event.data);
    made.onerror = () => {
      worker = null;
      for (const [ticket, [task]] of [...tickets]) {
        finish(ticket, placeInRows(task.sizes));
      }
    };
    return made;
  } catch (error) {
    return null;
  }
}

function finish(ticket, answer) {
  const [, done] = tickets.get(ticket);
  tickets.delete(ticket);
  done(answer);
}

function placed(sizes, edges) {
  return new Promise((done) => {
    const task = {ticket: ++lastTicket, sizes, edges};
    if (worker) {
      tickets.set(task.ticket, [task, done]);
      worker.postMessage(task);
    } else {
      setTimeout(() => done(placeInRows(sizes)), 0);
    }
  });
}

// Without a worker: one below the other, which is their order.
function placeInRows(sizes) {
  const width = Math.max(1, ...sizes.map(([each]) => each));
  let y = 0;
  const places = sizes.map(([each, height]) => {
    const at = [(width - each) / 2, y];
    y += height + 24;
    return at;
  });
  return {width, height: Math.max(1, y - 24), places, lines: null};
}

const ruler = document.createElement("canvas").getContext("2d");
const TITLE_FONT = '600 12px system-ui, "DejaVu Sans", sans-serif';
const SMALL_FONT = '10px system-ui, "DejaVu Sans", sans-serif';

function clipped(text, most) {
  return text.length <= most ? text : text.slice(0, most - 1) + "…";
}

// The two lines of what is no open group.
function linesOf(item) {
  if (item.role) {
    return [clipped(shown(item.title), 30),
      clipped(shown(typeText(item.port.type)), 34)];
  }
  if (item.isGroup) {
    const noun = item.count === 1 ? " operation" : " operations";
    return [clipped(shown(item.title), 34), item.count + noun];
  }
  const results = data.operations[item.operation].results;
  const first = results.length ? typeText(results[0][1]) : "";
  return [clipped(item.title, 30), clipped(shown(first), 30)];
}

function sizeOf(item) {
  if (item.opened && item.placed) {
    return [item.placed.width + 2 * MARGIN,
      item.placed.height + HEADER + MARGIN];
  }
  if (!item.size) {
    const [title, small] = linesOf(item);
    ruler.font = TITLE_FONT;
    const wide = ruler.measureText(title).width;
    ruler.font = SMALL_FONT;
    item.size = [Math.ceil(Math.max(74, wide + 22,
        ruler.measureText(small).width + 22)), HEIGHT];
  }
  return item.size;
}

// Places an open group and those in it; what is placed already stays.
async function layOut(group) {
  if (!group.opened || group.placed) return;
  const members = shownMembers(group);
  await Promise.all(members.filter((item) => item.isGroup).map(layOut));
  const sizes = members.map(sizeOf);
  const numbers = new Map(members.map((item, i) => [item, i]));
  const edges = [];
  const counts = [];
  for (const [from, ends] of edgesOf.get(group) || []) {
    for (const [to, count] of ends) {
      if (!numbers.has(from) || !numbers.has(to)) continue;
      edges.push([numbers.get(from), numbers.get(to)]);
      counts.push(count);
    }
  }
  const answer = await placed(sizes, edges);
  const lines = answer.lines || edges.map(([from, to]) =>
    [from, to].map((number) => [
      answer.places[number][0] + sizes[number][0] / 2,
      answer.places[number][1] + sizes[number][1] / 2]));
  ruler.font = TITLE_FONT;
  const title = ruler.measureText(shown(group.title)).width + 30;
  group.placed = {
    members, counts, lines, places: answer.places, sizes,
    width: Math.max(answer.width, group.parent ? Math.min(title, 420) : 0),
    height: answer.height,
  };
}

// Forgets the places of a group and of those around it.
function unplace(group) {
  for (let each = group; each; each = each.parent) each.placed = null;
}

// All that is drawn, with places in one plane: [{item, x, y, width, height}],
// outer ones first, and lines [{points, count}].
function sceneOf() {
  const boxes = [];
  const lines = [];
  function add(group, x, y) {
    const made = group.placed;
    made.members.forEach((item, i) => {
      const left = x + made.places[i][0];
      const top = y + made.places[i][1];
      const [width, height] = made.sizes[i];
      boxes.push({item, x: left, y: top, width, height});
      if (item.opened && item.placed) {
        add(item, left + MARGIN, top + HEADER);
      }
    });
    made.lines.forEach((points, i) => lines.push({
      points: points.map(([px, py]) => [x + px, y + py]),
      count: made.counts[i],
    }));
  }
  add(root, 0, 0);
  return {boxes, lines, width: root.placed.width, height: root.placed.height};
}
