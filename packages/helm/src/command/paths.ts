import { isAbsolute, join, resolve } from 'node:path/posix';
import type { CommandWorld } from './world.ts';

/** A path of the command line, from where the command runs. */
export function absolute({ cwd }: Pick<CommandWorld, 'cwd'>, path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(join(cwd, path));
}
