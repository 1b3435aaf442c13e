import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment, root } from './setup.mjs';

/**
 * Runs each benchmark of another commit and then today's, and prints the rows of both. The other sources are
 * unpacked into a temporary directory, where they install and compile what they need. A benchmark that fails on one
 * side, or is not there yet, leaves its column empty. The result is the exit code: 1 when today's failed.
 */
export function compareWith(revision, names, { quick, json }) {
  const directory = mkdtempSync(join(tmpdir(), 'waygate-before-'));
  try {
    const archive = execFileSync('git', ['archive', revision], { cwd: root, maxBuffer: 2 ** 31 });
    execFileSync('tar', ['x', '-C', directory], { input: archive });
    // With the machine's own environment, as a registry may need it; what is measured has the plain one.
    const build = [join(directory, 'scripts/build.mjs')];
    execFileSync(process.execPath, build, { cwd: directory, stdio: ['ignore', 2, 'inherit'] });
    const results = names.map((name) => {
      const before = rowsOf(directory, name, quick);
      const now = rowsOf(root, name, quick);
      console.log(tableOf(name, before ?? [], now ?? []));
      return { name, before, now };
    });
    if (json !== undefined)
      writeFileSync(json, `${JSON.stringify({ revision, results }, null, 1)}\n`);
    return results.some(({ now }) => now === undefined) ? 1 : 0;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The rows of a benchmark of the sources in a directory; undefined when it does not come to its end. */
function rowsOf(directory, name, isQuick) {
  const path = join(mkdtempSync(join(tmpdir(), 'waygate-rows-')), 'rows.json');
  console.error(`» ${name} ${directory === root ? 'now' : 'before'}`);
  try {
    // What it prints is told together with the other's, below.
    const { status } = spawnSync(
      process.execPath,
      [join(directory, 'scripts/bench.mjs'), name, '--json', path, ...(isQuick ? ['--quick'] : [])],
      {
        cwd: directory,
        // Whom a machine trusts besides costs older sources as little as today's.
        env: { ...process.env, ...plainEnvironment },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    if (status !== 0 || !existsSync(path)) return undefined;
    return JSON.parse(readFileSync(path, 'utf8')).results.flatMap(({ rows }) => rows);
  } finally {
    rmSync(join(path, '..'), { recursive: true, force: true });
  }
}

/** A Markdown table: what was measured, before and now, and now as a share of before. */
export function tableOf(name, before, now) {
  const keys = [...new Set([...before, ...now].map(keyOf))];
  const find = (rows, key) => rows.find((row) => keyOf(row) === key);
  const lines = keys.map((key) => {
    const was = find(before, key);
    const is = find(now, key);
    const { name, n = '', unit } = is ?? was;
    const share = was === undefined || is === undefined ? '' : (is.ours / was.ours).toFixed(2);
    return `| ${[name, n, unit, figure(was?.ours), figure(is?.ours), share].join(' | ')} |`;
  });
  const head =
    '| what | N | unit | before | now | now / before |\n| --- | ---: | --- | ---: | ---: | ---: |';
  return `\n## ${name}\n\n${head}\n${lines.join('\n')}`;
}

function keyOf({ name, n, unit }) {
  return JSON.stringify([name, n, unit]);
}

function figure(value) {
  if (value === undefined) return '';
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
