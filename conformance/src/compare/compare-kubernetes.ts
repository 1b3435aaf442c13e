import { isObject, type JsonObject } from '@waygate/text';
import { difference } from '../drivers/apiserver-compare.ts';
import type { ActualResponse } from '../drivers/apiserver-transcript.ts';
import { askedRequests } from './kubernetes-asks.ts';
import { soundObjects } from './kubernetes-objects.ts';
import { type TriedRequest, triedRequests } from './kubernetes-requests.ts';
import type { SoundObject } from './sound-object.ts';

/** Sends a request as an administrator. */
export type KubernetesSide = (
  request: Pick<TriedRequest, 'method' | 'path' | 'headers'> & { readonly body?: unknown },
) => Promise<ActualResponse>;

/** A request that two servers answer otherwise. */
export interface KubernetesDifference {
  readonly request: string;
  readonly what: string;
}

export interface KubernetesComparison {
  readonly asked: number;
  readonly differences: readonly KubernetesDifference[];
}

/** A watch that should be refused and is not has no end. */
const patienceMs = 10_000;

/** Several lines are a watch. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A server by its address and a token of an administrator. */
export function kubernetesSide(url: string, token: string): KubernetesSide {
  return async ({ method, path, headers, body }) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, Accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    }).catch(() => undefined);
    // Some bodies crash the handler of a real one, which then hangs up.
    if (response === undefined) {
      return {
        status: 0,
        headers: {},
        text: 'the connection was cut',
        body: undefined,
        events: [],
      };
    }
    const text = await response.text().catch(() => 'the answer did not end');
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
      body: isJson && text.startsWith('{') ? parsed(text) : undefined,
      events: [],
    };
  };
}

/**
 * Sends so many requests that a seed decides to both, after the same objects were created at both, and says where
 * they answer otherwise. What was made is removed again.
 */
export async function compareKubernetes(
  real: KubernetesSide,
  ours: KubernetesSide,
  {
    seed,
    count,
    only = '',
  }: { readonly seed: number; readonly count: number; readonly only?: string },
): Promise<KubernetesComparison> {
  // One of its own each time: a namespace of before may still be on its way out.
  const namespace = `compared-${Date.now().toString(36)}`;
  const sound = soundObjects(namespace);
  const creations = sound.map((one) => ({
    name: `create ${String(one.object.kind)}`,
    ...creation(one),
  }));
  const tried = triedRequests(sound, seed, count).filter(({ name }) => name.includes(only));
  const reads = sound.map((one) => ({ name: `get ${String(one.object.kind)}`, ...read(one) }));
  const asked = askedRequests(sound, seed, count).filter(({ name }) => name.includes(only));
  const differences: KubernetesDifference[] = [];
  const requests: Sent[] = [...creations, ...reads, ...tried, ...asked];
  try {
    for (const side of [real, ours]) await prepare(side, namespace);
    for (const request of requests) {
      const [theirs, own] = [await real(request), await ours(request)];
      const what = differs(request, theirs, own);
      if (what !== undefined) differences.push({ request: request.name, what });
    }
  } finally {
    for (const side of [real, ours]) await clear(side, sound, namespace);
  }
  return { asked: requests.length, differences };
}

type Sent = Omit<TriedRequest, 'body'> & { readonly body?: unknown };

function creation({ collection, object }: SoundObject) {
  const headers = { 'Content-Type': 'application/json' };
  return { method: 'POST', path: collection, headers, body: object };
}

function read({ collection, object }: SoundObject) {
  return { method: 'GET', path: pathOf({ collection, object }), headers: {} };
}

function pathOf({ collection, object }: SoundObject): string {
  return `${collection}/${String((object.metadata as JsonObject).name)}`;
}

function namespaceObject(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function differs(request: Sent, theirs: ActualResponse, own: ActualResponse): string | undefined {
  const { method, path, headers, body } = request;
  if (theirs.status !== own.status) {
    return `status ${own.status} instead of ${theirs.status}: ${saying(own)} instead of ${saying(theirs)}`;
  }
  return difference(
    {
      group: '',
      name: request.name,
      request: { method, path, headers, body },
      response: {
        status: theirs.status,
        headers: theirs.headers,
        ...(theirs.body === undefined ? { bodyText: theirs.text } : { body: plain(theirs.body) }),
      },
    },
    { ...own, body: plain(own.body) },
  );
}

function saying({ body, text }: ActualResponse): string {
  const { message } = (body ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : text.slice(0, 40);
}

/**
 * What differs between builds and says nothing to a client: where in the sources a scheme was made, the order of
 * fields in a document that a message quotes, and a cause that is told several times.
 */
function plain(body: unknown): unknown {
  if (!isObject(body) || body.kind !== 'Status') return body;
  const { details } = body as { details?: { causes?: unknown[]; name?: string } };
  const causes = details?.causes;
  // A name that was generated is another one each time.
  if (details?.name !== undefined) details.name = details.name.replace(/^([Pp][-_]).{5}$/, '$1…');
  return {
    ...body,
    message: String(body.message ?? '')
      .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-…')
      .replaceAll(/in scheme "[^"]*"/g, 'in scheme "…"')
      .replaceAll(/\b([Pp][-_])[a-z0-9]{5}\b/g, '$1…')
      .replaceAll(/Key: (\/registry)?\//g, 'Key: /')
      .replaceAll(/(patch: Invalid value: )"\{.*\}": /gs, '$1"…": '),
    ...(causes === undefined
      ? {}
      : {
          details: {
            ...details,
            causes: [...new Map(causes.map((each) => [JSON.stringify(each), each])).values()].map(
              (each) => ({
                ...(each as object),
                message: String((each as { message?: unknown }).message)
                  .replace(/^Invalid value: "\{.*\}": /s, 'Invalid value: "…": ')
                  .replace(/"([Pp][-_])[a-z0-9]{5}"/, '"$1…"'),
              }),
            ),
          },
        }),
  };
}

/** A namespace with the service account that a controller would make there. */
async function prepare(side: KubernetesSide, namespace: string): Promise<void> {
  await side(creation({ collection: '/api/v1/namespaces', object: namespaceObject(namespace) }));
  const collection = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await side(creation({ collection, object }));
}

async function clear(
  side: KubernetesSide,
  sound: readonly SoundObject[],
  namespace: string,
): Promise<void> {
  const json = { 'Content-Type': 'application/merge-patch+json' };
  for (const one of [
    ...sound,
    { collection: '/api/v1/namespaces', object: namespaceObject(namespace) },
  ]) {
    const path = pathOf(one);
    const body = { metadata: { finalizers: null } };
    await side({ method: 'PATCH', path, headers: json, body });
    await side({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0`, headers: {} });
  }
}

/** How many answers were alike, and the others, those of one kind together. */
export function kubernetesComparedText({ asked, differences }: KubernetesComparison): string {
  return [
    `${asked} requests, ${asked - differences.length} answered alike, ${differences.length} not`,
    ...differences.map(({ request, what }) => `${request}\n    ${what}`),
    '',
  ].join('\n');
}
