import type { DynamicObject } from '@waygate/schema';
import {
  formatDurationNanoseconds,
  isObject,
  parseDurationNanoseconds,
  printYaml,
} from '@waygate/text';

/** One document as `flux export` and `--export` print it. */
export function exportText(object: unknown): string {
  return `---\n${printYaml(object)}`;
}

/** What of an object of the cluster says what is wanted: neither its status nor who wrote it when. */
export function exportedObject(object: DynamicObject): unknown {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels, annotations },
    spec: normalized(object.spec),
  };
}

/** What a person wrote below these is not flux' to rewrite. */
const written = new Set(['values', 'patches', 'substitute', 'postRenderers', 'commonMetadata']);
/** What is off unless it is said to be on: flux does not write it where it is off. */
const offUnlessSet = new Set([
  'force',
  'optional',
  'suspend',
  'wait',
  'insecure',
  'passCredentials',
]);
const durations = new Set(['interval', 'timeout', 'retryInterval']);

/** Durations in the one form that Go prints. */
function normalized(value: unknown, key?: string): unknown {
  if (Array.isArray(value)) return value.map((each) => normalized(each));
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, each]) => each !== false || !offUnlessSet.has(name))
        .map(([name, each]) => [name, written.has(name) ? each : normalized(each, name)]),
    );
  }
  if (typeof value !== 'string' || !durations.has(key ?? '')) return value;
  try {
    return formatDurationNanoseconds(parseDurationNanoseconds(value));
  } catch {
    return value;
  }
}
