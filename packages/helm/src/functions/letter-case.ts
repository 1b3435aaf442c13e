import { wellFormed } from '../go/bytes.ts';
import { type FunctionTable, fn, str } from '../go/define.ts';
import { isLower, isSpace, isTitle, isUpper, lowerRune, titleRune, upperRune } from './runes.ts';

/** Functions that change letters from upper to lower case and back. */
export const letterCaseFunctions: FunctionTable = {
  upper: fn([str], (_, text) => (isAscii(text) ? text.toUpperCase() : mapRunes(text, upperRune))),
  lower: fn([str], (_, text) => (isAscii(text) ? text.toLowerCase() : mapRunes(text, lowerRune))),
  title: fn([str], (_, text) => title(text)),
  untitle: fn([str], (_, text) => untitle(text)),
  swapcase: fn([str], (_, text) => swapCase(text)),
  camelcase: fn([str], (_, text) => pascalCase(text)),
};

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function mapRunes(text: string, map: (rune: string) => string): string {
  return Array.from(wellFormed(text), map).join('');
}

function title(text: string): string {
  let previous = ' ';
  return mapRunes(text, (rune) => {
    const isStart = isSeparator(previous);
    previous = rune;
    return isStart ? titleRune(rune) : rune;
  });
}

function isSeparator(rune: string): boolean {
  if (rune.charCodeAt(0) < 0x80) return !/\w/.test(rune);
  return !/[\p{L}\p{Nd}]/u.test(rune) && isSpace(rune);
}

function untitle(text: string): string {
  let isStart = true;
  return mapRunes(text, (rune) => {
    if (isSpace(rune)) {
      isStart = true;
      return rune;
    }
    const mapped = isStart ? lowerRune(rune) : rune;
    isStart = false;
    return mapped;
  });
}

function swapCase(text: string): string {
  let isAfterSpace = true;
  return mapRunes(text, (rune) => {
    if (isUpper(rune) || isTitle(rune)) {
      isAfterSpace = false;
      return lowerRune(rune);
    }
    if (isLower(rune)) {
      const mapped = isAfterSpace ? titleRune(rune) : upperRune(rune);
      isAfterSpace = false;
      return mapped;
    }
    isAfterSpace = isSpace(rune);
    return rune;
  });
}

function isConnector(rune: string): boolean {
  return rune === '-' || rune === '_' || isSpace(rune);
}

/** xstrings' ToPascalCase: connectors go, those at the start stay; capitals after a capital become small. */
function pascalCase(text: string): string {
  const runes = Array.from(wellFormed(text));
  let out = '';
  let at = 0;
  let current = '';
  let isAfterCapital = false;
  for (; at < runes.length; at++) {
    const rune = runes[at]!;
    current = rune;
    if (!isConnector(rune)) {
      isAfterCapital = isUpper(rune);
      current = upperRune(rune);
      at++;
      break;
    }
    out += rune;
  }
  if (at >= runes.length) return runes.length === 0 ? '' : out + current;
  for (; at < runes.length; at++) {
    const previous = current;
    current = runes[at]!;
    if (isConnector(current) && isConnector(previous)) {
      out += previous;
      continue;
    }
    if (isConnector(previous)) {
      isAfterCapital = isUpper(current);
      current = upperRune(current);
      continue;
    }
    if (isAfterCapital) {
      if (isUpper(current)) current = lowerRune(current);
      else isAfterCapital = false;
    }
    out += previous;
  }
  return out + current;
}
