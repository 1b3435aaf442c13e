/** The alphabet of crypt(3), in its order. */
export const cryptAlphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The lowest bits of a number as text of crypt(3), the lowest six first. */
export function cryptText(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let index = 0; index < length; index += 1) {
    text += cryptAlphabet[rest & 0x3f];
    rest >>>= 6;
  }
  return text;
}
