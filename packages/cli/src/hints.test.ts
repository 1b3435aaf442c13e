import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Verb } from './verb.ts';
import { verbs } from './verbs.ts';

const sources = import.meta.dirname;

/** Words in quotes or at the start of an example, `waygate VERB …`, in the texts of the program. */
function commandsIn(text: string): readonly string[] {
  const quoted = text.matchAll(/["'`(]waygate ((?:[a-z][a-z0-9-]*)(?: [a-z][a-z0-9-]*)?)[^\n]*/g);
  const examples = text.matchAll(/^ {2}waygate ((?:[a-z][a-z0-9-]*)(?: [a-z][a-z0-9-]*)?)/gm);
  return [...quoted, ...examples].map(([, words = '']) => words);
}

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('.d.ts'),
);

/** The verbs below one, where it has any that the source lists. */
async function below(verb: Verb): Promise<readonly Verb[] | undefined> {
  return (await verb.load()).verbs;
}

describe('commands that the program names', () => {
  const named = files.flatMap((file) =>
    commandsIn(readFileSync(join(sources, file), 'utf8')).map((words) => ({ file, words })),
  );

  it('are many', () => expect(named.length).toBeGreaterThan(100));

  it('are there', () => {
    const known = new Set([...verbs.map(({ name }) => name), 'help']);
    const wrong = named.filter(({ words }) => !known.has(words.split(' ')[0] ?? ''));
    expect(wrong).toEqual([]);
  });

  it('are there below file and gateway, too', async () => {
    for (const name of ['file', 'gateway']) {
      const verb = verbs.find((one) => one.name === name) as Verb;
      const known = (await below(verb))?.map((one) => one.name) ?? [];
      expect(known).not.toEqual([]);
      const second = named.filter(({ words }) => words.startsWith(`${name} `));
      const wrong = second.filter(({ words }) => !known.includes(words.split(' ')[1] ?? ''));
      expect(wrong).toEqual([]);
    }
  });
});
