// SPDX-License-Identifier: Apache-2.0
// The sequence diagram. Only what is visible is drawn, so its speed does not depend on the number of packets.

import {NOT_ARRIVED} from './packets.js';
import {color, id, time} from './text.js';

const TIME_WIDTH = 86;
const NEAR = 9;
const HEAD = 20;
const FONT = '12px system-ui, "Liberation Sans", sans-serif';

/** Horizontal place of a lane; the graph of the hosts uses the same. */
export function laneX(lane, lanes, width) {
  const side = lanes > 4 ? 66 : 124;
  const left = TIME_WIDTH + side;
  const right = Math.max(left + 1, width - side);
  return lanes <= 1 ? (left + right) / 2 : left + (right - left) * lane / (lanes - 1);
}

export class Ladder {
  constructor(packets, onChoose) {
    this.packets = packets;
    this.onChoose = onChoose;
    this.canvas = id('ladder');
    this.scroll = id('ladder-scroll');
    this.space = id('ladder-space');
    this.zoom = 1;
    this.lanes = [];
    this.follows = true;
    this.frames = 0;
    this.scroll.addEventListener('scroll', () => {
      this.follows = this.scroll.scrollTop + this.scroll.clientHeight >= this.space.clientHeight - 30;
      this.redraw();
    });
    this.scroll.addEventListener('mousemove', event => this.point(event));
    this.scroll.addEventListener('mouseleave', () => this.hover(null));
    this.scroll.addEventListener('click', event => {
      this.point(event);
      if (this.pointed) {
        this.choose(this.pointed);
      }
    });
    this.scroll.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.redraw()).observe(id('ladder-view'));
  }

  clear() {
    this.chosen = null;
    this.pointed = null;
    this.follows = true;
    this.redraw();
  }

  /** Draws in the next frame. */
  redraw() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.draw();
      });
    }
  }

  changeZoom(factor) {
    const middle = (this.scroll.scrollTop + this.scroll.clientHeight / 2) / this.zoom;
    this.zoom = Math.min(2, Math.max(0.1, this.zoom * factor));
    this.resize();
    this.scroll.scrollTop = middle * this.zoom - this.scroll.clientHeight / 2;
    this.redraw();
  }

  resize() {
    this.packets.place();
    const height = Math.max(this.scroll.clientHeight, Math.ceil(this.packets.height * this.zoom));
    if (this.space.clientHeight !== height) {
      this.space.style.height = height + 'px';
    }
    if (this.follows) {
      this.scroll.scrollTop = height;
    }
  }

  draw() {
    const view = id('ladder-view');
    if (view.hidden || view.clientWidth === 0) {
      return;
    }
    this.resize();
    const width = this.scroll.clientWidth;
    const height = view.clientHeight;
    const scale = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      this.canvas.style.width = width + 'px';
      this.canvas.style.height = height + 'px';
    }
    const ink = this.canvas.getContext('2d');
    ink.setTransform(scale, 0, 0, scale, 0, 0);
    ink.clearRect(0, 0, width, height);
    ink.font = FONT;
    ink.textBaseline = 'middle';
    this.colors = colors();
    const top = this.scroll.scrollTop / this.zoom;
    const bottom = top + height / this.zoom;
    this.drawLanes(ink, width, height);
    this.drawGaps(ink, top, bottom, width);
    const [first, end] = this.packets.between(top, bottom);
    let lastText = -100;
    for (let i = first; i < end; i++) {
      lastText = this.drawPacket(ink, this.packets.shown[i], top, width, lastText);
    }
    this.drawHead(ink, width);
    this.frames++;
    id('ladder-empty').hidden = this.packets.all.length > 0;
  }

  drawLanes(ink, width, height) {
    ink.strokeStyle = this.colors.line;
    ink.lineWidth = 1.5;
    for (let lane = 0; lane < this.lanes.length; lane++) {
      const x = laneX(lane, this.lanes.length, width);
      ink.beginPath();
      ink.moveTo(x, 0);
      ink.lineTo(x, height);
      ink.stroke();
    }
  }

  /** Names of the lanes, above everything else. */
  drawHead(ink, width) {
    ink.fillStyle = this.colors.panel;
    ink.fillRect(0, 0, width, HEAD);
    ink.fillStyle = this.colors.dim;
    ink.textAlign = 'center';
    this.lanes.forEach((name, lane) => ink.fillText(name, laneX(lane, this.lanes.length, width), HEAD / 2));
  }

  drawGaps(ink, top, bottom, width) {
    ink.textAlign = 'center';
    for (const gap of this.packets.gaps) {
      if (gap.y > top && gap.y < bottom) {
        const y = (gap.y - top) * this.zoom;
        ink.setLineDash([2, 5]);
        ink.strokeStyle = this.colors.dim;
        ink.lineWidth = 1;
        ink.beginPath();
        ink.moveTo(TIME_WIDTH, y);
        ink.lineTo(width - 20, y);
        ink.stroke();
        ink.setLineDash([]);
        if (this.zoom > 0.4) {
          const text = time(gap.ns) + ' later';
          const x = (TIME_WIDTH + width - 20) / 2;
          ink.fillStyle = this.colors.panel;
          const half = ink.measureText(text).width / 2 + 8;
          ink.fillRect(x - half, y - 8, 2 * half, 16);
          ink.fillStyle = this.colors.dim;
          ink.fillText(text, x, y);
        }
      }
    }
  }

  /** The two ends of a packet's arrow on the canvas. */
  ends(packet, top, width) {
    const x1 = laneX(packet.from, this.lanes.length, width);
    const x2 = laneX(packet.to, this.lanes.length, width);
    const y1 = (packet.y1 - top) * this.zoom;
    if (packet.y2 !== NOT_ARRIVED) {
      return [x1, y1, x2, (packet.y2 - top) * this.zoom];
    }
    // Lost, or still on its way.
    const part = 0.55;
    return [x1, y1, x1 + (x2 - x1) * part, y1 + 14 * this.zoom];
  }

  drawPacket(ink, packet, top, width, lastText) {
    const [x1, y1, x2, y2] = this.ends(packet, top, width);
    const lost = this.packets.isLost(packet);
    const marked = packet === this.chosen || packet === this.pointed;
    ink.strokeStyle = lost ? this.colors.nak : this.colors[packet.kind.toLowerCase()];
    ink.fillStyle = ink.strokeStyle;
    ink.lineWidth = marked ? 3 : packet.kind === 'ACK' ? 1.1 : 1.6;
    ink.setLineDash(packet.repeated ? [6, 3] : lost ? [2, 3] : []);
    ink.beginPath();
    ink.moveTo(x1, y1);
    ink.lineTo(x2, y2);
    ink.stroke();
    ink.setLineDash([]);
    if (lost) {
      cross(ink, x2, y2);
    } else if (packet.y2 !== NOT_ARRIVED) {
      head(ink, x1, y1, x2, y2);
    }
    if (this.zoom < 0.4 || y1 - lastText < 13) {
      return lastText;
    }
    this.drawText(ink, packet, x1, y1, x2, marked);
    return y1;
  }

  drawText(ink, packet, x1, y1, x2, marked) {
    ink.textAlign = 'right';
    ink.fillStyle = this.colors.dim;
    ink.fillText(time(packet.sent), TIME_WIDTH - 8, y1);
    const right = x2 > x1;
    const fate = packet.fate === '' ? '' : ', ' + packet.fate.toLowerCase().replaceAll('_', ' ').replaceAll(' ', ', ');
    const text = packet.label + (packet.psn >= 0 ? '  ' + packet.psn : '') + (packet.repeated ? '  again' : '') + fate
      + (packet.note === '' ? '' : '  · ' + packet.note);
    ink.font = marked ? '600 ' + FONT : FONT;
    ink.textAlign = right ? 'left' : 'right';
    const x = right ? x1 + 10 : x1 - 10;
    const wide = Math.min(ink.measureText(text).width, Math.abs(x2 - x1) * 1.8);
    ink.globalAlpha = 0.85;
    ink.fillStyle = this.colors.panel;
    ink.fillRect(right ? x - 2 : x - wide - 2, y1 - 8, wide + 4, 14);
    ink.globalAlpha = 1;
    ink.fillStyle = packet.kind === 'NAK' || packet.kind === 'RNR' ? this.colors[packet.kind.toLowerCase()] : this.colors.text;
    ink.fillText(text, x, y1 - 1);
    ink.font = FONT;
  }

  // ---- pointing and choosing ----

  point(event) {
    const box = this.scroll.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const top = this.scroll.scrollTop / this.zoom;
    const [first, end] = this.packets.between(top, top + box.height / this.zoom);
    let nearest = null;
    let least = NEAR;
    for (let i = first; i < end; i++) {
      const packet = this.packets.shown[i];
      const distance = distanceTo(this.ends(packet, top, this.scroll.clientWidth), x, y);
      if (distance < least) {
        least = distance;
        nearest = packet;
      }
    }
    this.hover(nearest);
  }

  hover(packet) {
    if (packet !== this.pointed) {
      this.pointed = packet;
      this.scroll.style.cursor = packet ? 'pointer' : '';
      this.onChoose(packet ?? this.chosen);
      this.redraw();
    }
  }

  choose(packet) {
    this.chosen = packet;
    this.onChoose(packet);
    this.redraw();
  }

  key(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step || this.packets.shown.length === 0) {
      return;
    }
    event.preventDefault();
    const at = this.chosen ? this.packets.shown.indexOf(this.chosen) + step : 0;
    const packet = this.packets.shown[Math.min(this.packets.shown.length - 1, Math.max(0, at))];
    const y = packet.y1 * this.zoom;
    if (y < this.scroll.scrollTop + 30 || y > this.scroll.scrollTop + this.scroll.clientHeight - 40) {
      this.scroll.scrollTop = y - this.scroll.clientHeight / 2;
    }
    this.choose(packet);
  }
}

function colors() {
  const found = {};
  for (const name of ['line', 'dim', 'text', 'panel', 'send', 'write', 'read', 'atomic', 'ack', 'nak', 'rnr', 'connection', 'congestion', 'management', 'answer', 'trap', 'data', 'other']) {
    found[name] = color(name);
  }
  return found;
}

function head(ink, x1, y1, x2, y2) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  ink.beginPath();
  ink.moveTo(x2, y2);
  ink.lineTo(x2 - 9 * Math.cos(angle - 0.35), y2 - 9 * Math.sin(angle - 0.35));
  ink.lineTo(x2 - 9 * Math.cos(angle + 0.35), y2 - 9 * Math.sin(angle + 0.35));
  ink.fill();
}

function cross(ink, x, y) {
  ink.lineWidth = 2.4;
  ink.beginPath();
  ink.moveTo(x - 5, y - 5);
  ink.lineTo(x + 5, y + 5);
  ink.moveTo(x - 5, y + 5);
  ink.lineTo(x + 5, y - 5);
  ink.stroke();
}

function distanceTo([x1, y1, x2, y2], x, y) {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
  return Math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1));
}
