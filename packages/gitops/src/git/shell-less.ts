import { existsSync } from 'node:fs';

/** A container image needs no shell, and is better off without one; everywhere else there is one. */
export const hasShell: boolean = existsSync('/bin/sh');

/** A program and its arguments, as they are spawned. */
interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * A call of a program that can write no file beyond so many bytes. The limit is the system's: nothing that a server
 * sends can talk the program out of it; it is told that a write failed, and not killed without a word.
 */
export function limitedCall(
  program: string,
  args: readonly string[],
  maxFileBytes: number,
  withShell = hasShell,
): ProgramCall {
  const blocks = Math.ceil(maxFileBytes / 512);
  if (withShell) {
    const limit = 'trap "" XFSZ && ulimit -f "$0" && exec "$@"';
    return { command: '/bin/sh', args: ['-c', limit, String(blocks), program, ...args] };
  }
  const limited = ['prlimit', `--fsize=${blocks * 512}`, program];
  return { command: 'env', args: ['--ignore-signal=XFSZ', ...limited, ...args] };
}

/** A script that runs a program with these arguments before those that it is given, without a shell. */
export function wrapperScript(program: string, args: readonly string[]): string {
  const call = `${JSON.stringify(program)}, [...${JSON.stringify(args)}, ...process.argv.slice(2)]`;
  return `#!/usr/bin/env node
const { spawnSync } = require('node:child_process');
const { status } = spawnSync(${call}, { stdio: 'inherit' });
process.exit(status ?? 255);
`;
}

/** A script that prints a file: what is in it is in no argument and no environment. */
export function printingScript(file: string, withShell = hasShell): string {
  if (withShell) return `#!/bin/sh\nexec cat '${file}'\n`;
  return `#!/usr/bin/env node
process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(file)}));
`;
}

/**
 * A script that git asks for a username and a password, without a shell: it answers for one server only, with what is in
 * a file of lines `username=…` and `password=…`.
 */
export function askingScript(file: string, origin: string): string {
  return `#!/usr/bin/env node
const [, what, place] = /^(Username|Password) for '([^']+)'/.exec(process.argv[2] ?? '') ?? [];
if (place === undefined || new URL(place).origin !== ${JSON.stringify(origin)}) process.exit(1);
const lines = require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8').split('\\n');
const line = lines[what === 'Username' ? 0 : 1];
process.stdout.write(line.slice(line.indexOf('=') + 1) + '\\n');
`;
}
