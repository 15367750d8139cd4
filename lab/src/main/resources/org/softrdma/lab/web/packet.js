// SPDX-License-Identifier: Apache-2.0
// The chosen packet: its decoded headers beside its bytes.

import {get} from './api.js';
import {element, id, time} from './text.js';

const MOST_BYTES = 192;
const PER_LINE = 8;

export class PacketView {
  constructor() {
    this.cache = new Map();
  }

  clear() {
    this.cache.clear();
    this.wanted = null;
    id('packet-shown').hidden = true;
    id('packet-hint').hidden = false;
  }

  async show(packet, lanes) {
    this.wanted = packet;
    if (!packet) {
      return;
    }
    let details = this.cache.get(packet.id);
    if (!details) {
      try {
        details = await get('packet/' + packet.id);
      } catch (gone) {
        // Another world is shown by now.
        return;
      }
      this.cache.set(packet.id, details);
    }
    if (this.wanted !== packet) {
      return;
    }
    id('packet-hint').hidden = true;
    id('packet-shown').hidden = false;
    const fate = packet.arrived >= 0 ? 'arrived after ' + time(packet.arrived - packet.sent) : packet.fate === '' ? 'on its way' : 'did not arrive';
    id('packet-title').textContent = `${packet.label}, ${lanes[packet.from]} to ${lanes[packet.to]}, ${packet.length} bytes, sent at `
      + `${time(packet.sent)}, ${fate}`;
    const words = [packet.fate.toLowerCase().replaceAll('_', ' '), packet.repeated ? 'sent before' : '', packet.note];
    id('packet-note').textContent = words.filter(word => word !== '').join('; ');
    this.bytes(details);
    this.fields(details);
  }

  bytes(details) {
    const box = id('packet-bytes');
    box.replaceChildren();
    const count = Math.min(MOST_BYTES, details.hex.length / 2);
    for (let at = 0; at < count; at++) {
      if (at % PER_LINE === 0) {
        box.append(element('span', (at === 0 ? '' : '\n') + at.toString(16).padStart(4, '0') + '  '));
      }
      box.append(element('span', details.hex.substring(2 * at, 2 * at + 2), {'data-at': at}), at % PER_LINE === 3 ? '  ' : ' ');
    }
    if (count < details.hex.length / 2) {
      box.append(`\n… ${details.hex.length / 2 - count} more`);
    }
  }

  fields(details) {
    const rows = id('packet-fields').tBodies[0];
    rows.replaceChildren();
    let layer = '';
    for (const field of details.fields) {
      if (field.layer !== layer) {
        layer = field.layer;
        const head = element('tr', '', {class: 'layer'});
        head.append(element('td', layer, {colspan: 2}));
        rows.append(head);
      }
      const row = element('tr', '', {tabindex: 0});
      row.append(element('td', field.name), element('td', field.value));
      const mark = on => this.mark(row, field, on);
      row.addEventListener('mouseenter', () => mark(true));
      row.addEventListener('mouseleave', () => mark(false));
      row.addEventListener('focus', () => mark(true));
      row.addEventListener('blur', () => mark(false));
      rows.append(row);
    }
  }

  mark(row, field, on) {
    row.classList.toggle('on', on);
    for (const span of id('packet-bytes').querySelectorAll('span[data-at]')) {
      const at = Number(span.dataset.at);
      if (at >= field.offset && at < field.offset + field.length) {
        span.classList.toggle('on', on);
      }
    }
  }
}
