import { TextError } from './error.ts';

/**
 * The keys of a JSON pointer (RFC 6901); `''` is the whole document.
 *
 * ```ts
 * parseJsonPointer('/metadata/labels/example.com~1team'); // ['metadata', 'labels', 'example.com/team']
 * ```
 */
export function parseJsonPointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) {
    throw new TextError(
      'WG_TEXT_PATCH',
      `invalid JSON pointer "${pointer.slice(0, 200)}": it must be empty or start with "/"`,
    );
  }
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/**
 * The text of a JSON pointer (RFC 6901), with `~` and `/` escaped.
 *
 * ```ts
 * printJsonPointer(['spec', 'containers', 0, 'a/b']); // '/spec/containers/0/a~1b'
 * ```
 */
export function printJsonPointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}
