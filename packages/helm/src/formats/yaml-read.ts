import {
  parseLegacyYamlNode,
  resolveLegacyScalar,
  textOfYamlFile,
  YamlError,
  type YamlNode,
} from '@waygate/text';
import { decodeBytes, encodeBytes, hasRawBytes, wellFormed } from '../go/bytes.ts';
import { formatGoFloat } from '../go/float-text.ts';
import { quoteString } from '../go/quote.ts';
import { GoMap, type GoValue } from '../go/value.ts';
import { mismatch } from './json-read.ts';
import { readQuickly } from './quick-yaml.ts';

/** A text that cannot be read, in the words of sigs.k8s.io/yaml. */
export class YamlReadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'YamlReadError';
  }
}

const maxNodes = 1_000_000;
const maxDepth = 1_000;

/**
 * The fields of a map that somebody wants, by their names in lower case, and what is wanted of these; of one that is
 * `true` everything is.
 */
export type WantedFields = ReadonlyMap<string, WantedFields | true>;

/**
 * The first document of a text as sigs.k8s.io/yaml reads it: YAML 1.1, every number a float64, keys of any
 * scalar as strings, of a repeated key the last. What is not wanted is checked and left out.
 *
 * @throws YamlReadError
 */
export function readYaml(text: string, wanted: WantedFields | true = true): GoValue {
  const quick = wanted === true ? undefined : readQuickly(text, wanted);
  if (quick !== undefined) return quick;
  try {
    // Bytes that are no text are told apart only as bytes.
    const whole = hasRawBytes(text) ? textOfYamlFile(encodeBytes(text)) : text;
    const root = parseLegacyYamlNode(whole);
    return root === undefined ? null : new Reader().value(root, 0, wanted);
  } catch (error) {
    if (error instanceof YamlError) {
      throw new YamlReadError(`error converting YAML to JSON: ${error.legacyMessage}`);
    }
    throw error;
  }
}

/** The first document, which has to be a map; of an empty one the map has nothing. @throws YamlReadError */
export function readYamlObject(text: string): GoMap {
  const value = readYaml(text);
  if (value instanceof GoMap) return value;
  if (value === null) return new GoMap();
  throw unmarshal(mismatch(value, 'map[string]interface {}'));
}

/** The first document, which has to be a list; of an empty one the list has nothing. @throws YamlReadError */
export function readYamlArray(text: string): readonly GoValue[] {
  const value = readYaml(text);
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  throw unmarshal(mismatch(value, '[]interface {}'));
}

function unmarshal(problem: string): YamlReadError {
  return new YamlReadError(`error unmarshaling JSON: while decoding JSON: ${problem}`);
}

function convert(problem: string): YamlReadError {
  return new YamlReadError(`error converting YAML to JSON: ${problem}`);
}

/** What a scalar is, before JSON makes a float64 of every number. */
type Scalar = null | boolean | string | number | bigint;

const nothing: WantedFields = new Map();

/** Of numbers only those that JSON does not have are refused, and these start with a sign or a dot. */
function isSurelyFine({ isTagged, style, value }: YamlNode): boolean {
  if (isTagged) return false;
  const code = value.charCodeAt(0);
  return style !== 'plain' || (code !== 0x2e && code !== 0x2b && code !== 0x2d);
}

/** A key that is text, or a boolean: those that start with another letter than those of `null`. */
function isSurelyKey({ kind, isTagged, style, value }: YamlNode): boolean {
  if (kind !== 'scalar' || isTagged) return false;
  return style !== 'plain' || /^[a-mo-zA-MO-Z]/.test(value);
}

class Reader {
  readonly #open = new Set<YamlNode>();
  #nodes = 0;

  value(node: YamlNode, depth: number, wanted: WantedFields | true): GoValue {
    this.#count(depth);
    switch (node.kind) {
      case 'scalar': {
        const value = scalarOf(node);
        if (typeof value === 'bigint') return Number(value);
        if (typeof value === 'number' && !Number.isFinite(value)) {
          throw convert(`json: unsupported value: ${formatGoFloat(value, 'g', -1)}`);
        }
        return value;
      }
      case 'sequence':
        return node.content.map((item) => this.value(item, depth + 1, true));
      case 'map': {
        const map = new GoMap();
        this.#fields(node, map, depth, wanted);
        return map;
      }
      case 'alias':
        return this.#within(node, (target) => this.value(target, depth + 1, wanted));
    }
  }

  /** Reads what nobody wants: only to find what is wrong with it. */
  #check(node: YamlNode, depth: number): void {
    switch (node.kind) {
      case 'sequence':
        this.#count(depth);
        for (const item of node.content) this.#check(item, depth + 1);
        return;
      case 'map':
        this.#count(depth);
        this.#fields(node, undefined, depth, nothing);
        return;
      case 'scalar':
        if (isSurelyFine(node)) {
          this.#count(depth);
          return;
        }
    }
    this.value(node, depth, nothing);
  }

  #count(depth: number): void {
    if (++this.#nodes > maxNodes) throw convert('yaml: document contains excessive aliasing');
    if (depth > maxDepth) throw convert('yaml: exceeded max depth');
  }

  #within<T>(alias: YamlNode, read: (target: YamlNode) => T): T {
    const target = alias.target!;
    if (this.#open.has(target))
      throw convert(`yaml: anchor '${alias.value}' value contains itself`);
    this.#open.add(target);
    const value = read(target);
    this.#open.delete(target);
    return value;
  }

  /** Merged maps are put where they stand: a field before them loses, one after them wins. */
  #fields(
    node: YamlNode,
    map: GoMap | undefined,
    depth: number,
    wanted: WantedFields | true,
  ): void {
    const { content } = node;
    for (let at = 0; at < content.length; at += 2) {
      const key = content[at]!;
      const value = content[at + 1]!;
      if (isMerge(key)) {
        this.#merge(value, map, depth, wanted);
        continue;
      }
      if (map === undefined) {
        if (!isSurelyKey(key)) this.#key(key, value, depth);
        this.#check(value, depth + 1);
        continue;
      }
      const name = this.#key(key, value, depth);
      const inside = wanted === true || wanted.get(name.toLowerCase());
      if (inside === undefined) this.#check(value, depth + 1);
      else map.set(name, this.value(value, depth + 1, inside));
    }
  }

  #merge(node: YamlNode, map: GoMap | undefined, depth: number, wanted: WantedFields | true): void {
    if (++this.#nodes > maxNodes) throw convert('yaml: document contains excessive aliasing');
    if (node.kind === 'sequence') {
      for (const item of [...node.content].reverse()) this.#mergeOne(item, map, depth, wanted);
    } else this.#mergeOne(node, map, depth, wanted);
  }

  #mergeOne(
    node: YamlNode,
    map: GoMap | undefined,
    depth: number,
    wanted: WantedFields | true,
  ): void {
    const kind = node.kind === 'alias' ? node.target!.kind : node.kind;
    if (kind !== 'map')
      throw convert('yaml: map merge requires map or sequence of maps as the value');
    if (node.kind === 'alias')
      this.#within(node, (target) => this.#fields(target, map, depth + 1, wanted));
    else this.#fields(node, map, depth + 1, wanted);
  }

  #key(given: YamlNode, value: YamlNode, depth: number): string {
    const key = given.kind === 'alias' ? given.target! : given;
    if (key.kind !== 'scalar') {
      throw convert(`yaml: invalid map key: ${this.#goSyntax(key, depth)}`);
    }
    const scalar = scalarOf(key);
    switch (typeof scalar) {
      case 'string':
        return scalar;
      case 'boolean':
        return String(scalar);
      case 'number':
        return floatKey(scalar);
      case 'bigint':
        if (scalar < 1n << 63n) return String(scalar);
        throw convert(
          `unsupported map key of type: uint64, key: 0x${scalar.toString(16)}, value: ${this.#goSyntax(value, depth, true)}`,
        );
      default:
        throw convert(
          `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${this.#goSyntax(value, depth, true)}`,
        );
    }
  }

  /** A node as Go's `%#v` prints what was read of it. */
  #goSyntax(node: YamlNode, depth: number, isWhole = false): string {
    if (++this.#nodes > maxNodes || depth > maxDepth) throw convert('yaml: exceeded max depth');
    switch (node.kind) {
      case 'alias':
        return this.#goSyntax(node.target!, depth + 1, isWhole);
      case 'sequence':
        return `[]interface {}{${node.content.map((item) => this.#goSyntax(item, depth + 1)).join(', ')}}`;
      case 'map': {
        const fields: string[] = [];
        for (let at = 0; at < node.content.length; at += 2) {
          const [key, value] = [node.content[at]!, node.content[at + 1]!];
          fields.push(`${this.#goSyntax(key, depth + 1)}:${this.#goSyntax(value, depth + 1)}`);
        }
        return `map[interface {}]interface {}{${fields.join(', ')}}`;
      }
      case 'scalar': {
        const value = scalarOf(node);
        if (typeof value === 'string') return quoteString(value);
        if (typeof value === 'number') return formatGoFloat(value, 'g', -1);
        return value === null ? (isWhole ? '<nil>' : 'interface {}(nil)') : String(value);
      }
    }
  }
}

function isMerge(key: YamlNode): boolean {
  if (key.kind !== 'scalar' || key.value !== '<<') return false;
  return key.isTagged ? key.tag === '!!merge' : key.style === 'plain';
}

const resolvable = new Set([
  '!!str',
  '!!bool',
  '!!int',
  '!!float',
  '!!null',
  '!!timestamp',
  '!!binary',
]);

function scalarOf(node: YamlNode): Scalar {
  const { value: text, tag } = node;
  if (!node.isTagged || tag === '!') {
    if (node.style !== 'plain' || tag === '!') return text;
    const resolved = resolveLegacyScalar(text);
    return resolved.tag === '!!timestamp' ? text : resolved.value;
  }
  if (tag === '!!binary') return binary(text);
  if (tag === '!!str' || !resolvable.has(tag)) return text;
  const resolved = resolveLegacyScalar(text);
  if (tag === '!!timestamp' && resolved.tag === '!!timestamp') return text;
  if (resolved.tag === tag) return resolved.value;
  if (tag === '!!float' && resolved.tag === '!!int') return Number(resolved.value);
  throw convert(`yaml: cannot decode ${resolved.tag} \`${text}\` as a ${tag}`);
}

function binary(text: string): string {
  const plain = text.replace(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(plain)) {
    throw convert('yaml: !!binary value contains invalid base64 data');
  }
  return wellFormed(decodeBytes(Buffer.from(plain, 'base64')));
}

/** A float as a key has the fewest digits that tell it as a float32. */
function floatKey(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
  for (let precision = 1; precision < 10; precision++) {
    const short = Number(value.toPrecision(precision));
    if (Math.fround(short) === Math.fround(value)) return formatGoFloat(short, 'g', -1);
  }
  return formatGoFloat(value, 'g', -1);
}
