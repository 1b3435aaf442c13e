import { printYaml } from '@waygate/text';
import { fieldsOfStruct, type Shape } from '../config/decode.ts';

type Struct = Shape & { readonly kind: 'struct' };

/** Fields that the original writes even where they are empty, by the struct's name, and as what. */
const always: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Var: { name: '', objref: {}, fieldref: {} },
  Target: { name: '' },
  Replica: { count: 0 },
  TargetSelector: { select: null },
};

/** Fields that are written in another spelling than they are read in. */
const spelled: Readonly<Record<string, string>> = { fieldpath: 'fieldPath' };

/** Fields whose empty value differs from none. */
const kept: ReadonlySet<string> = new Set(['sourceValue']);

/** One field of a struct as YAML; nothing when it is empty. */
export function marshalField(name: string, value: unknown, shape: Shape): string {
  const plain = toPlain(value, shape);
  return plain === undefined ? '' : printYaml({ [name]: plain });
}

/** A whole struct as YAML, its fields in the order of their names. */
export function marshalStruct(value: unknown, shape: Struct): string {
  return printYaml(structToPlain(value as Readonly<Record<string, unknown>>, shape));
}

/** What is left of a value when empty fields are dropped; undefined for what is empty itself. */
function toPlain(value: unknown, shape: Shape): unknown {
  if (value === undefined || value === null) return undefined;
  switch (shape.kind) {
    case 'string':
      return value === '' ? undefined : value;
    case 'bool':
      return value === true ? true : undefined;
    case 'int':
      return value === 0 ? undefined : value;
    case 'any':
      return anyToPlain(value);
    case 'list':
      return listToPlain(value as readonly unknown[], shape.of);
    case 'map':
      return mapToPlain(value as ReadonlyMap<string, unknown>);
    case 'struct':
      return structToPlain(value as Readonly<Record<string, unknown>>, shape);
  }
}

function listToPlain(items: readonly unknown[], of: Shape): unknown {
  if (items.length === 0) return undefined;
  return items.map((item) => toPlain(item, of) ?? (of.kind === 'string' ? '' : {}));
}

function mapToPlain(map: ReadonlyMap<string, unknown>): unknown {
  return map.size === 0 ? undefined : fromEntries(map);
}

function structToPlain(value: Readonly<Record<string, unknown>>, shape: Struct): unknown {
  const result: Record<string, unknown> = {};
  const filled = always[shape.name] ?? {};
  for (const field of fieldsOfStruct(shape)) {
    const given = value[field.name];
    let plain = toPlain(given, field.shape);
    if (plain === undefined && kept.has(field.name)) plain = given;
    if (plain === undefined && field.name in filled) {
      const empty = filled[field.name];
      plain = field.shape.kind === 'struct' && empty !== null ? toPlain({}, field.shape) : empty;
    }
    if (plain !== undefined) result[spelled[field.name] ?? field.name] = plain;
  }
  return result;
}

/** Values of a chart: what passes through JSON, empty or not, but for an empty map at the top. */
function anyToPlain(value: unknown): unknown {
  if (value instanceof Map && value.size === 0) return undefined;
  return jsonToPlain(value);
}

function jsonToPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonToPlain);
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<string, unknown>)];
    return fromEntries(entries.map(([key, each]) => [key, jsonToPlain(each)] as const));
  }
  return value;
}

function fromEntries(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  // A key may have any name, `__proto__` too.
  const result = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries) result[key] = value;
  return result;
}
