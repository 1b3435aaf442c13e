import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fittingTable, terminalOf } from './terminal.ts';

const stdout = (isTTY: boolean, columns?: number) =>
  Object.assign(new Writable(), { isTTY, ...(columns === undefined ? {} : { columns }) });

describe('terminalOf', () => {
  test.each([
    ['a pipe', stdout(false, 200), {}, { hasColour: false }],
    ['a terminal', stdout(true, 120), {}, { width: 120, hasColour: true }],
    ['a tiny one', stdout(true, 40), {}, { width: 80, hasColour: true }],
    ['COLUMNS', stdout(true, 120), { COLUMNS: '100' }, { width: 100, hasColour: true }],
    ['NO_COLOR', stdout(true, 120), { NO_COLOR: '1' }, { width: 120, hasColour: false }],
    ['a dumb one', stdout(true, 120), { TERM: 'dumb' }, { width: 120, hasColour: false }],
  ])('%s', (_, stream, env, wanted) => {
    expect(terminalOf({ stdout: stream, env })).toEqual(wanted);
  });
});

describe('fittingTable', () => {
  const rows = [
    [{ text: 'NAME' }, { text: 'MESSAGE' }],
    [{ text: 'ks/apps' }, { text: 'x'.repeat(100), tone: 'bad' as const }],
  ];

  test('is as wide as the terminal, and whole in a pipe', () => {
    const lines = fittingTable(rows, { width: 80, hasColour: false }).split('\n');
    expect(lines[1]).toBe(`ks/apps   ${'x'.repeat(69)}…`);
    expect(lines[1]).toHaveLength(80);
    expect(fittingTable(rows, { hasColour: false })).toContain('x'.repeat(100));
  });

  test('colours what is meant, without counting the colour', () => {
    const [, line] = fittingTable(rows, { width: 80, hasColour: true }).split('\n');
    expect(line).toBe(`ks/apps   \u001b[31m${'x'.repeat(69)}…\u001b[0m`);
  });

  test('puts a message below its row where there is next to no room beside it', () => {
    const wide = [
      ['NAME', 'REVISION', 'MESSAGE'].map((text) => ({ text })),
      [{ text: 'n'.repeat(35) }, { text: 'r'.repeat(30) }, { text: 'kept short' }],
      [{ text: 'web' }, { text: 'main' }, { text: `${'word '.repeat(30)}end` }],
    ];
    const lines = fittingTable(wide, { width: 80, hasColour: false }).split('\n');
    expect(lines[0]).toBe(`NAME${' '.repeat(34)}REVISION${' '.repeat(25)}MESSAGE`);
    expect(lines.slice(1)).toEqual([
      `${'n'.repeat(35)}   ${'r'.repeat(30)}`,
      '    kept short',
      `web${' '.repeat(35)}main`,
      `    ${'word '.repeat(15).trimEnd()}`,
      `    ${'word '.repeat(15).trimEnd()}`,
      '    end',
    ]);
  });

  test('takes the middle of what is too wide even so', () => {
    const [line] = fittingTable([[{ text: `a${'x'.repeat(200)}z` }, { text: 'm' }]], {
      width: 80,
      hasColour: false,
    }).split('\n');
    expect(line).toMatch(/^ax+…x+z$/);
    expect(line).toHaveLength(80);
  });

  test('no line is wider than the terminal, and nothing is lost in a pipe', () => {
    const cell = fc.stringMatching(/^[a-z ]{0,120}$/).map((text) => ({ text }));
    const table = fc
      .integer({ min: 1, max: 6 })
      .chain((columns) =>
        fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1 }),
      );
    fc.assert(
      fc.property(table, fc.integer({ min: 80, max: 200 }), (cells, width) => {
        const fitting = fittingTable(cells, { width, hasColour: false }).split('\n');
        expect(Math.max(...fitting.map((line) => line.length))).toBeLessThanOrEqual(width);
        const whole = fittingTable(cells, { hasColour: false });
        for (const { text } of cells.flat()) expect(whole).toContain(text.trimEnd());
      }),
    );
  });
});
