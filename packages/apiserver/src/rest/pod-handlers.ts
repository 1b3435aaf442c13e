import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import type { UserInfo } from '../access/user.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from '../builtins/fields.ts';
import { type Core, strategyContext } from '../core/core.ts';
import { decodeBody } from '../decode/request-body.ts';
import { formatTime } from '../decode/time-text.ts';
import { answerJson, writeHead } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { requestAttributes } from '../http/request-info.ts';
import type { Resource } from '../resources/resource.ts';
import { fromEntry } from '../resources/stored-object.ts';
import { matcherOfObject } from '../selectors/label-selector.ts';
import {
  ApiError,
  badRequest,
  conflict,
  forbiddenError,
  notFound,
  plainFailure,
} from '../status/api-error.ts';
import { builtinTypes } from '../typed-schema/open-api-types.ts';
import type { StructNode } from '../typed-schema/type-node.ts';
import { keyOf } from './object-creation.ts';
import { decodeObject } from './object-decoder.ts';
import { deleteObject } from './object-deletion.ts';
import { checkLogOptions, demandRunning, streamLog, streamPorts } from './pod-streams.ts';
import type { ResourceHandler } from './resource-dispatcher.ts';
import { writeOptions } from './write-options.ts';

const pods = { group: '', resource: 'pods' };

/** What can be done with a pod besides reading and writing it. */
export const podHandlers: ReadonlyMap<string, ResourceHandler> = new Map<string, ResourceHandler>([
  ['pods/binding', handleBinding],
  ['bindings', handleBindingOfNamed],
  ['pods/eviction', handleEviction],
  ['pods/log', handleLog],
  ['pods/exec', handleConnection],
  ['pods/attach', handleConnection],
  ['pods/portforward', handleConnection],
  ['pods/proxy', handleConnection],
]);

function podOf(core: Core, exchange: Exchange, resource: Resource): DynamicObject {
  const { namespace, name } = exchange.info;
  const entry = core.store.getHead(resource.collection, keyOf(namespace, name));
  if (entry === undefined) throw notFound(pods, name);
  return fromEntry(entry, resource);
}

function answerDone(exchange: Exchange): void {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  answerJson(exchange, 201, status);
}

/** A scheduler says which node a pod runs on. */
async function handleBinding(core: Core, exchange: Exchange, resource: Resource): Promise<void> {
  const value = await readPart(exchange, resource, bindingKind);
  await bind(core, exchange, resource, exchange.info.name, value);
}

/** The same at the place where bindings once were, which says by name which pod it is about. */
async function handleBindingOfNamed(
  core: Core,
  exchange: Exchange,
  bindings: Resource,
): Promise<void> {
  const value = await readPart(exchange, bindings, bindingKind);
  const resource = core.registry.find('', 'v1', 'pods') as Resource;
  await bind(core, exchange, resource, value.metadata.name ?? '', value);
}

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };
const evictionKind = { group: 'policy', version: 'v1', kind: 'Eviction' };

/** The body of a request that is of a kind of its own; another one is refused. */
async function readPart(
  exchange: Exchange,
  resource: Resource,
  kind: typeof bindingKind,
): Promise<DynamicObject> {
  const { fieldValidation } = writeOptions(exchange, 'CreateOptions');
  const type = builtinTypes.ofKind(kind.group, kind.version, kind.kind) as StructNode;
  const body = decodeBody(await exchange.bodyText(), exchange.contentType, kind.kind);
  const { object, warnings } = decodeObject(body, resource, fieldValidation, type, kind);
  for (const warning of warnings) exchange.warn(warning);
  return object;
}

async function bind(
  core: Core,
  exchange: Exchange,
  resource: Resource,
  name: string,
  value: DynamicObject,
): Promise<void> {
  const { namespace } = exchange.info;
  const { isDryRun } = writeOptions(exchange, 'CreateOptions');
  const target = objectAt(value, 'target');
  const node = textAt(target, 'name');
  const kind = textAt(target, 'kind');
  const given = value.metadata.name ?? '';
  if (given !== '' && given !== name)
    throw badRequest('name in URL does not match name in Binding object');
  if (kind !== '' && kind !== 'Node')
    throw plainFailure(
      `target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`,
    );
  if (node === '') throw plainFailure('target.name: Required value');
  const entry = core.store.getHead(resource.collection, keyOf(namespace, name));
  if (entry === undefined) throw notFound(pods, name);
  const pod = fromEntry(entry, resource);
  const spec = objectAt(pod, 'spec');
  const place = { group: '', resource: 'pods/binding' };
  if (pod.metadata.deletionTimestamp !== undefined)
    throw conflict(place, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  const current = textAt(spec, 'nodeName');
  if (current !== '')
    throw conflict(
      place,
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(current)}`,
    );
  if (listAt(spec, 'schedulingGates').length > 0)
    throw conflict(place, name, `pod ${name} has non-empty .spec.schedulingGates`);
  spec.nodeName = node;
  const { annotations } = value.metadata;
  if (annotations !== undefined)
    pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  markScheduled(pod, core.now());
  if (!isDryRun) {
    const { kind: _kind, apiVersion: _apiVersion, ...object } = pod;
    await core.store.write({
      collection: resource.collection,
      key: entry.key,
      expected: entry,
      object: object as DynamicObject,
    });
  }
  answerDone(exchange);
}

function markScheduled(pod: DynamicObject, now: number): void {
  const status = objectAt(pod, 'status');
  const others = listAt(status, 'conditions').filter((each) => each.type !== 'PodScheduled');
  const condition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(now),
  };
  pod.status = { ...status, conditions: [...others, condition] };
}

/** Deletes a pod if the disruption budgets around it allow that. */
async function handleEviction(core: Core, exchange: Exchange, resource: Resource): Promise<void> {
  const { namespace, name } = exchange.info;
  const value = await readPart(exchange, resource, evictionKind);
  if (value.metadata?.name !== name)
    throw badRequest('name in URL does not match name in Eviction object');
  const { isDryRun } = writeOptions(exchange, 'CreateOptions');
  const options = objectAt(value, 'deleteOptions');
  const pod = podOf(core, exchange, resource);
  if (!isDispensable(pod)) await useBudget(core, exchange.user, pod, isDryRun);
  const preconditions = objectAt(options, 'preconditions');
  await deleteObject(core, {
    resource,
    namespace,
    name,
    user: exchange.user,
    warn: (text) => exchange.warn(text),
    options: {
      isDryRun: isDryRun || (Array.isArray(options.dryRun) && options.dryRun.includes('All')),
      gracePeriodSeconds: numberAt(options, 'gracePeriodSeconds'),
      propagationPolicy: undefined,
      uid: textAt(preconditions, 'uid') || undefined,
      resourceVersion: textAt(preconditions, 'resourceVersion') || undefined,
    },
  });
  answerDone(exchange);
}

/** A pod that serves nobody is in no budget. */
function isDispensable(pod: DynamicObject): boolean {
  const phase = textAt(objectAt(pod, 'status'), 'phase');
  return (
    pod.metadata.deletionTimestamp !== undefined ||
    ['Pending', 'Succeeded', 'Failed'].includes(phase)
  );
}

async function useBudget(
  core: Core,
  user: UserInfo,
  pod: DynamicObject,
  isDryRun: boolean,
): Promise<void> {
  const labels = pod.metadata.labels ?? {};
  const collection = 'policy/poddisruptionbudgets';
  const budgets = strategyContext(core, user)
    .list(collection, pod.metadata.namespace)
    .filter((budget) => {
      const { selector } = objectAt(budget, 'spec');
      return isObject(selector) && matcherOfObject(selector as Fields).matches(labels);
    });
  const [budget, ...others] = budgets;
  if (budget === undefined) return;
  if (others.length > 0) {
    throw new ApiError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const status = objectAt(budget, 'status');
  const name = budget.metadata.name as string;
  if ((numberAt(status, 'observedGeneration') ?? 0) < (budget.metadata.generation ?? 0))
    throw refusal(`The disruption budget ${name} is still being processed by the server.`, 10);
  const allowed = numberAt(status, 'disruptionsAllowed') ?? 0;
  if (allowed <= 0) {
    const why = `The disruption budget ${name} needs ${numberAt(status, 'desiredHealthy') ?? 0} healthy pods and has ${numberAt(status, 'currentHealthy') ?? 0} currently`;
    throw refusal(why, 0);
  }
  const entry = core.store.getHead(collection, keyOf(pod.metadata.namespace ?? '', name));
  if (entry === undefined || isDryRun) return;
  const next = entry.copy();
  next.status = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: {
      ...objectAt(status, 'disruptedPods'),
      [pod.metadata.name as string]: formatTime(core.now()),
    },
  };
  await core.store.write({ collection, key: entry.key, expected: entry, object: next });
}

function refusal(why: string, retryAfterSeconds: number): ApiError {
  return new ApiError(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [{ reason: 'DisruptionBudget', message: why }],
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  );
}

/** Where nothing runs, nothing has been logged. */
async function handleLog(core: Core, exchange: Exchange, resource: Resource): Promise<void> {
  const pod = podOf(core, exchange, resource);
  checkLogOptions(exchange, pod);
  if (core.podRuntime !== undefined) {
    await streamLog(core.podRuntime, exchange, pod, core.now());
    return;
  }
  const node = textAt(objectAt(pod, 'spec'), 'nodeName');
  if (node !== '') throw notFound(pods, node);
  writeHead(exchange, 204, {});
  exchange.response.end();
}

/** Connections lead to the node of the pod; a node that is not there has no end of them. */
async function handleConnection(core: Core, exchange: Exchange, resource: Resource): Promise<void> {
  // A WebSocket opens with GET, and who may only look must not get to type.
  if (exchange.info.subresource !== 'proxy') {
    const attributes = { ...requestAttributes(exchange.user, exchange.info), verb: 'create' };
    const decision = core.authorizer.authorize(attributes);
    if (!decision.isAllowed) throw forbiddenError(pods, exchange.info.name, decision.reason);
  }
  const pod = podOf(core, exchange, resource);
  if (core.podRuntime !== undefined) {
    demandRunning(core.podRuntime, pod);
    if (exchange.info.subresource === 'portforward') {
      await streamPorts(core, core.podRuntime, exchange, pod);
      return;
    }
    throw badRequest(
      `pod ${pod.metadata.name} is a process of this machine: there is no container to enter`,
    );
  }
  const node = textAt(objectAt(pod, 'spec'), 'nodeName');
  if (node === '') throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  throw notFound({ group: '', resource: 'nodes' }, node);
}
