import { isJsonList, isJsonMap, type JsonNode } from './json-node.ts';
import { JsonNumber } from './json-number.ts';

/** Go's `%q`, but in single quotes. */
export function quote(text: string): string {
  // The quote around it counts too, so that of a backslash at the end one is left: as upstream has it.
  const escaped = JSON.stringify(text)
    .replaceAll('\\"', '"')
    .slice(1, -1)
    .replaceAll(/\\u([0-9a-f]{4})/g, (_, hex: string) => controlEscape(hex))
    .replaceAll("'", "\\'");
  return `'${escaped}'`;
}

function controlEscape(hex: string): string {
  const code = Number.parseInt(hex, 16);
  if (code === 7) return '\\a';
  if (code === 11) return '\\v';
  return code < 0x80 ? `\\x${hex.slice(2)}` : `\\u${hex}`;
}

export function joinQuoted(texts: readonly string[]): string {
  return texts.map(quote).join(', ');
}

/** A value inside a message; lists and objects are not shown. */
export function display(node: JsonNode): string {
  if (typeof node === 'string') return quote(node);
  if (node === null) return '<nil>';
  if (isJsonList(node) || isJsonMap(node)) return 'value';
  return node instanceof JsonNumber ? node.text : String(node);
}

/** A whole number with commas between the thousands. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A float as the messages' library prints it in English: `1,234.5`, and `1.5×10⁰⁷` from a million on. */
export function float(number: JsonNumber): string {
  const value = number.float;
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (value !== 0 && (exponent < -4 || exponent >= 6)) {
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    const raised = [...digits].map((digit) => superscripts[Number(digit)]).join('');
    return `${mantissa}×10${exponent < 0 ? '⁻' : ''}${raised}`;
  }
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
