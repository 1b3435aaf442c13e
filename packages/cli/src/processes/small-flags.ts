import { fileURLToPath } from 'node:url';

/** How a process is started that is at rest most of the time: with little room, and little machine code. */
export const smallFlags: readonly string[] = [
  '--require',
  fileURLToPath(new URL('../../bin/small-process.cjs', import.meta.url)),
];
