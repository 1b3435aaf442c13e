import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { StructNode, TypeNode } from '../typed-schema/type-node.ts';

/** What Go calls the types of a struct's fields, and which structs within it the fields are in. */
interface GoStruct {
  readonly types: Readonly<Record<string, string>>;
  readonly embedded: Readonly<Record<string, string>>;
}

let loaded: Readonly<Record<string, GoStruct>> | undefined;

/** Read when the first message needs it: most servers never see a value of the wrong type. */
function structOf(node: StructNode): GoStruct | undefined {
  if (node.definition === undefined) return undefined;
  loaded ??= JSON.parse(
    gunzipSync(readFileSync(new URL('../../data/go-types.json.gz', import.meta.url))).toString(
      'utf8',
    ),
  ) as Record<string, GoStruct>;
  return loaded[node.definition];
}

/** A field as Go's decoder tells of it. */
export interface GoField {
  /** The struct that the field is in, and the path to it with the structs that are embedded: `Probe.spec.ProbeHandler.httpGet`. */
  readonly place: string;
  /** The type of what should have been there: `[]v1.Capability`. */
  readonly type: string;
}

/**
 * The field at a path of a struct, given what type should have been there: that of the field, or of what is in its
 * list or map.
 */
export function goField(root: StructNode, path: readonly string[], wanted: TypeNode): GoField {
  const places: string[] = [];
  let struct = root;
  let type: TypeNode = root;
  let name: string | undefined;
  for (const key of path) {
    const inner = structWithin(type);
    if (inner === undefined) break;
    struct = inner;
    const facts = structOf(struct);
    const within = facts?.embedded[key];
    places.push(...(within === undefined ? [] : [within]), key);
    name = facts?.types[key];
    type = struct.fields.get(key)?.type ?? wanted;
  }
  while (type !== wanted && (type.kind === 'list' || type.kind === 'map')) {
    type = type.kind === 'list' ? type.items : type.values;
    name = name === undefined ? undefined : /^(?:\[\]|map\[[\w.]+\])(.*)$/.exec(name)?.[1];
  }
  return {
    place: [struct.name, ...places].join('.'),
    type: name ?? goTypeOf(wanted),
  };
}

function structWithin(type: TypeNode): StructNode | undefined {
  if (type.kind === 'list') return structWithin(type.items);
  if (type.kind === 'map') return structWithin(type.values);
  return type.kind === 'struct' ? type : undefined;
}

/** A type as Go prints it, where no field says that it has another name. */
export function goTypeOf(node: TypeNode): string {
  switch (node.kind) {
    case 'list':
      return `[]${goTypeOf(node.items)}`;
    case 'map':
      return `map[string]${goTypeOf(node.values)}`;
    case 'struct':
      return `${node.definition?.split('.').at(-2) ?? 'v1'}.${node.name}`;
    case 'scalar':
      return node.goType;
    case 'any':
      return 'interface {}';
  }
}
