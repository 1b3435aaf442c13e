import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../code-blocks.ts';

/** The declarations as the sources are now: nothing that runs needs them, so that nothing else writes them. */
export function buildTypes(): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/build.mjs'), '--types'],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the declarations cannot be written:\n${stderr}`);
}
