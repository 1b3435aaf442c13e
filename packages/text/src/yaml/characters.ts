export const tabCode = 0x09;
export const lf = 0x0a;
export const cr = 0x0d;
export const spaceCode = 0x20;
export const nel = 0x85;
const lineSeparator = 0x2028;
const paragraphSeparator = 0x2029;
export const byteOrderMark = 0xfeff;

/** `NaN` is what `charCodeAt` gives past the end. */
export function isEnd(code: number): boolean {
  return Number.isNaN(code);
}

export function isBreak(code: number): boolean {
  return (
    code === lf ||
    code === cr ||
    code === nel ||
    code === lineSeparator ||
    code === paragraphSeparator
  );
}

export function isBreakOrEnd(code: number): boolean {
  return isBreak(code) || Number.isNaN(code);
}

export function isBlank(code: number): boolean {
  return code === spaceCode || code === tabCode;
}

export function isBlankOrBreakOrEnd(code: number): boolean {
  return code === spaceCode || code === tabCode || isBreak(code) || Number.isNaN(code);
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Letters, digits, `-` and `_`: what handles and anchors are made of. */
export function isWord(code: number): boolean {
  return (
    isDigit(code) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === 0x2d
  );
}

export function hexValue(code: number): number {
  if (isDigit(code)) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x41 + 10;
  if (code >= 0x61 && code <= 0x66) return code - 0x61 + 10;
  return -1;
}
