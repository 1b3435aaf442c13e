import type { DynamicObject } from '@waygate/schema';
import { parseLegacyYamlNode, YamlError, type YamlNode } from '@waygate/text';

/** The line that an object begins in, in a text of several, counted from zero. */
export function lineOfObject(text: string, object: DynamicObject): number | undefined {
  const found = documentOf(text, object);
  return found && found.from + found.root.content[0]!.line;
}

/**
 * The line that a field of an object is written in, counted from zero: `spec.replicas`,
 * `spec.containers[name=web].image`, `spec.containers[0].image`.
 */
export function lineOfField(
  text: string,
  object: DynamicObject,
  field: string,
): number | undefined {
  const found = documentOf(text, object);
  const line = found && lineAt(found.root, field);
  return line === undefined ? undefined : found!.from + line;
}

/** The line of a field by its pointer, such as `/spec/ports/0/port`; undefined for one that is not written. */
export function lineOfPointer(
  text: string,
  object: DynamicObject,
  pointer: string,
): number | undefined {
  const found = documentOf(text, object);
  if (found === undefined) return undefined;
  let node: YamlNode | undefined = found.root;
  let { line } = found.root.content[0]!;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const next: { key: YamlNode; value: YamlNode } | undefined = node && childOf(node, name);
    if (next === undefined) return undefined;
    line = next.key.line;
    node = next.value;
  }
  return found.from + line;
}

function childOf(node: YamlNode, name: string): { key: YamlNode; value: YamlNode } | undefined {
  if (node.kind === 'sequence') {
    const item = node.content[Number(name)];
    return item && { key: item, value: item };
  }
  if (node.kind !== 'map') return undefined;
  const at = node.content.findIndex(({ value }, index) => index % 2 === 0 && value === name);
  return at < 0 ? undefined : { key: node.content[at]!, value: node.content[at + 1]! };
}

function documentOf(
  text: string,
  { kind, metadata }: DynamicObject,
): { from: number; root: YamlNode } | undefined {
  const lines = text.split('\n');
  let from = 0;
  for (let at = 0; at <= lines.length; at++) {
    if (at < lines.length && !/^---(\s|$)/.test(lines[at]!)) continue;
    const root = mapIn(lines.slice(from, at).join('\n'));
    const name = root && inMap(inMap(root, 'metadata'), 'name')?.value;
    if (root && name === metadata.name && inMap(root, 'kind')?.value === kind)
      return { from, root };
    from = at + 1;
  }
  return undefined;
}

function mapIn(text: string): YamlNode | undefined {
  try {
    const root = parseLegacyYamlNode(text);
    return root?.kind === 'map' && root.content.length > 0 ? root : undefined;
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}

function inMap(node: YamlNode | undefined, name: string): YamlNode | undefined {
  if (node?.kind !== 'map') return undefined;
  const at = node.content.findIndex(({ value }, index) => index % 2 === 0 && value === name);
  return at < 0 ? undefined : node.content[at + 1];
}

/** Names may have dots in them: the longest that fits is taken. */
function lineAt(node: YamlNode, path: string): number | undefined {
  if (node.kind === 'sequence') return lineOfItem(node, path);
  if (node.kind !== 'map') return undefined;
  let best: { readonly line: number; readonly length: number } | undefined;
  for (let at = 0; at < node.content.length; at += 2) {
    const key = node.content[at]!;
    const rest = path.slice(key.value.length);
    if (!path.startsWith(key.value) || !/^(?:$|[.[])/.test(rest)) continue;
    const inner = rest.replace(/^\./, '');
    const line = inner === '' ? key.line : lineAt(node.content[at + 1]!, inner);
    if (line !== undefined && key.value.length > (best?.length ?? -1))
      best = { line, length: key.value.length };
  }
  return best?.line;
}

function lineOfItem({ content }: YamlNode, path: string): number | undefined {
  const [whole = '', key, value, index] = /^\[(?:([^=\]]+)=([^\]]*)|(\d+))\]/.exec(path) ?? [];
  if (whole === '') return undefined;
  const item =
    index === undefined
      ? content.find((each) => inMap(each, key!)?.value === value)
      : content[Number(index)];
  if (item === undefined) return undefined;
  const rest = path.slice(whole.length).replace(/^\./, '');
  return rest === '' ? item.line : lineAt(item, rest);
}
