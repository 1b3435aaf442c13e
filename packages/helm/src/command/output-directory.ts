import { withSource } from '../render/render-chart.ts';
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
  world.files.write(place, Buffer.concat([before, text]));
  written.add(place);
  world.writeOut(`wrote ${shown}\n`);
}
