/** Fills values into a text as CEL's `format` does: `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o`. */
export function formatText(text: string, values: readonly unknown[]): string {
  let next = 0;
  return text.replaceAll(/%(?:%|(\.\d{1,2})?(.)|$)/gsu, (clause, precision, verb) => {
    if (clause === '%%') return '%';
    if (verb === undefined) throw new Error('unexpected end of format string');
    if (next >= values.length) throw new Error(`index ${next} out of range`);
    const value = values[next++];
    const digits = precision === undefined ? 6 : Number(precision.slice(1));
    switch (verb) {
      case 's':
        return plain(value);
      case 'd':
        return decimal(value);
      case 'f':
        return number(value).toFixed(digits);
      case 'e':
        return number(value)
          .toExponential(digits)
          .replace(/e([+-])(\d)$/, 'e$10$2');
      case 'b':
        return typeof value === 'boolean' ? (value ? '1' : '0') : whole(value).toString(2);
      case 'o':
        return whole(value).toString(8);
      case 'x':
        return hexadecimal(value);
      case 'X':
        return hexadecimal(value).toUpperCase();
      default:
        throw new Error(
          `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
        );
    }
  });
}

function plain(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map(plain).join(', ')}]`;
  if (value instanceof Map) return plainEntries([...value]);
  if (typeof value === 'object') {
    if (Object.getPrototypeOf(value) !== Object.prototype) return String(value);
    return plainEntries(Object.entries(value));
  }
  return String(value);
}

function plainEntries(entries: readonly (readonly [unknown, unknown])[]): string {
  const lines = entries.map(([key, one]) => `${plain(key)}: ${plain(one)}`).sort();
  return `{${lines.join(', ')}}`;
}

function decimal(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return whole(value).toString();
}

function number(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  throw new Error('fixed-point clause can only be used on doubles');
}

function whole(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new Error('decimal clause can only be used on integers');
}

function hexadecimal(value: unknown): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return whole(value).toString(16);
}
