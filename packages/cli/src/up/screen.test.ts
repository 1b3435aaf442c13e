import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { Screen } from './screen.ts';

function screenTo(format: 'text' | 'json', isTerminal: boolean) {
  let text = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const now = (): Date => new Date('2026-01-02T03:04:05Z');
  const screen = new Screen({ stdout, format, isTerminal, hasColour: false, width: 60, now });
  return { screen, text: () => text };
}

const problem = (name: string, message = 'has nothing behind it') => ({
  key: name,
  object: `Service default/${name}`,
  message,
  fix: 'say what stands in for it',
});

test('a problem is told once, stays until it is solved, and that is told once', () => {
  const { screen, text } = screenTo('text', false);
  screen.problems('services', [problem('a'), problem('b')]);
  screen.problems('services', [problem('a'), problem('b')]);
  screen.output('web', 'hello');
  screen.problems('services', [problem('b')]);
  screen.problems('services', [problem('b', 'is odd')]);
  expect(text()).toBe(
    [
      '  03:04:05  problem: Service default/a: has nothing behind it',
      '  03:04:05  problem: Service default/b: has nothing behind it',
      '              say what stands in for it',
      '  03:04:05  web | hello',
      '  03:04:05  solved: Service default/a: has nothing behind it',
      '  03:04:05  problem: Service default/b: is odd',
      '              say what stands in for it',
      '',
    ].join('\n'),
  );
});

test('on a terminal what is wrong stands below everything else, and goes when it is solved', () => {
  const { screen, text } = screenTo('text', true);
  screen.problems('services', [problem('a')]);
  const shown = '-- one problem --\nService default/a: has nothing behind it\n';
  expect(text().endsWith(shown)).toBe(true);
  screen.tell('something changed');
  expect(text().endsWith(`  03:04:05  something changed\n${shown}`)).toBe(true);
  screen.problems('services', []);
  expect(text().endsWith('solved: Service default/a: has nothing behind it\n')).toBe(true);
});

test('for tools each is one JSON object a line', () => {
  const { screen, text } = screenTo('json', true);
  screen.block('Waygate is up.', { type: 'ready', apiUrl: 'https://x' });
  screen.output('web', 'hello');
  screen.problems('services', [problem('a')]);
  screen.problems('services', []);
  const rows = text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const time = '2026-01-02T03:04:05.000Z';
  expect(rows).toEqual([
    { time, type: 'ready', apiUrl: 'https://x' },
    { time, type: 'output', process: 'web', text: 'hello' },
    { time, type: 'problem', ...problem('a') },
    { time, type: 'solved', ...problem('a') },
  ]);
});
