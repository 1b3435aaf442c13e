import type { CaseFiles } from './case-files.ts';

/** The names of a suite's JSON files, sorted; those in folders are a matter of their own. */
export function jsonFiles(files: CaseFiles): string[] {
  return files.names().filter((name) => name.endsWith('.json') && !name.includes('/'));
}

/** Reads one file of cases. The caller narrows the result: data from outside is `unknown`. */
export function readJson(files: CaseFiles, name: string): unknown {
  const text = files.read(name);
  if (text === undefined) throw new Error(`there is no ${name}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not JSON`, { cause: error });
  }
}
