import {
  compareKeys,
  formatFloat,
  formatJsonNumber,
  isBareYaml,
  parseYamlNode,
  type YamlNode,
  yamlString,
} from '@waygate/text';
import { jsonText } from './json-text.ts';
import { duplicateKey, keyToJson, scalarToJson } from './json-value.ts';

/** Longer keys are written in the `? key` form. */
const MAX_SIMPLE_KEY = 128;

/**
 * The YAML of a resource as kustomize prints it: keys sorted, two spaces, lists not indented,
 * scalars in one canonical spelling. It ends with a line break.
 */
export function emitYaml(node: YamlNode): string {
  const emitter = new Emitter(node.line);
  emitter.root(node);
  return emitter.text;
}

class Emitter {
  text = '';
  /** The line where the document starts in its file. */
  private readonly base: number;

  constructor(base: number) {
    this.base = base;
  }

  root(node: YamlNode): void {
    const resolved = node.kind === 'alias' ? node.target! : node;
    if (resolved.kind === 'map' && resolved.content.length > 0) {
      this.map(resolved, 0, false);
    } else if (resolved.kind === 'sequence' && resolved.content.length > 0) {
      this.sequence(resolved, 0, false);
    } else {
      this.text += `${this.inline(resolved, 0, 2, false)}\n`;
    }
  }

  /** Writes the fields of a map; the first line's margin is there already. */
  private map(node: YamlNode, indent: number, isInFlow: boolean): void {
    const isFlow = isInFlow || node.style === 'flow';
    const margin = ' '.repeat(indent);
    const fields = sortedFields(node, this.base);
    for (let index = 0; index < fields.length; index += 1) {
      if (index > 0) this.text += margin;
      const { key, value } = fields[index]!;
      this.field(key, value, indent, isFlow);
    }
  }

  private field(key: string, value: YamlNode, indent: number, isFlow: boolean): void {
    if (isSimpleKey(key)) {
      const keyText = textOfKey(key);
      this.text += `${keyText}:`;
      this.value(value, indent, indent + keyText.length + 1, isFlow);
      return;
    }
    const margin = ' '.repeat(indent);
    this.text += `? ${yamlString(key, indent + 2, indent + 2, false)}\n${margin}:`;
    this.explicitValue(value, indent, isFlow);
  }

  /** What follows `key:`. */
  private value(value: YamlNode, indent: number, column: number, isFlow: boolean): void {
    const node = value.kind === 'alias' ? value.target! : value;
    if (node.kind === 'scalar' || node.content.length === 0) {
      this.text += ` ${this.inline(node, column + 1, indent + 2, isFlow)}\n`;
    } else if (node.kind === 'map') {
      this.text += `\n${' '.repeat(indent + 2)}`;
      this.map(node, indent + 2, isFlow);
    } else {
      this.text += `\n${' '.repeat(indent)}`;
      this.sequence(node, indent, isFlow);
    }
  }

  /** What follows `:` after a `? key`: a collection starts on the same line. */
  private explicitValue(node: YamlNode, indent: number, isFlow: boolean): void {
    if (node.kind === 'scalar' || node.content.length === 0) {
      this.text += ` ${this.inline(node, indent + 2, indent + 2, isFlow)}\n`;
    } else if (node.kind === 'map') {
      this.text += ' ';
      this.map(node, indent + 2, isFlow);
    } else {
      this.text += ' ';
      this.sequence(node, indent + 2, isFlow);
    }
  }

  /** Writes the items of a sequence; the first line's margin is there already. */
  private sequence(node: YamlNode, indent: number, isInFlow: boolean): void {
    const isFlow = isInFlow || node.style === 'flow';
    const margin = ' '.repeat(indent);
    for (let index = 0; index < node.content.length; index += 1) {
      if (index > 0) this.text += margin;
      const child = node.content[index]!;
      const item = child.kind === 'alias' ? child.target! : child;
      this.text += '- ';
      if (item.kind === 'scalar' || item.content.length === 0) {
        this.text += `${this.inline(item, indent + 2, indent + 2, isFlow)}\n`;
      } else if (item.kind === 'map') {
        this.map(item, indent + 2, isFlow);
      } else {
        this.sequence(item, indent + 2, isFlow);
      }
    }
  }

  private inline(node: YamlNode, column: number, indent: number, isFlow: boolean): string {
    if (node.kind === 'map') return '{}';
    if (node.kind === 'sequence') return '[]';
    if (node.tag === '!!str') {
      const { value } = node;
      return isBareYaml(value) ? value : yamlString(throughJson(value), column, indent, false);
    }
    const value = scalarToJson(node, isFlow);
    switch (typeof value) {
      case 'string':
        return yamlString(throughJson(value), column, indent, false);
      case 'number':
        return emitNumber(value);
      default:
        return String(value);
    }
  }
}

const NOT_IN_JSON_AS_YAML = /[\u007f-\u009f\ufffe\uffff]/;

/**
 * The original writes JSON, reads that as YAML and writes it again. What JSON allows in a string
 * and YAML does not is lost on the way, or ends it.
 */
function throughJson(text: string): string {
  if (!NOT_IN_JSON_AS_YAML.test(text)) return text;
  return parseYamlNode(jsonText(text))?.value ?? '';
}

/** A float that is whole passes through JSON as an integer, as far as 64 bits go. */
function emitNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) {
    return String(BigInt(formatJsonNumber(value).replace(/^-0$/, '0')));
  }
  if (Number.isInteger(value) && value > 0 && value < 2 ** 64) {
    return formatJsonNumber(value);
  }
  return formatFloat(value);
}

/** How keys are written; manifests repeat the same few. Bounded, and emptied when it is full. */
const keyTexts = new Map<string, string>();
const MAX_KEY_TEXTS = 4096;

function textOfKey(key: string): string {
  let text = keyTexts.get(key);
  if (text === undefined) {
    // A key is never folded: where it stands makes no difference.
    text = yamlString(key, 0, 0, true);
    if (keyTexts.size >= MAX_KEY_TEXTS) keyTexts.clear();
    keyTexts.set(key, text);
  }
  return text;
}

function isSimpleKey(key: string): boolean {
  if (key.includes('\n')) return false;
  return key.length <= MAX_SIMPLE_KEY / 4 || Buffer.byteLength(key) <= MAX_SIMPLE_KEY;
}

interface Field {
  readonly key: string;
  readonly value: YamlNode;
}

/** The fields in the order of their keys. Insertion is what sorts a handful fastest. */
function sortedFields(node: YamlNode, base: number): Field[] {
  const { content } = node;
  const fields: Field[] = [];
  for (let index = 0; index < content.length; index += 2) {
    fields.push({ key: keyOf(content[index]!), value: content[index + 1]! });
  }
  if (fields.length > MAX_INSERTED) fields.sort((a, b) => compareKeys(a.key, b.key));
  else insertionSort(fields);
  for (let index = 1; index < fields.length; index += 1) {
    const { key } = fields[index]!;
    if (key === fields[index - 1]!.key) throw duplicateKey(node, key, base);
  }
  return fields;
}

const MAX_INSERTED = 24;

function insertionSort(fields: Field[]): void {
  for (let index = 1; index < fields.length; index += 1) {
    const field = fields[index]!;
    let at = index;
    while (at > 0 && compareKeys(fields[at - 1]!.key, field.key) > 0) {
      fields[at] = fields[at - 1]!;
      at -= 1;
    }
    fields[at] = field;
  }
}

function keyOf(node: YamlNode): string {
  const isText = node.tag === '!!str' && node.kind === 'scalar';
  return throughJson(isText ? node.value : keyToJson(node));
}
