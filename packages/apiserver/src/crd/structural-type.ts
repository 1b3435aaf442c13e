import { metadataType } from '../typed-schema/metadata-type.ts';
import {
  anyNode,
  type FieldNode,
  type StructNode,
  stringNode,
  type TypeNode,
} from '../typed-schema/type-node.ts';
import { type JsonSchema, valuesSchema } from './json-schema.ts';

/** The type of the objects of a custom resource. */
export function structuralType(kind: string, schema: JsonSchema | undefined): StructNode {
  const fields = new Map<string, FieldNode>();
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    fields.set(name, fieldOf(property));
  }
  fields.set('apiVersion', plainField(stringNode));
  fields.set('kind', plainField(stringNode));
  fields.set('metadata', plainField(metadataType()));
  return {
    kind: 'struct',
    name: kind,
    fields,
    isAtomic: false,
    isOpen: schema === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true,
  };
}

function plainField(type: TypeNode): FieldNode {
  return { type, isEmbedded: false };
}

function fieldOf(schema: JsonSchema): FieldNode {
  return {
    type: nodeOf(schema),
    isEmbedded: false,
    ...(schema.default === undefined ? {} : { default: schema.default }),
  };
}

function nodeOf(schema: JsonSchema): TypeNode {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { kind: 'scalar', scalar: 'int-or-string', goType: 'intstr.IntOrString' };
  }
  switch (schema.type) {
    case 'array':
      return {
        kind: 'list',
        items: schema.items === undefined ? anyNode : nodeOf(schema.items),
        listType: schema['x-kubernetes-list-type'] ?? 'atomic',
        mapKeys: schema['x-kubernetes-list-map-keys'] ?? [],
      };
    case 'object':
      return objectNode(schema);
    case 'string':
      return stringNode;
    case 'integer':
      return { kind: 'scalar', scalar: 'integer', goType: 'int64' };
    case 'number':
      return { kind: 'scalar', scalar: 'number', goType: 'float64' };
    case 'boolean':
      return { kind: 'scalar', scalar: 'boolean', goType: 'bool' };
    default:
      return anyNode;
  }
}

function objectNode(schema: JsonSchema): TypeNode {
  const isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
  const values = valuesSchema(schema);
  if (values !== undefined && schema.properties === undefined) {
    return { kind: 'map', values: nodeOf(values), isAtomic };
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    const inner = structuralType('', schema);
    return { ...inner, isAtomic };
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.properties === undefined && isOpen && !isAtomic) return anyNode;
  const fields = new Map<string, FieldNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fields.set(name, fieldOf(property));
  }
  return { kind: 'struct', name: '', fields, isAtomic, isOpen };
}
