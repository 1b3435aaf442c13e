import { definitionNameOf, type OpenApiSchema, schemaNamed } from '@waygate/schema';
import { fieldsByName, type MessageField, messageOfDefinition } from './message-tables.ts';
import {
  anyNode,
  type FieldNode,
  type ListNode,
  type ScalarNode,
  type StructNode,
  type TypeNode,
} from './type-node.ts';

/** Definitions that are scalars or raw JSON on the wire although their schema does not say so. */
const special: Readonly<Record<string, TypeNode>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': scalar('int-or-string', 'intstr.IntOrString'),
  'io.k8s.apimachinery.pkg.api.resource.Quantity': scalar('quantity', 'resource.Quantity'),
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': scalar('time', 'time.Time'),
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': scalar('micro-time', 'time.Time'),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': anyNode,
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': anyNode,
};

function scalar(name: ScalarNode['scalar'], goType: string): ScalarNode {
  return { kind: 'scalar', scalar: name, goType };
}

function isTime(type: TypeNode): boolean {
  return type.kind === 'scalar' && (type.scalar === 'time' || type.scalar === 'micro-time');
}

/** Go prints a time, a list or a map that is not set as null, unless the field is left out when it is empty. */
function isNullWhenMissing(
  type: TypeNode,
  isRequired: boolean,
  flags: string | undefined,
): boolean {
  if (isTime(type)) return flags !== undefined && !flags.includes('p');
  if (type.kind !== 'list' && type.kind !== 'map') return false;
  return flags === undefined ? isRequired : !flags.includes('o');
}

/** Turns OpenAPI definitions into type nodes on demand: most kinds are never used by a server. */
class OpenApiTypes {
  readonly #nodes = new Map<string, TypeNode>();

  /** The type of the objects of a built-in kind. */
  ofKind(group: string, version: string, kind: string): StructNode | undefined {
    const name = definitionNameOf({ group, version, kind });
    if (name === undefined) return undefined;
    const node = this.definition(name);
    return node.kind === 'struct' ? node : undefined;
  }

  /** The node of a definition by its full name. */
  definition(name: string): TypeNode {
    const known = special[name] ?? this.#nodes.get(name);
    if (known !== undefined) return known;
    const schema = schemaNamed(name)?.raw;
    if (schema === undefined) return anyNode;
    if (schema.type !== 'object' || schema.properties === undefined) {
      const node =
        schema.type === undefined || schema.type === 'object' ? anyNode : this.#node(schema);
      this.#nodes.set(name, node);
      return node;
    }
    const fields = new Map<string, FieldNode>();
    const node: StructNode = {
      kind: 'struct',
      name: name.slice(name.lastIndexOf('.') + 1),
      definition: name,
      fields,
      isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
      isOpen: false,
    };
    // Registered before its fields, so that recursive types end.
    this.#nodes.set(name, node);
    const message = messageOfDefinition(name);
    const goFields = message === undefined ? undefined : fieldsByName(message);
    for (const [field, fieldSchema] of Object.entries(schema.properties)) {
      const isRequired = schema.required?.includes(field) ?? false;
      const node = this.#field(fieldSchema, isRequired, goFields?.get(field));
      // The one time that Go leaves out when it is zero.
      fields.set(
        field,
        field === 'creationTimestamp' ? { ...node, isNullWhenMissing: false } : node,
      );
    }
    return node;
  }

  #field(schema: OpenApiSchema, isRequired: boolean, goField?: MessageField): FieldNode {
    const type = this.#node(schema);
    const flags = goField?.[2] ?? '';
    return {
      type,
      isEmbedded: type.kind === 'struct' && schema.default !== undefined,
      isNullWhenMissing: isNullWhenMissing(type, isRequired, goField?.[2]),
      isZeroLeftOut: flags.includes('o') && !flags.includes('p'),
      ...(schema.default === undefined ? {} : { default: schema.default }),
    };
  }

  #node(schema: OpenApiSchema): TypeNode {
    const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (ref !== undefined) {
      const target = this.definition(ref.slice(ref.lastIndexOf('/') + 1));
      if (target.kind === 'struct' && schema['x-kubernetes-map-type'] === 'atomic') {
        return { ...target, isAtomic: true };
      }
      return target;
    }
    switch (schema.type) {
      case 'array':
        return {
          kind: 'list',
          items: schema.items === undefined ? anyNode : this.#node(schema.items),
          listType: (schema['x-kubernetes-list-type'] ?? 'atomic') as ListNode['listType'],
          mapKeys: (schema['x-kubernetes-list-map-keys'] ?? []) as readonly string[],
        };
      case 'object': {
        const values = schema.additionalProperties;
        if (values === undefined || typeof values === 'boolean') return anyNode;
        return {
          kind: 'map',
          values: this.#node(values),
          isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
        };
      }
      case 'string':
        return schema.format === 'byte'
          ? scalar('bytes', '[]uint8')
          : schema.format === 'date-time'
            ? scalar('time', 'time.Time')
            : scalar('string', 'string');
      case 'integer':
        return scalar('integer', schema.format ?? 'int64');
      case 'number':
        return scalar('number', 'float64');
      case 'boolean':
        return scalar('boolean', 'bool');
      default:
        return anyNode;
    }
  }
}

/** The types of the built-in kinds, shared by all servers of the process. */
export const builtinTypes = new OpenApiTypes();
