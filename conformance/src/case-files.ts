import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The files of one suite, wherever they are. Names are relative to the suite, with `/`. */
export interface CaseFiles {
  names(): readonly string[];
  /** The text of a file, or undefined when there is none of that name. */
  read(name: string): string | undefined;
}

/** The files of a folder and of those inside; an absent folder has none. */
export function filesInFolder(folder: string): CaseFiles {
  const names = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
        .map((path) => path.replaceAll('\\', '/'))
        .sort()
    : [];
  const known = new Set(names);
  return {
    names: () => names,
    read: (name) => (known.has(name) ? readFileSync(join(folder, name), 'utf8') : undefined),
  };
}

/** The files of a pack: gzip, with a line of `[name, text]` for each file. Opened when first asked. */
export function filesInPack(path: string): CaseFiles {
  let files: ReadonlyMap<string, string> | undefined;
  const open = () => {
    files ??= existsSync(path) ? parsePack(readFileSync(path)) : new Map();
    return files;
  };
  return { names: () => [...open().keys()], read: (name) => open().get(name) };
}

/** Reads what `tools/pack.mjs` wrote. */
export function parsePack(bytes: Uint8Array): ReadonlyMap<string, string> {
  const lines = gunzipSync(bytes).toString('utf8').split('\n');
  return new Map(
    lines.filter((line) => line !== '').map((line): [string, string] => JSON.parse(line)),
  );
}

/**
 * Several sets as one. Of two files of one name the first set's counts, whole: the exchanges of a
 * recording build on each other, so that two versions of one cannot be mixed.
 */
export function layered(...layers: readonly CaseFiles[]): CaseFiles {
  const names = [...new Set(layers.flatMap((layer) => layer.names()))].sort();
  return {
    names: () => names,
    read(name) {
      for (const layer of layers) {
        const text = layer.read(name);
        if (text !== undefined) return text;
      }
      return undefined;
    },
  };
}

/** Files that remember which of them were read. */
export class WatchedFiles implements CaseFiles {
  readonly #files: CaseFiles;
  readonly #read = new Set<string>();

  constructor(files: CaseFiles) {
    this.#files = files;
  }

  names(): readonly string[] {
    return this.#files.names();
  }

  read(name: string): string | undefined {
    this.#read.add(name);
    return this.#files.read(name);
  }

  /** Files with cases that nobody looked at. */
  unread(): string[] {
    return this.names().filter((name) => name.endsWith('.json') && !this.#read.has(name));
  }
}
