// SPDX-License-Identifier: Apache-2.0
// Two stages of the program side by side: what a pass took away, made and
// changed.

const ROW = 18;
let stageRows = [];

function linesOfStage(number) {
  const stage = data.stages[number];
  if (stage.same !== undefined) return linesOfStage(stage.same);
  // The lines of inputs and states are alike in all.
  stage.lines = stage.lines || stage.text.split("\n");
  return stage.lines;
}

function firstLike(number) {
  const {same} = data.stages[number];
  return same === undefined ? number : same;
}

const compared = new Map();
function comparisonOf(before, after) {
  const key = firstLike(before) + " " + firstLike(after);
  if (!compared.has(key)) {
    compared.set(key, differencesOf(linesOfStage(before), linesOfStage(after)));
  }
  return compared.get(key);
}

function countText(before, after) {
  if (firstLike(before) === firstLike(after)) return "no change";
  const counts = {gone: 0, new: 0, changed: 0};
  for (const [kind] of comparisonOf(before, after)) {
    if (kind !== "same") ++counts[kind];
  }
  return `−${counts.gone} +${counts.new} ~${counts.changed}`;
}

// Puts lines that are gone beside new ones in their place.
function besideEachOther(rows) {
  const paired = [];
  for (let i = 0; i < rows.length;) {
    const gone = [];
    const made = [];
    for (; i < rows.length && (rows[i][0] === "gone" || rows[i][0] === "new");
      ++i) (rows[i][0] === "gone" ? gone : made).push(rows[i]);
    for (let k = 0; k < Math.max(gone.length, made.length); ++k) {
      paired.push(!gone[k] ? made[k] : !made[k] ? gone[k] :
        ["replaced", gone[k][1], made[k][2]]);
    }
    if (i < rows.length) paired.push(rows[i++]);
  }
  return paired;
}

function showStages(before, after) {
  find("before").value = before;
  find("after").value = after;
  find("counts").textContent = before === after ? "" :
    countText(before, after) + "  (gone, new, changed)";
  document.querySelectorAll("#stage-list .row").forEach((row, i) =>
    row.classList.toggle("chosen", i === after));
  const rows = besideEachOther(comparisonOf(before, after));
  const near = 2;
  if (find("changes").checked && before !== after) {
    const keep = new Uint8Array(rows.length);
    rows.forEach(([kind], i) => {
      if (kind === "same") return;
      keep.fill(1, Math.max(0, i - near), Math.min(rows.length, i + near + 1));
    });
    stageRows = [];
    for (let i = 0; i < rows.length;) {
      let end = i;
      while (end < rows.length && !keep[end]) ++end;
      if (end > i + 1) {
        stageRows.push(["rest", `… ${end - i} lines alike`, ""]);
        i = end;
      } else {
        stageRows.push(rows[i++]);
      }
    }
  } else {
    stageRows = rows;
  }
  find("lines").scrollTop = 0;
  find("line").textContent = "";
  find("lines-inside").style.height = stageRows.length * ROW + "px";
  drawRows();
}

// Only the rows in sight are elements.
function drawRows() {
  const view = find("lines");
  const first = Math.max(0, Math.floor(view.scrollTop / ROW) - 5);
  const last = Math.min(stageRows.length,
      first + Math.ceil(view.clientHeight / ROW) + 10);
  const rows = [];
  for (let i = first; i < last; ++i) {
    const [kind, before, after] = stageRows[i];
    const left = element("code", kind === "new" ? "" :
      kind === "replaced" ? "gone" : kind, before);
    const right = element("code", kind === "gone" ? "" :
      kind === "replaced" ? "new" : kind, after);
    const row = element("div", "pair", [left, right]);
    row.style.top = i * ROW + "px";
    row.onclick = () => {
      find("line").textContent = [before, after].filter(Boolean)
          .map((line) => shown(line.trim())).join("\n\n");
    };
    rows.push(row);
  }
  find("lines-inside").replaceChildren(...rows);
}

let stagesMade = false;
function openStages() {
  if (!stagesMade) {
    stagesMade = true;
    const names = data.stages.map((stage) => stage.name);
    for (const id of ["before", "after"]) {
      names.forEach((name, i) => {
        const option = element("option", "", name);
        option.value = i;
        find(id).append(option);
      });
      find(id).onchange = () => showStages(Number(find("before").value),
          Number(find("after").value));
    }
    names.forEach((name, i) => {
      const row = element("div", "row", [element("div", "", name),
        element("small", "", i ? countText(i - 1, i) : "as it was read")]);
      row.onclick = () => showStages(Math.max(0, i - 1), i);
      find("stage-list").append(row);
    });
    find("changes").onchange = () => showStages(
        Number(find("before").value), Number(find("after").value));
    find("lines").onscroll = drawRows;
  }
  const last = data.stages.length - 1;
  let at = last;
  for (let i = 1; i < last; ++i) {
    if (firstLike(i) !== firstLike(i - 1)) {
      at = i;
      break;
    }
  }
  showStages(Math.max(0, at - 1), at);
}
