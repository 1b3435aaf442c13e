import type { YAMLParseError } from 'yaml';

/**
 * The words in which Go's YAML reader, which people know from decK, tells of the usual mistakes, with
 * its way of counting lines: a mistake in a token is counted from one, one in the structure from
 * zero, and the first line is not named at all.
 */
interface GoError {
  readonly message: string;
  readonly isInToken: boolean;
  /** Lines between where our reader sees the mistake and where Go's does. */
  readonly lineShift?: number;
}

function unclosedFlow(text: string, offset: number): GoError {
  const before = text.slice(0, offset).trimEnd();
  const last = before.at(-1);
  if (last === '[' || last === ',' || last === '{') {
    return { message: 'did not find expected node content', isInToken: false };
  }
  const close = before.lastIndexOf('{') > before.lastIndexOf('[') ? '}' : ']';
  return { message: `did not find expected ',' or '${close}'`, isInToken: false };
}

/** How many lines below the start of a text its colon is. */
function linesToColon(text: string, offset: number): number {
  const colon = text.slice(offset).search(/:(?:\s|$)/);
  return colon === -1 ? 0 : text.slice(offset, offset + colon).split('\n').length - 1;
}

function explain(error: YAMLParseError, text: string): GoError {
  const [offset] = error.pos;
  switch (error.code) {
    case 'TAB_AS_INDENT':
    case 'BAD_SCALAR_START':
      return { message: 'found character that cannot start any token', isInToken: true };
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return {
        message: 'mapping values are not allowed in this context',
        isInToken: true,
        lineShift: linesToColon(text, offset),
      };
    case 'MISSING_CHAR':
      if (error.message.includes('quote')) {
        return { message: 'found unexpected end of stream', isInToken: true };
      }
      if (error.message.startsWith('Flow')) return unclosedFlow(text, offset);
      return { message: 'did not find expected key', isInToken: false };
    case 'BAD_INDENT':
      return error.message.startsWith('Flow')
        ? unclosedFlow(text, offset)
        : { message: 'did not find expected key', isInToken: false };
    case 'UNEXPECTED_TOKEN':
      if (error.message.includes('in flow')) {
        return { message: 'did not find expected node content', isInToken: false };
      }
      return {
        message: `did not find expected ${text.startsWith('-') ? "'-' indicator" : 'key'}`,
        isInToken: false,
      };
    default:
      return { message: error.message.split('\n')[0] ?? 'invalid', isInToken: false };
  }
}

/** An error of our YAML reader as Go's says it. */
export function goYamlError(error: YAMLParseError, text: string): string {
  const { message, isInToken, lineShift = 0 } = explain(error, text);
  const isAtEnd = error.pos[0] >= text.length && !text.endsWith('\n');
  const line = (error.linePos?.[0].line ?? 1) - 1 + lineShift + (isAtEnd ? 1 : 0);
  const shown = isInToken && line > 0 ? line + 1 : line;
  return `yaml: ${shown > 0 ? `line ${shown}: ` : ''}${message}`;
}
