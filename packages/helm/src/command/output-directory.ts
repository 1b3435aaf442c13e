import { dirname } from 'node:path/posix';
import { withSource } from '../render/render-chart.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { absolute } from './paths.ts';
import type { CommandWorld } from './world.ts';

/** The directory of `--output-dir`, with the release's in it if it is asked for. */
export function outputDirectory(flags: ParsedFlags, release: string): string | undefined {
  const directory = flags.text('output-dir');
  if (directory === '') return undefined;
  return flags.bool('release-name') ? `${directory}/${release}` : directory;
}

/** Adds a document to the file of its template; the first one of a run starts it anew. */
export function writeTo(
  directory: string,
  path: string,
  content: string,
  world: CommandWorld,
  written: Set<string>,
): void {
  const shown = `${directory}/${path}`;
  const place = absolute(world, shown);
  const before = written.has(place) ? world.files.read(place) : new Uint8Array();
  const text = new TextEncoder().encode(withSource(path, content));
  try {
    world.files.write(place, Buffer.concat([before, text]));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOTDIR') throw cause;
    throw new CommandError(`stat ${dirname(shown)}: not a directory`, { cause });
  }
  written.add(place);
  world.writeOut(`wrote ${shown}\n`);
}
