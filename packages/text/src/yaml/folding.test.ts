import { expect, test } from 'vitest';
import { parseYaml } from './parse.ts';
import { printYaml } from './print.ts';

const words = 'word '.repeat(14);
const wide = 'x'.repeat(90);

// As kubectl kustomize prints them, below `data:` of a ConfigMap: where a text that is too long is broken.
test.each<[string, string, string]>([
  ['double', `\t${words}and then some of it`, `"\\t${words}and\n    then some of it"`],
  ['single', `# ${words}and then some of it`, `'# ${words}and\n    then some of it'`],
  [
    'two spaces where a double quoted one is broken',
    `\t${wide}  y z w`,
    `"\\t${wide}\n    \\ y z w"`,
  ],
  ['three spaces there', `\t${wide}   y z`, `"\\t${wide}\n    \\  y z"`],
  [
    'two spaces where a single quoted one would be broken',
    `# ${wide}  y z w`,
    `'# ${wide}  y\n    z w'`,
  ],
  ['two spaces where a plain one would be broken', `${wide}  y z w`, `${wide}  y\n    z w`],
  ['one space', `\t${wide} y`, `"\\t${wide}\n    y"`],
  ['one space, single quoted', `# ${wide} y`, `'# ${wide}\n    y'`],
  ['a space at the end', `\t${wide} `, `"\\t${wide} "`],
  ['a space at the end, single quoted', `# ${wide} `, `'# ${wide} '`],
  ['a space at the start', ` ${wide} y`, `' ${wide}\n    y'`],
  ['nothing to break at', `\t${wide}${wide}`, `"\\t${wide}${wide}"`],
])('%s', (_what, text, printed) => {
  const value = { data: { a: text } };
  const shown = printYaml(value);
  // The key takes five columns, as here.
  expect(shown).toBe(`data:\n  a: ${printed}\n`);
  expect(parseYaml(shown)).toEqual(value);
});
