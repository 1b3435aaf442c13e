import { parseLegacyYamlNode } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';
import type { Loader } from '../loader.ts';
import { type JsonObject, type JsonValue, toLegacyJson } from '../yaml/json-value.ts';
import type { FieldSpec } from './field-spec.ts';
import {
  emptyConfig,
  mergeConfigs,
  type NameReference,
  type TransformerConfig,
} from './transformer-config.ts';

/** Reads which fields of custom kinds hold names, labels and annotations, from OpenAPI files. */
export function loadCrdConfig(loader: Loader, paths: readonly string[]): TransformerConfig {
  let config = emptyConfig;
  for (const path of paths) {
    const node = parseLegacyYamlNode(loader.loadText(path), loader.show(path));
    const document = node === undefined ? null : toLegacyJson(node);
    if (!(document instanceof Map)) {
      throw new KustomizeError(`unable to parse open API definition from '${path}'`);
    }
    for (const name of document.keys()) config = mergeConfigs(config, configOf(name, document));
  }
  return config;
}

interface Collected {
  readonly kind: string;
  readonly annotations: FieldSpec[];
  readonly labels: FieldSpec[];
  readonly names: FieldSpec[];
  readonly references: NameReference[];
}

function configOf(name: string, document: JsonObject): TransformerConfig {
  const properties = propertiesOf(name, document);
  const isKind = ['kind', 'apiVersion', 'metadata'].every((field) => properties?.has(field));
  if (!isKind) return emptyConfig;
  const collected: Collected = {
    kind: name.slice(name.lastIndexOf('.') + 1),
    annotations: [],
    labels: [],
    names: [],
    references: [],
  };
  collect(collected, document, name, [], new Set());
  return {
    ...emptyConfig,
    namePrefix: collected.names,
    commonLabels: collected.labels,
    commonAnnotations: collected.annotations,
    nameReference: collected.references,
  };
}

function propertiesOf(name: string, document: JsonObject): JsonObject | undefined {
  const definition = document.get(name);
  const schema =
    definition instanceof Map ? (definition.get('Schema') ?? definition.get('schema')) : undefined;
  const properties = schema instanceof Map ? schema.get('properties') : undefined;
  return properties instanceof Map ? properties : undefined;
}

function collect(
  into: Collected,
  document: JsonObject,
  name: string,
  path: readonly string[],
  open: ReadonlySet<string>,
): void {
  // A definition that refers to itself has no end.
  if (open.has(name)) return;
  for (const [field, property] of propertiesOf(name, document) ?? []) {
    if (!(property instanceof Map)) continue;
    const here = [...path, field];
    const spec: FieldSpec = { kind: into.kind, path: here.join('/') };
    if (property.has('x-kubernetes-annotation')) into.annotations.push(spec);
    if (property.has('x-kubernetes-label-selector')) into.labels.push(spec);
    if (property.has('x-kubernetes-identity')) into.names.push(spec);
    addReference(into, property, here);
    const reference = property.get('$ref');
    if (typeof reference === 'string') {
      collect(into, document, reference, here, new Set([...open, name]));
    }
  }
}

function addReference(into: Collected, property: JsonObject, path: readonly string[]): void {
  const text = (value: JsonValue | undefined): string | undefined =>
    typeof value === 'string' ? value : undefined;
  const version = text(property.get('x-kubernetes-object-ref-api-version'));
  const kind = text(property.get('x-kubernetes-object-ref-kind'));
  if (version === undefined || kind === undefined) return;
  const nameKey = text(property.get('x-kubernetes-object-ref-name-key')) ?? 'name';
  into.references.push({
    kind,
    version,
    fieldSpecs: [{ kind: into.kind, path: [...path, nameKey].join('/') }],
  });
}
