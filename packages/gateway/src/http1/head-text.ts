import { STATUS_CODES } from 'node:http';

/** What may not be sent: it would end a line, or be cut to another character on the wire. */
const unsendable = /[^\t\r\n\x20-\x7e\x80-\xff]/;

/** First lines of answers, made once for each status. */
const statusLines = new Map<number, string>();

export function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    statusLines.set(status, line);
  }
  return line;
}

/** Header lines from name, value, name, value… Line ends inside of values were taken out before. */
export function headerLines(raw: readonly string[]): string {
  let text = '';
  for (let index = 0; index < raw.length; index += 2) {
    text += `${raw[index]}: ${raw[index + 1]}\r\n`;
  }
  return text;
}

/** @throws if the head holds what cannot be sent as it is */
export function checkHead(text: string): string {
  if (unsendable.test(text)) throw new Error('a header holds characters that cannot be sent');
  return text;
}

let dateText = '';
let dateSecond = 0;

/** A `Date` header; made anew each second. */
export function dateLine(now: number): string {
  const second = Math.floor(now / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = `Date: ${new Date(now).toUTCString()}\r\n`;
  }
  return dateText;
}
