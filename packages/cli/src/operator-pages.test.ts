import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { controllerFlags } from '@waygate/ingress';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { dashboardFlags } from './controller/dashboard-flags.ts';
import { buildProgram } from './program.ts';

// Pages for operators name verbs, flags, variables, paths, metrics, alerts and places of other pages. What they name
// must be there, in the version that they are of.

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = [
  'README.md',
  'deploy/chart/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'house.md')
    .map((name) => `docs/${name}`),
];

/** What stands in code: spans, and lines of blocks. */
function codeOf(text: string): string[] {
  const fenced = [...text.matchAll(/^```[^\n]*\n(.*?)^```/gms)].flatMap(([, body = '']) =>
    body.split('\n'),
  );
  const rest = text.replaceAll(/^```[^\n]*\n.*?^```/gms, '');
  const indented = [...rest.matchAll(/^ {4}(?! *[-*|] )(.+)$/gm)].map(([, line = '']) => line);
  const spans = [...rest.matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)].map(([, span = '']) =>
    span.replace('\n', ' '),
  );
  return [...fenced, ...indented, ...spans].map((one) => one.trim());
}

/** Flags of kubectl and of Node.js that pages name alone. */
const flagsOfOthers: ReadonlySet<string> = new Set(['--previous', '--max-semi-space-size']);
/** The script of a project of one's own, in examples. */
const scriptsOfOthers: ReadonlySet<string> = new Set(['dev']);

const commandStart = /^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx (?:--no )?)?waygate (?!\/)(.+)$/;

const stream = new PassThrough();
const context = {
  ...{ stdin: stream, stdout: stream, stderr: stream, env: {}, cwd: root, exitCode: 0 },
  signal: new AbortController().signal,
};
const program = await buildProgram(context, undefined);
const allFlags = new Set(everyCommand(program).flatMap(flagsOf));

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function flagsOf(command: Command): string[] {
  return command.options
    .flatMap(({ long, short }) => [long, short])
    .concat(['--help', '-h'])
    .filter((flag): flag is string => flag != null);
}

/** What a line of the page asks of the program that it has not. */
function problemOf(line: string): string | undefined {
  const [words] = line.split(/\s+(?:#|\||&&|>|;|2>)/);
  let command = program;
  const flags = new Set(flagsOf(program));
  for (const word of (words ?? '').split(/\s+/)) {
    if (word.startsWith('-')) {
      const name = word.replace(/=.*$/s, '').replace(/[,.)]+$/, '');
      if (!flags.has(name) && name !== '--' && name !== '-')
        return `waygate ${line}: ${command.name()} has no ${name}`;
    }
    const below = command.commands.find(
      (one) => one.name() === word || one.aliases().includes(word),
    );
    if (below === undefined) {
      if (command === program && /^[a-z][a-z-]*$/.test(word)) return `waygate has no verb ${word}`;
      continue;
    }
    command = below;
    for (const flag of flagsOf(below)) flags.add(flag);
  }
  return undefined;
}

describe.each(pages)('%s', (page) => {
  const text = read(page);
  const code = codeOf(text);

  test('calls verbs that there are, with flags that they have', () => {
    const lines = code.flatMap((one) => commandStart.exec(one)?.[1] ?? []);
    expect(lines.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
  });

  test('names flags that there are', () => {
    const named = code.flatMap((one) => /^(--[a-z][a-z0-9-]+)(?:[= ].*)?$/i.exec(one)?.[1] ?? []);
    const unknown = named.filter((flag) => !allFlags.has(flag) && !flagsOfOthers.has(flag));
    expect([...new Set(unknown)]).toEqual([]);
  });

  test('names files and directories that there are', () => {
    const pattern =
      /(?<![\w./:@-])(?:deploy|test|packages|scripts|examples|bench|docs)\/[\w./-]*\w/g;
    const named = code.flatMap((one) => one.match(pattern) ?? []);
    const missing = named.filter(
      (path) => !/NAME|ROOM|[A-Z]{3}/.test(path) && !existsSync(join(root, path)),
    );
    expect([...new Set(missing)]).toEqual([]);
  });

  test('names scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = code.flatMap((one) => /npm run ([\w:]+)/.exec(one)?.[1] ?? []);
    expect(
      named.filter((name) => !Object.hasOwn(scripts, name) && !scriptsOfOthers.has(name)),
    ).toEqual([]);
  });

  test('names variables that somebody reads', () => {
    const controllers = new Set(
      [...controllerFlags, ...dashboardFlags].flatMap(({ variable }) => variable ?? []),
    );
    const named = new Set(
      code.flatMap((one) => one.match(/\b(?:CONTROLLER|WAYGATE)_[A-Z0-9_]+\b/g) ?? []),
    );
    const unknown = [...named].filter((name) =>
      name.startsWith('CONTROLLER_')
        ? name !== 'CONTROLLER_NAME' && !controllers.has(name)
        : !isRead(name),
    );
    expect(unknown).toEqual([]);
  });

  test('names metrics and alerts that there are', () => {
    const metrics = read('docs/reference/metrics.md');
    const rules = read('deploy/monitoring/rules.yaml');
    const words = new Set(code.flatMap((one) => one.match(/\b[A-Za-z_]+\b/g) ?? []));
    const isMetric =
      /^(?:waygate|gotk|leader_election|rest_client|workqueue|controller_runtime)_[a-z_]+$/;
    const unknown = [...words].filter((word) =>
      isMetric.test(word)
        ? !metrics.includes(word)
        : /^Waygate[A-Z]/.test(word) && !rules.includes(word),
    );
    expect(unknown).toEqual([]);
  });

  test('leads to pages and places that there are', () => {
    const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(
      ([, to = '']) => to,
    );
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? page : relative(root, join(root, dirname(page), path));
      if (!existsSync(join(root, file))) return true;
      if (anchor === undefined || statSync(join(root, file)).isDirectory()) return false;
      return !anchorsOf(read(file)).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});

function isRead(variable: string): boolean {
  try {
    execFileSync(
      'git',
      ['grep', '-q', '-w', variable, '--', 'packages', 'scripts', 'test', 'bench', '.ci'],
      { cwd: root },
    );
    return true;
  } catch {
    return false;
  }
}

/** The anchors that headings of a page get where it is shown. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}
