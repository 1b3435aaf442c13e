import { Lexer } from 'yaml';

/** Deeper than any honest text, and far from the end of the stack. */
const maxFlowDepth = 1000;
const maxBlockDepth = 400;

/**
 * Whether collections are nested deeper than is safe to read. The parser goes down by recursion,
 * and at the end of the stack not every failure is an exception: compiling a regular expression
 * there ends the process. So the depth is found out first, without recursion.
 */
export function isNestedTooDeeply(text: string): boolean {
  return hasDeepFlow(text) || hasDeepBlocks(text);
}

function hasDeepFlow(text: string): boolean {
  if (!hasManyBrackets(text)) return false;
  let depth = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    // The mark before a scalar: what follows is text, whatever it looks like.
    if (isScalar) isScalar = false;
    else if (token === '\x1f') isScalar = true;
    else if (token === '[' || token === '{') {
      if (++depth > maxFlowDepth) return true;
    } else if (token === ']' || token === '}') depth--;
  }
  return false;
}

/** Most texts have few, and need no closer look. */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code === 0x5b || code === 0x7b) && ++count > maxFlowDepth) return true;
  }
  return false;
}

/** Each level of blocks has an indentation of its own, or an indicator on the line. */
function hasDeepBlocks(text: string): boolean {
  const indentations = new Set<number>();
  for (let start = 0; start < text.length; ) {
    let at = start;
    while (text.charCodeAt(at) === 0x20) at++;
    indentations.add(at - start);
    let indicators = 0;
    while (isIndicator(text.charCodeAt(at)) && isBlank(text.charCodeAt(at + 1))) {
      indicators++;
      at += 2;
      while (isBlank(text.charCodeAt(at))) at++;
    }
    if (indicators > maxBlockDepth || indentations.size > maxBlockDepth) return true;
    const end = text.indexOf('\n', start);
    if (end < 0) return false;
    start = end + 1;
  }
  return false;
}

function isIndicator(code: number): boolean {
  return code === 0x2d || code === 0x3f || code === 0x3a;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
