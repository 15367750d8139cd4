// SPDX-License-Identifier: Apache-2.0
// A subnet: hosts below their switches, cables with the states of their ports, the route that is watched, and what a learner can do there.

import {laneX} from './ladder.js';
import {post} from './api.js';
import {label, make} from './svg.js';
import {element, id} from './text.js';

const ROW = 84;
const TOP = 40;
const HOST_HEIGHT = 46;
const SWITCH_HEIGHT = 46;
const GROUP = -1;

export class SubnetView {
  constructor() {
    this.box = id('fabric');
    this.drawn = '';
    id('power').addEventListener('click', () => this.command({action: 'power'}));
    id('manage').addEventListener('click', () => this.command({action: 'manage', device: this.host(), count: Number(id('priority').value)}));
    id('end-manager').addEventListener('click', () => this.command({action: 'end_manager', device: this.host()}));
    id('join').addEventListener('click', () => this.command({action: 'join', device: this.host()}));
    id('transfer').addEventListener('click', () => this.command({action: 'transfer', device: this.host(),
      to: Number(id('transfer-to').value), count: Number(id('transfer-count').value)}));
    for (const action of ['pull', 'plug']) {
      id(action).addEventListener('click', () => this.command({action, cable: Number(id('cable').value)}));
    }
    new ResizeObserver(() => this.subnet && this.show(this.subnet, true)).observe(this.box.parentElement);
  }

  host() {
    return Number(id('subnet-host').value);
  }

  async command(command) {
    id('subnet-error').textContent = '';
    try {
      await post('command', command);
    } catch (refused) {
      id('subnet-error').textContent = refused.message;
    }
  }

  /** Draws the subnet, if something has changed; nothing for another world. */
  show(subnet, anyway = false) {
    document.body.classList.toggle('subnet', subnet !== undefined);
    this.subnet = subnet;
    const state = JSON.stringify(subnet);
    if (subnet === undefined || !anyway && state === this.drawn && this.box.querySelector('svg.subnet')) {
      this.drawn = state;
      return;
    }
    this.drawn = state;
    this.box.replaceChildren(this.graph(subnet));
    this.fill(subnet);
    this.tables(subnet);
  }

  graph(subnet) {
    const width = id('ladder-scroll').clientWidth || this.box.parentElement.clientWidth - 15;
    const places = place(subnet, width);
    const height = Math.max(...places.map(each => each.y)) + HOST_HEIGHT / 2 + 26;
    const svg = make('svg', {width, height, viewBox: `0 0 ${width} ${height}`, class: 'subnet'});
    subnet.cables.forEach((cable, number) => svg.append(this.cable(subnet, cable, number, places)));
    subnet.nodes.forEach((node, i) => svg.append(drawNode(subnet, node, i, places[i])));
    return svg;
  }

  cable(subnet, cable, number, places) {
    const [a, b] = [places[cable.first], places[cable.second]];
    const group = make('g', {class: 'cable'});
    const onRoute = subnet.route.some((node, i) => i > 0 && cable.plugged
      && [cable.first, cable.second].includes(node) && [cable.first, cable.second].includes(subnet.route[i - 1]));
    const line = {x1: a.x, y1: a.y, x2: b.x, y2: b.y};
    if (onRoute) {
      group.append(make('line', {...line, class: 'route'}));
    }
    group.append(make('line', {...line, class: 'wire ' + (cable.plugged ? slower(cable).toLowerCase() : 'pulled')}));
    group.append(make('line', {...line, class: 'grip'}));
    group.append(port(a, b, cable.firstPort, cable.firstState), port(b, a, cable.secondPort, cable.secondState));
    const title = make('title');
    title.textContent = `${end(subnet, cable.first, cable.firstPort)}: ${cable.firstState}\n${end(subnet, cable.second, cable.secondPort)}: `
      + `${cable.secondState}\n` + (cable.plugged ? 'Click to pull it.' : 'Click to plug it in.');
    group.append(title);
    group.addEventListener('click', () => {
      id('cable').value = number;
      this.command({action: cable.plugged ? 'pull' : 'plug', cable: number});
    });
    return group;
  }

  /** The choices of the controls, once for each subnet. */
  fill(subnet) {
    const names = subnet.nodes.map(node => node.name).join();
    if (names === this.names) {
      return;
    }
    this.names = names;
    const hosts = subnet.nodes.map((node, i) => ({node, i})).filter(({node}) => !node.isSwitch);
    const options = () => hosts.map(({node, i}) => element('option', node.name, {value: i}));
    id('subnet-host').replaceChildren(...options());
    id('subnet-host').value = subnet.from;
    id('transfer-to').replaceChildren(...options(), element('option', 'the broadcast group', {value: GROUP}));
    id('transfer-to').value = subnet.to;
    id('cable').replaceChildren(...subnet.cables.map((cable, i) => element('option',
      end(subnet, cable.first, cable.firstPort) + ' – ' + end(subnet, cable.second, cable.secondPort), {value: i})));
  }

  /** The forwarding tables: a row for each LID, a column for each switch, and the output port where they meet. */
  tables(subnet) {
    const switches = subnet.nodes.filter(node => node.isSwitch);
    const head = element('tr');
    head.append(element('th', 'to'), ...switches.map(each => element('th', each.name)));
    const rows = subnet.nodes.map((to, i) => {
      const row = element('tr');
      row.append(element('td', to.name + (to.lid > 0 ? ', LID ' + to.lid : ', no LID')),
        ...switches.map(each => element('td', each.table[i] < 0 ? '–' : String(each.table[i]))));
      return row;
    });
    const group = element('tr');
    group.append(element('td', 'the group'), ...switches.map(each => element('td', each.groupPorts.join(', ') || '–')));
    id('tables').replaceChildren(head, ...rows, group);
    id('route').textContent = subnet.routeText;
  }
}

/** Hosts in the lowest row, switches with hosts above them, each above its lane of the ladder; the others on top, twice as far apart. */
function place(subnet, width) {
  const lanes = subnet.nodes.length;
  const hasHosts = i => subnet.cables.some(cable => cable.first === i && !subnet.nodes[cable.second].isSwitch
    || cable.second === i && !subnet.nodes[cable.first].isSwitch);
  const rows = subnet.nodes.map((node, i) => !node.isSwitch ? 2 : hasHosts(i) ? 1 : 0);
  const room = lanes > 1 ? laneX(1, lanes, width) - laneX(0, lanes, width) - 12 : 160;
  const onTop = rows.flatMap((row, i) => row === 0 ? [laneX(i, lanes, width)] : []);
  const middle = onTop.reduce((sum, x) => sum + x, 0) / Math.max(1, onTop.length);
  return rows.map((row, i) => {
    const x = laneX(i, lanes, width);
    return {x: row === 0 ? middle + 2 * (x - middle) : x, y: TOP + row * ROW, width: Math.min(120, room)};
  });
}

function drawNode(subnet, node, i, at) {
  const height = node.isSwitch ? SWITCH_HEIGHT : HOST_HEIGHT;
  const group = make('g', {class: 'node' + (i === subnet.from || i === subnet.to ? ' end' : '')});
  group.append(make('rect', {class: node.isSwitch ? 'switch' : 'host', x: at.x - at.width / 2, y: at.y - height / 2, width: at.width, height,
    rx: node.isSwitch ? 3 : 10}));
  group.append(label(node.name, at.x, at.y - 4, 'host-name'));
  const manager = node.manager === '' ? '' : ', SM';
  group.append(label(node.lid > 0 ? 'LID ' + node.lid + manager : 'no LID' + manager, at.x, at.y + 13, 'host-detail'));
  const title = make('title');
  title.textContent = node.manager === '' ? node.name : `${node.name}: subnet manager, ${node.manager}`;
  group.append(title);
  return group;
}

/** A port: a dot at the edge of its node in the colour of its state, and its number. */
function port(from, to, number, state) {
  const group = make('g');
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const out = Math.min(from.width / 2 / Math.max(Math.abs(dx), 1e-6), HOST_HEIGHT / 2 / Math.max(Math.abs(dy), 1e-6));
  const [x, y] = [from.x + dx * out, from.y + dy * out];
  group.append(make('circle', {cx: x, cy: y, r: 4.5, class: 'port ' + state.toLowerCase()}));
  group.append(label(String(number), x + dx * 14 + (Math.abs(dx) < 0.3 ? 8 : 0), y + dy * 14 + 4, 'port-number'));
  return group;
}

const STATES = ['Down', 'Initialize', 'Armed', 'Active'];

function slower(cable) {
  return STATES[Math.min(STATES.indexOf(cable.firstState), STATES.indexOf(cable.secondState))] ?? 'Down';
}

const end = (subnet, node, number) => subnet.nodes[node].name + ', port ' + number;
