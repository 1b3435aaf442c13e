import {
  compareKeys,
  formatFloat,
  formatJsonNumber,
  isBareYaml,
  parseYamlNode,
  writeYaml,
  type YamlField,
  type YamlNode,
  type YamlView,
} from '@waygate/text';
import { jsonText } from './json-text.ts';
import { duplicateKey, keyToJson, scalarToJson } from './json-value.ts';

/**
 * The YAML of a resource as kustomize prints it: keys sorted, two spaces, lists not indented,
 * scalars in one canonical spelling. It ends with a line break.
 */
export function emitYaml(node: YamlNode): string {
  return writeYaml(node, new ResourceView(node.line));
}

/** What is marked lies inside of brackets, where kustomize reads some scalars differently. */
class ResourceView implements YamlView<YamlNode> {
  /** The line where the document starts in its file. */
  readonly #base: number;

  constructor(base: number) {
    this.#base = base;
  }

  kindOf(node: YamlNode): 'leaf' | 'map' | 'sequence' {
    const { kind, content } = resolved(node);
    return kind === 'scalar' || kind === 'alias' || content.length === 0 ? 'leaf' : kind;
  }

  itemsOf(sequence: YamlNode): readonly YamlNode[] {
    return resolved(sequence).content;
  }

  fieldsOf(map: YamlNode): readonly YamlField<YamlNode>[] {
    return sortedFields(resolved(map), this.#base);
  }

  marks(collection: YamlNode): boolean {
    return resolved(collection).style === 'flow';
  }

  leaf(given: YamlNode, isInFlow: boolean, quote: (text: string) => string): string {
    const node = resolved(given);
    if (node.kind === 'map') return '{}';
    if (node.kind === 'sequence') return '[]';
    if (node.tag === '!!str' && node.style !== 'folded') {
      const { value } = node;
      return isBareYaml(value) ? value : quote(throughJson(value));
    }
    const value = scalarToJson(node, isInFlow);
    switch (typeof value) {
      case 'string':
        return quote(throughJson(value));
      case 'number':
        return emitNumber(value);
      default:
        return String(value);
    }
  }
}

function resolved(node: YamlNode): YamlNode {
  return node.kind === 'alias' ? node.target! : node;
}

const notInJsonAsYaml = /[\u007f-\u009f\ufffe\uffff]/;

/**
 * The original writes JSON, reads that as YAML and writes it again. What JSON allows in a string
 * and YAML does not is lost on the way, or ends it.
 */
function throughJson(text: string): string {
  if (!notInJsonAsYaml.test(text)) return text;
  return parseYamlNode(jsonText(text))?.value ?? '';
}

/** A float that is whole passes through JSON as an integer, as far as 64 bits go. */
function emitNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) {
    return String(BigInt(formatJsonNumber(value).replace(/^-0$/, '0')));
  }
  if (Number.isInteger(value) && value > 0 && value < 2 ** 64) return formatJsonNumber(value);
  return formatFloat(value);
}

/** The fields in the order of their keys. Insertion is what sorts a handful fastest. */
function sortedFields(node: YamlNode, base: number): YamlField<YamlNode>[] {
  const { content } = node;
  const fields: YamlField<YamlNode>[] = [];
  for (let index = 0; index < content.length; index += 2) {
    fields.push({ key: keyOf(content[index]!), value: content[index + 1]! });
  }
  if (fields.length > maxInserted) fields.sort((a, b) => compareKeys(a.key, b.key));
  else insertionSort(fields);
  for (let index = 1; index < fields.length; index += 1) {
    const { key } = fields[index]!;
    if (key === fields[index - 1]!.key) throw duplicateKey(node, key, base);
  }
  return fields;
}

const maxInserted = 24;

function insertionSort(fields: YamlField<YamlNode>[]): void {
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
