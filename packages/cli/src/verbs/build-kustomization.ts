import { resolve } from 'node:path';
import {
  builtKustomization,
  type FileTree,
  type Kustomization,
  kustomizationKind,
  PhaseError,
} from '@waygate/gitops';
import { KubeClient } from '@waygate/kube';
import type { DynamicObject } from '@waygate/schema';
import { printYaml } from '@waygate/text';
import { objectOf } from '../cluster-objects.ts';
import { withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { localFiles } from '../kustomization-files.ts';
import {
  fileKustomization,
  type GivenKustomizationFlags,
  givenKustomization,
} from './given-kustomization.ts';

interface BuildKustomizationFlags extends GivenKustomizationFlags {
  readonly dryRun?: boolean;
  readonly recursive?: boolean;
  readonly localSources?: readonly string[];
  readonly strictSubstitute?: boolean;
}

/** `waygate build ks NAME`: what a Kustomization of the cluster, or of a file, makes of its source, or of files here. */
export async function printKustomization(
  words: readonly string[],
  flags: BuildKustomizationFlags,
  context: CliContext,
): Promise<void> {
  const { kind, name } = objectOf(words);
  if (kind.kind !== kustomizationKind.kind) {
    throw new CliError('only a Kustomization is built', { exitCode: exitCode.usage });
  }
  const objects =
    flags.dryRun === true
      ? await builtWithoutCluster(name, flags, context)
      : await withCluster(flags, context, async (client, own) => {
          const { object, source } = await givenKustomization(client, name, own, flags, context);
          return builtWhole(object, source, client, flags, context);
        });
  const shown = objects.map((object) => (object.kind === 'Secret' ? masked(object) : object));
  context.stdout.write(shown.map((object) => `${printYaml(object)}---\n`).join(''));
}

/** Nothing of a cluster is asked: variables of ConfigMaps and Secrets, and keys, are left out. */
async function builtWithoutCluster(
  name: string,
  flags: BuildKustomizationFlags,
  context: CliContext,
): Promise<readonly DynamicObject[]> {
  const { kustomizationFile, path } = flags;
  if (kustomizationFile === undefined || path === undefined) {
    throw new CliError('--dry-run asks no cluster: it needs --kustomization-file and --path', {
      exitCode: exitCode.usage,
    });
  }
  const object = await fileKustomization(kustomizationFile, name, 'default', flags, context);
  const source = await localFiles(resolve(context.cwd, path), flags.ignorePaths);
  const client = new KubeClient({ server: 'http://127.0.0.1:0', namespace: 'default' });
  try {
    return await builtWhole(withoutCluster(object), source, client, flags, context);
  } finally {
    await client.close();
  }
}

function withoutCluster(object: Kustomization): Kustomization {
  const { decryption: _key, postBuild, ...spec } = object.spec;
  const { substituteFrom: _from, ...kept } = postBuild ?? {};
  return { ...object, spec: { ...spec, ...(postBuild === undefined ? {} : { postBuild: kept }) } };
}

/** What a Kustomization makes, and with `--recursive` what those make that it applies. */
async function builtWhole(
  object: Kustomization,
  source: { readonly files: FileTree; readonly path: string },
  client: KubeClient,
  flags: BuildKustomizationFlags,
  context: CliContext,
  depth = 0,
): Promise<DynamicObject[]> {
  const { signal } = context;
  const options = { client, signal, strictSubstitution: flags.strictSubstitute };
  let built: readonly DynamicObject[];
  try {
    built = await builtKustomization(object, source, options);
  } catch (error) {
    if (error instanceof PhaseError) throw new CliError(error.message, { cause: error });
    throw error;
  }
  const all = built.map((each) => ownedBy(object, each));
  if (flags.recursive !== true) return all;
  if (depth >= maxDepth) throw new CliError(`Kustomizations apply each other ${maxDepth} deep`);
  for (const nested of built.filter(isKustomization)) {
    const local = localSourceOf(nested, object, flags);
    const directory = resolve(context.cwd, local, `./${nested.spec.path ?? ''}`);
    const files = await localFiles(directory, flags.ignorePaths);
    const next = flags.dryRun === true ? withoutCluster(nested) : nested;
    all.push(...(await builtWhole(next, files, client, flags, context, depth + 1)));
  }
  return all;
}

/** With the labels that say by which Kustomization it is applied. */
function ownedBy({ metadata }: Kustomization, object: DynamicObject): DynamicObject {
  const { group } = kustomizationKind;
  const labels = {
    ...object.metadata.labels,
    [`${group}/name`]: metadata.name ?? '',
    [`${group}/namespace`]: metadata.namespace ?? '',
  };
  return { ...object, metadata: { ...object.metadata, labels } };
}

/** Kustomizations that apply Kustomizations, and so on. */
const maxDepth = 20;

function isKustomization(object: DynamicObject): object is DynamicObject & Kustomization {
  const { apiVersion = '', kind } = object;
  return kind === kustomizationKind.kind && apiVersion.startsWith(`${kustomizationKind.group}/`);
}

/** Where the files of a Kustomization's source lie here: `--local-sources GitRepository/flux-system/fleet=./fleet`. */
function localSourceOf(
  { spec, metadata }: Kustomization,
  above: Kustomization,
  { localSources = [] }: BuildKustomizationFlags,
): string {
  const { kind, name, namespace = metadata.namespace ?? above.metadata.namespace } = spec.sourceRef;
  const id = `${kind}/${namespace}/${name}`;
  const found = localSources.find((each) => each.startsWith(`${id}=`));
  if (found !== undefined) return found.slice(id.length + 1);
  throw new CliError(
    `where are the files of ${id}, which Kustomization ${metadata.name} is built from?`,
    {
      exitCode: exitCode.usage,
      hint: `Say it: --local-sources ${id}=DIRECTORY`,
    },
  );
}

/** What may have been decrypted is not shown, as flux does not show it either. */
function masked<T extends object>(secret: T): T {
  const hidden = (values: unknown, mask: string): Record<string, string> =>
    Object.fromEntries(Object.keys((values ?? {}) as object).map((key) => [key, mask]));
  const { data, stringData } = secret as { data?: unknown; stringData?: unknown };
  const base64 = Buffer.from('**SOPS**').toString('base64');
  return {
    ...secret,
    ...(data === undefined ? {} : { data: hidden(data, base64) }),
    ...(stringData === undefined ? {} : { stringData: hidden(stringData, '**SOPS**') }),
  };
}
