import {
  alertKind,
  bucketKind,
  externalArtifactKind,
  gitRepositoryKind,
  helmChartKind,
  helmReleaseKind,
  helmRepositoryKind,
  kustomizationKind,
  ociRepositoryKind,
  providerKind,
  receiverKind,
} from '@waygate/gitops';
import { isNotFound, KubeClient, KubeError, loadConfig } from '@waygate/kube';
import type { Kind, KubeObject } from '@waygate/schema';
import type { Command } from 'commander';
import { accessOf, type ClusterAccessFlags, clusterAccessOptions } from './cluster-access.ts';
import { type CliContext, CliError, exitCode } from './context.ts';
import { fittingTable } from './terminal.ts';

export interface ClusterFlags extends ClusterAccessFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** Adds the options that say which cluster, and where in it. */
export function clusterOptions(command: Command): Command {
  command
    .option('--kubeconfig <file>', 'the kubeconfig to use')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-n, --namespace <name>', 'the namespace of the object');
  return clusterAccessOptions(command);
}

/** Runs work with a client of the cluster, and ends what it left open. */
export async function withCluster<T>(
  flags: ClusterFlags,
  context: CliContext,
  work: (client: KubeClient, namespace: string) => Promise<T>,
): Promise<T> {
  let client: KubeClient | undefined;
  let namespace = flags.namespace ?? '';
  try {
    const config = await loadConfig({
      environment: context.env,
      ...(flags.kubeconfig === undefined ? {} : { kubeconfig: flags.kubeconfig }),
      ...(flags.context === undefined ? {} : { context: flags.context }),
      cluster: flags.cluster,
      user: flags.user,
    });
    client = new KubeClient(accessOf(config, flags));
    namespace = flags.namespace ?? (config.namespace || 'default');
    return await work(client, namespace);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw new CliError(error.message, { cause: error, hint: hintFor(error, namespace) });
  } finally {
    await client?.close();
  }
}

function hintFor(error: KubeError, namespace: string): string {
  if (isNotFound(error))
    return `It was looked for in the namespace ${namespace}; -n names another.`;
  if (error.message.startsWith('no cluster is configured'))
    return 'waygate up DIR runs one here; --kubeconfig and KUBECONFIG name another.';
  return 'Is the cluster up, and is this the right kubeconfig (--kubeconfig, KUBECONFIG)?';
}

/** An object with a status that these verbs show. */
export interface ReportedObject extends KubeObject {
  spec?: { suspend?: boolean };
  status?: {
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    artifact?: { revision: string; size?: number };
    lastAppliedRevision?: string;
    lastAttemptedRevision?: string;
    lastHandledReconcileAt?: string;
    observedGeneration?: number;
    inventory?: { entries: { id: string; v: string }[] };
  };
}

const kindsByName: ReadonlyMap<string, Kind<ReportedObject>> = new Map(
  [
    { kind: kustomizationKind, names: ['ks', 'kustomization', 'kustomizations'] },
    { kind: helmReleaseKind, names: ['hr', 'helmrelease', 'helmreleases'] },
    { kind: gitRepositoryKind, names: ['git', 'gitrepo', 'gitrepository', 'gitrepositories'] },
    { kind: ociRepositoryKind, names: ['oci', 'ocirepo', 'ocirepository', 'ocirepositories'] },
    { kind: bucketKind, names: ['bucket', 'buckets'] },
    { kind: helmRepositoryKind, names: ['helmrepo', 'helmrepository', 'helmrepositories'] },
    { kind: helmChartKind, names: ['hc', 'helmchart', 'helmcharts'] },
    { kind: externalArtifactKind, names: ['ea', 'externalartifact', 'externalartifacts'] },
    { kind: alertKind, names: ['alert', 'alerts'] },
    {
      kind: providerKind,
      names: ['alert-provider', 'alert-providers', 'provider', 'providers'],
    },
    { kind: receiverKind, names: ['receiver', 'receivers'] },
  ].flatMap(({ kind, names }) =>
    names.map((name): [string, Kind<ReportedObject>] => [name, kind as Kind<KubeObject>]),
  ),
);

/** What these verbs call their kinds, one name for each: the singular one. */
export const reportedKindNames: readonly string[] = [
  'kustomization',
  'helmrelease',
  'gitrepository',
  'ocirepository',
  'bucket',
  'helmrepository',
  'helmchart',
  'externalartifact',
  'alert',
  'alert-provider',
  'receiver',
];

/** All kinds that these verbs know, each once. */
export const reportedKinds: readonly Kind<ReportedObject>[] = [...new Set(kindsByName.values())];

/** The shortest name of a kind that these verbs take: `ks` for Kustomization. */
export function shortKindName(kind: string): string {
  for (const [name, known] of kindsByName) if (known.kind === kind) return name;
  return kind.toLowerCase();
}

/** What flux calls a kind in what it says: `source git` for GitRepository. */
export function spokenKind({ kind }: { readonly kind: string }): string {
  return spokenKinds[kind] ?? kind.toLowerCase();
}

const spokenKinds: Readonly<Record<string, string>> = {
  GitRepository: 'source git',
  OCIRepository: 'source oci',
  Bucket: 'source bucket',
  HelmRepository: 'source helm',
  HelmChart: 'source chart',
  ExternalArtifact: 'source external',
  Provider: 'alert provider',
};

/** Those that offer artifacts. */
export const sourceKinds = reportedKinds.filter(({ group }) => group === gitRepositoryKind.group);

export function reportedKind(name: string): Kind<ReportedObject> {
  const kind = kindsByName.get(name.toLowerCase());
  if (kind !== undefined) return kind;
  throw new CliError(`"${name}" is not a kind that this verb knows`, {
    exitCode: exitCode.usage,
    hint: 'Kinds: kustomization (ks), helmrelease (hr), gitrepository (git), ocirepository (oci), helmrepository (helmrepo), helmchart (hc), bucket, externalartifact (ea), alert, alert-provider, receiver.',
  });
}

/** What to say when nothing was found. */
export function noneText(allNamespaces: boolean | undefined): string {
  return allNamespaces === true
    ? 'There are none.'
    : 'There are none in this namespace; -A looks in all, -n names another.';
}

export function readyOf(object: ReportedObject) {
  return object.status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Columns below one another, as wide as they need to be; the last is as long as it is. */
export function table(rows: readonly (readonly string[])[]): string {
  return fittingTable(
    rows.map((row) => row.map((text) => ({ text }))),
    { hasColour: false },
  );
}

/** What a request brings, or undefined when the cluster does not have it. */
export async function orNothing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
