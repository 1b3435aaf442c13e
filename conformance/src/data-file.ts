import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The names of a suite's JSON files, sorted; an absent folder has none. */
export async function jsonFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory).catch(() => []);
  return entries.filter((name) => name.endsWith('.json')).sort();
}

/** Reads one file of cases. The caller narrows the result: data from outside is `unknown`. */
export async function readJson(directory: string, name: string): Promise<unknown> {
  const path = join(directory, name);
  const text = await readFile(path, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON`, { cause: error });
  }
}
