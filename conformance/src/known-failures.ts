import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The cases of a suite that are known to fail, by id, each with the reason why. */
export type KnownFailures = ReadonlyMap<string, string>;

/** Reads `<directory>/<suite>.txt`: one `id<TAB>reason` a line, `#` starts a comment line. */
export function readKnownFailures(directory: string, suite: string): KnownFailures {
  const path = join(directory, `${suite}.txt`);
  return existsSync(path) ? parseKnownFailures(readFileSync(path, 'utf8')) : new Map();
}

export function parseKnownFailures(text: string): KnownFailures {
  const known = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const tab = line.indexOf('\t');
    if (tab < 0) known.set(line.trim(), '');
    else known.set(line.slice(0, tab), line.slice(tab + 1).trim());
  }
  return known;
}

export function writeKnownFailures(
  directory: string,
  suite: string,
  failures: KnownFailures,
): void {
  const lines = [...failures].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = [
    `# Cases of ${suite} that fail. The list may only shrink: npm run conformance -- --suite ${suite} --prune`,
    ...lines.map(([id, reason]) => `${id}\t${reason}`),
    '',
  ].join('\n');
  writeFileSync(join(directory, `${suite}.txt`), text);
}
