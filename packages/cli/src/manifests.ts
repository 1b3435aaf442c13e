import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { KubeObject } from '@waygate/schema';
import { parseYamlAll } from '@waygate/text';
import { type CliContext, CliError, exitCode } from './context.ts';

/** The objects of files, of directories with all below them, and of the standard input (`-`). */
export async function readManifests(
  paths: readonly string[],
  context: CliContext,
): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const path of paths) objects.push(...(await readPath(path, context)));
  return objects;
}

async function readPath(path: string, context: CliContext): Promise<KubeObject[]> {
  if (path === '-') return parseManifests(await readText(context.stdin), 'stdin');
  const full = resolve(context.cwd, path);
  const found = await stat(full).catch((cause: unknown) => {
    throw new CliError(`cannot read ${path}`, { cause, exitCode: exitCode.usage });
  });
  if (!found.isDirectory()) return parseManifests(await readFile(full, 'utf8'), path);
  const objects: KubeObject[] = [];
  const names = (await readdir(full, { recursive: true })).sort();
  for (const name of names) {
    if (!/\.(?:ya?ml|json)$/u.test(name)) continue;
    const text = await readFile(join(full, name), 'utf8');
    objects.push(...parseManifests(text, join(path, name)));
  }
  return objects;
}

/** Documents of a file; lists are taken apart, and what is no object is left out. */
function parseManifests(text: string, name: string): KubeObject[] {
  let documents: unknown[];
  try {
    documents = parseYamlAll(text, { name });
  } catch (cause) {
    throw new CliError((cause as Error).message, { cause });
  }
  return documents.flatMap(objectsIn);
}

function objectsIn(value: unknown): KubeObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const { kind, items, metadata } = value as {
    kind?: unknown;
    items?: unknown;
    metadata?: unknown;
  };
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items))
    return items.flatMap(objectsIn);
  if (typeof kind !== 'string' || typeof metadata !== 'object' || metadata === null) return [];
  return [value as KubeObject];
}
