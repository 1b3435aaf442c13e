import { parseGoFloat, parseGoInt, parseGoUint } from '../go/parse-number.ts';
import { quoteString } from '../go/quote.ts';
import { unquoteRune } from '../go/unquote.ts';
import type { NumberNode } from './node.ts';

/** What a number constant can be used as. */
type NumberMeaning = Pick<NumberNode, 'int' | 'uint' | 'float' | 'complex'>;

/** Reads a number or rune constant; a string is what is wrong with it. */
export function readNumber(
  text: string,
  kind: 'charConstant' | 'complex' | 'number',
): NumberMeaning | string {
  if (kind === 'charConstant') return readRune(text);
  if (kind === 'complex') return readComplex(text);
  if (text.endsWith('i')) {
    const imaginary = parseGoFloat(text.slice(0, -1));
    if (imaginary !== undefined) return simplified(0, imaginary);
  }
  let uint = parseGoUint(text, 0);
  const int = parseGoInt(text, 0);
  if (int === 0n) uint ??= 0n;
  if (int !== undefined) return { int, ...(uint !== undefined && { uint }), float: Number(int) };
  if (uint !== undefined) return { uint, float: Number(uint) };
  const float = parseGoFloat(text);
  if (float === undefined) return `illegal number syntax: ${quoteString(text)}`;
  if (!/[.eEpP]/.test(text)) return `integer overflow: ${quoteString(text)}`;
  return wholeMeanings(float);
}

function readRune(text: string): NumberMeaning | string {
  const rune = unquoteRune(text);
  if (rune === undefined) return 'invalid syntax';
  if (rune.tail !== "'") return `malformed character constant: ${text}`;
  const code = BigInt(rune.code);
  return { int: code, uint: code, float: rune.code };
}

function readComplex(text: string): NumberMeaning | string {
  const split = /^(.*[^eEpP+-])([+-].*)i$/s.exec(text);
  const real = split && parseGoFloat(split[1]!);
  const imaginary = split && parseGoFloat(split[2]!);
  if (real == null || imaginary == null) return `illegal number syntax: ${quoteString(text)}`;
  return simplified(real, imaginary);
}

function simplified(real: number, imaginary: number): NumberMeaning {
  const complex = { real, imaginary };
  return imaginary === 0 ? { complex, ...wholeMeanings(real) } : { complex };
}

/** A float that is whole can be used as an integer too, where it fits. */
function wholeMeanings(float: number): NumberMeaning {
  if (!Number.isInteger(float)) return { float };
  const whole = BigInt(float);
  const fitsInt = whole >= -(1n << 63n) && whole < 1n << 63n;
  const fitsUint = whole >= 0n && whole < 1n << 64n;
  return { float, ...(fitsInt && { int: whole }), ...(fitsUint && { uint: whole }) };
}
