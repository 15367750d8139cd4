// SPDX-License-Identifier: Apache-2.0
// The graph of hosts, queue pairs and connections. Few hosts stand above their lanes of the ladder; many in rows.

import {laneX} from './ladder.js';
import {label, make} from './svg.js';
import {element, id} from './text.js';

const CHIP_WIDTH = 98;
const CHIP_HEIGHT = 24;
const CHIP_GAP = 18;
const HEAD = 50;
const NARROW = 150;
const BELOW = 34;
const MOST_ABOVE_LANES = 8;
const HOST_WIDTH = 232;

export class FabricView {
  constructor(onChoose) {
    this.box = id('fabric');
    this.onChoose = onChoose;
    this.drawn = '';
    new ResizeObserver(() => this.show(this.hosts === undefined ? [] : this.hosts, this.empty ?? '', true)).observe(this.box.parentElement);
  }

  /** Draws the hosts, if something has changed; null leaves the place to others. */
  show(hosts, empty, anyway = false) {
    if (hosts === null) {
      this.hosts = null;
      this.drawn = '';
      return;
    }
    const state = JSON.stringify(hosts);
    if (!anyway && state === this.drawn) {
      return;
    }
    this.drawn = state;
    this.hosts = hosts;
    this.empty = empty;
    this.box.replaceChildren(hosts.length === 0 ? element('p', empty) : this.graph(hosts));
  }

  graph(hosts) {
    const width = id('ladder-scroll').clientWidth || this.box.parentElement.clientWidth - 15;
    const places = this.place(hosts, width);
    let below = false;
    const svg = make('svg', {width});
    const chips = new Map();
    const edges = make('g');
    svg.append(edges);
    hosts.forEach((host, i) => svg.append(this.host(host, places[i], chips)));
    for (const chip of chips.values()) {
      const peer = chips.get(chip.pair.peer);
      if (peer && chip.pair.id < chip.pair.peer) {
        const between = places.filter(place => place.x > Math.min(chip.host.x, peer.host.x) && place.x < Math.max(chip.host.x, peer.host.x));
        const under = chip.host !== peer.host && between.length > 0;
        below ||= under;
        edges.append(under ? detour(chip, peer, Math.max(...between.map(place => place.y + place.height))) : edge(chip, peer));
      }
    }
    const height = Math.max(...places.map(place => place.y + place.height)) + (below ? BELOW : 12);
    svg.setAttribute('height', height);
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    return svg;
  }

  place(hosts, width) {
    const above = hosts.length <= MOST_ABOVE_LANES;
    const apart = laneX(1, hosts.length, width) - laneX(0, hosts.length, width);
    const room = above ? Math.min(HOST_WIDTH, hosts.length > 1 ? apart - 10 : HOST_WIDTH) : HOST_WIDTH;
    const inRow = Math.max(1, Math.floor((width - 20) / (HOST_WIDTH + 24)));
    const perRow = Math.max(1, Math.floor((room - 10) / (CHIP_WIDTH + 8)));
    const heights = hosts.map(host => HEAD + Math.max(1, Math.ceil(host.pairs.length / perRow)) * (CHIP_HEIGHT + CHIP_GAP) + 6);
    let y = 10;
    return hosts.map((host, i) => {
      if (above) {
        return {x: laneX(i, hosts.length, width) - room / 2, y, width: room, height: heights[i], perRow};
      }
      if (i > 0 && i % inRow === 0) {
        y += Math.max(...heights.slice(i - inRow, i)) + 14;
      }
      return {x: 12 + i % inRow * (HOST_WIDTH + 24), y, width: room, height: heights[i], perRow};
    });
  }

  host(host, place, chips) {
    const group = make('g', {class: place.width < NARROW ? 'narrow' : ''});
    group.append(make('rect', {class: 'host', x: place.x, y: place.y, width: place.width, height: place.height, rx: 10}));
    group.append(label(host.name, place.x + place.width / 2, place.y + 20, 'host-name'));
    group.append(label(host.detail, place.x + place.width / 2, place.y + 36, 'host-detail'));
    host.pairs.forEach((pair, i) => {
      const columns = Math.min(place.perRow, host.pairs.length);
      const left = place.x + (place.width - columns * (CHIP_WIDTH + 8) + 8) / 2;
      const x = left + i % columns * (CHIP_WIDTH + 8);
      const y = place.y + HEAD + Math.floor(i / columns) * (CHIP_HEIGHT + CHIP_GAP);
      chips.set(pair.id, {pair, x, y, host: place});
      group.append(this.chip(pair, x, y));
    });
    return group;
  }

  chip(pair, x, y) {
    const group = make('g');
    const known = ['RESET', 'INIT', 'RTR', 'RTS', 'SQD', 'SQE', 'ERR'].includes(pair.state) ? pair.state.toLowerCase() : 'none';
    group.append(make('rect', {class: 'chip', x, y, width: CHIP_WIDTH, height: CHIP_HEIGHT, rx: 6, fill: `var(--state-${known})`}));
    const name = pair.count > 1 ? pair.count + ' QPs' : pair.qpn === '' ? 'no QP' : 'QP ' + pair.qpn;
    group.append(label(name, x + CHIP_WIDTH / 2, y + 16, 'chip-text'));
    group.append(label(pair.state === 'NONE' ? 'not created' : pair.type + ', ' + pair.state, x + CHIP_WIDTH / 2, y + CHIP_HEIGHT + 12, 'chip-state'));
    const title = make('title');
    title.textContent = pair.detail;
    group.append(title);
    if (pair.end >= 0) {
      group.style.cursor = 'pointer';
      group.addEventListener('click', () => this.onChoose(pair.end));
    }
    return group;
  }
}

function edge(a, b) {
  const [left, right] = a.x <= b.x ? [a, b] : [b, a];
  const y1 = left.y + CHIP_HEIGHT / 2;
  const y2 = right.y + CHIP_HEIGHT / 2;
  const x1 = left.x + CHIP_WIDTH;
  const x2 = right.x;
  const bend = Math.max(30, (x2 - x1) / 3);
  return make('path', {class: 'edge', d: x2 > x1 ? `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
    : `M${x1} ${y1} C${x1 + 60} ${y1} ${right.x + CHIP_WIDTH + 60} ${y2} ${right.x + CHIP_WIDTH} ${y2}`});
}

/** A connection that passes below the hosts between its ends. */
function detour(a, b, lowest) {
  const [left, right] = a.x <= b.x ? [a, b] : [b, a];
  const x1 = left.x + CHIP_WIDTH / 2;
  const y1 = left.host.y + left.host.height;
  const x2 = right.host.x;
  const y2 = right.y + CHIP_HEIGHT / 2;
  const low = Math.max(lowest, y1) + BELOW;
  return make('path', {class: 'edge', d: `M${x1} ${y1} C${x1 + 20} ${low} ${x2 - 60} ${low} ${x2} ${y2}`});
}
