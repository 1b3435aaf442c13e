import { parseGoFloat } from '../go/parse-number.ts';
import { quoteString } from '../go/quote.ts';
import type { GoTime } from '../go/time.ts';
import { readTomlTime } from './toml-time.ts';

/** A number or a time of TOML, or what is wrong with it. */
export function readTomlNumber(
  text: string,
): { readonly value: bigint | number | GoTime } | { readonly problem: string } {
  if (text.startsWith('.')) return { problem: "floats must start with a digit, not '.'" };
  if (/^\d{4}-\d|^\d\d:/.test(text)) {
    const value = readTomlTime(text);
    return value === undefined
      ? { problem: `Invalid TOML Datetime: ${quoteString(text)}.` }
      : { value };
  }
  const special = /^([+-]?)(inf|nan)$/.exec(text);
  if (special !== null) {
    if (special[2] === 'nan') return { value: Number.NaN };
    return { value: special[1] === '-' ? -Infinity : Infinity };
  }
  return /^[+-]?(0[xob]|[\d_]+$)/.test(text) ? integer(text) : float(text);
}

function integer(text: string): { value: bigint } | { problem: string } {
  const wrong = (why: string): { problem: string } => ({
    problem: `Invalid integer ${quoteString(text)}: ${why}`,
  });
  if (!areUnderscoresOk(text)) return wrong('underscores must be surrounded by digits');
  const plain = text.replaceAll('_', '');
  if (/^[+-]?0\d/.test(plain)) return wrong('cannot have leading zeroes');
  const isValid = /^([+-]?\d+|0x[\da-fA-F]+|0o[0-7]+|0b[01]+)$/.test(plain);
  if (!isValid) return { problem: `expected value but found ${quoteString(text)} instead` };
  const value = plain.startsWith('-') ? -BigInt(plain.slice(1)) : BigInt(plain.replace(/^\+/, ''));
  if (value >= 1n << 63n || value < -(1n << 63n)) {
    return { problem: `${plain} is out of range for int64` };
  }
  return { value };
}

function float(text: string): { value: number } | { problem: string } {
  const wrong = (why: string): { problem: string } => ({
    problem: `Invalid float ${quoteString(text)}: ${why}`,
  });
  if (!/^[+-]?\d[\d_]*(\.[\d_]*)?([eE][+-]?[\d_]*)?$/.test(text)) {
    return { problem: `expected value but found ${quoteString(text)} instead` };
  }
  const [mantissa = ''] = text.split(/[eE]/);
  for (const part of mantissa.split('.')) {
    if (!areUnderscoresOk(part)) return wrong('underscores must be surrounded by digits');
  }
  if (/^[+-]?0\d/.test(mantissa)) return wrong('cannot have leading zeroes');
  if (/\.$/.test(mantissa)) return wrong("'.' must be followed by one or more digits");
  const value = parseGoFloat(text.replaceAll('_', ''));
  return value === undefined ? wrong('value out of range') : { value };
}

function areUnderscoresOk(text: string): boolean {
  return !/__|_$|^_|^[+-]_|^0[xob]_/.test(text);
}
