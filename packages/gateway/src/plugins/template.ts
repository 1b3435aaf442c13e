import { goRegex } from '@waygate/text';
import type { RequestContext } from '../proxy/request-context.ts';

/**
 * Fills in `$(…)` in a configured value. Kong runs Lua there; what people write is a lookup with a
 * fallback, and that is what is understood here: `headers.name`, `headers["x-name"]`,
 * `query_params.name`, `uri_captures[1]`, `uri_captures.name`, `shared.name`, texts in quotes, and
 * `or` between them. Anything else is nothing.
 */
export function fillTemplate(text: string, context: RequestContext): string {
  if (!text.includes('$(')) {
    return text;
  }
  let filled = '';
  let from = 0;
  for (const { start, end, groups } of templates.findAll(text)) {
    filled += text.slice(from, start) + evaluate(groups[0] ?? '', context);
    from = end;
  }
  return filled + text.slice(from);
}

/** The first term that has a value. */
function evaluate(expression: string, context: RequestContext): string {
  let from = 0;
  for (const { start, end } of [...alternatives.findAll(expression), theEnd(expression)]) {
    const value = lookUp(expression.slice(from, start).trim(), context);
    if (value !== undefined && value !== '') {
      return value;
    }
    from = end;
  }
  return '';
}

function theEnd({ length }: string): { readonly start: number; readonly end: number } {
  return { start: length, end: length };
}

/** By the linear engine: whoever writes a plugin writes the text, and may leave it open. */
const templates = goRegex(String.raw`\$\(([^()]*(?:\([^()]*\))?[^()]*)\)`);
const alternatives = goRegex(String.raw`\s+or\s+`);

function lookUp(term: string, context: RequestContext): string | undefined {
  const quoted = /^(?:"([^"]*)"|'([^']*)')$/.exec(term);
  if (quoted !== null) {
    return quoted[1] ?? quoted[2];
  }
  const path = /^([a-z_]+)(?:\.([\w-]+)|\[(?:"([^"]+)"|'([^']+)'|(\d+))\])$/.exec(term);
  if (path === null) {
    return undefined;
  }
  const name = path[2] ?? path[3] ?? path[4] ?? path[5] ?? '';
  switch (path[1]) {
    case 'headers':
      return context.headers.get(name) ?? context.headers.get(name.replaceAll('_', '-'));
    case 'query_params':
      return context.arguments.get(name);
    case 'uri_captures':
      return path[5] === undefined
        ? context.match?.captures?.named[name]
        : context.match?.captures?.numbered[Number(name) - 1];
    case 'shared': {
      const value = context.shared.get(name);
      return typeof value === 'string' ? value : undefined;
    }
    default:
      return undefined;
  }
}
