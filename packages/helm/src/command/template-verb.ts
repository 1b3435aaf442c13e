import { goMatch } from '@waygate/text';
import { withSource } from '../render/render-chart.ts';
import { splitManifests } from '../render/split-manifests.ts';
import { CommandError } from './command-error.ts';
import { dryInstall, type InstalledRelease, InstallFailure } from './dry-install.ts';
import type { ParsedFlags } from './flag-set.ts';
import { outputDirectory, writeTo } from './output-directory.ts';
import type { CommandWorld } from './world.ts';

/** `helm template`: prints what an install would create. */
export async function template(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const isVerbose = flags.bool('debug');
  let release: InstalledRelease | undefined;
  let failure: InstallFailure | undefined;
  try {
    release = await dryInstall(flags, world, 'template');
  } catch (error) {
    if (!(error instanceof InstallFailure)) throw error;
    if (!isVerbose) {
      throw new CommandError(`${error.message}\n\nUse --debug flag to render out invalid YAML`, {
        cause: error,
      });
    }
    failure = error;
  }
  const hooks = flags.bool('no-hooks') ? [] : (release?.hooks ?? []);
  const shown = hooks.filter(
    ({ events }) => !(flags.bool('skip-tests') && events.includes('test')),
  );
  const directory = outputDirectory(flags, release?.name ?? '');
  let text = `${(failure?.manifest ?? release?.manifest ?? '').trim()}\n`;
  for (const { path, content } of shown) {
    if (directory === undefined) text += withSource(path, content);
    else writeTo(directory, path, content, world, release!.written);
  }
  const wanted = flags.list('show-only');
  if (wanted.length > 0) text = onlyShown(text, wanted, world, failure);
  world.writeOut(text);
  if (failure !== undefined) throw new CommandError(failure.message, { cause: failure });
}

function onlyShown(
  text: string,
  wanted: readonly string[],
  world: CommandWorld,
  failure: InstallFailure | undefined,
): string {
  const documents = splitManifests(text, world.helm);
  let shown = '';
  for (const pattern of wanted) {
    const found = documents.filter((document) => {
      const path = /# Source: [^/]+\/(.+)/.exec(document)?.[1];
      return path !== undefined && isMatch(pattern, path);
    });
    if (found.length === 0) {
      if (failure !== undefined && world.helm === 4) {
        throw new CommandError(failure.message, { cause: failure });
      }
      throw new CommandError(`could not find template ${pattern} in chart`);
    }
    shown += found.map((document) => `---\n${document}\n`).join('');
  }
  return shown;
}

function isMatch(pattern: string, path: string): boolean {
  try {
    return goMatch(pattern, path);
  } catch {
    return false;
  }
}
