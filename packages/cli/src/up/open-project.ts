import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { CliError, exitCode } from '../context.ts';
import {
  kustomizationIn,
  outermostKustomizations,
  plainManifests,
  referredPaths,
  rootOf,
} from '../project/kustomization-roots.ts';
import { type ProjectFile, readProjectFile } from '../project/project-file.ts';
import { gitTopOf, readGitHead } from './git-head.ts';
import type { ProjectSource } from './project-objects.ts';

export type SourceChoice = 'auto' | 'git' | 'directory';

/** A directory that `waygate up` follows. */
export interface OpenProject {
  /** As it was named: where `waygate.yaml` is, and programs run. */
  readonly directory: string;
  readonly file: ProjectFile;
  readonly source: ProjectSource;
  /** What is built, from the directory of the source. */
  readonly path: string;
  /** What a user should know of how it is understood. */
  readonly remarks: readonly string[];
}

/**
 * Decides what of a directory is built and how it is followed: the top of a Git work tree commit by commit,
 * anything else file by file. An overlay that refers to what lies beside it is followed from the directory
 * that holds both.
 *
 * @throws CliError when that cannot be decided, or `waygate.yaml` is wrong
 */
export function openProject(
  directory: string,
  choice: SourceChoice,
  wantedPath: string | undefined,
): OpenProject {
  if (!existsSync(directory) || !statSync(directory).isDirectory())
    throw new CliError(`there is no directory ${directory}`, { exitCode: exitCode.usage });
  const { project: file, problems } = readProjectFile(directory);
  if (problems.length > 0) {
    const lines = problems.map(({ place, message }) => `  ${place}: ${message}`);
    throw new CliError(`the project in ${directory} cannot be used:\n${lines.join('\n')}`, {
      hint: 'docs/local.md says what waygate.yaml may hold.',
    });
  }
  const wanted = join(directory, wantedPath ?? file.path);
  if (!existsSync(wanted) || !statSync(wanted).isDirectory())
    throw new CliError(`there is no directory ${wantedPath ?? file.path} in ${directory}`, {
      exitCode: exitCode.usage,
      hint: wantedPath === undefined ? 'waygate.yaml names it as its path.' : 'Check --path.',
    });
  const remarks: string[] = [];
  const built = builtDirectory(wanted, remarks);
  const source = sourceOf(directory, rootOf(built), choice, remarks);
  const path = relative(source.directory, built).split(sep).join('/');
  return { directory, file, source, path: path === '' ? '.' : path, remarks };
}

/** What to build where no kustomization says it: never two overlays at once. */
function builtDirectory(directory: string, remarks: string[]): string {
  if (kustomizationIn(directory) !== undefined) return directory;
  const below = outermostKustomizations(directory);
  const plain = plainManifests(directory).filter(
    (file) => !below.some((place) => file.startsWith(`${place}${sep}`)),
  );
  if (below.length > 1)
    throw new CliError(
      `${directory} has no kustomization.yaml, and several below it:\n${below.map((each) => `  ${each}`).join('\n')}`,
      {
        exitCode: exitCode.usage,
        hint: `Name one of them, such as ${join(directory, below[0]!)}, or say path: in a waygate.yaml.`,
      },
    );
  const [only] = below;
  const outside = only === undefined ? plain : unreferred(directory, plain, only);
  if (only !== undefined && outside.length === 0) {
    remarks.push(`building ${only}, the one kustomization in ${directory}`);
    return join(directory, only);
  }
  remarks.push(plainRemark(directory, [...(only === undefined ? [] : [only]), ...outside]));
  return directory;
}

/** Files that no kustomization takes in, itself or through those that it refers to. */
function unreferred(directory: string, files: readonly string[], kustomization: string): string[] {
  const referred = new Set(referredPaths(join(directory, kustomization)));
  const isTaken = (path: string): boolean =>
    referred.has(path) || (path.length > directory.length && isTaken(dirname(path)));
  return files.filter((file) => !isTaken(join(directory, file)));
}

const shownFiles = 6;

function plainRemark(directory: string, files: readonly string[]): string {
  if (files.length === 0) return `${directory} holds no manifests yet`;
  const rest = files.length - shownFiles;
  const shown = files.slice(0, shownFiles).join(', ');
  return `applying all manifests of ${directory}: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function sourceOf(
  directory: string,
  root: string,
  choice: SourceChoice,
  remarks: string[],
): ProjectSource {
  const holder = isAbove(root, directory) ? root : directory;
  const top = gitTopOf(directory);
  if (choice === 'git' && top === undefined)
    throw new CliError(`${directory} is not in a Git work tree`, {
      exitCode: exitCode.usage,
      hint: 'Make it one with git init, or follow its files with --source directory.',
    });
  const isTop = top === directory;
  if (choice === 'directory' || top === undefined || (choice === 'auto' && !isTop))
    return { kind: 'ExternalArtifact', directory: holder };
  const head = readGitHead(top);
  const hasCommits = head !== undefined && ('commit' in head || head.hasCommits);
  if (!hasCommits && choice === 'auto') {
    remarks.push('there is no commit yet: saves are followed until waygate up is started again');
    return { kind: 'ExternalArtifact', directory: holder };
  }
  return { kind: 'GitRepository', directory: top, head };
}

function isAbove(root: string, directory: string): boolean {
  return directory === root || directory.startsWith(`${root}${sep}`);
}

/** How the project is followed, in a sentence. */
export function followingText(source: ProjectSource): string {
  if (source.kind === 'ExternalArtifact') return `following the files of ${source.directory}`;
  const { head } = source;
  const what =
    head === undefined
      ? 'commits'
      : 'branch' in head
        ? `commits of branch ${head.branch}`
        : `the commit ${head.commit.slice(0, 12)}`;
  return `following ${what} of ${source.directory} (a save counts when it is committed; --watch follows saves)`;
}
