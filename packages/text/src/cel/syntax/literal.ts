import { maxInt, maxUint, minInt } from '../values/number.ts';
import { CelUint, type CelValue, encodeText } from '../values/value.ts';

/** The value of a literal, or what is wrong with it. */
export type LiteralReading = { readonly value: CelValue } | { readonly problem: string };

export function readInt(text: string, isNegative: boolean): LiteralReading {
  const digits = BigInt(text);
  const value = isNegative ? -digits : digits;
  return value < minInt || value > maxInt ? { problem: 'invalid int literal' } : { value };
}

export function readUint(text: string): LiteralReading {
  const value = BigInt(text.slice(0, -1));
  return value > maxUint ? { problem: 'invalid uint literal' } : { value: new CelUint(value) };
}

export function readFloat(text: string, isNegative: boolean): LiteralReading {
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: 'invalid double literal' };
  return { value: isNegative ? -value : value };
}

const simple: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

const escapes =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]?))/g;

/** What a quoted text or bytes stand for. */
export function readQuoted(token: string): LiteralReading {
  const prefix = /^[bBrR]*/.exec(token)?.[0].toLowerCase() ?? '';
  const quoted = token.slice(prefix.length);
  const fence = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1;
  const inner = quoted.slice(fence, -fence).replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const isBytes = prefix.includes('b');
  if (prefix.includes('r')) return { value: isBytes ? encodeText(inner) : inner };
  return isBytes ? readBytes(inner) : readText(inner);
}

function readText(inner: string): LiteralReading {
  let problem: string | undefined;
  const value = inner.replaceAll(escapes, (_all, plain, hex, short, long, octal) => {
    if (plain !== undefined) return simple[plain] as string;
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const code = Number.parseInt(hex ?? short ?? long ?? '', 16);
    if (Number.isNaN(code)) problem = 'unable to unescape string';
    else if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      problem = 'invalid unicode code point';
    else return String.fromCodePoint(code);
    return '';
  });
  return problem === undefined ? { value } : { problem };
}

/** In bytes, escapes by hexadecimal and octal numbers are bytes, and those by code point are not allowed. */
function readBytes(inner: string): LiteralReading {
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const found of inner.matchAll(escapes)) {
    const [all, plain, hex, , , octal] = found;
    parts.push(encodeText(inner.slice(last, found.index)));
    if (plain !== undefined) parts.push(encodeText(simple[plain] as string));
    else if (hex !== undefined) parts.push(Uint8Array.of(Number.parseInt(hex, 16)));
    else if (octal !== undefined) parts.push(Uint8Array.of(Number.parseInt(octal, 8)));
    else return { problem: 'unable to unescape string' };
    last = found.index + all.length;
  }
  parts.push(encodeText(inner.slice(last)));
  const value = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    value.set(part, at);
    at += part.length;
  }
  return { value };
}
