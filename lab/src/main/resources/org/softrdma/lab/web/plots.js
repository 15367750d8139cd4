// SPDX-License-Identifier: Apache-2.0
// Throughput, packets in flight, round trip and repetitions over time, computed from the packets.

import uPlot from './lib/uPlot.js';
import {NOT_ARRIVED} from './packets.js';
import {color, element, id, time} from './text.js';

const BUCKETS = 240;
const REQUESTS = new Set(['SEND', 'WRITE', 'READ', 'ATOMIC']);
const ANSWERS = new Set(['ACK', 'NAK', 'RNR']);
const HEIGHT = 190;

export class Plots {
  constructor(packets) {
    this.packets = packets;
    this.view = id('plots-view');
    this.charts = [];
    new ResizeObserver(() => this.resize()).observe(this.view);
  }

  clear() {
    this.seen = -1;
  }

  /** Draws anew if the view is visible and something has changed. */
  show(lanes, peers) {
    const state = this.packets.all.length + ' ' + this.packets.height + ' ' + document.documentElement.dataset.theme;
    if (this.view.hidden || state === this.seen) {
      return;
    }
    this.seen = state;
    const data = measure(this.packets, lanes, peers);
    this.view.replaceChildren();
    this.charts = [];
    this.chart('Throughput', 'Mbit/s that arrived', data.times, data.throughput, false);
    this.chart('Packets in flight', 'not acknowledged yet', data.times, data.inFlight, true);
    this.chart('Round trip', 'request to acknowledgement, µs', data.times, data.roundTrip, false, true);
    this.chart('Repetitions and losses', 'packets, in all', data.times, data.troubles, true);
  }

  chart(title, unit, times, series, stepped, points = false) {
    const figure = element('figure');
    const caption = element('figcaption', title + ' ');
    caption.append(element('small', unit));
    figure.append(caption);
    const box = element('div');
    figure.append(box);
    this.view.append(figure);
    const inks = ['write', 'atomic', 'read', 'send', 'nak', 'connection', 'rnr', 'ack'].map(color);
    const axis = {stroke: color('dim'), grid: {stroke: color('line'), width: 1}, ticks: {stroke: color('line')}, font: '12px system-ui'};
    const chart = new uPlot({
      width: Math.max(200, figure.clientWidth - 22), height: HEIGHT, legend: {show: true, live: false}, cursor: {y: false},
      scales: {x: {time: false}, y: {range: (plot, low, high) => [0, high > 0 ? high * 1.1 : 1]}},
      series: [{label: 'time'}, ...series.map(([name], i) => ({label: name, stroke: inks[i % inks.length], width: points ? 0 : 1.7,
        points: {show: points, size: 6, fill: inks[i % inks.length]}, paths: stepped ? uPlot.paths.stepped({align: 1}) : points ? () => null : undefined,
        spanGaps: true}))],
      axes: [{...axis, values: (plot, values) => values.map(value => time(value))}, {...axis, size: 72}],
    }, [times, ...series.map(([, values]) => values)], box);
    this.charts.push([chart, figure]);
  }

  resize() {
    for (const [chart, figure] of this.charts) {
      chart.setSize({width: Math.max(200, figure.clientWidth - 22), height: HEIGHT});
    }
  }
}

function measure(packets, lanes, peers) {
  const all = packets.all;
  const start = all.length === 0 ? 0 : all[0].sent;
  const end = all.reduce((latest, packet) => Math.max(latest, packet.sent, packet.arrived), start + 1);
  const bucket = (end - start) / BUCKETS;
  const times = Array.from({length: BUCKETS}, (none, i) => Math.round(start + (i + 1) * bucket));
  const at = ns => Math.min(BUCKETS - 1, Math.max(0, Math.floor((ns - start) / bucket)));
  const directions = new Map();
  const zeros = () => new Array(BUCKETS).fill(0);
  const repeated = zeros();
  const lost = zeros();
  for (const packet of all) {
    if (packet.arrived !== NOT_ARRIVED) {
      const name = (lanes[packet.from] ?? packet.from) + ' to ' + (lanes[packet.to] ?? packet.to);
      if (!directions.has(name)) {
        directions.set(name, zeros());
      }
      directions.get(name)[at(packet.arrived)] += packet.length * 8 / bucket * 1e3;
    }
    repeated[at(packet.sent)] += packet.repeated ? 1 : 0;
    lost[at(packet.sent)] += packets.isLost(packet) ? 1 : 0;
  }
  const flights = flight(all, lanes, peers, at);
  return {times, throughput: [...directions], inFlight: flights.inFlight, roundTrip: flights.roundTrip,
    troubles: [['repeated', sums(repeated)], ['lost', sums(lost)]]};
}

/** Follows requests and acknowledgements of each queue pair; an acknowledgement names the PSN up to which it acknowledges. */
function flight(all, lanes, peers, at) {
  const flows = new Map();
  const flowOf = (from, to, qpn) => {
    const key = from + '>' + to + ':' + qpn;
    if (!flows.has(key)) {
      flows.set(key, {name: (lanes[from] ?? from) + ', to qp 0x' + qpn.toString(16), sent: new Map(), values: new Array(BUCKETS).fill(null),
        trips: new Array(BUCKETS).fill(null), highest: null, acked: null});
    }
    return flows.get(key);
  };
  const events = [];
  for (const packet of all) {
    if (packet.psn < 0 || packet.qpn < 0) {
      continue;
    }
    if (REQUESTS.has(packet.kind) && !packet.label.includes('Response')) {
      events.push([packet.sent, packet, true]);
    } else if (packet.arrived !== NOT_ARRIVED && (ANSWERS.has(packet.kind) || packet.label.includes('Response'))) {
      events.push([packet.arrived, packet, false]);
    }
  }
  events.sort((a, b) => a[0] - b[0] || a[1].id - b[1].id);
  for (const [now, packet, request] of events) {
    // An answer is addressed to the queue pair of the requester; its requests are addressed to that one's peer.
    const flow = request ? flowOf(packet.from, packet.to, packet.qpn) : flowOf(packet.to, packet.from, peers.get(packet.qpn) ?? -1);
    if (request) {
      if (!flow.sent.has(packet.psn)) {
        flow.sent.set(packet.psn, now);
      }
    } else if (packet.kind === 'ACK' || packet.label.includes('Response')) {
      const sentAt = flow.sent.get(packet.psn);
      if (sentAt !== undefined) {
        flow.trips[at(now)] = (now - sentAt) / 1e3;
      }
      for (const psn of [...flow.sent.keys()]) {
        if ((packet.psn - psn & 0xffffff) < 0x800000) {
          flow.sent.delete(psn);
        } else {
          break;
        }
      }
    }
    flow.values[at(now)] = flow.sent.size;
  }
  const used = [...flows.values()].filter(flow => flow.values.some(value => value !== null)).slice(0, 8);
  return {inFlight: used.map(flow => [flow.name, carried(flow.values)]),
    roundTrip: used.filter(flow => flow.trips.some(trip => trip !== null)).map(flow => [flow.name, flow.trips])};
}

function carried(values) {
  let last = 0;
  return values.map(value => last = value ?? last);
}

function sums(values) {
  let sum = 0;
  return values.map(value => sum += value);
}
