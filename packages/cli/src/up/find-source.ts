import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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

/** The branch that HEAD names; undefined when it names a commit, or the work tree is a linked one. */
function currentBranch(git: string): string | undefined {
  if (!statSync(git).isDirectory()) return undefined;
  const head = readFileSync(join(git, 'HEAD'), 'utf8');
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
}
