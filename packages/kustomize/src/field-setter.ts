import {
  isMissingOrNull,
  isPresent,
  type NodeKind,
  newKey,
  newString,
  noContent,
  resolveLegacyScalar,
  YamlNode,
} from '@waygate/text';
import { KustomizeError } from './kustomize-error.ts';
import { emitYaml } from './yaml/emit.ts';

const kindNames: Readonly<Record<NodeKind, string>> = {
  scalar: 'ScalarNode',
  map: 'MappingNode',
  sequence: 'SequenceNode',
  alias: 'AliasNode',
};

/** Fails unless the node is of the kind. */
export function demandKind(node: YamlNode, kind: NodeKind): void {
  if (node.kind === kind) return;
  throw new KustomizeError(
    `wrong node kind: expected ${kindNames[kind]} but got ${kindNames[node.kind]}: node contents:\n${safeText(node)}`,
    { file: node.file, line: node.line >= 0 ? node.line + 1 : undefined },
  );
}

function safeText(node: YamlNode): string {
  try {
    return node.style === 'flow' ? flowText(node) : emitYaml(node);
  } catch {
    return node.value;
  }
}

/** A collection on one line, as it was written. */
function flowText(node: YamlNode): string {
  if (node.kind === 'scalar') return emitYaml(node).trimEnd();
  if (node.kind === 'sequence') return `[${node.content.map(flowText).join(', ')}]`;
  const fields: string[] = [];
  for (let index = 0; index < node.content.length; index += 2) {
    fields.push(`${flowText(node.content[index]!)}: ${flowText(node.content[index + 1]!)}`);
  }
  return `{${fields.join(', ')}}`;
}

/**
 * Sets a field of a map in place, keeping the style that its value had; null or nothing removes
 * the field. Mirrors the rule that a quoted field stays quoted, which decides whether `8080` set
 * into it is a number or a string. A field without a name is the node itself in the original, which
 * a map cannot be.
 */
export function setMapField(
  map: YamlNode,
  name: string,
  value: YamlNode | undefined,
  key?: YamlNode,
): void {
  demandKind(map, name === '' ? 'scalar' : 'map');
  if (!isPresent(value)) {
    map.remove(name);
    return;
  }
  const field = map.get(name);
  quoteTyped(value);
  if (field === value) return;
  if (field === undefined) {
    map.content.push(key ?? newKey(name), value);
    return;
  }
  value.style = field.style;
  field.become(value);
}

/** Sets a scalar in place, keeping its style. */
export function setScalar(node: YamlNode, value: YamlNode): void {
  demandKind(node, 'scalar');
  if (isMissingOrNull(value)) return;
  value.style = node.style;
  node.become(value);
}

/** Sets the text of a scalar, without a say on what type it is. */
export function setScalarText(node: YamlNode, text: string): void {
  setScalar(node, new YamlNode('scalar', '', text, noContent));
}

/** Sets a scalar to a string. */
export function setScalarString(node: YamlNode, text: string): void {
  setScalar(node, newString(text));
}

/** A string that older readers would take for something else, such as `yes` or `1`, gets quotes. */
function quoteTyped(value: YamlNode): void {
  if (value.kind !== 'scalar' || value.style !== 'plain' || value.value === '') return;
  if (value.tag !== '!!str' && value.tag !== '') return;
  if (resolveLegacyScalar(value.value).tag !== '!!str') value.style = 'double';
}
