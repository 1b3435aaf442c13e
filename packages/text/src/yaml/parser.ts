import { NodeBuilder } from './builder.ts';
import { Comments } from './comments.ts';
import { DocumentParser } from './document-parser.ts';
import type { YamlNode } from './node.ts';
import { parseQuickly } from './quick-parser.ts';

/**
 * Reads the first document of a text as a tree; undefined when the text holds none.
 *
 * ```ts
 * parseYamlNode('a: [1, two]')?.get('a')?.content.length; // 2
 * ```
 */
export function parseYamlNode(text: string, file?: string, firstLine = 0): YamlNode | undefined {
  const quick = parseQuickly(text, new NodeBuilder(file, firstLine));
  return quick ?? parseFully(text, file, firstLine);
}

/** The same for texts of any sort; slower, and the one that knows what is wrong with a text. */
export function parseFully(text: string, file?: string, firstLine = 0): YamlNode | undefined {
  return new DocumentParser(text, file, firstLine, 2).document();
}

/**
 * Reads a document and its comments, for whoever writes it anew.
 *
 * ```ts
 * const read = parseCommentedYaml('a: 1 # one\n');
 * read && printCommentedYaml(read.root, read.comments); // 'a: 1 # one\n'
 * ```
 */
export function parseCommentedYaml(
  text: string,
): { root: YamlNode; comments: Comments } | undefined {
  const comments = new Comments();
  const root = new DocumentParser(text, undefined, 0, 2, comments).document();
  return root === undefined ? undefined : { root, comments };
}

/**
 * Reads as Go's older library does, which notices mistakes in another order.
 *
 * ```ts
 * parseLegacyYamlNode('a: 1')?.get('a')?.value; // '1'
 * ```
 */
export function parseLegacyYamlNode(text: string, file?: string): YamlNode | undefined {
  const quick = parseQuickly(text, new NodeBuilder(file, 0));
  return quick ?? new DocumentParser(text, file, 0, 0).document();
}

/** The documents of a text of any sort, by the older library's lights: the first, or all of them. */
export function parseDocuments(text: string, which: 'first' | 'all'): YamlNode[] {
  const parser = new DocumentParser(text, undefined, 0, 0);
  const documents: YamlNode[] = [];
  for (let root = parser.document(); root !== undefined; root = parser.document()) {
    documents.push(root);
    if (which === 'first') break;
  }
  return documents;
}
