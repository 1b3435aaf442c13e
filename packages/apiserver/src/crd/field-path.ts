import { type JsonSchema, valuesSchema } from './json-schema.ts';

const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;
const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/**
 * A path from a rule's value to a field below it, `.a['b-c']`, as the API writes paths: `a.b-c`.
 * Undefined when it leads nowhere.
 */
export function normalizeFieldPath(path: string, schema: JsonSchema): string | undefined {
  let current: JsonSchema = schema;
  let normal = '';
  let at = 0;
  while (at < path.length) {
    step.lastIndex = at;
    const found = step.exec(path);
    if (found === null) return undefined;
    at += found[0].length;
    const name = found[1] ?? unescaped(found[2] ?? '');
    const values = valuesSchema(current);
    if (name === undefined) return undefined;
    const next = current.properties === undefined ? values : current.properties[name];
    if (next === undefined) return undefined;
    if (current.properties === undefined) normal += `[${name}]`;
    else normal += normal === '' ? name : `.${name}`;
    current = next;
  }
  return normal;
}

function unescaped(text: string): string | undefined {
  let isRight = true;
  const plain = text.replaceAll(/\\(.)/g, (_, letter: string) => {
    if (!Object.hasOwn(escapes, letter)) isRight = false;
    return escapes[letter] ?? '';
  });
  return isRight ? plain : undefined;
}
