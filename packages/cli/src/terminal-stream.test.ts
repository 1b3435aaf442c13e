import { once } from 'node:events';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandTerminal, TerminalStream, visibleText } from './terminal-stream.ts';

describe('what others wrote', () => {
  test.each([
    ['plain', 'Applied revision: main\tok\n', 'Applied revision: main\tok\n'],
    ['colours', '\u001b[31mno\u001b[0m \u001b[1;38;5;200mbold\u001b[m', undefined],
    ['a line that ends as on Windows', 'one\r\ntwo', undefined],
    ['a cursor that goes up', 'x\u001b[1Aready', 'x^[[1Aready'],
    ['a line that is taken back', 'failed\rready ', 'failed^Mready '],
    ['a title', '\u001b]0;root\u0007', '^[]0;root^G'],
    ['hidden text', '\u001b[8msecret', '^[[8msecret'],
    ['hidden text among colours', '\u001b[1;08;31msecret', '^[[1;08;31msecret'],
    ['a single byte that begins a command', '\u009b2J', '\\u009b2J'],
    ['a line that reads backwards', 'a\u202eb', 'a\\u202eb'],
    ['a backspace', 'ab\b\bc', 'ab^H^Hc'],
    ['text of other languages', 'größer 价格 ✓', undefined],
  ])('%s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown ?? text);
  });

  test('nothing but colours is left of any text, and what is shown is shown the same again', () => {
    const piece = fc.constantFrom(
      '\u001b',
      '[',
      '8',
      ';',
      '31',
      'm',
      'A',
      '\r',
      '\n',
      '\u009b',
      'x',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (text) => {
          const shown = visibleText(text);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
          const rest = shown.replace(/\u001b\[[\d;]*m|\r\n/g, '');
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
          expect(rest).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
          expect(visibleText(shown)).toBe(shown);
        },
      ),
    );
  });
});

describe('a terminal', () => {
  test('gets no command of what is printed, and those of the program, in their order', () => {
    let seen = '';
    const device = new Writable({
      write(chunk, _encoding, done) {
        seen += chunk;
        done();
      },
    });
    const terminal = new TerminalStream(Object.assign(device, { columns: 97 }) as never);
    expect([terminal.isTTY, terminal.columns]).toEqual([true, 97]);
    terminal.write('a\u001b[2Jb');
    commandTerminal(terminal, '\u001b[K');
    // A character that comes in two pieces.
    terminal.write(Buffer.from([0xe2, 0x9c]));
    terminal.write(Buffer.from([0x93]));
    expect(seen).toBe('a^[[2Jb\u001b[K✓');
  });

  test('passes on when it can take more, and when a write is done', async () => {
    const device = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => setImmediate(done),
    });
    const terminal = new TerminalStream(Object.assign(device, { columns: 80 }) as never);
    const drained = once(terminal, 'drain');
    const written = new Promise<void>((resolve) => {
      expect(terminal.write('more than one', () => resolve())).toBe(false);
    });
    await Promise.all([drained, written]);
  });
});
