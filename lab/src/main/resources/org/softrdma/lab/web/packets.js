// SPDX-License-Identifier: Apache-2.0
// The packets of the present world, and where each is drawn: one height for each event, so that a long silence takes no more room than a
// short one.

export const NOT_ARRIVED = -1;
const SEND_STEP = 22;
const ARRIVAL_STEP = 8;
const GAP_STEP = 30;
/** A silence that is marked: so many times longer than the usual time between two events, and so many ns at least. */
const GAP_FACTOR = 20;
const GAP_NS = 5000;

export class Packets {
  constructor() {
    this.clear();
  }

  clear() {
    this.all = [];
    this.words = '';
    this.shown = [];
    this.gaps = [];
    this.height = 0;
    this.dirty = false;
  }

  /** Takes what is new: rows are [sent, from, to, length, label, kind, qpn, psn, repeated, note], ends [id, arrived, fate, note]. */
  add(news) {
    for (const [sent, from, to, length, label, kind, qpn, psn, repeated, note] of news.rows) {
      this.all.push({id: this.all.length, sent, from, to, length, label, kind, qpn, psn, repeated: repeated === 1, note, arrived: NOT_ARRIVED,
        fate: '', y1: 0, y2: NOT_ARRIVED});
    }
    for (const [packet, arrived, fate, note] of news.ends) {
      Object.assign(this.all[packet], {arrived, fate, note});
    }
    this.dirty ||= news.rows.length > 0 || news.ends.length > 0;
  }

  filter(words, lanes) {
    this.words = words.trim().toLowerCase();
    this.lanes = lanes;
    this.dirty = true;
  }

  isLost(packet) {
    return /LOST|PARTITIONED|QUEUE_FULL|INBOX_FULL|NO_RECEIVER/.test(packet.fate);
  }

  text(packet) {
    const lanes = this.lanes ?? [];
    return [packet.label, packet.kind, packet.psn >= 0 ? 'psn ' + packet.psn : '', packet.qpn >= 0 ? 'qp 0x' + packet.qpn.toString(16) : '',
      packet.fate, packet.repeated ? 'repeated' : '', lanes[packet.from] ?? '', lanes[packet.to] ?? '', packet.note].join(' ').toLowerCase();
  }

  matches(packet) {
    return this.words.split(/\s*,\s*/).every(word => {
      const number = /^psn (\d+)$/.exec(word);
      return number ? packet.psn === Number(number[1]) : this.text(packet).includes(word);
    });
  }

  /** Places everything anew, if something has changed. */
  place() {
    if (!this.dirty) {
      return;
    }
    this.dirty = false;
    this.shown = this.words === '' ? this.all : this.all.filter(packet => this.matches(packet));
    const events = [];
    for (const packet of this.shown) {
      events.push(packet.sent);
      if (packet.arrived > packet.sent) {
        events.push(packet.arrived);
      }
    }
    const usual = typicalStep(events);
    this.walk(usual);
    this.latest = new Float64Array(this.shown.length);
    let latest = 0;
    this.shown.forEach((packet, i) => {
      latest = Math.max(latest, packet.y2 === NOT_ARRIVED ? packet.y1 + 40 : packet.y2);
      this.latest[i] = latest;
    });
  }

  /** Goes through sends and arrivals in the order of time. */
  walk(usual) {
    const arrivals = this.shown.filter(packet => packet.arrived !== NOT_ARRIVED && packet.arrived > packet.sent)
      .sort((a, b) => a.arrived - b.arrived || a.id - b.id);
    const sends = this.isSorted() ? this.shown : [...this.shown].sort((a, b) => a.sent - b.sent || a.id - b.id);
    this.gaps = [];
    let y = 24;
    let last = sends.length > 0 ? sends[0].sent : 0;
    let next = 0;
    const pass = (time, step) => {
      if (time - last > Math.max(GAP_NS, GAP_FACTOR * usual)) {
        this.gaps.push({y: y + GAP_STEP / 2, ns: time - last});
        y += GAP_STEP;
      }
      y += step;
      last = time;
      return y;
    };
    for (const packet of sends) {
      while (next < arrivals.length && arrivals[next].arrived <= packet.sent) {
        arrivals[next].y2 = pass(arrivals[next].arrived, ARRIVAL_STEP);
        next++;
      }
      packet.y1 = pass(packet.sent, SEND_STEP);
      packet.y2 = packet.arrived === packet.sent ? packet.y1 : NOT_ARRIVED;
    }
    for (; next < arrivals.length; next++) {
      arrivals[next].y2 = pass(arrivals[next].arrived, ARRIVAL_STEP);
    }
    this.height = y + 40;
  }

  isSorted() {
    for (let i = 1; i < this.shown.length; i++) {
      if (this.shown[i].sent < this.shown[i - 1].sent) {
        return false;
      }
    }
    return true;
  }

  /** The packets of which something lies between two heights: indexes of the first and behind the last. */
  between(top, bottom) {
    return [firstAtLeast(this.shown.length, i => this.latest[i], top), firstAtLeast(this.shown.length, i => this.shown[i].y1, bottom)];
  }
}

function firstAtLeast(length, valueAt, wanted) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = low + high >> 1;
    if (valueAt(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Median of the times between events, of a sample. */
function typicalStep(times) {
  if (times.length < 3) {
    return 0;
  }
  const sorted = Float64Array.from(times).sort();
  const steps = [];
  const stride = Math.max(1, Math.floor(sorted.length / 2000));
  for (let i = stride; i < sorted.length; i += stride) {
    if (sorted[i] > sorted[i - 1]) {
      steps.push(sorted[i] - sorted[i - 1]);
    }
  }
  steps.sort((a, b) => a - b);
  return steps.length === 0 ? 0 : steps[steps.length >> 1];
}
