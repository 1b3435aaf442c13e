/** Characters that may stand in a path as they are: decoding them does not change its meaning. */
const reserved = new Set(
  "!#$&'()*+,/:;=?@[]%".split('').map((character) => character.charCodeAt(0)),
);

function removeDotSegments(path: string): string {
  const output: string[] = [];
  const segments = path.split('/');
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === '.') {
      if (isLast) output.push('');
    } else if (segment === '..') {
      if (output.length > 1) output.pop();
      if (isLast) output.push('');
    } else output.push(segment);
  });
  const joined = output.join('/');
  return joined.startsWith('/') ? joined : `/${joined}`;
}

function decode(path: string): string {
  const bytes: number[] = [];
  for (let index = 0; index < path.length; ) {
    const hex = /^%([0-9a-fA-F]{2})/.exec(path.slice(index, index + 3))?.[1];
    if (hex === undefined) {
      const point = path.codePointAt(index) as number;
      const character = String.fromCodePoint(point);
      bytes.push(...Buffer.from(character));
      index += character.length;
      continue;
    }
    const byte = Number.parseInt(hex, 16);
    if (reserved.has(byte)) bytes.push(...Buffer.from(`%${hex.toUpperCase()}`));
    else bytes.push(byte);
    index += 3;
  }
  return Buffer.from(bytes).toString('utf8');
}

/**
 * A path in the form in which Kong compares it: percent-encoded characters decoded unless reserved,
 * dot segments removed, slashes merged. Route paths must be written in this form.
 */
export function normalizePath(path: string): string {
  const decoded = path.includes('%') ? decode(path) : path;
  return removeDotSegments(decoded.replace(/\/{2,}/g, '/'));
}
