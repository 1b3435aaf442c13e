/**
 * A text without what it has of some characters at its end. An expression such as `/\\/+$/` looks at a
 * run of them from each of its characters, which takes for ever where somebody sends a megabyte of them.
 *
 * @example
 * trimEndOf('/files///', '/'); // '/files'
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}
