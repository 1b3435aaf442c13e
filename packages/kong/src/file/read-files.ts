import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@waygate/text';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { expandEnvironment } from './env-template.ts';
import { parseDeckYaml } from './parse-yaml.ts';
import { serviceUrlProblem } from './service-url.ts';
import { validateFileContent } from './validate-file.ts';

export interface ReadFilesOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether variables that are not set are let through, to check files without secrets. */
  readonly isLenient?: boolean;
  /** Whether `${{ env "DECK_X" }}` stays as it is. */
  readonly keepsTemplates?: boolean;
  /** What `-` reads. */
  readonly readStdin?: () => Promise<string>;
}

export interface ReadFilesResult {
  readonly config: DeclarativeConfig;
  /** What is wrong with the files, as decK words it. The configuration is whole only without any. */
  readonly problems: readonly string[];
  /** Values of the environment in the files, for output to leave out. */
  readonly secrets: readonly string[];
}

const extensions = /\.(ya?ml|json)$/i;

/**
 * The files that a path names: itself, or those of a directory in their order, however deep.
 *
 * ```ts
 * for (const file of await stateFilesAt('teams/')) console.log(file); // teams/blue.yaml, teams/red.yaml
 * ```
 */
export async function stateFilesAt(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  entries.sort((one, two) => (one.name < two.name ? -1 : 1));
  const nested = await Promise.all(
    entries.map(async (entry) => {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) return stateFilesAt(inner);
      return extensions.test(entry.name) ? [inner] : [];
    }),
  );
  return nested.flat();
}

function goTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/**
 * Reads the content of one file; what is wrong comes back as text, with decK's words.
 *
 * ```ts
 * parseContent('{"_format_version": "3.0"}').content; // { _format_version: '3.0' }
 * ```
 */
export function parseContent(
  text: string,
  options: ReadFilesOptions = {},
): {
  readonly content: JsonObject;
  readonly problems: readonly string[];
  readonly secrets: readonly string[];
} {
  const expanded =
    options.keepsTemplates === true
      ? { text, problems: [], values: [] }
      : expandEnvironment(text, options.environment ?? {}, options.isLenient);
  const secrets = expanded.values;
  if (expanded.problems.length > 0) return { content: {}, problems: expanded.problems, secrets };
  const prefix = 'reading file: validating file content: ';
  if (/^[ \t]/.test(expanded.text)) {
    return { content: {}, problems: [`${prefix}file must not begin with a whitespace`], secrets };
  }
  const parsed = parseDeckYaml(expanded.text);
  if (!parsed.isValid) {
    const message = `${prefix}unmarshaling file content: error converting YAML to JSON: ${parsed.message}`;
    return { content: {}, problems: [message], secrets };
  }
  const content = parsed.value ?? {};
  if (!isObject(content)) {
    const message = `${prefix}unmarshaling file content: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goTypeName(content)} into Go value of type map[string]interface {}`;
    return { content: {}, problems: [message], secrets };
  }
  const wrong = validateFileContent(content);
  if (wrong.length > 0) {
    const message = `${prefix}${wrong.length} errors occurred:\n\t${wrong.join('\n\t')}`;
    return { content, problems: [message], secrets };
  }
  const urlProblem = findUrlProblem(content);
  return { content, problems: urlProblem === undefined ? [] : [urlProblem], secrets };
}

function findUrlProblem(content: JsonObject): string | undefined {
  const prefix = 'reading file: error unmarshaling JSON: while decoding JSON: ';
  for (const service of (content.services ?? []) as readonly JsonObject[]) {
    const { url } = service;
    if (typeof url !== 'string') continue;
    const problem = serviceUrlProblem(url);
    if (problem !== undefined) return `${prefix}${problem}`;
  }
  return undefined;
}

/**
 * Puts the contents of several files together: lists are joined, of other values the first wins.
 *
 * ```ts
 * mergeContents([{ services: [{ name: 'shop' }] }, { services: [{ name: 'blog' }] }]).config; // { services: [{ name: 'shop' }, { name: 'blog' }] }
 * ```
 */
export function mergeContents(contents: readonly JsonObject[]): {
  readonly config: DeclarativeConfig;
  readonly problems: readonly string[];
} {
  const merged: { [key: string]: JsonValue } = {};
  const problems: string[] = [];
  for (const content of contents) {
    for (const [key, value] of Object.entries(content)) {
      if (value === undefined || value === null || key === '__proto__') continue;
      const existing = merged[key];
      if (existing === undefined) merged[key] = value;
      else if (Array.isArray(existing) && Array.isArray(value))
        merged[key] = [...existing, ...value];
      else if (isObject(existing) && isObject(value)) merged[key] = mergeObjects(existing, value);
      else if (key === '_workspace' && existing !== value) {
        problems.push(
          `it seems like you are trying to sync multiple workspaces at the same time (${String(existing)} and ${String(value)}): sync one workspace at a time`,
        );
      }
    }
  }
  return { config: merged as DeclarativeConfig, problems };
}

function mergeObjects(one: JsonObject, two: JsonObject): JsonObject {
  const merged: { [key: string]: JsonValue | undefined } = { ...one };
  for (const [key, value] of Object.entries(two)) {
    const existing = merged[key];
    if (Array.isArray(existing) && Array.isArray(value)) {
      merged[key] = [...new Set([...existing, ...value])];
    } else if (isObject(existing) && isObject(value)) merged[key] = mergeObjects(existing, value);
    else if (existing === undefined) merged[key] = value;
  }
  return merged;
}

/**
 * Reads declarative files: paths of files or directories, which are walked in order, or `-` for the
 * standard input; several are put together.
 *
 * ```ts
 * const { config, problems } = await readFiles(['kong/'], { environment: process.env });
 * ```
 */
export async function readFiles(
  paths: readonly string[],
  options: ReadFilesOptions = {},
): Promise<ReadFilesResult> {
  const contents: JsonObject[] = [];
  const problems: string[] = [];
  const secrets: string[] = [];
  const add = (text: string): void => {
    const parsed = parseContent(text, options);
    contents.push(parsed.content);
    problems.push(...parsed.problems);
    secrets.push(...parsed.secrets);
  };
  for (const path of paths.flatMap((entry) => entry.split(','))) {
    if (path === '-') {
      add((await options.readStdin?.()) ?? '');
      continue;
    }
    let files: readonly string[];
    try {
      files = await stateFilesAt(path);
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const reason = isMissing ? 'no such file or directory' : (error as Error).message;
      problems.push(`reading state file: stat ${path}: ${reason}`);
      continue;
    }
    for (const file of files) add(await readFile(file, 'utf8'));
  }
  const merged = mergeContents(contents);
  return {
    config: merged.config,
    problems: [...problems, ...merged.problems],
    secrets: [...new Set(secrets)],
  };
}
