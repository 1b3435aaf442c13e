/** The flags, width and precision of one verb, as Go's fmt keeps them. */
export class FormatFlags {
  width = 0;
  hasWidth = false;
  precision = 0;
  hasPrecision = false;
  plus = false;
  minus = false;
  sharp = false;
  space = false;
  zero = false;
  /** `%+v` and `%#v`, which mean other things than `+` and `#` elsewhere. */
  plusV = false;
  sharpV = false;

  /** Pads to the width, which counts runes. */
  pad(text: string, withZeros = this.zero): string {
    if (!this.hasWidth || this.width === 0) return text;
    const missing = this.width - runeCount(text);
    if (missing <= 0) return text;
    if (this.minus) return text + ' '.repeat(missing);
    return (withZeros ? '0' : ' ').repeat(missing) + text;
  }

  /** Cuts a string to as many runes as the precision allows. */
  truncate(text: string): string {
    if (!this.hasPrecision) return text;
    if (text.length <= this.precision) return text;
    return Array.from(text).slice(0, this.precision).join('');
  }
}

function runeCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
