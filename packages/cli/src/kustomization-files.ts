import { existsSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import {
  ArtifactFetcher,
  FileTree,
  type Kustomization,
  readDirectory,
  SourceIgnore,
  type SourceObject,
} from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import { reportedKind } from './cluster-option.ts';
import { CliError, exitCode } from './context.ts';

/** The files of a Kustomization's source, as they are in the cluster now. */
export async function artifactFiles(
  client: KubeClient,
  object: Kustomization,
  signal: AbortSignal,
) {
  const { kind, name, namespace = object.metadata.namespace } = object.spec.sourceRef;
  const found = await client.resource(reportedKind(kind)).get(name, { namespace }, { signal });
  const { artifact } = (found as unknown as SourceObject).status ?? {};
  if (artifact === undefined)
    throw new CliError(`${kind} ${namespace}/${name} has no artifact yet`);
  try {
    const files = await new ArtifactFetcher({ maxTries: 1 }).fetch(artifact, signal);
    return { files, path: object.spec.path ?? '/' };
  } catch (cause) {
    throw new CliError((cause as Error).message, {
      cause,
      hint: 'Is the artifact server reachable from here? With --path, files of this machine are used.',
    });
  }
}

/**
 * A directory with what it may refer to: the work tree that it is part of. What is left out of it is said with
 * patterns of .gitignore, as if that lay in the directory.
 */
export async function localFiles(directory: string, ignored: readonly string[] = []) {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw new CliError(`there is no directory ${directory}`, { exitCode: exitCode.usage });
  }
  let root = directory;
  while (!existsSync(resolve(root, '.git')) && dirname(root) !== root) root = dirname(root);
  if (!existsSync(resolve(root, '.git'))) root = directory;
  const place = relative(root, directory);
  const all = await readDirectory(root);
  if (ignored.length === 0) return { files: FileTree.of(all), path: `/${place}` };
  const ignore = SourceIgnore.forTree({ files: new Map([[place, ignored.join('\n')]]) });
  return {
    files: FileTree.of(all.filter(({ path }) => !ignore.isIgnored(path))),
    path: `/${place}`,
  };
}
