import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build, directoryFileSystem, type FileSystem, memoryFileSystem } from '@waygate/kustomize';
import type { Container, KubeObject, PodSpec } from '@waygate/schema';
import { workspace } from '../real/processes.ts';

export const system = 'waygate-system';

/** Every directory of deploy/ that can be applied, by its path below it; the first is deploy/ itself. */
export const directories: readonly string[] = [
  '.',
  ...readdirSync(join(workspace, 'deploy'), { recursive: true, encoding: 'utf8' }).sort(),
].filter(
  (path) =>
    existsSync(join(workspace, 'deploy', path, 'kustomization.yaml')) &&
    !path.startsWith('components'),
);

export const overlays: readonly string[] = directories.flatMap((path) =>
  path.startsWith('overlays/') ? [path.slice('overlays/'.length)] : [],
);

/** What `kubectl kustomize` makes of a directory of deploy/. */
export function objectsOf(directory: string): Promise<readonly KubeObject[]> {
  return objectsIn(directoryFileSystem(workspace), join('/deploy', directory));
}

/** What a kustomization of a user's makes, which lies beside deploy/: as an object, or as they wrote it. */
export function objectsOfOwn(
  kustomization: object | string,
  directory = 'own',
): Promise<readonly KubeObject[]> {
  const isText = typeof kustomization === 'string';
  const files: Record<string, string> = {
    [`${directory}/kustomization.yaml`]: isText ? kustomization : JSON.stringify(kustomization),
  };
  for (const path of readdirSync(join(workspace, 'deploy'), {
    recursive: true,
    encoding: 'utf8',
  })) {
    const file = join(workspace, 'deploy', path);
    if (path.endsWith('.yaml') && !path.startsWith('chart') && statSync(file).isFile())
      files[join('deploy', path)] = readFileSync(file, 'utf8');
  }
  return objectsIn(memoryFileSystem(files), `/${directory}`);
}

async function objectsIn(files: FileSystem, directory: string): Promise<readonly KubeObject[]> {
  const result = await build(files, directory);
  if (!result.isOk) throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.resources.map(({ object }) => object as unknown as KubeObject);
}

export interface Workload extends KubeObject {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: PodSpec;
    };
  };
}

export function workloadsOf(objects: readonly KubeObject[]): readonly Workload[] {
  return objects.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet') as Workload[];
}

export function containersOf({ spec }: Workload): readonly Container[] {
  const { containers, initContainers = [] } = spec.template.spec;
  return [...initContainers, ...containers];
}

/** `Kind/name`, by which objects of one installation are told apart. */
export const nameOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;
