import { KubeError } from '@waygate/kube';
import type { Indexers, IndexFunction } from '@waygate/runtime';
import type { KubeObject, Status } from '@waygate/schema';

/** An API object as scenarios write it. */
export interface ObjectData {
  readonly name?: string;
  readonly namespace?: string;
  readonly rv?: string;
  readonly uid?: string;
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly [field: string]: unknown;
}

/** The object itself, which keeps the data that it was made from. */
export interface ScenarioObject extends KubeObject {
  readonly data: ObjectData;
}

export function objectFrom(data: ObjectData): ScenarioObject {
  const { name, namespace, rv, uid, labels, annotations, kind, apiVersion } = data;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(rv === undefined ? {} : { resourceVersion: rv }),
      ...(uid === undefined ? {} : { uid }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    data,
  };
}

/** What is at a dotted path of the data. */
export function valueAt(data: unknown, path: string): unknown {
  let value = data;
  for (const field of path.split('.'))
    value = (value as Record<string, unknown> | undefined)?.[field];
  return value;
}

type IndexData =
  | { readonly fn: 'field'; readonly path: string }
  | { readonly fn: 'split'; readonly path: string; readonly sep: string }
  | { readonly fn: 'const'; readonly values: readonly string[] }
  | { readonly fn: 'value' | 'labelKeys' | 'error' }
  | { readonly fn: 'splitValue'; readonly sep: string };

/** Index functions over objects that have `data`, or a raw `value`. */
export function indexersFrom<T extends { data?: ObjectData; value?: unknown }>(
  data: Record<string, IndexData> | undefined,
): Indexers<T> {
  return Object.fromEntries(
    Object.entries(data ?? {}).map(([name, index]) => [name, indexFunction<T>(index)]),
  );
}

function indexFunction<T extends { data?: ObjectData; value?: unknown }>(
  index: IndexData,
): IndexFunction<T> {
  switch (index.fn) {
    case 'field':
      return ({ data }) => [String(valueAt(data, index.path) ?? '')];
    case 'split':
      return ({ data }) => String(valueAt(data, index.path) ?? '').split(index.sep);
    case 'const':
      return () => index.values;
    case 'value':
      return ({ value }) => [String(value)];
    case 'splitValue':
      return ({ value }) => String(value).split(index.sep);
    case 'labelKeys':
      return ({ data }) => Object.keys(data?.labels ?? {});
    case 'error':
      return () => {
        throw new Error('this index function always fails');
      };
  }
}

interface CauseData {
  readonly reason?: string;
  readonly type?: string;
  readonly message?: string;
}

/** An error as scenarios write it. */
export interface ErrorData {
  readonly status?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  readonly cause?: string;
  readonly causeMessage?: string;
  readonly causes?: readonly CauseData[];
  readonly details?: { readonly causes?: readonly CauseData[] };
  readonly [field: string]: unknown;
}

export function statusFrom(data: ErrorData): Status {
  const causes = [
    ...(data.cause === undefined ? [] : [{ reason: data.cause }]),
    ...(data.causeMessage === undefined ? [] : [{ message: data.causeMessage }]),
    ...[...(data.causes ?? []), ...(data.details?.causes ?? [])].map(
      ({ reason, type, message }) => ({
        ...((reason ?? type) === undefined ? {} : { reason: (reason ?? type)! }),
        ...(message === undefined ? {} : { message }),
      }),
    ),
  ];
  return {
    kind: 'Status',
    status: 'Failure',
    ...(data.status === undefined ? {} : { code: data.status }),
    ...(data.reason === undefined ? {} : { reason: data.reason }),
    ...(data.message === undefined ? {} : { message: data.message }),
    details: {
      ...(data.retryAfterSeconds === undefined
        ? {}
        : { retryAfterSeconds: data.retryAfterSeconds }),
      causes,
    },
  };
}

/** The error of a connection may be written by its code alone: `ECONNREFUSED`. */
export function errorFrom(data: ErrorData | string): Error {
  if (typeof data === 'string')
    return /^E[A-Z]+$/.test(data) ? connectionError(data) : new Error(data);
  if (Object.values(data).some((value) => typeof value === 'string' && /refused/i.test(value)))
    return connectionError('ECONNREFUSED');
  if (data.status === undefined) return new Error(data.message ?? 'an error');
  return new KubeError('WG_KUBE_API', data.message ?? data.reason ?? 'an API error', {
    status: statusFrom(data),
  });
}

function connectionError(code: string): KubeError {
  const cause = Object.assign(new Error(`connect ${code}`), { code });
  return new KubeError('WG_KUBE_CONNECTION', `no connection: ${code}`, { cause });
}
