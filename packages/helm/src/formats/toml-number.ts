import { parseGoFloat } from '../go/parse-number.ts';
import { quoteString } from '../go/quote.ts';
import { type GoValue, goInt64 } from '../go/value.ts';

type Fail = (message: string) => never;

/** A whole number of TOML. */
export function readTomlInteger(text: string, fail: Fail): GoValue {
  const wrong = (why: string) => fail(`Invalid integer ${quoteString(text)}: ${why}`);
  if (!areUnderscoresOk(text)) wrong('underscores must be surrounded by digits');
  if (hasLeadingZero(text)) wrong('cannot have leading zeroes');
  const plain = text.replaceAll('_', '');
  const value = plain.startsWith('-') ? -BigInt(plain.slice(1)) : BigInt(plain.replace(/^\+/, ''));
  if (value >= 1n << 63n || value < -(1n << 63n)) fail(`${text} is out of range for int64`);
  return goInt64(value);
}

/** A number of TOML with a point, an exponent or no end. */
export function readTomlFloat(text: string, fail: Fail): number {
  const special = /^([+-]?)(inf|nan)$/.exec(text);
  if (special !== null) {
    if (special[2] === 'nan') return Number.NaN;
    return special[1] === '-' ? -Infinity : Infinity;
  }
  const wrong = (why: string) => fail(`Invalid float ${quoteString(text)}: ${why}`);
  const parts = text.split(/[.eE]/).filter((part) => part !== '');
  if (!parts.every(areUnderscoresOk)) wrong('underscores must be surrounded by digits');
  if (hasLeadingZero(parts[0] ?? '')) wrong('cannot have leading zeroes');
  if (/\.(?!\d)/.test(text)) wrong("'.' must be followed by one or more digits");
  const plain = text.replaceAll('_', '');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(plain)) {
    fail(`Invalid float value: ${quoteString(text)}`);
  }
  return parseGoFloat(plain) ?? fail(`${text} is out of range for float64`);
}

/** Base prefixes are no leading zeroes. */
const hasLeadingZero = (text: string) => /^0[^box]|^[+-]0./.test(text);

/** Whether digits stand around each underscore, and last. */
const areUnderscoresOk = (text: string) => !/(^|[^\da-fA-F])_|[^\da-fA-F]$/.test(text);
