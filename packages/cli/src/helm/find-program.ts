import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { type CliContext, CliError } from '../context.ts';

/** Where a program is, by its path or in PATH. @throws CliError in the words of Go's exec.LookPath */
export function findProgram(name: string, { cwd, env }: CliContext): string {
  const refuse = (why: string): CliError => new CliError(`exec: ${JSON.stringify(name)}: ${why}`);
  if (name.includes('/')) {
    const path = resolve(cwd, name);
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) throw refuse(`stat ${name}: no such file or directory`);
    if (status.isDirectory()) throw refuse('is a directory');
    if (!isExecutable(path)) throw refuse('permission denied');
    return path;
  }
  const places = (env.PATH ?? '').split(delimiter).filter((each) => each !== '');
  const found = places.map((place) => resolve(place, name)).find(isExecutable);
  if (found === undefined) throw refuse('executable file not found in $PATH');
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
