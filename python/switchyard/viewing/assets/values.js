// SPDX-License-Identifier: Apache-2.0
// The page's data, and what turns it into texts and elements. Everything that a
// model names goes into the page as text, never as HTML.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

// Control characters, and those that turn or hide others, as escapes.
const UNSEEN = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ud800-\\udfff]", "g");
function shown(text) {
  return String(text).replace(/[\ud800-\udbff][\udc00-\udfff]|[^]/g,
      (letter) => letter.length > 1 ? letter : letter.replace(UNSEEN, (one) =>
        "\\u" + one.charCodeAt(0).toString(16).padStart(4, "0")));
}

function find(id) {
  return document.getElementById(id);
}

// An element with a text, or with children.
function element(tag, classes, content) {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  if (Array.isArray(content)) made.append(...content);
  else if (content !== undefined) made.textContent = shown(content);
  return made;
}

function bytesText(bytes) {
  if (bytes === null || bytes === undefined) return "?";
  if (bytes < 1000) return bytes + " B";
  const units = ["kB", "MB", "GB", "TB"];
  let unit = -1;
  while (bytes >= 1000 && unit < 3) {
    bytes /= 1000;
    ++unit;
  }
  return bytes.toPrecision(3) + " " + units[unit];
}

function timeText(nanoseconds) {
  if (nanoseconds < 1e3) return nanoseconds + " ns";
  if (nanoseconds < 1e6) return (nanoseconds / 1e3).toPrecision(3) + " µs";
  return (nanoseconds / 1e6).toPrecision(3) + " ms";
}

// "tensor<float32[1, 8]>" as "float32[1, 8]".
function typeText(type) {
  return type.replace(/^tensor<(.*)>$/, "$1");
}

// The name without its dialect.
function shortName(operation) {
  return operation.name.replace(/^(kernel|op|builtin|cf)\./, "");
}

// "onednn float32 (phi/kernels/onednn/matmul.h:12)", as a profile has it.
function kernelText(kernel) {
  return `${kernel.backend} ${kernel.dtype} (${kernel.file}:${kernel.line})`;
}

// The kernel that an operation is shown to run by.
function kernelOf(operation) {
  const call = operation.call;
  if (call && call.chosen) return kernelText(call.chosen);
  if (call && call.error) return "none: " + call.error;
  if (call && call.composed) return "composed of other operators";
  if (call && call.residual.length) return "open until shapes are known";
  const named = /(?:^|, )kernel = "([^"]*)"/.exec(operation.attributes);
  return named ? named[1] : "";
}

// What an operation's colour stands for.
function kindOf(operation) {
  const call = operation.call;
  if (call && (call.fallback || call.error)) return "fallback";
  if (operation.transform) return "transform";
  if (operation.name.startsWith("cf.")) return "control";
  if (!call) return "other";
  if (!call.chosen) return "open";
  const origin = call.chosen.origin;
  return origin === "phi" ? call.chosen.backend : origin;
}

// Nanoseconds of each operation, and of all.
const ownTime = new Map();
let wholeTime = 0;
for (const step of data.profile ? data.profile.steps : []) {
  ownTime.set(step[0], (ownTime.get(step[0]) || 0) + step[5]);
  wholeTime += step[5];
}
