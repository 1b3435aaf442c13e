import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { isObject } from '@waygate/text';
import { type Fields, objectAt } from './fields.ts';

type InternalField = readonly [goName: string, type: string, json: string];

let loaded: Readonly<Record<string, readonly InternalField[]>> | undefined;

function table(): Readonly<Record<string, readonly InternalField[]>> {
  loaded ??= JSON.parse(
    gunzipSync(
      readFileSync(new URL('../../data/internal-fields.json.gz', import.meta.url)),
    ).toString('utf8'),
  ) as Record<string, readonly InternalField[]>;
  return loaded;
}

/** Fields of metadata in the order of their Go struct, which is how they are printed. */
const metadataOrder = ['name', 'generateName', 'namespace', 'labels', 'annotations', 'finalizers'];

/**
 * An object as the API server holds it inside: every field is there, under its Go name. Some
 * refusals quote it, and clients show what they quote.
 */
export function internalForm(struct: string, value: Fields): Fields {
  const source = struct === 'PodSpec' ? withHostFields(value) : value;
  const result: Fields = {};
  for (const [goName, type, json] of table()[struct] ?? []) {
    if (goName !== '') result[goName] = render(type, source[json]);
    else if (type.startsWith('@')) Object.assign(result, internalForm(type.slice(1), source));
    else Object.assign(result, metadataOf(source));
  }
  return result;
}

/** What a pod shares with its host is part of the security context inside. */
function withHostFields(spec: Fields): Fields {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  return {
    ...spec,
    securityContext: {
      ...objectAt(spec, 'securityContext'),
      hostNetwork,
      hostPID,
      hostIPC,
      shareProcessNamespace,
      hostUsers,
    },
  };
}

function metadataOf(source: Fields): Fields {
  const metadata = objectAt(source, 'metadata');
  const known = metadataOrder.filter((name) => metadata[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, metadata[name]]));
}

function render(type: string, value: unknown): unknown {
  const [head = '', rest] = [type[0], type.slice(1)];
  if (value === undefined || value === null)
    return zeroes[head] ?? (head === '@' ? internalForm(rest, {}) : null);
  switch (head) {
    case '*':
      return render(rest, value);
    case '[':
      return (value as unknown[]).map((item) => render(rest, item));
    case '{':
      return Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, render(rest, (value as Fields)[key])]),
      );
    case '@':
      return union(rest, value) ?? internalForm(rest, isObject(value) ? value : {});
    default:
      return value;
  }
}

const zeroes: Readonly<Record<string, unknown>> = { s: '', i: 0, b: false, q: '0', o: 0 };

/** Types that are one of several things in JSON and a struct of all of them inside. */
function union(struct: string, value: unknown): Fields | undefined {
  const schema = () => internalForm('JSONSchemaProps', value as Fields);
  switch (struct) {
    case 'JSONSchemaPropsOrBool':
      return typeof value === 'boolean'
        ? { Allows: value, Schema: null }
        : { Allows: true, Schema: schema() };
    case 'JSONSchemaPropsOrArray':
      return Array.isArray(value)
        ? { Schema: null, JSONSchemas: value.map((each) => internalForm('JSONSchemaProps', each)) }
        : { Schema: schema(), JSONSchemas: null };
    case 'JSONSchemaPropsOrStringArray':
      return Array.isArray(value)
        ? { Schema: null, Property: value }
        : { Schema: schema(), Property: null };
    default:
      return undefined;
  }
}
