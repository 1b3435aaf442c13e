import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages');
const sources = /^\w+\/(?:src|web\/src)\/(?!.*(?:\.test\.tsx?$|\/generated\/)).*\.tsx?$/;
const paths = readdirSync(packages, { recursive: true, encoding: 'utf8' });
const read = (path: string) => readFileSync(join(packages, path), 'utf8');

/** Lines of the rooms' files that a rule does not allow. */
function linesWith(rule: RegExp, files: RegExp): string[] {
  return paths
    .filter((path) => files.test(path))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) =>
          rule.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
        ),
    );
}

// `private` is a promise of the compiler, `#` one of the language. A constructor knows only the former.
test('what is private is private at run time too', () => {
  expect(linesWith(/^\s+private (?!constructor\b)/, /^\w+\/src\/.*\.tsx?$/)).toEqual([]);
});

// On a busy machine the clock goes on while the code does not: what costs little says so in CPU time.
test('no test ends sooner than a clock says', () => {
  const rule = /expect\((?:performance|Date)\.now\(\) - \w+\)\.toBeLess/;
  expect(linesWith(rule, /^\w+\/(?:src|web)\/.*\.test\.ts$/)).toEqual([]);
});

/** Calls of `vi.waitFor` that leave it at the second which vitest gives them. */
function hastyWaits(path: string): string[] {
  const text = read(path);
  if (!text.includes('vi.waitFor(')) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      node.arguments.length < 2 &&
      text.slice(node.expression.getStart(file), node.expression.end) === 'vi.waitFor'
    )
      found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test('who waits says for how long: `patience` of test/until.ts', () => {
  expect(
    paths.filter((path) => /^\w+\/(?:src|test|web\/src)\/.*\.ts$/.test(path)).flatMap(hastyWaits),
  ).toEqual([]);
});

// What a name stands for shows where it is declared; that it does not change is said by `const`.
test('a constant is written as every other name is', () => {
  expect(linesWith(/^(?:export )?const [A-Z][A-Z\d_]+\b/, sources)).toEqual([]);
});

const opened = /^( *)(?:if|for|while) \(.*\) \{$/;
const simple =
  /^ +(?!(?:if|for|while|do|const|let|switch|try|function|class)\b|\/[/*]|\*|\})\S.*;$/;

/** Blocks of one line that would stand beside their condition. */
function needlessBlocks(path: string): string[] {
  const lines = read(path).split('\n');
  return lines.flatMap((line, index) => {
    const indent = opened.exec(line)?.[1];
    const body = lines[index + 1] ?? '';
    if (indent === undefined || !simple.test(body) || lines[index + 2] !== `${indent}}`) return [];
    const joined = `${line.slice(0, -2)} ${body.trim()}`;
    return joined.length > 100 ? [] : [`${path}:${index + 1}: ${joined.trim()}`];
  });
}

// What the template of an operator writes is text here, and follows the rules of whom it is written for.
test('one statement that fits beside its condition has no braces', () => {
  const checked = paths.filter((path) => sources.test(path) && !/^cli\/src\/template\//.test(path));
  expect(checked.flatMap(needlessBlocks)).toEqual([]);
});

/** How often a file says that something is of a type where the compiler does not know. */
function assertionsIn(path: string): number {
  const text = read(path);
  if (!/\bas\b/.test(text)) return 0;
  let count = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) count += 1;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false));
  return count;
}

// `as` is for parsers. Those that are elsewhere may go, and none may come: lower a number when some went.
test('no room asserts more types than it did', () => {
  const known = JSON.parse(
    readFileSync(new URL('./dialect-assertions.json', import.meta.url), 'utf8'),
  ) as Readonly<Record<string, number>>;
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!sources.test(path) || /\/(?:testing|simulation)\//.test(path)) continue;
    const room = path.split('/', 1)[0] ?? '';
    counts.set(room, (counts.get(room) ?? 0) + assertionsIn(path));
  }
  expect([...counts].filter(([room, count]) => count > (known[room] ?? 0))).toEqual([]);
});
