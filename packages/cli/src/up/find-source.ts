import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isStateDirectory } from '@waygate/text';
import { CliError, exitCode } from '../context.ts';
import type { ProjectSource } from './project-objects.ts';

export type SourceChoice = 'auto' | 'git' | 'directory';

/**
 * Decides how a directory is followed: the top of a Git work tree commit by commit, anything else
 * file by file. A directory deep inside somebody's work tree counts as files: its commits are not
 * about it alone.
 */
export function findSource(directory: string, choice: SourceChoice): ProjectSource {
  if (!existsSync(directory) || !statSync(directory).isDirectory())
    throw new CliError(`there is no directory ${directory}`, { exitCode: exitCode.usage });
  const git = join(directory, '.git');
  const isWorkTree = existsSync(git);
  if (choice === 'git' && !isWorkTree)
    throw new CliError(`${directory} is not the top of a Git work tree`, {
      exitCode: exitCode.usage,
      hint: 'Make it one with git init, or follow its files with --source directory.',
    });
  if (choice === 'directory' || !isWorkTree) return { kind: 'ExternalArtifact', directory };
  return { kind: 'GitRepository', directory, branch: currentBranch(git) };
}

/** State is never source: it may lie inside of the directory that is followed, not the other way round. */
export function refuseStateAsSource(directory: string, dataDir: string | undefined): void {
  if (isStateDirectory(directory))
    throw new CliError(`${directory} holds the state of a run, which is never source`, {
      exitCode: exitCode.usage,
      hint: 'Name the directory of your manifests.',
    });
  if (dataDir === undefined || !existsSync(dataDir)) return;
  const way = relative(realpathSync(dataDir), realpathSync(directory));
  if (way === '..' || way.startsWith(`..${sep}`)) return;
  throw new CliError(`--data-dir ${dataDir} is or holds the directory that is followed`, {
    exitCode: exitCode.usage,
    hint: 'Keep the state beside it, or in a directory of its own inside of it.',
  });
}

/** The branch that HEAD names; undefined when it names a commit, or the work tree is a linked one. */
function currentBranch(git: string): string | undefined {
  if (!statSync(git).isDirectory()) return undefined;
  const head = readFileSync(join(git, 'HEAD'), 'utf8');
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
}
