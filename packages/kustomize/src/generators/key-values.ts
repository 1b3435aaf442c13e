import { isUtf8 } from 'node:buffer';
import { goQuote } from '@waygate/text';
import type { GeneratorArgs } from '../config/kustomization.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import type { Loader } from '../loader.ts';

/** Bytes or text that a generated object holds under a key. */
type KeyValues = Map<string, Uint8Array>;

/** Reads what `envs`, `literals` and `files` name, in this order; a key may come once. */
export function loadKeyValues(loader: Loader, args: GeneratorArgs): KeyValues {
  const pairs: (readonly [string, Uint8Array])[] = [];
  const load = (what: string, read: () => void): void => {
    try {
      read();
    } catch (error) {
      throw wrap(error, `loading KV pairs: ${what}`);
    }
  };
  const { envs = [], literals = [], files = [] } = args;
  load(`env source files: [${envs.join(' ')}]`, () => {
    for (const path of envs) pairs.push(...envPairs(loader.load(path)));
  });
  load(`literal sources [${literals.join(' ')}]`, () => {
    for (const literal of literals) pairs.push(literalPair(literal));
  });
  load(`file sources: [${files.join(' ')}]`, () => {
    for (const source of files) {
      const { key, path } = fileSource(source);
      pairs.push([key, loader.load(path)]);
    }
  });
  const result: KeyValues = new Map();
  for (const [key, value] of pairs) {
    if (result.has(key)) {
      throw new KustomizeError(`configmap ${args.name ?? ''} illegally repeats the key \`${key}\``);
    }
    result.set(key, value);
  }
  return result;
}

function literalPair(source: string): [string, Uint8Array] {
  const equals = source.indexOf('=');
  if (equals <= 0) throw new KustomizeError(`invalid literal source ${source}, expected key=value`);
  const value = withoutQuotes(source.slice(equals + 1));
  return [source.slice(0, equals), Buffer.from(value, 'utf8')];
}

/** One pair of the same quotes around the whole is not part of the value. */
function withoutQuotes(text: string): string {
  const first = text[0];
  const isQuoted = text.length >= 2 && first === text.at(-1) && (first === '"' || first === "'");
  return isQuoted ? text.slice(1, -1) : text;
}

/** A key, and the file that holds its value: `key=path`, or a path whose last part is the key. */
export function fileSource(source: string): { key: string; path: string } {
  const parts = source.split('=');
  if (parts.length === 1) return { key: source.slice(source.lastIndexOf('/') + 1), path: source };
  if (parts.length > 2) {
    throw new KustomizeError(`source ${goQuote(source)} key name or file path contains '='`);
  }
  const [key = '', path = ''] = parts;
  if (key === '') {
    throw new KustomizeError(
      `missing key name for file path ${goQuote(path)} in source ${goQuote(source)}`,
    );
  }
  if (path === '') {
    throw new KustomizeError(
      `missing file path for key name ${goQuote(key)} in source ${goQuote(source)}`,
    );
  }
  return { key, path };
}

/** Lines of `KEY=value`; `#` starts a comment line, and a key alone has the empty value. */
function envPairs(bytes: Uint8Array): [string, Uint8Array][] {
  const text = Buffer.from(bytes).toString('utf8');
  if (!isUtf8(bytes)) refuseLine(bytes);
  const pairs: [string, Uint8Array][] = [];
  const lines = text.split('\n');
  for (const [index, raw] of lines.entries()) {
    let line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (index === 0 && line.startsWith('\ufeff')) line = line.slice(1);
    line = line.replace(/^[ \t\v\f\u0085\u00a0]+/, '');
    if (line === '' || line.startsWith('#')) continue;
    const equals = line.indexOf('=');
    const key = equals < 0 ? line : line.slice(0, equals);
    const value = equals < 0 ? '' : line.slice(equals + 1);
    pairs.push([key, Buffer.from(value, 'utf8')]);
  }
  return pairs;
}

/** Names the first line that is no text. */
function refuseLine(bytes: Uint8Array): never {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(0x0a, start);
    const line = bytes.subarray(start, end < 0 ? undefined : end);
    if (!isUtf8(line)) {
      const shown = Buffer.from(line).toString('utf8');
      throw new KustomizeError(`line [${line.join(' ')}] has invalid utf8 bytes : ${shown}`);
    }
    start = end + 1;
  }
}
