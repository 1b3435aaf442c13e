/** The part of an OpenAPI (v2, v3 or CRD) schema that this room reads. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly [extension: string]: unknown;
}

/** How a list is merged: as a whole, as a set, or by keys. */
export type ListType = 'atomic' | 'set' | 'map';

/** Finds the schema that a `$ref` names. */
export type ResolveReference = (name: string) => OpenApiSchema | undefined;

/**
 * One place in a kind's schema: an object, a list or a value. References are followed, and the
 * extensions at the field win over those of the type that it refers to.
 *
 * ```ts
 * const node = new SchemaNode({ type: 'object', properties: { size: { type: 'integer', default: 1 } } });
 * node.field('size')?.default; // 1
 * node.fieldNames(); // ['size']
 * ```
 */
export class SchemaNode {
  readonly #field: OpenApiSchema;
  readonly #target: OpenApiSchema;
  readonly #resolve: ResolveReference;
  readonly #children = new Map<string, SchemaNode | undefined>();
  /** The name of the definition that this is, such as `io.k8s.api.core.v1.PodSpec`. */
  readonly definition: string | undefined;

  constructor(schema: OpenApiSchema, resolve: ResolveReference = () => undefined) {
    this.#field = schema;
    this.#resolve = resolve;
    const reference = schema.$ref ?? schema.allOf?.find((one) => one.$ref !== undefined)?.$ref;
    this.definition = reference?.slice(reference.lastIndexOf('/') + 1);
    this.#target = (this.definition === undefined ? undefined : resolve(this.definition)) ?? schema;
  }

  get type(): string | undefined {
    return this.#target.type ?? this.#field.type;
  }

  get format(): string | undefined {
    return this.#field.format ?? this.#target.format;
  }

  /** The default, `undefined` when there is none. The field's own wins over its type's. */
  get default(): unknown {
    return this.#field.default ?? this.#target.default;
  }

  get enum(): readonly unknown[] | undefined {
    return this.#field.enum ?? this.#target.enum;
  }

  get required(): readonly string[] {
    return this.#target.required ?? [];
  }

  /** The schema as it stands in the document, the reference followed. */
  get raw(): OpenApiSchema {
    return this.#target;
  }

  /** How a list is merged: `atomic` unless the schema says otherwise. Undefined for no list. */
  get listType(): ListType | undefined {
    if (this.type !== 'array') return undefined;
    const told = this.#extension('x-kubernetes-list-type');
    return told === 'set' || told === 'map' ? told : 'atomic';
  }

  /** The fields that tell the items of a `map` list apart. */
  get listMapKeys(): readonly string[] {
    const keys = this.#extension('x-kubernetes-list-map-keys');
    return Array.isArray(keys) ? keys : [];
  }

  /** Whether an object is owned as a whole. Undefined for what is no object. */
  get mapType(): 'atomic' | 'granular' | undefined {
    if (this.type !== 'object') return undefined;
    return this.#extension('x-kubernetes-map-type') === 'atomic' ? 'atomic' : 'granular';
  }

  get patchStrategies(): readonly string[] {
    const told = this.#extension('x-kubernetes-patch-strategy');
    return typeof told === 'string' ? told.split(',') : [];
  }

  get patchMergeKey(): string | undefined {
    const told = this.#extension('x-kubernetes-patch-merge-key');
    return typeof told === 'string' ? told : undefined;
  }

  get isIntOrString(): boolean {
    return (
      this.format === 'int-or-string' || this.#extension('x-kubernetes-int-or-string') === true
    );
  }

  get isQuantity(): boolean {
    return this.definition?.endsWith('.api.resource.Quantity') === true;
  }

  /** True where any content is kept: a free object, or `x-kubernetes-preserve-unknown-fields`. */
  get preservesUnknownFields(): boolean {
    return this.#extension('x-kubernetes-preserve-unknown-fields') === true;
  }

  /** The names of the fields that the schema declares. */
  fieldNames(): string[] {
    return Object.keys(this.#target.properties ?? {});
  }

  /** A declared field, or the value of a map's key. */
  field(name: string): SchemaNode | undefined {
    const properties = this.#target.properties;
    if (properties !== undefined && Object.hasOwn(properties, name)) {
      return this.#child(`.${name}`, properties[name]);
    }
    return this.values;
  }

  /** The items of a list. */
  get items(): SchemaNode | undefined {
    return this.#child('[]', this.#target.items);
  }

  /** The values of a map with free keys. */
  get values(): SchemaNode | undefined {
    const values = this.#target.additionalProperties;
    return this.#child('{}', typeof values === 'object' ? values : undefined);
  }

  /** Walks down: names of fields or keys, and for a list any segment stands for its items. */
  at(path: readonly (string | number)[]): SchemaNode | undefined {
    let node: SchemaNode | undefined = this;
    for (const segment of path) {
      node = node?.type === 'array' ? node.items : node?.field(String(segment));
    }
    return node;
  }

  #child(key: string, schema: OpenApiSchema | undefined): SchemaNode | undefined {
    if (this.#children.has(key)) return this.#children.get(key);
    const child = schema === undefined ? undefined : new SchemaNode(schema, this.#resolve);
    this.#children.set(key, child);
    return child;
  }

  #extension(name: string): unknown {
    return this.#field[name] ?? this.#target[name];
  }
}
