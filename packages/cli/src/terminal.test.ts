import { Writable } from 'node:stream';
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
});
