// SPDX-License-Identifier: Apache-2.0
// What a learner can do: work requests, queue pairs, the network, the seed.

import {get, post} from './api.js';
import {element, id} from './text.js';

const RATES = ['drop', 'duplicate', 'corrupt'];

export class Controls {
  constructor() {
    this.ends = '';
    id('action-form').addEventListener('submit', event => this.act(event));
    id('do-action').addEventListener('change', () => this.fit());
    id('fault-form').addEventListener('input', event => this.slide(event));
    id('fault-form').addEventListener('submit', event => this.applyFaults(event));
    id('heal').addEventListener('click', () => this.command({action: 'heal'}));
    id('kill').addEventListener('click', () => this.command({action: 'kill', device: Number(id('kill-host').value)}));
    id('partition').addEventListener('click', () => this.command({action: 'partition', end: Number(id('do-end').value), count: 5}));
    id('seed-form').addEventListener('submit', event => {
      event.preventDefault();
      this.tell(() => post('open', {restart: true, seed: Number(id('seed').value)}));
    });
    id('copy-java').addEventListener('click', () => this.copy('java'));
    id('copy-command').addEventListener('click', () => this.copy('command-line'));
    this.fit();
  }

  /** Shows the ends and hosts of the world, if they have changed. */
  show(news) {
    const simulated = news.kind === 'simulated';
    id('controls').hidden = !simulated;
    if (!simulated) {
      return;
    }
    const pairs = news.hosts.flatMap(host => host.pairs.map(pair => ({host, pair}))).filter(({pair}) => pair.end >= 0)
      .sort((a, b) => a.pair.end - b.pair.end);
    const nameOf = end => pairs.find(({pair}) => pair.end === end)?.host.name;
    const texts = pairs.map(({pair, host}) => host.name + ' → ' + nameOf(pair.end ^ 1) + (pairs.length > 2 ? ', ' + (pair.connection + 1) : ''));
    if (texts.join() !== this.ends) {
      this.ends = texts.join();
      id('do-end').replaceChildren(...pairs.map(({pair}, i) => element('option', texts[i], {value: pair.end})));
      id('kill-host').replaceChildren(...news.hosts.map((host, i) => element('option', host.name, {value: i})));
    }
    if (news.generation !== this.generation) {
      this.generation = news.generation;
      id('seed').value = news.seed;
      id('fault-text').value = news.faults;
      id('do-error').textContent = '';
      for (const slider of id('fault-form').querySelectorAll('input[type=range]')) {
        slider.value = slider.id === 'fault-delay' ? 1 : 0;
        slider.nextElementSibling.value = slider.id === 'fault-delay' ? '1 µs' : '0 %';
      }
    }
  }

  chooseEnd(end) {
    id('do-end').value = end;
  }

  /** Shows the fields that the action has. */
  fit() {
    const action = id('do-action').value;
    for (const label of id('action-form').querySelectorAll('[data-for]')) {
      label.hidden = !label.dataset.for.split(' ').includes(action);
    }
  }

  act(event) {
    event.preventDefault();
    const action = id('do-action').value;
    const command = {action, end: Number(id('do-end').value)};
    const has = field => !id(field).closest('label').hidden;
    if (has('do-bytes')) {
      command.bytes = Number(id('do-bytes').value);
    }
    if (has('do-count')) {
      command.count = Number(id('do-count').value);
    }
    if (has('do-key')) {
      command.key = id('do-key').value;
    }
    if (has('do-fence')) {
      command.fence = id('do-fence').checked;
    }
    if (has('do-state')) {
      command.state = id('do-state').value;
    }
    if (has('do-rights')) {
      command.text = id('do-rights').value;
    }
    if (action === 'connect' || action === 'disconnect') {
      command.connection = command.end >> 1;
    }
    this.command(command);
  }

  command(command) {
    return this.tell(() => post('command', command));
  }

  async tell(call) {
    id('do-error').textContent = '';
    try {
      await call();
    } catch (refused) {
      id('do-error').textContent = refused.message;
    }
  }

  slide(event) {
    const slider = event.target;
    if (slider.type !== 'range') {
      return;
    }
    slider.nextElementSibling.value = slider.value + (slider.id === 'fault-delay' ? ' µs' : ' %');
    const parts = RATES.filter(rate => id('fault-' + rate).value > 0).map(rate => rate + '=' + id('fault-' + rate).value + '%');
    if (id('fault-reorder').value > 0) {
      parts.push('reorder=' + id('fault-reorder').value + '%:20us');
    }
    if (id('fault-delay').value > 1) {
      parts.push('delay=' + id('fault-delay').value + 'us');
    }
    id('fault-text').value = parts.length === 0 ? 'none' : parts.join(',');
  }

  applyFaults(event) {
    event.preventDefault();
    this.command({action: 'faults', text: id('fault-text').value});
  }

  async copy(what) {
    try {
      const {text} = await get(what);
      await navigator.clipboard.writeText(text);
      id('copied').textContent = 'Copied.';
    } catch (refused) {
      id('copied').textContent = 'Not copied: ' + refused.message;
    }
    setTimeout(() => id('copied').textContent = '', 4000);
  }
}
