// SPDX-License-Identifier: Apache-2.0
// The page: connects the views with the server's news and the keyboard.

import {get, listen, post, sendFile} from './api.js';
import {Controls} from './controls.js';
import {FabricView} from './fabric.js';
import {Ladder} from './ladder.js';
import {LessonView} from './lesson.js';
import {PacketView} from './packet.js';
import {Packets} from './packets.js';
import {Plots} from './plots.js';
import {SubnetView} from './subnet.js';
import {element, id, time} from './text.js';

const MOST_LOG_LINES = 2000;
const TABS = ['ladder', 'plots', 'log'];

const packets = new Packets();
const packetView = new PacketView();
const ladder = new Ladder(packets, packet => packetView.show(packet, ladder.lanes));
const plots = new Plots(packets);
const controls = new Controls();
const fabric = new FabricView(end => controls.chooseEnd(end));
const lessonView = new LessonView();
const subnetView = new SubnetView();
let generation = -1;
let playing = false;
let latest = {};
let hosts = [];

// ---- news ----

function onNews(news) {
  latest = news;
  if (news.generation !== generation) {
    generation = news.generation;
    packets.clear();
    packets.filter(id('filter').value, news.lanes ?? []);
    packetView.clear();
    ladder.clear();
    plots.clear();
    id('log').replaceChildren();
  }
  ladder.lanes = news.lanes ?? [];
  packets.lanes = ladder.lanes;
  hosts = news.hosts ?? [];
  showState(news);
  subnetView.show(news.subnet);
  fabric.show(news.subnet ? null : hosts, news.kind === 'running' ? 'No process of this user has a device open. Start one, for instance ./softrdma demo.'
    : news.kind === 'recording' ? news.name : '');
  if (news.ladder) {
    packets.add(news.ladder);
    if (!news.more) {
      packets.place();
    }
    id('packet-count').textContent = packets.all.length.toLocaleString('en') + ' packets' + (news.ladder.full ? ', no more are kept' : '');
  }
  for (const line of news.log ?? []) {
    addToLog(line);
  }
  controls.show(news);
  lessonView.show(news.lesson, news.generation, news.progress);
  ladder.redraw();
  plots.show(ladder.lanes, peers());
}

/** QPN of the peer, for the QPN of each queue pair. */
function peers() {
  const pairs = hosts.flatMap(host => host.pairs);
  const qpns = new Map(pairs.map(pair => [pair.id, Number(pair.qpn)]));
  return new Map(pairs.map(pair => [Number(pair.qpn), qpns.get(pair.peer)]));
}

function showState(news) {
  const simulated = news.kind === 'simulated';
  playing = simulated && news.playing;
  id('ladder-empty').textContent = news.kind === 'running' ? 'Packets of running devices are not recorded. Set SOFTRDMA_CAPTURE_DIR for them, '
    + 'and open the file here.' : 'No packets yet. Do something on the right, then play.';
  for (const name of ['play', 'step', 'restart', 'speed']) {
    id(name).disabled = !simulated;
  }
  id('play').textContent = playing ? '❚❚ Pause' : '▶ Play';
  id('clock').textContent = news.now === undefined ? '' : time(news.now);
  id('run-state').textContent = news.kind === 'running' ? 'running devices' : news.kind === 'recording' ? 'recording'
    : playing ? 'playing' : news.over ? 'nothing left to happen' : 'paused';
}

function addToLog(line) {
  const item = element('li');
  item.append(element('time', time(line.timeNs)), element('span', line.text, {class: line.kind}));
  id('log').append(item);
  if (id('log').children.length > MOST_LOG_LINES) {
    id('log').firstChild.remove();
  }
  if (!id('log-view').hidden) {
    id('log-view').scrollTop = id('log-view').scrollHeight;
  }
}

// ---- controls of the page ----

function show(tab) {
  for (const each of TABS) {
    id(each + '-view').hidden = each !== tab;
    id('tab-' + each).setAttribute('aria-selected', each === tab);
    id('tab-' + each).tabIndex = each === tab ? 0 : -1;
  }
  plots.clear();
  plots.show(ladder.lanes, peers());
  ladder.redraw();
}

async function attempt(call) {
  try {
    return await call();
  } catch (refused) {
    id('message').querySelector('p').textContent = refused.message;
    id('message').showModal();
    return null;
  }
}

const togglePlay = () => attempt(() => playing ? post('pause') : post('play', {speed: Number(id('speed').value)}));
const step = () => attempt(() => post('step'));

async function openFile(file) {
  if (file && await attempt(() => sendFile(file))) {
    show('ladder');
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  id('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  localStorage.setItem('softrdma-lab-theme', theme);
  ladder.redraw();
  plots.show(ladder.lanes, peers());
}

function toggle(button, className) {
  const off = document.body.classList.toggle(className);
  button.setAttribute('aria-pressed', !off);
  fabric.show(fabric.hosts, fabric.empty, true);
  subnetView.show(latest.subnet, true);
  ladder.redraw();
}

TABS.forEach((tab, i) => {
  id('tab-' + tab).addEventListener('click', () => show(tab));
  id('tab-' + tab).addEventListener('keydown', event => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (by) {
      const next = TABS[(i + by + TABS.length) % TABS.length];
      show(next);
      id('tab-' + next).focus();
    }
  });
});
id('play').addEventListener('click', togglePlay);
id('step').addEventListener('click', step);
id('restart').addEventListener('click', () => attempt(() => post('open', {restart: true})));
id('speed').addEventListener('change', () => playing && attempt(() => post('play', {speed: Number(id('speed').value)})));
id('lesson-choice').addEventListener('change', event => attempt(() => post('open', {lesson: event.target.value})));
id('show-running').addEventListener('click', () => attempt(() => post('open', {running: true})));
id('open-file').addEventListener('click', () => id('file').click());
id('file').addEventListener('change', event => openFile(event.target.files[0]));
id('theme').addEventListener('click', () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
id('toggle-lesson').addEventListener('click', event => toggle(event.target, 'no-lesson'));
id('toggle-side').addEventListener('click', event => toggle(event.target, 'no-side'));
id('zoom-in').addEventListener('click', () => ladder.changeZoom(1.3));
id('zoom-out').addEventListener('click', () => ladder.changeZoom(1 / 1.3));
id('filter').addEventListener('input', event => {
  packets.filter(event.target.value, ladder.lanes);
  ladder.follows = false;
  ladder.redraw();
});
document.addEventListener('keydown', event => {
  if (event.target.closest('input, select, textarea, button, dialog') || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const action = {' ': togglePlay, n: step, '+': () => ladder.changeZoom(1.3), '-': () => ladder.changeZoom(1 / 1.3)}[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
});
document.addEventListener('dragover', event => {
  event.preventDefault();
  id('drop').hidden = false;
});
document.addEventListener('dragleave', event => {
  if (!event.relatedTarget) {
    id('drop').hidden = true;
  }
});
document.addEventListener('drop', event => {
  event.preventDefault();
  id('drop').hidden = true;
  openFile(event.dataTransfer.files[0]);
});

// ---- the beginning ----

setTheme(localStorage.getItem('softrdma-lab-theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
id('lesson-choice').replaceChildren(...(await get('lessons')).map((lesson, i) =>
  element('option', i + 1 + '  ' + lesson.title, {value: lesson.id})));
listen(onNews, connected => {
  // A new connection tells everything from the beginning.
  generation = -1;
  id('connection').textContent = connected ? '' : 'no connection to the laboratory';
});
// Tests read these.
window.softrdmaLab = {packets, ladder, fabric, news: () => latest};
