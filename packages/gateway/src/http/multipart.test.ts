import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MultipartForm } from './multipart.ts';

const type = 'multipart/form-data; charset=utf-8; boundary=B';
const part = (name: string, content: string) =>
  `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
const body = (...parts: string[]) => Buffer.from(`${parts.join('')}--B--\r\n`, 'latin1');

describe('a form in parts', () => {
  test('is read, and stays as it was where nothing changes', () => {
    const file =
      '--B \r\nContent-Type: a/b\r\ncontent-disposition: form-data; filename="f"; name=x\r\n\r\n\xff\r\n';
    const sent = body(part('a', 'one'), part('a', 'two'), file);
    const form = MultipartForm.parse(type, sent);
    expect([form?.get('a'), form?.get('x'), form?.get('f')]).toEqual(['one', '\ufffd', undefined]);
    expect(form?.toBuffer().toString('latin1')).toBe(
      sent.toString('latin1').replace('B \r', 'B\r'),
    );
  });

  test('is changed', () => {
    const form = MultipartForm.parse(type, body(part('a', '1'), part('b', '2'), part('a', '3')));
    form?.set('a', 'ü');
    form?.remove('b');
    form?.set('bad"\r\nname', 'x');
    expect(form?.toBuffer().toString('utf8')).toBe(`${part('a', 'ü')}--B--\r\n`);
  });

  test.each([
    ['another type', 'text/plain; boundary=B', body()],
    ['no boundary', 'multipart/form-data', body()],
    ['no end', type, Buffer.from(part('a', '1'))],
    ['a part without a head', type, Buffer.from('--B\r\nx\r\n--B--\r\n')],
  ])('is refused with %s', (_, contentType, bytes) => {
    expect(MultipartForm.parse(contentType, bytes)).toBeUndefined();
  });

  test('keeps whatever bytes it holds', () => {
    const content = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1'));
    fc.assert(
      fc.property(fc.array(content.filter((text) => !text.includes('--B'))), (contents) => {
        const sent = body(...contents.map((text, index) => part(`n${index}`, text)));
        expect(MultipartForm.parse(type, sent)?.toBuffer().equals(sent)).toBe(true);
      }),
    );
  });
});
