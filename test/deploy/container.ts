import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Running, start, workspace } from '../real/processes.ts';

/** The last stage of the Containerfile, as far as a runtime reads it. */
export interface ImageSettings {
  readonly entrypoint: readonly string[];
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly copies: readonly string[];
}

export const containerfile = readFileSync(join(workspace, 'Containerfile'), 'utf8');

export function imageSettings(): ImageSettings {
  const stage = containerfile.slice(containerfile.lastIndexOf('\nFROM '));
  const lines = (word: string) =>
    [...stage.matchAll(new RegExp(`^${word} (.*)$`, 'gm'))].map(([, rest]) => rest!);
  return {
    entrypoint: JSON.parse(lines('ENTRYPOINT')[0]!) as string[],
    user: lines('USER')[0]!,
    environment: Object.fromEntries(
      lines('ENV').map((line) => line.split('=') as [string, string]),
    ),
    copies: lines('COPY'),
  };
}

/**
 * As a runtime gives a container its own: the root cannot be written, /tmp and /data can. The first
 * process stays root's: one that changes its user is no longer ended together with `unshare`.
 */
const setUp = `set -e
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount -t tmpfs tmpfs "$1/tmp"
mount --bind "$2" "$1/data"
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
user="$3"
root="$1"
shift 3
chroot --userspec="$user" "$root" "$@"
exit $?
`;

/** Starts the image of a root file system, with a volume at /data and the network of this machine. */
export function startContainer(
  root: string,
  data: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Running {
  const settings = imageSettings();
  const variables = Object.entries({ ...settings.environment, ...environment });
  return start('unshare', [
    ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', setUp, 'sh'],
    ...[root, data, settings.user, '/usr/bin/env', '--ignore-environment'],
    ...variables.map(([name, value]) => `${name}=${value}`),
    ...settings.entrypoint,
    ...args,
  ]);
}
