import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build, directoryFileSystem, KustomizeError, localize } from '@waygate/kustomize';
import type { Command } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { logTime } from './kustomize-command.ts';
import { RemoteFiles } from './localize-remote.ts';

interface Flags {
  readonly scope?: string;
  readonly verify: boolean;
}

export function configure(command: Command, context: CliContext): void {
  command
    .argument('[target]', 'the directory of a kustomization, or the address of one', '.')
    .argument('[destination]', 'a directory that is not there yet (default: localized-TARGET)')
    .option('--scope <directory>', 'what may be read of this machine (default: the target)')
    .option('--no-verify', 'do not build both and compare')
    .addHelpText(
      'after',
      `
Copies a kustomization and all that it refers to, so that nothing of it comes from elsewhere, as
"kustomize localize" of version 5.8 does. Remote files and repositories are fetched, with git, and lie in
localized-files. Fields of the copies are in the order of their names; comments are lost.

Examples:
  waygate localize overlays/production
  waygate localize overlays/production ../copy --scope .
  waygate localize 'https://git.example/shop/manifests//production?ref=v1.4.2'`,
    )
    .action((target: string, destination: string | undefined, flags: Flags) =>
      run(target, destination, flags, context),
    );
}

async function run(
  target: string,
  destination: string | undefined,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  const log = (text: string): void => void context.stderr.write(`${logTime(new Date())} ${text}\n`);
  const remote = new RemoteFiles(context);
  try {
    const fetch = (url: string) => remote.fetch(url);
    const copy = await localize({
      fileSystem: directoryFileSystem('/'),
      directory: context.cwd,
      target,
      scope: flags.scope,
      destination,
      fetch,
    });
    write(copy.destination, copy.writes);
    if (flags.verify) {
      const { scope = '' } = flags;
      const isBelow = scope !== '' && scope !== target;
      const built = isBelow ? join(copy.destination, basename(target)) : copy.destination;
      const isUrl = /^[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:|^(?:github|gitlab|bitbucket)\./i;
      const original = isUrl.test(target) ? target : resolve(context.cwd, target);
      const before = await textOfBuild(original, target, fetch, log);
      const after = await textOfBuild(built, built, fetch, log);
      if (before !== after) {
        log(
          `VERIFICATION FAILED: \`kustomize build\` for ${target} and ${copy.destination} are different after localization.`,
        );
        context.exitCode = exitCode.failed;
        return;
      }
      log(
        `VERIFICATION SUCCESS: \`kustomize build\` for ${target} and ${copy.destination} are the same after localization.`,
      );
    }
    log(`SUCCESS: localized "${target}" to directory ${copy.destination}`);
  } catch (error) {
    if (error instanceof KustomizeError) throw new CliError(error.message, { cause: error });
    throw error;
  } finally {
    remote.close();
  }
}

/** Whole or not at all: what could not be written to its end is taken away again. */
function write(destination: string, writes: ReadonlyMap<string, Uint8Array | string>): void {
  mkdirSync(destination);
  try {
    for (const [path, content] of writes) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  } catch (error) {
    rmSync(destination, { recursive: true, force: true });
    throw error;
  }
}

async function textOfBuild(
  directory: string,
  shown: string,
  fetch: (url: string) => ReturnType<RemoteFiles['fetch']>,
  log: (text: string) => void,
): Promise<string> {
  const result = await build(directoryFileSystem('/'), directory, { fetch });
  const error = result.problems.find(({ severity }) => severity === 'error');
  if (error === undefined) return result.toYaml();
  log(
    `If your target directory requires flags to build: \n1. Add executable permissions for the downloaded exec binaries in '${shown}'. \n2. Run kustomize build with the necessary flags and self-verify the outputs.`,
  );
  throw new CliError(error.message);
}
