import {
  ArtifactFetcher,
  type FileTree,
  generateKustomization,
  type Kustomization,
  kustomizationGroup,
  kustomizationKind,
  type SourceObject,
} from '@waygate/gitops';
import { type KubeClient, KubeError } from '@waygate/kube';
import { build } from '@waygate/kustomize';
import type { DynamicObject } from '@waygate/schema';
import { orNothing, reportedKind } from '../cluster-option.ts';
import { shownUrl } from './shown-url.ts';

/** An object that entities of a gateway were made from. */
export interface ObjectName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** How an object came into the cluster. What could not be found out is absent, and `stopped` says why. */
export interface CommitTrace {
  readonly object: ObjectName;
  readonly kustomization?: { readonly namespace: string; readonly name: string };
  readonly source?: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly url?: string;
  };
  /** What of the source the Kustomization has applied: `main@sha1:…`. */
  readonly revision?: string;
  /** In the source, with the line: `base/routes.yaml:12`. */
  readonly file?: string;
  /** Those of the file from there on, where they were asked for and hold nothing secret. */
  readonly lines?: { readonly first: number; readonly text: string };
  readonly stopped?: string;
}

const artifactTimeoutMs = 5000;

/** Goes from an object back to the Kustomization, the commit and the file that it is from. */
export async function traceCommit(
  client: KubeClient,
  object: ObjectName,
  signal: AbortSignal,
  withLines = false,
): Promise<CommitTrace> {
  const found = await findObject(client, object, signal);
  if (found === undefined) return { object, stopped: 'it is not in the cluster any more' };
  const { labels = {} } = found.metadata;
  const name = labels[`${kustomizationGroup}/name`];
  const namespace = labels[`${kustomizationGroup}/namespace`];
  if (name === undefined || namespace === undefined)
    return { object, stopped: 'it was not applied by a Kustomization' };
  const at = { object, kustomization: { namespace, name } };
  const kustomization = await orNothing(
    client.resource(kustomizationKind).get(name, { namespace }, { signal }),
  );
  if (kustomization === undefined) return { ...at, stopped: 'the Kustomization is gone' };
  return { ...at, ...(await sourceTrace(client, kustomization, object, signal, withLines)) };
}

async function findObject(
  client: KubeClient,
  { group, version, kind, namespace, name }: ObjectName,
  signal: AbortSignal,
): Promise<DynamicObject | undefined> {
  const apiVersion = group === '' || group === 'core' ? version : `${group}/${version}`;
  try {
    const resource = await client.resourceOf({ apiVersion, kind }, { signal });
    return await orNothing(resource.get(name, namespace === '' ? {} : { namespace }, { signal }));
  } catch (error) {
    if (error instanceof KubeError && error.code === 'WG_KUBE_NO_MATCH') return undefined;
    throw error;
  }
}

async function sourceTrace(
  client: KubeClient,
  kustomization: Kustomization,
  object: ObjectName,
  signal: AbortSignal,
  withLines: boolean,
): Promise<Partial<CommitTrace>> {
  const { sourceRef } = kustomization.spec;
  const { kind, name, namespace = kustomization.metadata.namespace ?? '' } = sourceRef;
  const revision = kustomization.status?.lastAppliedRevision;
  const known = {
    source: { kind, namespace, name },
    ...(revision === undefined ? {} : { revision }),
  };
  const found = (await orNothing(
    client.resource(reportedKind(kind)).get(name, { namespace }, { signal }),
  )) as unknown as (SourceObject & { spec?: { url?: string } }) | undefined;
  if (found === undefined) return { ...known, stopped: 'the source is gone' };
  const url = found.spec?.url;
  const source = { ...known.source, ...(url === undefined ? {} : { url: shownUrl(url) }) };
  const { artifact } = found.status ?? {};
  if (artifact === undefined || artifact.revision !== revision)
    return { ...known, source, stopped: 'the source has another revision by now' };
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(artifactTimeoutMs)]);
    const files = await new ArtifactFetcher({ maxTries: 1 }).fetch(artifact, within);
    const file = await fileOf(files, kustomization, object);
    const lines = withLines && file !== undefined ? linesOf(files, file, object) : undefined;
    return {
      ...known,
      source,
      ...(file === undefined ? {} : { file }),
      ...(lines === undefined ? {} : { lines }),
    };
  } catch (error) {
    signal.throwIfAborted();
    const stopped = `its file is unknown: ${(error as Error).message}`;
    return { ...known, source, stopped };
  }
}

/** The file that a build takes the object from. */
async function fileOf(
  files: FileTree,
  { spec }: Kustomization,
  { kind, namespace, name }: ObjectName,
): Promise<string | undefined> {
  const tree = files.overlay();
  const path = spec.path ?? '/';
  generateKustomization(tree, path, spec);
  const { resources } = await build(tree, path, { loadRestrictor: 'LoadRestrictionsNone' });
  const built = resources.find(
    (resource) =>
      resource.kind === kind &&
      resource.name === name &&
      (resource.namespace === namespace || resource.namespace === ''),
  );
  if (built?.origin.file === undefined) return undefined;
  const file = built.origin.file.replace(/^\//, '');
  const { line } = built.origin;
  return line === undefined ? file : `${file}:${line}`;
}

/** More of a document are not shown. */
const mostLines = 60;
/** What such a document says may be secret. */
const secretKinds =
  /^\s*-?\s*kind:\s*["']?(?:Secret|Kong(?:Plugin|ClusterPlugin|Vault|License|Credential|CustomEntity))\b/m;

/** The lines of an object's document, from the object on; none of a document that holds secrets. */
function linesOf(files: FileTree, place: string, { kind }: ObjectName): CommitTrace['lines'] {
  const [, path = '', line = '1'] = /^(.*?)(?::(\d+))?$/.exec(place) ?? [];
  const all = files.has(`/${path}`) ? files.readText(`/${path}`).split('\n') : [];
  const first = Math.max(Number(line), 1);
  const rest = all.slice(first - 1, first - 1 + mostLines);
  const end = rest.findIndex((each, index) => index > 0 && /^---(?:\s|$)/.test(each));
  const text = (end < 0 ? rest : rest.slice(0, end)).join('\n').trimEnd();
  // A List may hold a Secret beside the object.
  const isSecret =
    secretKinds.test(`kind: ${kind}`) ||
    secretKinds.test(text) ||
    /^\s*-?\s*kind:\s*["']?List\b/m.test(text);
  return text === '' || isSecret ? undefined : { first, text };
}
