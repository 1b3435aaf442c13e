/**
 * `konghq.com/rewrite`: a URI in which `$1` stands for what the route's path captured and `\$` for a
 * dollar sign. Returns the template that Kong's request-transformer understands, or what is wrong.
 */
export function rewriteTemplate(uri: string): { template: string } | { error: string } {
  let template = '';
  let index = 0;
  const characters = [...uri];
  while (index < characters.length) {
    const character = characters[index]!;
    if (character === '\\') {
      const next = characters[index + 1];
      if (next === undefined) return { error: 'unexpected end of string' };
      if (next !== '$') return unexpected(characters, index + 1);
      template += '$';
      index += 2;
    } else if (character === '$') {
      let end = index + 1;
      while (end < characters.length && /\p{Nd}/u.test(characters[end]!)) end += 1;
      if (end === index + 1) {
        if (end === characters.length) return { error: 'unexpected end of string' };
        return unexpected(characters, end);
      }
      template += `$(uri_captures[${characters.slice(index + 1, end).join('')}])`;
      index = end;
    } else {
      template += character;
      index += 1;
    }
  }
  return { template };
}

/** Positions count bytes, as the messages of the original do. */
function unexpected(characters: readonly string[], index: number): { error: string } {
  const position = Buffer.byteLength(characters.slice(0, index).join(''), 'utf8');
  return { error: `unexpected ${characters[index]} at pos ${position}` };
}
