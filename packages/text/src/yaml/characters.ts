export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const NEL = 0x85;
export const LINE_SEPARATOR = 0x2028;
export const PARAGRAPH_SEPARATOR = 0x2029;
export const BYTE_ORDER_MARK = 0xfeff;

/** `NaN` is what `charCodeAt` gives past the end. */
export function isEnd(code: number): boolean {
  return Number.isNaN(code);
}

export function isBreak(code: number): boolean {
  return (
    code === LF ||
    code === CR ||
    code === NEL ||
    code === LINE_SEPARATOR ||
    code === PARAGRAPH_SEPARATOR
  );
}

export function isBreakOrEnd(code: number): boolean {
  return isBreak(code) || Number.isNaN(code);
}

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

export function isBlankOrBreakOrEnd(code: number): boolean {
  return code === SPACE || code === TAB || isBreak(code) || Number.isNaN(code);
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
