// SPDX-License-Identifier: Apache-2.0
// The page of a lesson: text, goals and question.

import {get, post} from './api.js';
import {element, id} from './text.js';

export class LessonView {
  constructor() {
    this.shown = null;
  }

  /** Shows a lesson and how far the learner is; none for an empty name. */
  async show(lesson, generation, progress) {
    const state = lesson + ' ' + generation;
    if (state !== this.shown) {
      this.shown = state;
      id('check').hidden = lesson === '';
      if (lesson === '') {
        id('lesson-text').replaceChildren(element('h1', 'No lesson'), element('p', 'Choose a lesson above, or open a recording.'));
        return;
      }
      const text = await get('lesson/' + lesson);
      if (state !== this.shown) {
        return;
      }
      this.fill(text);
    }
    if (lesson !== '' && progress) {
      [...id('goals').children].forEach((item, i) => item.classList.toggle('met', progress.goals[i] === true));
      id('passed').hidden = !progress.passed;
    }
  }

  fill(lesson) {
    id('lesson-choice').value = lesson.id;
    id('lesson-text').innerHTML = lesson.html;
    id('lesson-text').prepend(element('h1', lesson.title));
    id('lesson').scrollTop = 0;
    id('goals').replaceChildren(...lesson.goals.map(goal => element('li', goal)));
    id('question').textContent = lesson.question;
    id('verdict').textContent = '';
    id('answers').replaceChildren(...lesson.answers.map((answer, choice) => {
      const button = element('button', answer, {type: 'button'});
      button.addEventListener('click', () => this.answer(button, choice));
      return button;
    }));
  }

  async answer(button, choice) {
    const {right, why} = await post('answer', {choice});
    for (const each of id('answers').children) {
      each.classList.remove('right', 'wrong');
    }
    button.classList.add(right ? 'right' : 'wrong');
    id('verdict').textContent = right ? why : 'No. Try again.';
  }
}
