import { randomUUID } from 'node:crypto';
import type { Change } from '@waygate/apply';
import {
  type Problem,
  toDeclarativeConfig,
  translate,
  unservedLine,
  unservedRoutes,
  type WatchedKind,
  watchedKinds,
} from '@waygate/ingress';
import {
  buildTarget,
  createPlan,
  type DeclarativeConfig,
  KongEntities,
  type Operation,
  operationText,
} from '@waygate/kong';
import { isForbidden, isNoMatch, isNotFound, type KubeClient } from '@waygate/kube';
import { type DynamicObject, parseApiVersion } from '@waygate/schema';
import { problemLine } from './problem-line.ts';

interface GatewayPreviewOptions {
  readonly ingressClass: string;
  /** Where to look for what may not be listed in all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** What a change of objects means for traffic. */
interface GatewayPreview {
  readonly operations: readonly Operation[];
  /** What could not be translated then, and can be now, or is not there yet. */
  readonly problems: readonly string[];
  /** Why part of it is not known. */
  readonly notes: readonly string[];
}

/**
 * What changes of objects would change in a gateway: all that the ingress controller follows is
 * translated as it is and as it would be, and the difference is what people get to see. Undefined when
 * nothing that a gateway knows of would change.
 */
export async function previewGateway(
  client: KubeClient,
  changes: readonly Change[],
  options: GatewayPreviewOptions,
): Promise<GatewayPreview | undefined> {
  const relevant = changes.filter((change) => isFollowed(change) && isDifference(change));
  if (relevant.length === 0) return undefined;
  const { signal, namespaces } = options;
  const { objects, notes } = await followedObjects(client, signal, undefined, namespaces);
  const before = translated([...objects.values()], options);
  const known = new Set([...before.problems, ...unservedLines(objects, options)]);
  for (const { before: old, after, action } of relevant) {
    if (old !== undefined) objects.delete(keyOf(old));
    if (after !== undefined && action !== 'deleted') objects.set(keyOf(after), after);
  }
  const after = translated([...objects.values()], options);
  const current = targetOf(before.config, new KongEntities());
  const { operations } = createPlan(current, targetOf(after.config, current));
  const problems = [...after.problems, ...unservedLines(objects, options)];
  return {
    operations: operations.filter(({ isRelease }) => isRelease !== true),
    problems: problems.filter((problem) => !known.has(problem)),
    notes,
  };
}

function unservedLines(
  objects: ReadonlyMap<string, DynamicObject>,
  { ingressClass }: GatewayPreviewOptions,
): string[] {
  const options = { ingressClass, isWhole: true, hasOthers: true };
  return unservedRoutes([...objects.values()], options).map(unservedLine);
}

/** What the ingress controller would make of all that is in a cluster. */
export async function clusterConfig(
  client: KubeClient,
  options: GatewayPreviewOptions,
): Promise<{ config: DeclarativeConfig; problems: readonly string[]; notes: readonly string[] }> {
  const { objects, notes } = await followedObjects(client, options.signal);
  return { ...translated([...objects.values()], options), notes };
}

/** What the ingress controller can make nothing of in a cluster, and the routes that it leaves alone. */
export async function clusterProblems(
  client: KubeClient,
  { ingressClass, signal }: GatewayPreviewOptions,
): Promise<{ readonly problems: readonly Problem[]; readonly objects: readonly DynamicObject[] }> {
  const followed = await followedObjects(client, signal);
  const objects = [...followed.objects.values()];
  return { ...translate(objects, { ingressClass, onlyAttachedRoutes: true }), objects };
}

/** The part of a preview that is about the gateway, for people. */
export function gatewayText({ operations, problems, notes }: GatewayPreview): string {
  const lines = operations.map((operation) => operationText(operation).trimEnd());
  const shown = lines.length === 0 ? ['nothing changes'] : lines;
  return [
    'In the gateway:',
    ...shown.map((text) => text.replaceAll(/^/gm, '  ')),
    ...[...problems, ...notes].map((text) => `  ! ${text}`),
  ].join('\n');
}

/** The same as data, without values: they may be secret. */
export function gatewayData({ operations, problems, notes }: GatewayPreview): object {
  return {
    operations: operations.map(({ op, collection, label, changes }) => ({
      op,
      collection,
      name: label,
      fields: changes.map(({ path }) => path.join('.')),
    })),
    problems,
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function isDifference({ action }: Change): boolean {
  return action === 'created' || action === 'configured' || action === 'deleted';
}

function isFollowed({ id }: Change): boolean {
  return watchedKinds.some(({ kind }) => kind.kind === id.kind && kind.group === id.group);
}

/** All objects that the ingress controller follows, and what may not be seen of them. */
export async function followedObjects(
  client: KubeClient,
  signal: AbortSignal,
  isWanted: (watched: WatchedKind) => boolean = () => true,
  namespaces: readonly string[] = [],
): Promise<{ objects: Map<string, DynamicObject>; notes: string[] }> {
  const objects = new Map<string, DynamicObject>();
  const notes: string[] = [];
  for (const watched of watchedKinds.filter(isWanted)) {
    try {
      for (const object of await all(client, watched, namespaces, signal))
        objects.set(keyOf(object), object);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      notes.push(`${watched.id} may not be listed: what comes of them is not shown`);
    }
  }
  return { objects, notes };
}

/** All objects of a kind; none when the cluster does not know it. */
async function all(
  client: KubeClient,
  { kind }: WatchedKind,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<readonly DynamicObject[]> {
  const list = async (scope: { readonly namespace?: string }) =>
    (await client.resource(kind).list(scope, { signal })).items;
  try {
    const items = await list({}).catch(async (error: unknown) => {
      // Who may not look everywhere may look somewhere.
      if (!isForbidden(error) || kind.scope === 'Cluster' || namespaces.length === 0) throw error;
      const found = await Promise.allSettled(namespaces.map((namespace) => list({ namespace })));
      return somewhere(found, error);
    });
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    // The items of a list need not say what they are.
    return items.map((item) => ({ ...item, apiVersion, kind: kind.kind }));
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error)) return [];
    throw error;
  }
}

/** What was found in the namespaces that one may look into; the refusal, where there are none. */
function somewhere<Item>(
  found: readonly PromiseSettledResult<readonly Item[]>[],
  refusal: unknown,
): readonly Item[] {
  const failed = found.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const other = failed.find((reason) => !isForbidden(reason));
  if (other !== undefined) throw other;
  if (failed.length === found.length) throw refusal;
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

function translated(objects: readonly DynamicObject[], { ingressClass }: GatewayPreviewOptions) {
  const { state, problems } = translate(objects, { ingressClass, onlyAttachedRoutes: true });
  return {
    config: toDeclarativeConfig(state, { isDbless: false }) as DeclarativeConfig,
    problems: problems.map((problem: Problem) => problemLine(problem)),
  };
}

function targetOf(config: DeclarativeConfig, current: KongEntities): KongEntities {
  return buildTarget(config, { current, newId: randomUUID }).target;
}

function keyOf({ apiVersion = '', kind, metadata }: DynamicObject): string {
  const { group } = parseApiVersion(apiVersion);
  return `${group}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}
