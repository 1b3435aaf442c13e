import { createHash } from 'node:crypto';
import { loadArchive } from '../chart/load-chart.ts';
import { printMetadata } from '../chart/print-metadata.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { absolute } from './paths.ts';
import type { CommandWorld } from './world.ts';

/** Writes `NAME-VERSION.tgz.prov`: the chart's metadata and the archive's hash, signed. */
export async function signPackage(
  path: string,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<void> {
  if (world.signer === undefined) {
    throw new CommandError('nothing can be signed here: leave --sign out, or use gpg');
  }
  const place = absolute(world, path);
  const data = world.files.read(place);
  const hash = createHash('sha256').update(data).digest('hex');
  const name = path.slice(path.lastIndexOf('/') + 1);
  const { metadata } = loadArchive(data);
  const text = `${printMetadata(metadata)}\n...\nfiles:\n  ${name}: sha256:${hash}\n`;
  const keyring = flags.text('keyring') || `${world.env.HOME ?? ''}/.gnupg/pubring.gpg`;
  const ring = world.files.status(absolute(world, keyring));
  if (ring === undefined) throw new CommandError(`open ${keyring}: no such file or directory`);
  const passphrase = await passphraseOf(flags, world);
  try {
    const key = { keyring: absolute(world, keyring), name: flags.text('key'), passphrase };
    world.files.write(`${place}.prov`, new TextEncoder().encode(await world.signer(text, key)));
  } catch (cause) {
    throw new CommandError((cause as Error).message, { cause });
  }
}

/** The first line of the file that is named; `-` is what comes in. */
async function passphraseOf(flags: ParsedFlags, world: CommandWorld): Promise<string | undefined> {
  const path = flags.text('passphrase-file');
  if (path === '') return undefined;
  if (path === '-') return firstLine((await world.readStdin?.()) ?? '');
  const place = absolute(world, path);
  if (world.files.status(place) === undefined) {
    throw new CommandError(`open ${path}: no such file or directory`);
  }
  return firstLine(new TextDecoder().decode(world.files.read(place)));
}

const firstLine = (text: string) => text.split('\n', 1)[0]!.replace(/\r$/, '');
