// SPDX-License-Identifier: Apache-2.0
// The parts of the picture as a tree: groups, operations, inputs and outputs;
// and which of them give values to which.

// Something with a place in the picture. `members` is null for what has none.
class Item {
  constructor(title, parent) {
    this.title = title;
    this.parent = parent;
    this.members = null;
    this.operation = -1;  // Its number; of control flow, which has members.
    this.role = "";       // "feed" or "fetch" of a port.
    this.opened = false;
    this.placed = null;   // What layout.js says of an open group.
    this.depth = parent ? parent.depth + 1 : 0;
    this.count = 0;       // Operations in it.
  }
  get isGroup() {
    return this.members !== null;
  }
}

const itemOf = [];        // By operation.
const portItems = [];
const makerOf = new Map();  // Value: the item that makes it.

function makeGroup(index, parent) {
  const group = data.groups[index];
  const item = new Item(group.owner >= 0 ?
    shortName(data.operations[group.owner]) : group.title, parent);
  item.members = [];
  item.operation = group.owner;
  if (group.owner >= 0) itemOf[group.owner] = item;
  for (const member of group.members) {
    if (member < 0) {
      item.members.push(makeGroup(-1 - member, item));
      item.count += item.members[item.members.length - 1].count;
    } else {
      const inner = new Item(shortName(data.operations[member]), item);
      inner.operation = member;
      itemOf[member] = inner;
      item.members.push(inner);
      item.count += data.operations[member].hidden ? 0 : 1;
    }
  }
  return item;
}

const root = makeGroup(0, null);
root.opened = true;
for (const port of data.ports) {
  if (port.role !== "feed" && port.role !== "fetch") continue;
  const item = new Item(port.name, root);
  item.role = port.role;
  item.port = port;
  portItems.push(item);
  if (port.role === "feed") {
    makerOf.set(port.value, item);
    root.members.unshift(item);
  } else {
    root.members.push(item);
  }
}
data.operations.forEach((operation, number) => {
  for (const [value] of operation.results) makerOf.set(value, itemOf[number]);
});

// [from, to] of each value that one item makes and another reads.
const uses = [];
const readersOf = new Map();  // Value: items.
function addUse(value, reader) {
  const maker = makerOf.get(value);
  if (!readersOf.has(value)) readersOf.set(value, []);
  readersOf.get(value).push(reader);
  if (maker && maker !== reader) uses.push([maker, reader]);
}
data.operations.forEach((operation, number) => {
  // What inner blocks read, they show themselves.
  for (const value of operation.operands) addUse(value, itemOf[number]);
});
for (const item of portItems) {
  if (item.role === "fetch") addUse(item.port.value, item);
}

let showsOnce = false;
function isHidden(item) {
  return !showsOnce && !item.isGroup && item.operation >= 0 &&
      data.operations[item.operation].hidden;
}

function shownMembers(group) {
  return group.members.filter((member) => !isHidden(member));
}

// The two members of a common group in which the items lie, or null if one lies
// in the other.
function meeting(one, other) {
  while (one.depth > other.depth + 1 && one.parent) one = one.parent;
  while (other.depth > one.depth) other = other.parent;
  while (one.depth > other.depth) one = one.parent;
  while (one && other && one.parent !== other.parent) {
    one = one.parent;
    other = other.parent;
  }
  return one && other && one !== other ? [one, other] : null;
}

// The values between the members of each group: Map(from, Map(to, how many)).
const edgesOf = new Map();
function findEdges() {
  edgesOf.clear();
  for (const [from, to] of uses) {
    if (isHidden(from) || isHidden(to)) continue;
    const pair = meeting(from, to);
    if (!pair) continue;
    const parent = pair[0].parent;
    if (!edgesOf.has(parent)) edgesOf.set(parent, new Map());
    const inside = edgesOf.get(parent);
    if (!inside.has(pair[0])) inside.set(pair[0], new Map());
    const ends = inside.get(pair[0]);
    ends.set(pair[1], (ends.get(pair[1]) || 0) + 1);
  }
}
findEdges();

// Opens groups from outside inwards, as long as not too much is shown.
const SHOWN_AT_FIRST = 160;
function openSome() {
  let count = shownMembers(root).length;
  let level = root.members.filter((item) => item.isGroup);
  while (level.length) {
    const next = [];
    for (const group of level) {
      const more = shownMembers(group).length;
      if (count + more > SHOWN_AT_FIRST) continue;
      group.opened = true;
      count += more;
      next.push(...group.members.filter((item) => item.isGroup));
    }
    level = next;
  }
}
openSome();
