import { warningEnd, warningStart } from '../functions/warning.ts';
import { GoError } from '../go/function.ts';
import { HelmError } from '../helm-error.ts';
import { ExecError } from '../template/exec-error.ts';
import type { ParseError } from '../template/token-reader.ts';
import type { HelmMajor } from './values-type.ts';

/** A parse error as Helm shows it: only what follows the last `: ` is left of Go's text. */
export function parseFailure(file: string, error: ParseError): HelmError {
  const parts = error.message.split(': ');
  const message =
    parts.length === 1
      ? `parse error in (${file}): ${error.message}`
      : `parse error at (${parts[1]}): ${parts.at(-1)}`;
  return new HelmError('WG_HELM_TEMPLATE', message, { cause: error });
}

/** An error of execution as Helm 3 or 4 shows it. */
export function executionFailure(file: string, error: GoError, helm: HelmMajor): HelmError {
  return new HelmError('WG_HELM_TEMPLATE', layOut(file, error, helm), { cause: error });
}

function layOut(file: string, error: GoError, helm: HelmMajor): string {
  const { message } = error;
  if (!(error instanceof ExecError)) return message;
  const first = message.indexOf(': ');
  const second = message.indexOf(': ', first + 2);
  if (second < 0) return `execution error in (${file}): ${message}`;
  const location = message.slice(first + 2, second);
  const rest = message.slice(second + 2);
  const start = rest.indexOf(warningStart);
  const end = rest.lastIndexOf(warningEnd);
  if (start >= 0 && end >= start + warningStart.length) {
    return `execution error at (${location}): ${rest.slice(start + warningStart.length, end)}`;
  }
  return helm === 3 ? message : inLines(error);
}

/** Helm 4: each place of the chain in lines of its own; where one of them is no place, as Helm 3. */
function inLines(error: GoError): string {
  const lines: string[] = [];
  for (let each: unknown = error; each instanceof GoError; each = each.cause) {
    const text = placeInLines(each.message);
    if (text === undefined) return error.message;
    if (lines.at(-1) !== text) lines.push(text);
  }
  return trimSpace(lines.join(''));
}

function placeInLines(message: string): string | undefined {
  const prefix = 'template: ';
  if (!message.startsWith(prefix)) return undefined;
  const rest = message.slice(prefix.length);
  if (rest.startsWith('no template ')) return `${message}\n`;
  const executing = rest.indexOf(': executing ');
  const structured =
    executing < 0
      ? undefined
      : executingInLines(rest.slice(0, executing), rest.slice(executing + 12));
  if (structured !== undefined) return structured;
  const last = rest.lastIndexOf(': ');
  if (last < 0) return undefined;
  return place(rest.slice(0, last), '', withoutChained(rest.slice(last + 2)));
}

function executingInLines(location: string, after: string): string | undefined {
  const endQuote = after.indexOf('"', 1);
  if (after[0] !== '"' || endQuote < 0) return undefined;
  const at = after.slice(endQuote + 1);
  const close = at.indexOf('>: ', 5);
  if (!at.startsWith(' at <') || close < 0) return undefined;
  const executing = `executing ${after.slice(0, endQuote + 1)} at <${at.slice(5, close)}>:`;
  return place(location, executing, withoutChained(at.slice(close + 3)));
}

function withoutChained(message: string): string {
  const cut = message.indexOf(' template:');
  return cut < 0 ? message : message.slice(0, cut);
}

function place(location: string, executing: string, message: string): string {
  return (
    (location && `${location}\n  `) +
    (executing && `${executing}\n    `) +
    (message && `${message}\n`)
  );
}

function trimSpace(text: string): string {
  return text.replace(/^[\s\u0085]+|[\s\u0085]+$/g, '');
}
