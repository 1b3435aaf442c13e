import { type GroupVersionKind, parseApiVersion } from '@waygate/schema';
import { newMap, newScalar, newString, noContent, type YamlNode } from '@waygate/text';
import { demandKind } from './field-setter.ts';
import { effectiveNamespace, idKey, idString, type ResourceId } from './resource-id.ts';
import type { SchemaSet } from './schema-facts.ts';
import { jsonText } from './yaml/json-text.ts';
import { toJson } from './yaml/json-value.ts';

export type Behavior = 'unspecified' | 'create' | 'replace' | 'merge';

/** A name that a resource had before. */
interface PreviousName {
  readonly name: string;
  /** Where it was: `default` or the cluster scope written out. */
  readonly namespace: string;
  readonly kind: string;
}

/** Where a resource came from, or by which file it was changed; prints as an annotation. */
export interface Origin {
  readonly path?: string;
  readonly repo?: string;
  readonly ref?: string;
  readonly configuredIn?: string;
  readonly configuredBy?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  };
}

/** A kind, with its version as it is written and in its parts. */
export interface ResourceType extends GroupVersionKind {
  readonly apiVersion: string;
}

/**
 * A Kubernetes object on its way through a build, with what the build remembers of it: names that
 * it had, prefixes and suffixes that it got, whether its name shall carry a hash.
 */
export class Resource {
  node: YamlNode;
  readonly schemas: SchemaSet;
  previousNames: PreviousName[] = [];
  prefixes: string[] = [];
  suffixes: string[] = [];
  needsHash = false;
  /** Whether Helm made it: its namespace is Helm's to set. */
  isHelmMade = false;
  behavior: Behavior = 'unspecified';
  allowsNameChange = false;
  allowsKindChange = false;
  referringVars: string[] = [];
  origin: Origin | undefined;
  transformations: Origin[] = [];
  /** The file that the resource was read from, and the line where it starts (from one). */
  file: string | undefined;
  line: number | undefined;
  #knownType: ResourceType | undefined;

  constructor(node: YamlNode, schemas: SchemaSet) {
    this.node = node;
    this.schemas = schemas;
    this.file = node.file;
    this.line = node.line >= 0 ? node.line + 1 : undefined;
  }

  get apiVersion(): string {
    return this.#text('apiVersion');
  }

  get kind(): string {
    return this.#text('kind');
  }

  get name(): string {
    return textOf(this.node.get('metadata')?.get('name'));
  }

  get namespace(): string {
    return textOf(this.node.get('metadata')?.get('namespace'));
  }

  /** Whether a patch has deleted all of it. */
  get isEmpty(): boolean {
    return this.node.kind !== 'map' || this.node.content.length === 0;
  }

  #text(field: string): string {
    return this.node.get(field)?.value ?? '';
  }

  /** The group, version and kind; parsed once for as long as the fields stay what they are. */
  get type(): ResourceType {
    const { apiVersion, kind } = this;
    const known = this.#knownType;
    if (known !== undefined && known.apiVersion === apiVersion && known.kind === kind) return known;
    const { group, version } = parseApiVersion(apiVersion);
    this.#knownType = { apiVersion, group, version, kind };
    return this.#knownType;
  }

  get id(): ResourceId {
    const { apiVersion, group, version, kind } = this.type;
    return {
      group,
      version,
      kind,
      name: this.name,
      namespace: this.namespace,
      isClusterScoped: this.schemas.isClusterScoped(apiVersion, kind),
    };
  }

  /** The ids that the resource had, the oldest first, without the one it has. */
  get previousIds(): ResourceId[] {
    if (this.previousNames.length === 0) return [];
    const { group, version } = this.type;
    return this.previousNames.map((previous) => ({
      group,
      version,
      kind: previous.kind,
      name: previous.name,
      namespace: previous.namespace,
      isClusterScoped: false,
    }));
  }

  /** The id that the resource had when it was read. */
  get originalId(): ResourceId {
    return this.previousIds[0] ?? this.id;
  }

  get allIds(): ResourceId[] {
    return [...this.previousIds, this.id];
  }

  get key(): string {
    return idKey(this.id);
  }

  /** Notes the id that is about to change. */
  storePreviousId(): void {
    const { id } = this;
    this.previousNames.push({
      name: id.name,
      namespace: effectiveNamespace(id),
      kind: id.kind,
    });
  }

  setName(name: string): void {
    this.#setMetadata('name', name);
  }

  setNamespace(namespace: string): void {
    this.#setMetadata('namespace', namespace);
  }

  setKind(kind: string): void {
    setField(this.node, 'kind', kind);
  }

  #setMetadata(field: string, value: string): void {
    const metadata = this.metadata();
    if (value === '') metadata.remove(field);
    else setField(metadata, field, value);
  }

  metadata(): YamlNode {
    let metadata = this.node.get('metadata');
    if (metadata === undefined || metadata.kind !== 'map') {
      metadata = newMap();
      this.node.set('metadata', metadata);
    }
    return metadata;
  }

  labels(): Map<string, string> {
    return stringMap(this.node.get('metadata')?.get('labels'));
  }

  annotations(): Map<string, string> {
    return stringMap(this.node.get('metadata')?.get('annotations'));
  }

  setLabels(labels: ReadonlyMap<string, string>): void {
    this.#setStrings('labels', labels);
  }

  setAnnotations(annotations: ReadonlyMap<string, string>): void {
    this.#setStrings('annotations', annotations);
  }

  /**
   * Annotations that are written as nothing can take some once the resource was renamed: the original keeps
   * its notes on former names among them.
   */
  openAnnotations(): void {
    const annotations = this.node.get('metadata')?.get('annotations');
    if (this.previousNames.length > 0 && annotations?.isNull())
      this.metadata().set('annotations', newMap());
  }

  #setStrings(field: string, values: ReadonlyMap<string, string>): void {
    const metadata = this.metadata();
    metadata.remove(field);
    if (values.size === 0) return;
    const map = newMap();
    // The original stumbles over an empty key, which comes first, and leaves it at that.
    if (values.has('')) {
      metadata.set(field, map);
      return;
    }
    for (const key of [...values.keys()].sort()) map.set(key, newString(values.get(key)!));
    metadata.set(field, map);
  }

  copy(): Resource {
    const copy = new Resource(this.node.copy(), this.schemas);
    copy.previousNames = [...this.previousNames];
    copy.prefixes = [...this.prefixes];
    copy.suffixes = [...this.suffixes];
    copy.needsHash = this.needsHash;
    copy.isHelmMade = this.isHelmMade;
    copy.behavior = this.behavior;
    copy.allowsNameChange = this.allowsNameChange;
    copy.allowsKindChange = this.allowsKindChange;
    copy.referringVars = [...this.referringVars];
    copy.origin = this.origin;
    copy.transformations = [...this.transformations];
    copy.file = this.file;
    copy.line = this.line;
    return copy;
  }

  /** Whether the build has noted anything on the resource; the original does so in annotations. */
  get hasBuildNotes(): boolean {
    return (
      this.previousNames.length > 0 ||
      this.prefixes.length > 0 ||
      this.suffixes.length > 0 ||
      this.needsHash ||
      this.behavior !== 'unspecified' ||
      this.origin !== undefined
    );
  }

  /** The resource as JSON text, as some messages show it. */
  toString(): string {
    try {
      return jsonText(toJson(this.node));
    } catch {
      return idString(this.id);
    }
  }
}

/** The text of a scalar; a null has none, however it is spelled. */
function textOf(node: YamlNode | undefined): string {
  return node === undefined || node.isNull() ? '' : node.value;
}

/** Sets a field's text and keeps the style that the field had. */
export function setField(map: YamlNode, name: string, value: string): void {
  const existing = map.get(name);
  if (existing === undefined) {
    map.set(name, newScalar(value));
    return;
  }
  if (existing.value === value && existing.kind === 'scalar') return;
  existing.kind = 'scalar';
  existing.tag = '';
  existing.value = value;
  existing.content = noContent;
}

/** The entries of a map of strings, as their texts; `null` is a text like any other. */
export function stringMap(node: YamlNode | undefined): Map<string, string> {
  const result = new Map<string, string>();
  if (node?.kind === 'sequence' && node.content.length > 0) demandKind(node, 'map');
  if (node?.kind !== 'map') return result;
  for (let index = 0; index < node.content.length; index += 2) {
    const value = node.content[index + 1]!;
    result.set(node.content[index]!.value, value.value);
  }
  return result;
}
