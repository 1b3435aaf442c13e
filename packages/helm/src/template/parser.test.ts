import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBytes } from '../go/bytes.ts';
import { printNode } from './node.ts';
import { parseTemplate } from './parser.ts';
import { ParseError } from './token-reader.ts';

const functions = new Set(['print', 'upper', 'list', 'include']);
const parse = (text: string) => parseTemplate('t', text, (name) => functions.has(name));

function outcome(text: string): string {
  try {
    return printNode(parse(text).get('t')!);
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}

describe('parseTemplate', () => {
  test.each([
    ['a {{- " b " -}} c', 'a{{" b "}}c'],
    ['{{/* c */}}x{{- /* d\n */ -}} y', 'xy'],
    ['{{ $x := print 1 | upper }}{{ $x }}', '{{$x := print 1 | upper}}{{$x}}'],
    ['{{ if . }}a{{ else if .b }}c{{ end }}', '{{if .}}a{{else}}{{if .b}}c{{end}}{{end}}'],
    ['{{ range $i, $e := .l }}{{ break }}{{ end }}', '{{range $i, $e := .l}}{{break}}{{end}}'],
    ['{{ (print .a).b.c }}', '{{(print .a).b.c}}'],
    ["{{ list 1 0x1F 1e3 'a' 1+2i true nil }}", "{{list 1 0x1F 1e3 'a' 1+2i true nil}}"],
    ['{{ .Values.my-key }}', "template: t:1: bad character U+002D '-'"],
    ['{{ nope }}', 'template: t:1: function "nope" not defined'],
    ['{{ "a }}', 'template: t:1: unterminated quoted string'],
    ['\n{{ if . }}\n', 'template: t:3: unexpected EOF'],
    ['{{ print\n', 'template: t:2: unclosed action started at t:1'],
    ['{{ 1 | 2 }}', 'template: t:1: non executable command in pipeline stage 2'],
    ['{{ break }}', 'template: t:1: {{break}} outside {{range}}'],
    ['{{ else }}', 'template: t:1: unexpected {{else}}'],
    ['{{ $y }}', 'template: t:1: undefined variable "$y"'],
    ['{{ /* x */ }}', 'template: t:1: unexpected "/" in command'],
    ['{{ 1.a }}', 'template: t:1: bad number syntax: "1.a"'],
  ])('%j', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  test('any bytes parse or are refused in words', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(typeof outcome(`{{ ${decodeBytes(bytes)} }}`)).toBe('string');
      }),
    );
  });

  test('any pieces of templates parse or are refused in words, and print to what parses to the same', () => {
    const pieces =
      '{{|}}|{{-| -}}|(|)|.|$|$x|:=|=|,| |\\n|"a"|`b`|\'c\'|1|1e3|.a|if|else|end|range|with|define|block|template|print|nil|true|/*|*/|\\|'
        .split('|')
        .map((piece) => piece.replace('\\n', '\n'));
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, '|'), { maxLength: 25 }), (parts) => {
        const text = parts.join('');
        const first = outcome(text);
        if (first.startsWith('template: t:') || text.includes('define') || text.includes('block'))
          return;
        if (!/\{\{$|\{\{|\}\}/.test(text) || text.includes('/*')) return;
        expect(outcome(first)).toBe(first);
      }),
    );
  });
});
