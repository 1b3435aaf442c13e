import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readObjects } from '@waygate/apply';
import { type FileTree, type Kustomization, kustomizationKind } from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import type { Command } from 'commander';
import { namespaceOf } from '../cluster-objects.ts';
import { type ClusterFlags, orNothing, reportedKind } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { artifactFiles, localFiles } from '../kustomization-files.ts';
import { collectList } from './gateway-option-values.ts';

/** What `flux build kustomization` and `flux diff kustomization` let a person give in place of the cluster's. */
export interface GivenKustomizationFlags extends ClusterFlags {
  readonly path?: string;
  readonly kustomizationFile?: string;
  readonly ignorePaths?: readonly string[];
}

/** Files, and where among them a Kustomization begins. */
interface LocatedFiles {
  readonly files: FileTree;
  readonly path: string;
}

/** Adds the flags of flux that say which Kustomization is meant, and which of the files. */
export function givenKustomizationOptions(command: Command): Command {
  return command
    .option('--path <directory>', 'files of this machine instead of its source')
    .option('--kustomization-file <file>', 'the Kustomization, before it is in the cluster')
    .option('--ignore-paths <patterns>', 'files to leave out, as .gitignore has them', collectList);
}

/** A Kustomization, of the cluster or of a file, and the files that it is built from. */
export async function givenKustomization(
  client: KubeClient,
  name: string,
  own: string,
  flags: GivenKustomizationFlags,
  context: CliContext,
): Promise<{ readonly object: Kustomization; readonly source: LocatedFiles }> {
  const { signal } = context;
  const object =
    flags.kustomizationFile === undefined
      ? await clusterKustomization(client, name, own, flags, context)
      : await withLiveStatus(
          client,
          await fileKustomization(flags.kustomizationFile, name, own, flags, context),
          signal,
        );
  const source =
    flags.path === undefined
      ? await artifactFiles(client, object, signal)
      : await localFiles(resolve(context.cwd, flags.path), flags.ignorePaths);
  return { object, source };
}

async function clusterKustomization(
  client: KubeClient,
  name: string,
  own: string,
  flags: ClusterFlags,
  context: CliContext,
): Promise<Kustomization> {
  const named = { kind: reportedKind('ks'), name };
  const namespace = await namespaceOf(client, named, own, flags, context);
  return client.resource(kustomizationKind).get(name, { namespace }, { signal: context.signal });
}

/** A Kustomization of a file, with what the one that is in the cluster has applied: some of it may have to go. */
async function withLiveStatus(
  client: KubeClient,
  object: Kustomization,
  signal: AbortSignal,
): Promise<Kustomization> {
  const { name = '', namespace = '' } = object.metadata;
  const live = await orNothing(
    client.resource(kustomizationKind).get(name, { namespace }, { signal }),
  );
  return live?.status === undefined ? object : { ...object, status: live.status };
}

/** The Kustomization of the name among the documents of a file. */
export async function fileKustomization(
  file: string,
  name: string,
  own: string,
  { namespace }: ClusterFlags,
  { cwd }: CliContext,
): Promise<Kustomization> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new CliError(`cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
  const isMeant = (object: {
    apiVersion?: string;
    kind?: string;
    metadata?: { name?: string; namespace?: string };
  }) =>
    object.kind === kustomizationKind.kind &&
    object.apiVersion?.startsWith(`${kustomizationKind.group}/`) === true &&
    object.metadata?.name === name &&
    (namespace ?? object.metadata.namespace ?? own) ===
      (object.metadata.namespace ?? namespace ?? own);
  const found = readObjects(text).find(isMeant);
  if (found === undefined) {
    const where = namespace === undefined ? '' : ` of the namespace ${namespace}`;
    throw new CliError(`there is no Kustomization ${name}${where} in ${file}`, {
      exitCode: exitCode.usage,
      hint: `It is looked for by apiVersion ${kustomizationKind.group}/v1, kind and metadata.name.`,
    });
  }
  const place = namespace ?? found.metadata.namespace ?? own;
  return {
    ...found,
    metadata: { ...found.metadata, namespace: place },
  } as unknown as Kustomization;
}
