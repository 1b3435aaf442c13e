/** Words that no field can be called by in an expression. */
const literals = ['true', 'false', 'null', 'in'];
/** Words that CEL keeps for itself. They may be names of fields, as they are and escaped. */
const kept =
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  );
const reserved = new Set([...literals, ...kept]);

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const unescapes: Readonly<Record<string, string>> = {
  underscores: '__',
  dot: '.',
  dash: '-',
  slash: '/',
};

/**
 * The name of a field as an expression says it; undefined when it cannot.
 *
 * ```ts
 * escapeField('my-field'); // 'my__dash__field'
 * escapeField('in'); // '__in__'
 * ```
 */
export function escapeField(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[-./]/g, (part) => escapes[part] as string);
}

/**
 * All names by which an expression may call a field, the escaped one first.
 *
 * ```ts
 * namesOfField('namespace'); // ['__namespace__', 'namespace']
 * ```
 */
export function namesOfField(name: string): readonly string[] {
  const escaped = escapeField(name);
  if (escaped === undefined) return [];
  return kept.includes(name) ? [escaped, name] : [escaped];
}

/** The field that an expression means; undefined when its escapes are none. */
export function unescapeField(name: string): string | undefined {
  if (!name.includes('__')) return name;
  let isRight = true;
  const plain = name.replaceAll(/__([^_]+)__/g, (all, inner: string) => {
    if (Object.hasOwn(unescapes, inner)) return unescapes[inner] as string;
    if (!reserved.has(inner) || all.length !== name.length) isRight = false;
    return inner;
  });
  return isRight ? plain : undefined;
}
