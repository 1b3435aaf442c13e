import { noContent, YamlNode } from './node.ts';
import { tagOfScalar } from './resolve.ts';
import type { ScalarStyle } from './token.ts';

/**
 * Makes something of what the quick parser reads: nodes, or values at once. Whatever it has no simple
 * answer for it leaves to the parser proper, by giving undefined. Lines count from zero.
 *
 * Parts of a collection lie on a stack from a place on: items, or keys and values by turns.
 */
export interface YamlBuilder<T> {
  key(text: string, style: ScalarStyle, line: number): T | undefined;
  scalar(text: string, style: ScalarStyle, line: number): T | undefined;
  /** What is not there: `a:` without a value. */
  nothing(line: number): T;
  sequence(stack: readonly T[], from: number, line: number, isFlow: boolean): T | undefined;
  map(stack: readonly T[], from: number, line: number, isFlow: boolean): T | undefined;
}

/** Makes the nodes that the parser proper makes. */
export class NodeBuilder implements YamlBuilder<YamlNode> {
  readonly #file: string | undefined;
  /** Added to the lines of nodes, for a text that is a part of a file. */
  readonly #firstLine: number;

  constructor(file: string | undefined, firstLine: number) {
    this.#file = file;
    this.#firstLine = firstLine;
  }

  key(text: string, style: ScalarStyle, line: number): YamlNode {
    return this.scalar(text, style, line);
  }

  scalar(text: string, style: ScalarStyle, line: number): YamlNode {
    const tag = style === 'plain' ? tagOfScalar(text) : '!!str';
    const node = this.#place(new YamlNode('scalar', tag, text, noContent), line);
    node.style = style;
    return node;
  }

  nothing(line: number): YamlNode {
    return this.#place(new YamlNode('scalar', '!!null', '', noContent), line);
  }

  sequence(stack: readonly YamlNode[], from: number, line: number, isFlow: boolean): YamlNode {
    const node = this.#place(new YamlNode('sequence', '!!seq', '', stack.slice(from)), line);
    if (isFlow) node.style = 'flow';
    return node;
  }

  map(stack: readonly YamlNode[], from: number, line: number, isFlow: boolean): YamlNode {
    const node = this.#place(new YamlNode('map', '!!map', '', stack.slice(from)), line);
    if (isFlow) node.style = 'flow';
    return node;
  }

  #place(node: YamlNode, line: number): YamlNode {
    node.line = line + this.#firstLine;
    node.file = this.#file;
    return node;
  }
}
