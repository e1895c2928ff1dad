// SPDX-License-Identifier: Apache-2.0
// The lines that two texts of a program share. Values without a name are
// numbered anew in each text, so lines are compared without those numbers.

// What a line is found again by: its results, operator and operands.
function keyOf(line) {
  return line.replace(/%\d+\b/g, "%·").replace(/\b(op|kernel)\.(?=\w+\()/, "")
      .replace(/\) \{.*$/, ")").replace(/ : .*$/, "");
}

function plainOf(line) {
  return line.replace(/%\d+\b/g, "%·");
}

// [[line before or -1, line after or -1]], in order.
function pairsOf(before, after) {
  const left = before.map(keyOf);
  const right = after.map(keyOf);
  const pairs = [];
  align(left, 0, left.length, right, 0, right.length, pairs);
  return pairs;
}

function align(left, l, lEnd, right, r, rEnd, pairs) {
  while (l < lEnd && r < rEnd && left[l] === right[r]) pairs.push([l++, r++]);
  const tail = [];
  while (l < lEnd && r < rEnd && left[lEnd - 1] === right[rEnd - 1]) {
    tail.push([--lEnd, --rEnd]);
  }
  if (l < lEnd && r < rEnd) {
    const anchors = anchorsOf(left, l, lEnd, right, r, rEnd);
    if (anchors.length) {
      for (const [i, j] of anchors) {
        align(left, l, i, right, r, j, pairs);
        pairs.push([i, j]);
        [l, r] = [i + 1, j + 1];
      }
      align(left, l, lEnd, right, r, rEnd, pairs);
      [l, r] = [lEnd, rEnd];
    } else if ((lEnd - l) * (rEnd - r) <= 1e6) {
      longest(left, l, lEnd, right, r, rEnd, pairs);
      [l, r] = [lEnd, rEnd];
    }
  }
  while (l < lEnd) pairs.push([l++, -1]);
  while (r < rEnd) pairs.push([-1, r++]);
  pairs.push(...tail.reverse());
}

// The longest chain of lines that stand once in both parts.
function anchorsOf(left, l, lEnd, right, r, rEnd) {
  const once = (lines, begin, end) => {
    const places = new Map();
    for (let i = begin; i < end; ++i) {
      places.set(lines[i], places.has(lines[i]) ? -1 : i);
    }
    return places;
  };
  const others = once(right, r, rEnd);
  const both = [];
  for (const [line, i] of once(left, l, lEnd)) {
    const j = others.get(line);
    if (i >= 0 && j !== undefined && j >= 0) both.push([i, j]);
  }
  both.sort((one, other) => one[0] - other[0]);
  const ends = [];
  const before = [];
  both.forEach(([, j], k) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (both[ends[middle]][1] < j) low = middle + 1;
      else high = middle;
    }
    before[k] = low > 0 ? ends[low - 1] : -1;
    ends[low] = k;
  });
  const chain = [];
  for (let k = ends.length ? ends[ends.length - 1] : -1; k >= 0;
    k = before[k]) chain.push(both[k]);
  return chain.reverse();
}

// The longest common sequence, of short parts.
function longest(left, l, lEnd, right, r, rEnd, pairs) {
  const columns = rEnd - r + 1;
  const table = new Uint32Array((lEnd - l + 1) * columns);
  for (let i = lEnd - l - 1; i >= 0; --i) {
    for (let j = rEnd - r - 1; j >= 0; --j) {
      const at = i * columns + j;
      table[at] = left[l + i] === right[r + j] ? table[at + columns + 1] + 1 :
        Math.max(table[at + columns], table[at + 1]);
    }
  }
  let [i, j] = [l, r];
  while (i < lEnd && j < rEnd) {
    const at = (i - l) * columns + j - r;
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (table[at + columns] >= table[at + 1]) pairs.push([i++, -1]);
    else pairs.push([-1, j++]);
  }
  while (i < lEnd) pairs.push([i++, -1]);
  while (j < rEnd) pairs.push([-1, j++]);
}

// [[kind, line before, line after]]: kind "same", "changed", "gone" or "new". A
// line whose operands are others than those that its pair's became is changed.
function differencesOf(before, after) {
  const renamed = new Map();
  return pairsOf(before, after).map(([i, j]) => {
    if (i < 0) return ["new", "", after[j]];
    const old = before[i].match(/%\d+\b/g) || [];
    const isMade = /^ *\^/.test(before[i]);
    const results = isMade ? old.length : !before[i].includes(" = ") ? 0 :
      (before[i].split(" = ")[0].match(/%\d+\b/g) || []).length;
    if (j < 0) {
      old.slice(0, results).forEach((value) => renamed.set(value, ""));
      return ["gone", before[i], ""];
    }
    let kind = plainOf(before[i]) === plainOf(after[j]) ? "same" : "changed";
    const now = after[j].match(/%\d+\b/g) || [];
    old.forEach((value, k) => {
      if (k < results || !renamed.has(value)) renamed.set(value, now[k]);
      else if (renamed.get(value) !== now[k]) kind = "changed";
    });
    return [kind, before[i], after[j]];
  });
}
