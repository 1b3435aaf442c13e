import {
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Pair,
  parseAllDocuments,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { sopsError } from './sops-error.ts';
import {
  isBranch,
  isComment,
  type SopsBranch,
  type SopsComment,
  type SopsPair,
  type SopsScalar,
  type SopsValue,
} from './sops-tree.ts';

/** All documents of a YAML file, with their comments. */
export function loadYaml(text: string): SopsBranch[] {
  const documents = parseAllDocuments(text, { version: '1.1', intAsBigInt: true, merge: false });
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      throw sopsError(`failed to load encrypted YAML data: ${error.message.split('\n', 1)[0]}`);
    }
    if (!isMap(document.contents)) {
      throw sopsError('failed to load encrypted YAML data: it is not a mapping');
    }
    const branch = branchOf(document.contents, 0);
    const items = [
      ...commentsOf(document.commentBefore),
      ...branch.items,
      ...commentsOf(document.comment),
    ];
    return { items };
  });
}

function branchOf(map: YAMLMap, depth: number): SopsBranch {
  if (depth > 200) throw sopsError('the file is nested too deeply');
  const items: (SopsPair | SopsComment)[] = commentsOf(map.commentBefore);
  for (const pair of map.items) {
    const key = pair.key as Node;
    const value = pair.value as Node | null;
    items.push(...commentsOf(key.commentBefore));
    items.push({
      key: isScalar(key) ? String(key.value) : String(key),
      value: treeOf(value, depth),
    });
    items.push(...commentsOf(key.comment), ...lineCommentOf(value));
  }
  items.push(...commentsOf(map.comment));
  return { items };
}

function lineCommentOf(value: Node | null): SopsComment[] {
  return isScalar(value) ? commentsOf(value.comment) : [];
}

function treeOf(node: Node | null, depth: number): SopsValue {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) throw sopsError('aliases are not supported in encrypted files');
  if (isMap(node)) return branchOf(node, depth + 1);
  if (isSeq(node)) {
    const items: (SopsValue | SopsComment)[] = [...commentsOf(node.commentBefore)];
    for (const one of node.items as Node[]) {
      items.push(...commentsOf(one?.commentBefore), treeOf(one, depth + 1), ...lineCommentOf(one));
    }
    return [...items, ...commentsOf(node.comment)] as SopsValue;
  }
  return scalarOf((node as Scalar).value);
}

function scalarOf(value: unknown): SopsScalar {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Date) return value.toISOString();
  return value as SopsScalar;
}

function commentsOf(text: string | null | undefined): SopsComment[] {
  if (text === null || text === undefined) return [];
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((comment) => ({ comment }));
}

/** As sops prints it: four spaces, comments where they were. */
export function emitYaml(branches: readonly SopsBranch[]): string {
  return branches
    .map((branch) => {
      const document = new Document(undefined, { version: '1.1' });
      document.contents = mapOf(branch);
      const text = document.toString({ indent: 4, lineWidth: 0, defaultStringType: 'PLAIN' });
      return text.replace(/^%YAML 1\.1\n---\n/, '');
    })
    .join('---\n');
}

function mapOf(branch: SopsBranch): YAMLMap {
  const map = new YAMLMap();
  let before: string[] = [];
  for (const item of branch.items) {
    if (isComment(item)) {
      before.push(item.comment);
      continue;
    }
    const key = new Scalar(item.key);
    if (before.length > 0) key.commentBefore = before.join('\n');
    before = [];
    map.items.push(new Pair(key, nodeOf(item.value)));
  }
  if (before.length > 0) map.comment = before.join('\n');
  return map;
}

function nodeOf(value: SopsValue): Node {
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    let before: string[] = [];
    for (const one of value as readonly (SopsValue | SopsComment)[]) {
      if (isComment(one)) {
        before.push(one.comment);
        continue;
      }
      const node = nodeOf(one);
      if (before.length > 0) node.commentBefore = before.join('\n');
      before = [];
      list.items.push(node);
    }
    return list;
  }
  if (isBranch(value)) return mapOf(value);
  const scalar = new Scalar(value);
  if (typeof value === 'string' && value.includes('\n')) scalar.type = 'BLOCK_LITERAL';
  return scalar;
}
