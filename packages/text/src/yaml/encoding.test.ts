import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodingProblem, textOfYamlFile } from './encoding.ts';
import { parseYaml } from './parse.ts';
import { refold } from './refold.ts';

describe('textOfYamlFile', () => {
  it.each([
    [[0xff], 'invalid leading UTF-8 octet'],
    [[0x80], 'invalid leading UTF-8 octet'],
    [[0xe2, 0x82], 'incomplete UTF-8 octet sequence'],
    [[0xc3, 0x28], 'invalid trailing UTF-8 octet'],
    [[0xc0, 0x80], 'invalid length of a UTF-8 sequence'],
    [[0xed, 0xa0, 0x80], 'invalid Unicode character'],
    [[0xf7, 0xbf, 0xbf, 0xbf], 'invalid Unicode character'],
    [[0xff, 0xfe, 0x61], 'incomplete UTF-16 character'],
    [[0xff, 0xfe, 0x00, 0xdc], 'unexpected low surrogate area'],
    [[0xff, 0xfe, 0x00, 0xd8], 'incomplete UTF-16 surrogate pair'],
    [[0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00], 'expected low surrogate area'],
  ])('of %j makes what the parser refuses: %s', (octets, message) => {
    const text = textOfYamlFile(Uint8Array.from(octets));
    expect(encodingProblem(text)).toBe(message);
    expect(() => parseYaml(text)).toThrow(message);
  });

  it('gives any text back, in each of the three encodings', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(textOfYamlFile(Buffer.from(text))).toBe(text);
        const little = Buffer.from(`\ufeff${text}`, 'utf16le');
        expect(textOfYamlFile(little)).toBe(text);
        expect(textOfYamlFile(Buffer.from(little).swap16())).toBe(text);
      }),
    );
  });

  it('has a problem with bytes if and only if they are no UTF-8', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (octets) => {
        fc.pre(
          !(octets[0] === 0xff && octets[1] === 0xfe) &&
            !(octets[0] === 0xfe && octets[1] === 0xff),
        );
        const isText = (() => {
          try {
            decoder.decode(octets);
            return true;
          } catch {
            return false;
          }
        })();
        expect(encodingProblem(textOfYamlFile(octets)) === undefined).toBe(isText);
      }),
    );
  });
});

describe('refold', () => {
  it.each([
    ['a\nb\n', 'a\nb\n'],
    ['a\n  b\nc\n', 'a\n\n  b\nc\n'],
    ['a\n  b', 'a\n\n  b'],
    ['a\n\n', 'a\n\n\n'],
    [' a\nb\nc\n', ' a\nb c\n'],
    ['a \n  b\n', 'a \n  b\n'],
    ['a\n\u{1f680}\n  b\n', 'a\n\u{1f680}\n  b\n'],
  ])('%j comes back as %j', (given, wanted) => {
    expect(refold(given)).toBe(wanted);
  });
});
