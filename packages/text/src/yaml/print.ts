import { TextError } from '../error.ts';
import { isObject } from '../json.ts';
import { compareKeys } from './key-order.ts';
import { formatFloat } from './number.ts';
import { styleOf, writeScalar } from './scalar-style.ts';
import { Writer } from './writer.ts';

const MAX_DEPTH = 1000;

/**
 * One document as kubectl and kustomize print it: sorted keys, two spaces, sequences not indented,
 * quotes only where YAML 1.1 needs them, long text folded at 80 columns.
 *
 * ```ts
 * printYaml({ kind: 'Pod', on: 'yes' }); // '"on": "yes"\nkind: Pod\n' with keys in order
 * ```
 */
export function printYaml(value: unknown): string {
  const writer = new Writer();
  if (isObject(value) && presentKeys(value).length > 0) writeMapping(writer, value, 0, 0);
  else if (Array.isArray(value) && value.length > 0) writeSequence(writer, value, 0, 0);
  else {
    writeLeaf(writer, value, 0, false);
    writer.lineBreak();
  }
  return writer.toString();
}

/**
 * Several documents, with `---` between them.
 *
 * ```ts
 * printYamlDocuments([{ a: 1 }, { b: 2 }]); // 'a: 1\n---\nb: 2\n'
 * ```
 */
export function printYamlDocuments(values: readonly unknown[]): string {
  return values.map(printYaml).join('---\n');
}

function presentKeys(value: Record<string, unknown>): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/** The writer stands where the first key goes. */
function writeMapping(
  writer: Writer,
  value: Record<string, unknown>,
  indent: number,
  depth: number,
): void {
  if (depth > MAX_DEPTH) throw tooDeep();
  for (const key of presentKeys(value).sort(compareKeys)) {
    writer.indentTo(indent);
    const simple = isSimpleKey(key);
    if (!simple) writer.text('? ');
    writeString(writer, key, indent + 2, simple);
    if (!simple) {
      writer.lineBreak();
      writer.indentTo(indent);
    }
    writer.text(':');
    writeValue(writer, value[key], indent, depth, simple);
  }
}

/** Libyaml writes a key on one line up to 128 bytes, and with `?` beyond. */
function isSimpleKey(key: string): boolean {
  return Buffer.byteLength(key) <= 128 && !/[\n\r\u0085\u2028\u2029]/.test(key);
}

/** After a key with `?`, a collection starts on the line of the colon. */
function writeValue(
  writer: Writer,
  value: unknown,
  indent: number,
  depth: number,
  simple: boolean,
): void {
  if (isObject(value) && presentKeys(value).length > 0) {
    if (simple) writer.lineBreak();
    writeMapping(writer, value, indent + 2, depth + 1);
  } else if (Array.isArray(value) && value.length > 0) {
    if (simple) writer.lineBreak();
    writeSequence(writer, value, simple ? indent : indent + 2, depth + 1);
  } else {
    writer.text(' ');
    writeLeaf(writer, value, indent + 2, false);
    writer.lineBreak();
  }
}

function writeSequence(
  writer: Writer,
  items: readonly unknown[],
  indent: number,
  depth: number,
): void {
  if (depth > MAX_DEPTH) throw tooDeep();
  for (const item of items) {
    writer.indentTo(indent);
    writer.text('- ');
    if (isObject(item) && presentKeys(item).length > 0) {
      writeMapping(writer, item, indent + 2, depth + 1);
    } else if (Array.isArray(item) && item.length > 0) {
      writeSequence(writer, item, indent + 2, depth + 1);
    } else {
      writeLeaf(writer, item, indent + 2, false);
      writer.lineBreak();
    }
  }
}

function writeLeaf(writer: Writer, value: unknown, indent: number, isKey: boolean): void {
  if (typeof value === 'string') writeString(writer, value, indent, isKey);
  else if (typeof value === 'number') writer.text(formatFloat(value));
  else if (Array.isArray(value)) writer.text('[]');
  else if (isObject(value)) writer.text('{}');
  else writer.text(String(value ?? null));
}

function writeString(writer: Writer, value: string, indent: number, isKey: boolean): void {
  writeScalar(writer, value, styleOf(value, isKey), indent, !isKey);
}

function tooDeep(): TextError {
  return new TextError('WG_TEXT_YAML', `a value is nested deeper than ${MAX_DEPTH}`);
}
