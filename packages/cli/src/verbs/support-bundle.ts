import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { tarArchive } from '@waygate/gitops';
import type { Command } from 'commander';
import { type ClusterFlags, clusterOptions, withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { type BundleFile, supportFiles } from '../support/support-files.ts';

interface Flags extends ClusterFlags {
  readonly file: string;
  readonly tail: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .option('-f, --file <path>', 'where to write the archive', 'waygate-support.tar.gz')
    .option('--tail <lines>', 'lines of each log', '2000')
    .addHelpText(
      'after',
      `
Writes an archive (tar.gz) of what helps to understand an installation: versions, what waygate check
says, how the Deployments are started, Leases, the statuses of objects (not what is in them), events,
metrics and the ends of logs. Values of Secrets are masked wherever they stand, as far as Secrets may
be listed, and so is what looks like one. What could not be read is named in not-collected.txt. Look
through it before you give it away.

Examples:
  waygate support-bundle
  waygate support-bundle -f /tmp/bundle.tar.gz --tail 500`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const tailLines = Number(flags.tail);
  if (!Number.isInteger(tailLines) || tailLines < 0)
    throw new CliError(`--tail ${flags.tail} is no number of lines`, { exitCode: exitCode.usage });
  const path = resolve(context.cwd, flags.file);
  // What is there already stays until the new one is whole.
  const partial = `${path}.${process.pid}.partial`;
  // Before anything is collected, which may take long. Nobody else's to read: it tells a lot, even without secrets.
  const target = await writing(path, async () => {
    const there = await stat(path).catch(() => undefined);
    // A device or a directory would be replaced, or would refuse when everything is collected.
    if (there?.isFile() === false) throw new Error('it is there, and no file');
    return open(partial, 'wx', 0o600);
  });
  try {
    await withCluster(flags, context, async (client) => {
      const files = await supportFiles({ client, signal: context.signal, tailLines });
      await writing(path, async () => {
        await archive(files, target);
        await rename(partial, path);
      });
      tell(path, files, context);
    });
  } finally {
    await target.close().catch(() => {});
    await rm(partial, { force: true });
  }
}

async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new CliError(`${path} cannot be written: ${(error as Error).message}`, {
      cause: error,
      hint: '-f names another place.',
    });
  }
}

async function archive(files: readonly BundleFile[], target: FileHandle): Promise<void> {
  const entries = files.map((file) => ({
    path: file.path,
    isExecutable: false,
    content: Buffer.from(file.text),
  }));
  await pipeline(Readable.from(tarArchive(entries)), createGzip(), target.createWriteStream());
}

function tell(path: string, files: readonly BundleFile[], context: CliContext): void {
  context.stdout.write(`${path}: ${files.length} files\n`);
  const missing = files.find((file) => file.path === 'not-collected.txt')?.text ?? '';
  if (missing !== 'nothing\n')
    context.stderr.write(`Not everything could be read:\n${missing.replaceAll(/^(?=.)/gm, '  ')}`);
}
