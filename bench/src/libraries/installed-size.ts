import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** What a package and all that it needs take on a disk. */
export interface InstalledSize {
  readonly packages: number;
  readonly bytes: number;
  /** Of these, the declarations that a compiler and an editor read. */
  readonly typeBytes: number;
}

/** Measures a package as it is installed, without what npm would not have packed of the rooms here. */
export function installedSize(name: string, from: string): InstalledSize {
  const directories = new Set<string>();
  collect(name, from, directories);
  let [bytes, typeBytes] = [0, 0];
  for (const directory of directories)
    for (const path of filesOf(directory)) {
      const { size } = statSync(path);
      bytes += size;
      if (/\.d\.[cm]?ts$/.test(path)) typeBytes += size;
    }
  return { packages: directories.size, bytes, typeBytes };
}

function collect(name: string, from: string, found: Set<string>): void {
  const directory = find(name, from);
  if (directory === undefined || found.has(directory)) return;
  found.add(directory);
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const next of Object.keys(manifest.dependencies ?? {})) collect(next, directory, found);
}

function find(name: string, from: string): string | undefined {
  for (let place = from; ; place = dirname(place)) {
    const directory = join(place, 'node_modules', name);
    if (existsSync(join(directory, 'package.json'))) return realpathSync(directory);
    if (place === dirname(place)) return undefined;
  }
}

function filesOf(directory: string): string[] {
  const isRoom = !directory.includes(`${sep}node_modules${sep}`);
  const left = isRoom
    ? /^(node_modules|testing|faults|web|\.tsbuildinfo|tsconfig\.json|api\.txt|.*\.test\.ts)$/
    : /^node_modules$/;
  const walk = (place: string): string[] =>
    readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
      if (left.test(entry.name)) return [];
      const path = join(place, entry.name);
      return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : [];
    });
  return walk(directory);
}
