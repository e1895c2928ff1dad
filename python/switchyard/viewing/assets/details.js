// SPDX-License-Identifier: Apache-2.0
// What is known of the chosen operation: its kernel first, then why.

function makersOf(item) {
  if (item.role) return item.role === "fetch" ?
    [makerOf.get(item.port.value)].filter(Boolean) : [];
  if (item.operation < 0) return [];
  const operation = data.operations[item.operation];
  return [...operation.operands, ...operation.captured]
      .map((value) => makerOf.get(value)).filter(Boolean);
}

function readersFrom(item) {
  const values = item.role === "feed" ? [item.port.value] :
    item.operation < 0 ? [] :
    data.operations[item.operation].results.map(([value]) => value);
  return values.flatMap((value) => readersOf.get(value) || []);
}

function choose(item) {
  chosen = item;
  redraw();
  const panel = find("details");
  panel.replaceChildren(...(item ? describe(item) : describeProgram()));
  panel.scrollTop = 0;
}

function facts(rows) {
  const table = element("table", "facts");
  for (const [name, value] of rows) {
    if (value === null || value === undefined || value === "") continue;
    table.append(element("tr", "", [element("td", "", name),
      value instanceof Node ? element("td", "", [value]) :
        element("td", "mono", value)]));
  }
  return table;
}

// A link to an item.
function link(item, text) {
  const made = element("a", "", text);
  made.onclick = () => reveal(item);
  return made;
}

function describeProgram() {
  const parts = [element("h2", "", data.title),
    element("p", "quiet", "A click on an operation shows which kernel runs " +
      "it and why; a double click opens a group.")];
  for (const note of data.notes) parts.push(element("p", "bad", note));
  parts.push(element("h3", "", "Inputs"));
  data.inputs.forEach((text) => parts.push(element("div", "mono", text)));
  parts.push(element("h3", "", "Outputs"));
  data.outputs.forEach((text) => parts.push(element("div", "mono", text)));
  const counts = new Map();
  for (const operation of data.operations) {
    if (!operation.call || operation.hidden) continue;
    const key = shortName(operation);
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  const rows = [...counts].sort((one, other) => other[1] - one[1]);
  parts.push(element("h3", "", "Operations of each run"), facts(rows));
  if (Object.keys(data.relaxed).length) {
    parts.push(element("h3", "", "Relaxed"),
        facts(Object.entries(data.relaxed)));
  }
  return parts;
}

function describe(item) {
  if (item.role) {
    return [element("h2", "", item.title), facts([
      ["", item.role === "feed" ? "an input of the program" :
        "an output of the program"],
      ["type", typeText(item.port.type)]])];
  }
  if (item.operation >= 0) return describeOperation(item);
  const parts = [element("h2", "", item.title),
    element("p", "quiet", item.count + " operations")];
  let time = 0;
  (function add(group) {
    for (const member of group.members) {
      time += member.operation >= 0 ? ownTime.get(member.operation) || 0 : 0;
      if (member.isGroup) add(member);
    }
  })(item);
  if (wholeTime) {
    parts.push(facts([["time", timeText(time)],
      ["share", (100 * time / wholeTime).toFixed(1) + " %"]]));
  }
  return parts;
}

function describeOperation(item) {
  const operation = data.operations[item.operation];
  const call = operation.call;
  const parts = [element("h2", "", shortName(operation))];
  const kernel = kernelOf(operation);
  if (kernel) {
    const bad = call && (call.fallback || call.error);
    const box = element("div", "kernel mono" + (bad ? " bad" : ""), kernel);
    box.id = "kernel";
    parts.push(box);
    if (call && call.fallback) {
      parts.push(element("p", "bad", "A fallback: " + call.place +
        " has no kernel for this call, so it runs on the host."));
    }
  }
  const reads = operation.operands.map((value) => sizes.get(value));
  const sum = (list) => list.some((size) => size === undefined) ? null :
    list.reduce((one, other) => one + other, 0);
  const time = ownTime.get(item.operation);
  parts.push(facts([
    ["location", call ? call.location : ""],
    ["place", call ? call.place : ""],
    ["chosen by", call ? `${call.dtype} of ${call.dtype_source}` : ""],
    ["policy", call ? call.policy : ""],
    ["inside of", call ? call.blocks.join(", ") : ""],
    ["reads", reads.length ? bytesText(sum(reads)) : ""],
    ["writes", bytesText(sum(operation.results.map(
        ([value]) => sizes.get(value))))],
    ["time", time === undefined ? "" : timeText(time)],
    ["share", time === undefined ? "" :
      (100 * time / wholeTime).toFixed(1) + " %"],
    ["repeated", operation.hidden ? "no: done once, and kept" : ""],
    ["open", call ? call.open.join("; ") : ""]]));
  parts.push(...describeValues(item, operation));
  if (operation.attributes) {
    parts.push(element("h3", "", "Attributes"),
        element("div", "mono", operation.attributes));
  }
  if (call) parts.push(...describeChoice(call));
  return parts;
}

function describeValues(item, operation) {
  const parts = [];
  if (operation.operands.length) {
    parts.push(element("h3", "", "Reads"));
    const given = operation.call ? operation.call.inputs.filter(
        (input) => input.dtype !== null) : [];
    operation.operands.forEach((value, i) => {
      const maker = makerOf.get(value);
      const line = element("div", "mono");
      const input = given.length === operation.operands.length ? given[i] :
        null;
      if (input) line.append(shown(input.name) + ": ");
      line.append(maker ? link(maker, value) : element("span", "", value));
      line.append(" " + shown(input && input.shape ?
        `${input.dtype}[${input.shape.join(", ")}]` +
          (input.contiguous === false ? ", with gaps" : "") :
        typeText(typeOf.get(value) || "")));
      parts.push(line);
    });
  }
  if (operation.results.length) parts.push(element("h3", "", "Makes"));
  for (const [value, type] of operation.results) {
    parts.push(element("div", "mono", value + " " + typeText(type)));
    for (const reader of new Set(readersOf.get(value) || [])) {
      parts.push(element("div", "mono", [element("span", "quiet", "  → "),
        link(reader, reader.title)]));
    }
  }
  return parts;
}

function describeChoice(call) {
  const parts = [element("h3", "", "Candidates, in order")];
  for (const candidate of call.candidates) {
    const state = candidate.outcome === "chosen" ? " chosen" :
      candidate.subject ? " refused" : "";
    const box = element("div", "candidate" + state, [
      element("div", "mono", kernelText(candidate)),
      element("div", state === " chosen" ? "" : "quiet", candidate.subject ?
        `${candidate.outcome}: ${candidate.subject} must be ` +
          `${candidate.expected}, got ${candidate.actual}` :
        candidate.outcome)]);
    parts.push(box);
  }
  if (!call.candidates.length) {
    parts.push(element("p", "quiet", call.composed ?
      "none: it is composed of " + call.calls.length + " calls" : "none"));
  }
  const steps = call.steps.length ? call.steps.map((step) =>
    `${step.op} of ${step.argument || step.role}: ${step.kernel}, ` +
      `${bytesText(step.bytes)}` + (step.kept ? ", kept" : "")) :
    [...call.transforms, ...call.output_transforms].map((each) =>
      `${each.op} of ${each.input || each.output}` +
        (each.layout ? " to " + each.layout : ""));
  if (steps.length) {
    parts.push(element("h3", "", "Transforms"));
    steps.forEach((text) => parts.push(element("div", "mono", text)));
  }
  return parts;
}

// Types and bytes by value.
const typeOf = new Map();
const sizes = new Map();
for (const port of data.ports) typeOf.set(port.value, port.type);
for (const block of data.blocks) {
  for (const [value, type] of block.arguments) typeOf.set(value, type);
}
for (const operation of data.operations) {
  for (const [value, type, size] of operation.results) {
    typeOf.set(value, type);
    if (size !== null) sizes.set(value, size);
  }
}
for (const [value, size] of Object.entries(data.sizes)) sizes.set(value, size);
