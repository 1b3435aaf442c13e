import { Command } from 'commander';
import { expect, test } from 'vitest';
import { allowGoBooleans } from './go-booleans.ts';

function parsed(words: readonly string[]) {
  const command = new Command()
    .option('--prune', 'a switch')
    .option('--no-wait', 'on unless told')
    .option('--color [when]', 'takes a value, or none')
    .option('--name <name>', 'takes a value')
    .argument('[rest...]');
  allowGoBooleans(command);
  command.parse([...words], { from: 'user' });
  return { ...command.opts(), rest: command.args };
}

test.each([
  [[], { wait: true, rest: [] }],
  [['--prune=true'], { prune: true, wait: true, rest: [] }],
  [['--prune=false'], { wait: true, rest: [] }],
  [['--prune=1', '--wait=f'], { prune: true, wait: false, rest: [] }],
  [['--wait=true'], { wait: true, rest: [] }],
  [['--no-wait'], { wait: false, rest: [] }],
  [['--color=false', '--name=true'], { color: 'false', name: 'true', wait: true, rest: [] }],
  [['--', '--prune=true'], { wait: true, rest: ['--prune=true'] }],
])('%j', (words, wanted) => {
  expect(parsed(words)).toEqual(wanted);
});
