import type { CommandWorld } from './world.ts';

/** The time of a line that Helm 3 adds with `--debug`, as Go prints one. */
export function debugTime({ now }: CommandWorld): string {
  const time = now().toISOString().replace('T', ' ').replace('Z', '000000');
  return `${time} +0000 UTC m=+0.000000000`;
}
