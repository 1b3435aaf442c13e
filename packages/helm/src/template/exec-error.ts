import { byteLength } from '../go/bytes.ts';
import { GoError } from '../go/function.ts';
import { quoteString } from '../go/quote.ts';
import { type Node, printNode } from './node.ts';

/** An error of executing a template, laid out as Go's: `template: FILE:LINE:COL: executing "NAME" at <NODE>: TEXT`. */
export class ExecError extends GoError {
  constructor(message: string, options?: { readonly cause?: GoError | undefined }) {
    super(message, options);
    this.name = 'ExecError';
  }
}

/** The error of a node of the template of that name. */
export function execError(
  template: string,
  node: Node,
  message: string,
  cause?: GoError,
): ExecError {
  const place = `template: ${locate(node)}: executing ${quoteString(template)} at <${printNode(node)}>: `;
  return new ExecError(place + message, { cause });
}

/** FILE:LINE:COL; the column counts bytes, from 0. */
function locate({ source, at }: Node): string {
  const before = source.text.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let next = before.indexOf('\n'); next >= 0; next = before.indexOf('\n', next + 1)) line++;
  return `${source.name}:${line}:${byteLength(before.slice(lineStart))}`;
}
