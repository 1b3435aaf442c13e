import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { WriteStream } from 'node:tty';

/**
 * A terminal that only shows. Much of what is printed was written by others: messages of conditions, Events,
 * log lines, names in files. To a terminal such text can be a command, which moves the cursor over what was
 * said before, sets the title or hides a line. Colours pass; everything else that is no text is made visible.
 */
export class TerminalStream extends Writable {
  readonly isTTY = true;
  readonly #terminal: WriteStream;
  /** A character may come in two chunks of bytes. */
  readonly #decoder = new StringDecoder('utf8');

  constructor(terminal: WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    terminal.on('drain', () => this.emit('drain'));
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  /** For what the program itself does with the cursor. */
  command(sequence: string): void {
    this.#terminal.write(sequence);
  }

  /** At once, with no queue of its own: nothing is held back when the process ends. */
  override write(chunk: string | Uint8Array, ...rest: unknown[]): boolean {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(Buffer.from(chunk));
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    return this.#terminal.write(visibleText(text), done);
  }
}

/** Does something with the cursor, where that is a terminal's. */
export function commandTerminal(stream: Writable, sequence: string): void {
  if (stream instanceof TerminalStream) stream.command(sequence);
  else stream.write(sequence);
}

/**
 * What can do something to a terminal, or to the order in which a line is read. Colours are told apart by the
 * first alternative; 8 hides text, and is none.
 */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b\[(?!(?:\d*;)*0*8(?:;\d*)*m)[\d;]{0,32}m|\r\n|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text of which nothing but colours reaches a terminal as a command: `^[` for an escape, as `cat -v` has it. */
export function visibleText(text: string): string {
  return text.replace(unseen, (found) => {
    if (found.length > 1) return found;
    const code = found.charCodeAt(0);
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
    return code === 0x7f ? '^?' : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
