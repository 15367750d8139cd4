// SPDX-License-Identifier: Apache-2.0
// Numbers for people, and elements of the page.

export function time(ns) {
  if (ns < 1000) {
    return ns + ' ns';
  }
  if (ns < 1e6) {
    return trimmed(ns / 1e3, 3) + ' µs';
  }
  return ns < 1e9 ? trimmed(ns / 1e6, 4) + ' ms' : trimmed(ns / 1e9, 6) + ' s';
}

function trimmed(value, digits) {
  return value.toFixed(digits).replace(/\.?0+$/, '');
}

export const id = name => document.getElementById(name);

export function element(tag, text = '', attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  return made;
}

export const color = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name.toLowerCase()).trim();
