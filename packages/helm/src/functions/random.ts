import { type FunctionTable, fn, int, str } from '../go/define.ts';
import { GoError } from '../go/function.ts';
import { goInt } from '../go/value.ts';
import type { FunctionOptions } from './function-options.ts';

const digits = '0123456789';
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('');

/** What is made by chance, of the random bytes of the options. */
export function randomFunctions({ random }: FunctionOptions): FunctionTable {
  const texts = (alphabet: string) =>
    fn([int], ({ budget }, count) => {
      if (count <= 0) return '';
      budget.make(count * 2);
      return Array.from({ length: count }, () => alphabet[below(alphabet.length, random)]).join('');
    });
  return {
    randAlphaNum: texts(letters + digits),
    randAlpha: texts(letters),
    randNumeric: texts(digits),
    randAscii: texts(printable),
    randBytes: fn([int], ({ budget }, count) => {
      if (count < 0) throw new GoError('runtime error: makeslice: len out of range');
      budget.make(count * 2);
      return Buffer.from(random(count)).toString('base64');
    }),
    randInt: fn([int, int], (_, low, high) => {
      if (high <= low) throw new GoError('invalid argument to Intn');
      return goInt(low + below(high - low, random));
    }),
    shuffle: fn([str], (_, text) => {
      const runes = Array.from(text);
      for (let at = runes.length - 1; at > 0; at--) {
        const other = below(at + 1, random);
        [runes[at], runes[other]] = [runes[other]!, runes[at]!];
      }
      return runes.join('');
    }),
    uuidv4: fn([], () => {
      const bytes = Buffer.from(random(16));
      bytes[6] = (bytes[6]! & 0x0f) | 0x40;
      bytes[8] = (bytes[8]! & 0x3f) | 0x80;
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    }),
  };
}

/** A number from 0 to below the limit, each as likely as the other. */
function below(limit: number, random: (count: number) => Uint8Array): number {
  const bytes = limit <= 0x100 ? 1 : limit <= 0x1_0000_0000 ? 4 : 6;
  const range = 256 ** bytes;
  const fair = range - (range % limit);
  for (let tries = 0; ; tries++) {
    const value = random(bytes).reduce((sum, byte) => sum * 256 + byte, 0);
    // A source that never gives a fair number is not to hold us.
    if (value < fair || tries > 1000) return value % limit;
  }
}
