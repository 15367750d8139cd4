// SPDX-License-Identifier: Apache-2.0
// Elements of drawings.

const SVG = 'http://www.w3.org/2000/svg';

export function make(tag, attributes = {}) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  return made;
}

export function label(text, x, y, kind) {
  const made = make('text', {x, y, class: kind, 'text-anchor': 'middle'});
  made.textContent = text;
  return made;
}
