import { isMissingOrNull, parseYamlNode, YamlError, type YamlNode } from '@waygate/text';
import { KustomizeError } from './kustomize-error.ts';
import { Resource } from './resource.ts';
import type { SchemaSet } from './schema-facts.ts';
import { deAnchor } from './yaml/de-anchor.ts';
import { fromJson, toJson } from './yaml/json-value.ts';

/**
 * Reads the resources of a text: documents between `---`, with lists taken apart. `file` is the
 * name that messages use, `shown` the one that problems and origins give.
 */
export function readResources(
  text: string,
  schemas: SchemaSet,
  file?: string,
  shown = file,
): Resource[] {
  const resources: Resource[] = [];
  const queue = readNodes(text, file, shown).filter(isGood);
  for (let index = 0; index < queue.length; index += 1) {
    const node = queue[index]!;
    const kind = node.get('kind')?.value ?? '';
    // A kind may end in List without being one.
    if (!kind.endsWith('List') || node.get('items') === undefined) {
      const resource = new Resource(node, schemas);
      adoptNotes(resource);
      resources.push(resource);
      continue;
    }
    queue.push(...itemsOf(node, kind));
  }
  return resources;
}

/** The type of a value, as Go names it. */
function goTypeOf(node: YamlNode): string {
  const names: Readonly<Record<string, string>> = {
    '!!int': 'int',
    '!!float': 'float64',
    '!!bool': 'bool',
    '!!map': 'map[string]interface {}',
  };
  return names[node.tag] ?? 'string';
}

const notes = 'internal.config.kubernetes.io/';

/**
 * Other tools hand over, in annotations, which names a resource had.
 *
 * @throws KustomizeError when there are not as many namespaces and kinds: the original panics with these words
 */
function adoptNotes(resource: Resource): void {
  const annotations = resource.node.get('metadata')?.get('annotations');
  if (annotations?.kind !== 'map') return;
  const list = (name: string): string[] => {
    const value = annotations.get(notes + name)?.value ?? '';
    return value === '' ? [] : value.split(',');
  };
  const names = list('previousNames');
  const namespaces = list('previousNamespaces');
  const kinds = list('previousKinds');
  if (names.length !== namespaces.length || names.length !== kinds.length)
    throw new KustomizeError(
      'number of previous names, number of previous namespaces, number of previous kinds not equal',
    );
  // A name that shall have a hash at its end may be handed over as well.
  resource.needsHash = annotations.get(`${notes}needsHashSuffix`)?.value === 'enabled';
  resource.previousNames = names.map((name, index) => ({
    name,
    namespace: namespaces[index] ?? '',
    kind: kinds[index] ?? '',
  }));
  resource.prefixes = list('prefixes');
  resource.suffixes = list('suffixes');
}

function itemsOf(list: YamlNode, kind: string): YamlNode[] {
  const items = list.get('items');
  if (isMissingOrNull(items)) return [];
  const node = items!;
  if (node.kind !== 'sequence') {
    throw new KustomizeError(`expected array in ${kind}/items, but found ${goTypeOf(node)}`);
  }
  return node.content.flatMap((item) => {
    const made = fromJson(toJson(item));
    made.line = item.line;
    made.file = item.file;
    return isGood(made) ? [made] : [];
  });
}

/** Whether a text may hold anchors, aliases or merge keys; most hold none. */
const hasAnchors = /[&*]|<</;

/** The documents of a text as they stand, whether or not they are Kubernetes objects. */
export function readNodes(text: string, file?: string, shown = file): YamlNode[] {
  const nodes: YamlNode[] = [];
  const documents = splitDocuments(text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text);
  for (const { content, line } of documents) {
    const node = parseDocument(content, line, file, shown);
    if (node === undefined || isMissingOrNull(node)) continue;
    const root = hasAnchors.test(content) ? deAnchor(node) : node;
    if (documents.length === 1 && isWrapping(root)) nodes.push(...root.get('items')!.content);
    else nodes.push(root);
  }
  return nodes;
}

/** The only document of a file may wrap others, as an unqualified List does. */
function isWrapping(node: YamlNode): boolean {
  const kind = node.get('kind')?.value;
  return (kind === 'List' || kind === 'ResourceList') && node.get('items')?.kind === 'sequence';
}

function parseDocument(
  content: string,
  line: number,
  file: string | undefined,
  shown: string | undefined,
): YamlNode | undefined {
  try {
    return parseYamlNode(content, shown, line);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const message =
      file === undefined ? error.message : `MalformedYAMLError: ${error.message} in File: ${file}`;
    throw new KustomizeError(message, {
      code: 'WG_KUSTOMIZE_MALFORMED_YAML',
      file: shown,
      line: error.problemLine + 1 + line,
      cause: error,
    });
  }
}

const separatorLine = /\n---.*\n/g;

/** Splits at lines that start with `---`; such a line may hold a comment and nothing else. */
function splitDocuments(text: string): { content: string; line: number }[] {
  const documents: { content: string; line: number }[] = [];
  let from = 0;
  let line = 0;
  for (const match of text.matchAll(separatorLine)) {
    const rest = match[0].slice(4).trim();
    if (rest !== '' && !rest.startsWith('#')) {
      throw new KustomizeError(`invalid document separator: ${match[0].trim()}`);
    }
    const content = `${text.slice(from, match.index)}\n`;
    documents.push({ content, line });
    line += countLines(content) + 1;
    from = match.index + match[0].length;
  }
  documents.push({ content: text.slice(from), line });
  return documents;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Empty objects are passed over; what is not a Kubernetes object is an error. */
function isGood(node: YamlNode): boolean {
  if (isMissingOrNull(node)) return false;
  const root = node!;
  if (root.kind !== 'scalar' && root.content.length === 0) return false;
  checkMetadata(root);
  return true;
}

function place(node: YamlNode): { file: string | undefined; line: number | undefined } {
  return { file: node.file, line: node.line >= 0 ? node.line + 1 : undefined };
}

function describe(node: YamlNode): string {
  const metadata = node.get('metadata');
  const text = (field: string): string => node.get(field)?.value ?? '';
  const type = `{${text('apiVersion')} ${text('kind')}}`;
  const name = metadata?.get('name')?.value ?? '';
  const namespace = metadata?.get('namespace')?.value ?? '';
  return `{${type} {{${name} ${namespace}} ${goMap(metadata?.get('labels'))} ${goMap(metadata?.get('annotations'))}}}`;
}

function goMap(node: YamlNode | undefined): string {
  const entries: string[] = [];
  if (node?.kind === 'map') {
    for (let index = 0; index < node.content.length; index += 2) {
      entries.push(`${node.content[index]!.value}:${node.content[index + 1]!.value}`);
    }
  }
  return `map[${entries.sort().join(' ')}]`;
}

/** Fails on what is no Kubernetes object: one has a kind, and a name unless it is a list. */
export function checkMetadata(node: YamlNode): void {
  const hasAny =
    node.kind === 'map' &&
    ['apiVersion', 'kind', 'metadata'].some((field) => !isMissingOrNull(node.get(field)));
  if (!hasAny) throw new KustomizeError('missing Resource metadata', place(node));
  const kind = node.get('kind');
  const name = node.get('metadata')?.get('name');
  if (isMissingOrNull(kind) || kind!.value === '') {
    throw new KustomizeError(`missing kind in object ${describe(node)}`, place(node));
  }
  if (kind!.value.endsWith('List')) return;
  if (isMissingOrNull(name) || name!.value === '') {
    throw new KustomizeError(`missing metadata.name in object ${describe(node)}`, place(node));
  }
}
