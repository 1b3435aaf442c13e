import { existsSync, realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { isStateDirectory } from '@waygate/text';
import { CliError, exitCode } from '../context.ts';

/** State is never source: it may lie inside of the directory that is followed, not the other way round. */
export function refuseStateAsSource(directory: string, dataDir: string | undefined): void {
  if (isStateDirectory(directory))
    throw new CliError(`${directory} holds the state of a run, which is never source`, {
      exitCode: exitCode.usage,
      hint: 'Name the directory of your manifests.',
    });
  if (dataDir === undefined || !existsSync(dataDir)) return;
  const way = relative(realpathSync(dataDir), realpathSync(directory));
  if (way === '..' || way.startsWith(`..${sep}`)) return;
  throw new CliError(`--data-dir ${dataDir} is or holds the directory that is followed`, {
    exitCode: exitCode.usage,
    hint: 'Keep the state beside it, or in a directory of its own inside of it.',
  });
}
