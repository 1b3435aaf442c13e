/** Kinds without parts. */
export type SimpleKind =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'dyn'
  | 'error';

/** A type of CEL. Types are values: equal ones may be different objects. */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly item: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  /** The type of types; `of` is unset for all of them. */
  | { readonly kind: 'type'; readonly of?: CelType }
  | { readonly kind: 'param'; readonly name: string }
  /** Something with a name, and perhaps parts, whose inside no expression sees. */
  | { readonly kind: 'opaque'; readonly name: string; readonly params: readonly CelType[] }
  /** Something with fields. Without `fields` nothing can be selected. */
  | {
      readonly kind: 'struct';
      readonly name: string;
      readonly fields?: FieldTypes;
    };

/** The types of fields by their names; a Map is one. */
export interface FieldTypes {
  get(name: string): CelType | undefined;
}

const simple = (kind: SimpleKind): CelType => ({ kind });

export const boolType = simple('bool');
export const intType = simple('int');
export const uintType = simple('uint');
export const doubleType = simple('double');
export const stringType = simple('string');
export const bytesType = simple('bytes');
export const nullType = simple('null');
export const timestampType = simple('timestamp');
export const durationType = simple('duration');
export const dynType = simple('dyn');
export const errorType = simple('error');
export const typeType: CelType = { kind: 'type' };

export const listOf = (item: CelType): CelType => ({ kind: 'list', item });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
export const optionalOf = (type: CelType): CelType => ({
  kind: 'opaque',
  name: 'optional_type',
  params: [type],
});
export const paramOf = (name: string): CelType => ({ kind: 'param', name });
export const opaqueType = (name: string): CelType => ({ kind: 'opaque', name, params: [] });
export const structType = (name: string, fields?: FieldTypes): CelType =>
  fields === undefined ? { kind: 'struct', name } : { kind: 'struct', name, fields };

/** The parts of a type. */
export function paramsOf(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.item];
    case 'map':
      return [type.key, type.value];
    case 'type':
      return type.of === undefined ? [] : [type.of];
    case 'opaque':
      return type.params;
    default:
      return [];
  }
}

/** The name that a type has without its parts. */
export function nameOfType(type: CelType): string {
  switch (type.kind) {
    case 'null':
      return 'null_type';
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'param':
    case 'opaque':
    case 'struct':
      return type.name;
    default:
      return type.kind;
  }
}

/** A type as messages write it. */
export function showType(type: CelType): string {
  switch (type.kind) {
    case 'error':
      return '!error!';
    case 'null':
    case 'timestamp':
    case 'duration':
      return type.kind;
    default: {
      const params = paramsOf(type).map(showType);
      const name = nameOfType(type);
      return params.length === 0 ? name : `${name}(${params.join(', ')})`;
    }
  }
}

/** The parts with something done to each of them. */
export function mapParams(type: CelType, change: (part: CelType) => CelType): CelType {
  switch (type.kind) {
    case 'list':
      return listOf(change(type.item));
    case 'map':
      return mapOf(change(type.key), change(type.value));
    case 'type':
      return type.of === undefined ? type : { kind: 'type', of: change(type.of) };
    case 'opaque':
      return type.params.length === 0 ? type : { ...type, params: type.params.map(change) };
    default:
      return type;
  }
}

/** The same type in all its parts. */
export function isSameType(one: CelType, other: CelType): boolean {
  if (one === other) return true;
  if (one.kind !== other.kind || nameOfType(one) !== nameOfType(other)) return false;
  const [params, others] = [paramsOf(one), paramsOf(other)];
  return (
    params.length === others.length &&
    params.every((param, index) => isSameType(param, others[index] as CelType))
  );
}

export const isDynamic = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error';

/** What an optional holds, or undefined. */
export function optionalPart(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.params[0] : undefined;
}
