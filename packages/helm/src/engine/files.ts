import { toYaml } from '../formats/yaml-write.ts';
import type { Budget } from '../go/budget.ts';
import { decodeBytes, encodeBytes } from '../go/bytes.ts';
import { fn, str } from '../go/define.ts';
import { byteSliceOf } from '../go/format-value.ts';
import type { GoFunction } from '../go/function.ts';
import {
  type GoType,
  mapOf,
  namedType,
  sliceOf,
  stringMap,
  stringSlice,
  uint8Type,
} from '../go/type.ts';
import { GoMap, GoSlice, type GoValue } from '../go/value.ts';
import { compileGlob } from './glob.ts';

const bytesType = sliceOf(uint8Type);
/** What a line takes in a list of them, beside its text. */
const bytesOfLine = 32;

/** The bytes of a file, as a `[]uint8` that is made of them when a template looks into it. */
class FileBytes extends GoSlice {
  readonly content: Uint8Array;
  #items: readonly GoValue[] | undefined;

  constructor(content: Uint8Array) {
    super(bytesType, []);
    this.content = content;
    Object.defineProperty(this, 'items', {
      get: () => (this.#items ??= byteSliceOf(decodeBytes(content), bytesType).items),
    });
  }
}

const methods = new Map<string, (receiver: GoValue) => GoFunction>([
  ['Get', (files) => fn([str], ({ budget }, name) => textOf(files, name, budget))],
  ['GetBytes', (files) => fn([str], (_, name) => new FileBytes(contentOf(files, name)))],
  ['Glob', (files) => fn([str], ({ budget }, pattern) => glob(files as GoMap, pattern, budget))],
  ['Lines', (files) => fn([str], ({ budget }, name) => lines(textOf(files, name, budget), budget))],
  [
    'AsConfig',
    (files) =>
      fn([], ({ budget }) => toYaml(byBaseName(files as GoMap, budget, decodeBytes), budget)),
  ],
  [
    'AsSecrets',
    (files) =>
      fn([], ({ budget }) =>
        toYaml(
          byBaseName(files as GoMap, budget, (content) => Buffer.from(content).toString('base64')),
          budget,
        ),
      ),
  ],
]);

const filesType: GoType = namedType('engine.files', mapOf(bytesType), { methods });

/**
 * `.Files`: a chart's files by their paths in it.
 *
 * ```ts
 * filesObject(new Map([['conf/app.ini', 'a=1']]));
 * ```
 */
export function filesObject(files: ReadonlyMap<string, Uint8Array | string>): GoMap {
  const entries = [...files].map(([path, content]): [string, GoValue] => [
    path,
    new FileBytes(typeof content === 'string' ? encodeBytes(content) : content),
  ]);
  return new GoMap(entries, filesType);
}

function contentOf(files: GoValue, name: string): Uint8Array {
  const found = (files as GoMap).get(name);
  return found instanceof FileBytes ? found.content : new Uint8Array();
}

function textOf(files: GoValue, name: string, budget: Budget): string {
  const content = contentOf(files, name);
  budget.step(content.length >> 4);
  return decodeBytes(content);
}

function glob(files: GoMap, pattern: string, budget: Budget): GoMap {
  budget.step(pattern.length);
  const matches = compileGlob(pattern, (looks) => budget.step(2 + 2 * looks));
  budget.make(files.size * 16);
  return new GoMap(
    [...files.entries].filter(([path]) => matches(path)),
    filesType,
  );
}

/** Of two files of one base name the last path wins; in Go it is a matter of chance. */
function byBaseName(files: GoMap, budget: Budget, textOf: (content: Uint8Array) => string): GoMap {
  let bytes = 0;
  for (const path of files.entries.keys()) bytes += contentOf(files, path).length;
  budget.step(bytes + files.size);
  const entries = files
    .sortedKeys()
    .map((path): [string, string] => [path.split('/').at(-1)!, textOf(contentOf(files, path))]);
  return new GoMap(entries, stringMap);
}

function lines(text: string, budget: Budget): GoSlice {
  budget.step(text.length >> 2);
  if (text === '') return new GoSlice(stringSlice, []);
  const found = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  budget.make(found.length * bytesOfLine);
  return new GoSlice(stringSlice, found);
}
