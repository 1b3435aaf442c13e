import {
  formatFloat,
  NodeValues,
  newMap,
  newSequence,
  newString,
  noContent,
  type Resolved,
  refold,
  resolveScalar,
  type ValueOptions,
  type ValueShape,
  YamlNode,
} from '@waygate/text';

export type JsonObject = Map<string, JsonValue>;

/**
 * A JSON document. Integers are bigints, so that none loses a digit; objects are Maps, so that a
 * key named `__proto__` is a key like any other.
 */
export type JsonValue = null | boolean | bigint | number | string | JsonValue[] | JsonObject;

/** A resource's field that has no form in JSON, such as `.inf` or a number as a key. */
export class JsonError extends Error {
  /** A resource's field has no form in JSON, such as `.inf` or a number as a key. Quote it. */
  readonly code = 'WG_KUSTOMIZE_JSON';
}

/** What a scalar of a resource means, given the tag it carries. */
function resolveNode(node: YamlNode): Resolved {
  const { tag, value } = node;
  if (tag === '!!str') return { tag: '!!str', value };
  if (tag === '' || tag === '!') {
    return node.style === 'plain' ? resolveScalar(value) : { tag: '!!str', value };
  }
  switch (tag) {
    case '!!bool':
    case '!!int':
    case '!!float':
    case '!!null':
    case '!!timestamp':
    case '!!merge': {
      const resolved = resolveScalar(value);
      // A value set into a field that had quotes takes them over, and so turns into a string.
      if (resolved.tag === tag) {
        const isPlain = node.style === 'plain' || node.isTagged;
        return isPlain ? resolved : { tag: '!!str', value };
      }
      if (tag === '!!float' && resolved.tag === '!!int') {
        return { tag: '!!float', value: Number(resolved.value) };
      }
      throw new JsonError(`yaml: cannot decode ${resolved.tag} \`${value}\` as a ${tag}`);
    }
    case '!!binary':
      return { tag: '!!str', value: Buffer.from(value, 'base64').toString('utf8') };
    default:
      return { tag: '!!str', value };
  }
}

/** Converts a resource, or a part of one, to JSON. */
export function toJson(node: YamlNode, isInFlow = false, base = node.line): JsonValue {
  const isFlow = isInFlow || node.style === 'flow';
  switch (node.kind) {
    case 'scalar':
      return scalarToJson(node, isInFlow);
    case 'sequence':
      return node.content.map((item) => toJson(item, isFlow, base));
    case 'alias':
      return toJson(node.target!, isInFlow, base);
    case 'map': {
      const object: JsonObject = new Map();
      const { content } = node;
      for (let index = 0; index < content.length; index += 2) {
        const key = keyToJson(content[index]!);
        if (object.has(key)) throw duplicateKey(node, key, base);
        object.set(key, toJson(content[index + 1]!, isFlow, base));
      }
      return object;
    }
  }
}

/**
 * The value of a scalar. An empty null inside `{}` or `[]` is the empty string: kustomize writes
 * and reads the text once more on the way, and has to quote it there.
 */
export function scalarToJson(node: YamlNode, isInFlow: boolean): JsonValue {
  if (
    isInFlow &&
    node.value === '' &&
    !node.isTagged &&
    (node.tag === '!!null' || node.tag === '')
  ) {
    return '';
  }
  const resolved = resolveNode(node);
  // A colon inside of brackets gets quotes on the way, too.
  if (isInFlow && resolved.tag === '!!timestamp' && node.value.includes(':')) return node.value;
  if (resolved.tag === '!!float' && !Number.isFinite(resolved.value)) {
    const text = Number.isNaN(resolved.value) ? 'NaN' : resolved.value > 0 ? '+Inf' : '-Inf';
    throw new JsonError(`json: unsupported value: ${text}`);
  }
  // So it does with a `>` block, which does not come back as it was.
  if (resolved.tag === '!!str' && node.style === 'folded') return refold(resolved.value);
  return resolved.value;
}

export function keyToJson(node: YamlNode): string {
  if (node.kind !== 'scalar') {
    throw new JsonError('json: unsupported type: map[interface {}]interface {}');
  }
  const resolved = resolveNode(node);
  if (resolved.tag === '!!str' || resolved.tag === '!!merge') return resolved.value;
  throw new JsonError('json: unsupported type: map[interface {}]interface {}');
}

/** Names the two places of a key that a map holds twice, by lines of the document. */
export function duplicateKey(map: YamlNode, key: string, base: number): JsonError {
  const lines: number[] = [];
  for (let index = 0; index < map.content.length; index += 2) {
    const node = map.content[index]!;
    if (node.value === key) lines.push(node.line - base + 1);
  }
  const [first, second] = lines;
  return new JsonError(
    `yaml: unmarshal errors:\n  line ${second}: mapping key "${key}" already defined at line ${first}`,
  );
}

/**
 * Converts a kustomization file, or other configuration, to JSON. Its YAML is older: `yes` is a
 * boolean, of a repeated key the last one counts, and keys of any scalar type become strings.
 */
export function toLegacyJson(node: YamlNode): JsonValue {
  return new NodeValues(legacyOptions, mapShape).read(node) as JsonValue;
}

const legacyOptions: ValueOptions = {
  booleans: 'words',
  integers: 'bigint',
  duplicateKeys: 'last',
  unknownTags: 'text',
  maxAliasedNodes: 500_000,
};

const mapShape: ValueShape<JsonObject> = {
  create: () => new Map(),
  isMap: (value) => value instanceof Map,
  has: (map, key) => map.has(key),
  set: (map, key, value) => map.set(key, value as JsonValue),
  fields: (map) => map,
};

function fromNumber(value: number): YamlNode {
  const text = formatFloat(value);
  return new YamlNode('scalar', resolveScalar(text).tag, text, noContent);
}

/** Makes nodes of JSON: every string is a string whatever its text looks like. */
export function fromJson(value: JsonValue): YamlNode {
  if (value === null) return new YamlNode('scalar', '!!null', 'null', noContent);
  switch (typeof value) {
    case 'string':
      return newString(value);
    case 'boolean':
      return new YamlNode('scalar', '!!bool', String(value), noContent);
    case 'bigint':
      return new YamlNode('scalar', '!!int', String(value), noContent);
    case 'number':
      return fromNumber(value);
  }
  if (Array.isArray(value)) return newSequence(value.map(fromJson));
  const content: YamlNode[] = [];
  for (const [key, item] of value) content.push(newString(key), fromJson(item));
  return newMap(content);
}
