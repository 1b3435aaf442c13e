import {
  type DynamicObject,
  parseApiVersion,
  Quantity,
  type SchemaNode,
  schemaOf,
} from '@waygate/schema';
import { isObject, setOwn } from '@waygate/text';
import { withFoldedText } from './normalize.ts';

/**
 * The object as Flux sends it: read into the types of Go and printed by them. Fields that the kind
 * does not have are gone, quantities are canonical, ports have a protocol, and what is no pointer is
 * printed even when it is empty. A kind that is not built in, or an object that does not fit its
 * kind, stays as it is but for its status.
 *
 * Waygate sends objects as they are written, so that nobody comes to own a field that nobody wrote;
 * this is for comparing with what Flux made of the same manifests.
 *
 * ```ts
 * typedObject({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
 * // { …, metadata: { name: 'n', creationTimestamp: null }, spec: {} }
 * ```
 */
export function typedObject(object: DynamicObject): DynamicObject {
  const { apiVersion = '', kind = '' } = object;
  const { group, version } = parseApiVersion(apiVersion);
  // Go's types would empty the rules of those that are aggregated.
  if (apiVersion === 'rbac.authorization.k8s.io/v1' && /^(Cluster)?Role$/.test(kind)) return object;
  const schema = unknownToClients.has(group) ? undefined : schemaOf({ group, version, kind });
  const { status, ...rest } = schema === undefined ? object : (printed(object, schema) ?? object);
  const isDefinition = kind === 'CustomResourceDefinition';
  return {
    ...rest,
    metadata: { ...rest.metadata, creationTimestamp: null },
    ...(isDefinition && status !== undefined ? { status } : {}),
  } as unknown as DynamicObject;
}

/** Built in, but not among the types that clients of Go know. */
const unknownToClients = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** Values that are no pointers, which the schema does not tell. */
const printedZeros: Readonly<Record<string, unknown>> = {
  'io.k8s.api.core.v1.ServicePort.targetPort': 0,
};

/** The object does not fit its kind. */
class Misfit extends Error {}

function printed(object: DynamicObject, schema: SchemaNode): DynamicObject | undefined {
  try {
    const isSecret = object.apiVersion === 'v1' && object.kind === 'Secret';
    const folded = isSecret ? withFoldedText(object) : object;
    return withProtocols(objectValue(folded, schema) as DynamicObject);
  } catch (error) {
    if (error instanceof Misfit) return undefined;
    throw error;
  }
}

function typedValue(value: unknown, node: SchemaNode): unknown {
  if (node.isQuantity) return quantityText(value);
  if (node.isIntOrString) return fitting(value, ['number', 'string']);
  switch (node.type) {
    case 'array':
      if (!Array.isArray(value)) throw new Misfit();
      return value.map((item) => itemOf(item, node.items));
    case 'object':
      if (!isObject(value)) throw new Misfit();
      return node.fieldNames().length > 0 ? objectValue(value, node) : mapValue(value, node);
    case 'string':
      return node.format === 'byte' ? bytesText(value) : fitting(value, ['string']);
    case 'boolean':
      return fitting(value, ['boolean']);
    case 'integer':
      if (typeof value === 'number' && !Number.isInteger(value)) throw new Misfit();
      return fitting(value, ['number', 'bigint']);
    case 'number':
      return fitting(value, ['number', 'bigint']);
    default:
      return value;
  }
}

function itemOf(value: unknown, node: SchemaNode | undefined): unknown {
  if (node === undefined) return value;
  return value === null ? zeroOf(node) : typedValue(value, node);
}

/** A map with free keys; one whose values the schema does not tell is kept as it is. */
function mapValue(value: Readonly<Record<string, unknown>>, node: SchemaNode): unknown {
  const { values } = node;
  if (values === undefined) return value;
  const result: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value)) setOwn(result, key, itemOf(one, values));
  return result;
}

/** An object with the fields that it may have; what is not there is printed when Go prints it. */
function objectValue(value: Readonly<Record<string, unknown>>, node: SchemaNode): unknown {
  const result: Record<string, unknown> = {};
  for (const name of node.fieldNames()) {
    const field = node.field(name);
    if (field === undefined) continue;
    const isRequired = node.required.includes(name);
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const printedValue =
      given === undefined || given === null
        ? absent(field, isRequired, printedZeros[`${node.definition}.${name}`])
        : typedValue(given, field);
    if (printedValue === undefined || (!isRequired && isEmpty(printedValue, field))) continue;
    result[name] = printedValue;
  }
  return result;
}

/** What is printed for a field without a value; undefined when nothing is. */
function absent(field: SchemaNode, isRequired: boolean, known: unknown): unknown {
  if (known !== undefined) return known;
  const { default: told } = field;
  // The schema has a default of nothing for what is no pointer.
  if (isObject(told)) return objectValue({}, field);
  if (told === '' || told === 0 || told === false) return told;
  if (!isRequired) return undefined;
  return field.isIntOrString ? 0 : null;
}

function zeroOf(node: SchemaNode): unknown {
  if (node.isQuantity) return '0';
  switch (node.type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'object':
      return node.fieldNames().length > 0 ? objectValue({}, node) : null;
    default:
      return null;
  }
}

/** Lists and maps that are left out when there is nothing in them. */
function isEmpty(value: unknown, node: SchemaNode): boolean {
  if (Array.isArray(value)) return value.length === 0;
  const isMap = node.type === 'object' && node.values !== undefined;
  return isMap && isObject(value) && Object.keys(value).length === 0;
}

function quantityText(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new Misfit();
  if (!Quantity.isQuantity(String(value))) throw new Misfit();
  return Quantity.parse(value).toString();
}

/** Bytes in base64, as they are printed; line breaks in them are none. */
function bytesText(value: unknown): string {
  if (typeof value !== 'string') throw new Misfit();
  const text = value.replaceAll(/[\r\n]/g, '');
  const isEncoded = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0;
  if (!isEncoded) throw new Misfit();
  return Buffer.from(text, 'base64').toString('base64');
}

function fitting(value: unknown, types: readonly string[]): unknown {
  if (types.includes(typeof value)) return value;
  throw new Misfit();
}

/** Where the containers of each kind are. */
const podSpecs: Readonly<Record<string, readonly string[]>> = {
  'v1/Pod': ['spec'],
  'apps/v1/Deployment': ['spec', 'template', 'spec'],
  'apps/v1/StatefulSet': ['spec', 'template', 'spec'],
  'apps/v1/DaemonSet': ['spec', 'template', 'spec'],
  'apps/v1/ReplicaSet': ['spec', 'template', 'spec'],
  'batch/v1/Job': ['spec', 'template', 'spec'],
  'batch/v1/CronJob': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

/** Ports of Services and containers are TCP unless they say otherwise: old servers need to be told. */
function withProtocols(object: DynamicObject): DynamicObject {
  if (object.apiVersion === 'v1' && object.kind === 'Service') {
    setProtocols(object.spec);
    return object;
  }
  const path = podSpecs[`${object.apiVersion}/${object.kind}`] ?? [];
  const spec = path.reduce<unknown>(
    (value, name) => (isObject(value) ? value[name] : undefined),
    object,
  );
  const containers = path.length > 0 && isObject(spec) ? spec.containers : undefined;
  if (Array.isArray(containers)) containers.forEach(setProtocols);
  return object;
}

function setProtocols(holder: unknown): void {
  if (!isObject(holder) || !Array.isArray(holder.ports)) return;
  for (const port of holder.ports) {
    if (isObject(port) && (port.protocol ?? '') === '') port.protocol = 'TCP';
  }
}
