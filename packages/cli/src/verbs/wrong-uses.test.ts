import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';
import { verbs } from '../verbs.ts';

// What the program says when it is used wrongly, word for word: `wrong-uses.txt` is meant to be read. PLACE is
// the working directory, in which these files lie.
const files: Readonly<Record<string, string>> = {
  'empty/.keep': '',
  'wrong/waygate.yaml': 'services:\n  web: {start: {comand: x}}\n  api: {}\n',
  'two/dev/kustomization.yaml': 'resources: []\n',
  'two/prod/kustomization.yaml': 'resources: []\n',
  'has/waygate.yaml': 'services: {}\n',
  'has/a.yaml': '',
  'broken/kustomization.yaml': 'resources: [\n',
  'missing/kustomization.yaml': 'resources: [none.yaml]\n',
  'text.yaml': 'just text\n',
  'bad.yaml': 'a: [\n',
  'kong-bad.yaml': '_format_version: "3.0"\nservices: [{name: a, url: 5}]\n',
};

let place: string;
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-wrong-')));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
});
afterAll(() => rmSync(place, { recursive: true }));

const listed = readFileSync(new URL('./wrong-uses.txt', import.meta.url), 'utf8');
const uses = listed
  .split(/^\$ waygate /m)
  .slice(1)
  .map((section): [string, string] => {
    const end = section.indexOf('\n');
    return [section.slice(0, end), section.slice(end + 1).trimEnd()];
  });

test('there are eighty of them', () => {
  expect(uses.length).toBeGreaterThanOrEqual(80);
  expect(new Set(uses.map(([line]) => line)).size).toBe(uses.length);
});

test.each(uses)('waygate %s', async (line, expected) => {
  const env = { HOME: place, KUBECONFIG: join(place, 'no-kubeconfig') };
  const { exitCode, stderr } = await runInProcess(line.split(' '), { cwd: place, env });
  const said = stderr.replaceAll(place, 'PLACE').trimEnd();
  expect(`${said}\n(exit code ${exitCode})`).toBe(expected);
});

test('none of them is a stack or a defect, and every verb that is named exists', () => {
  const known = new Set(verbs.map(({ name }) => name));
  for (const [line, said] of uses) {
    expect(said, line).not.toMatch(/^ {4}at |defect in Waygate|\(exit code 0\)/m);
    // `waygate.yaml` and `waygate:` are no calls of it.
    const named = [...said.matchAll(/\bwaygate ([a-z][a-z-]*)/g)].map(([, verb]) => verb!);
    expect(
      named.filter((verb) => !known.has(verb)),
      line,
    ).toEqual([]);
  }
});
