import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type LogEntry, logger, logLevelsOf, partOfKind } from './log.ts';

function written(levels: string, format: string, entries: readonly LogEntry[]): string {
  const lines: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const parsed = logLevelsOf(levels);
  if (typeof parsed === 'string') throw new Error(parsed);
  const log = logger({ stderr }, format, parsed, () => new Date(0));
  for (const entry of entries) log(entry);
  return lines.join('');
}

describe('levels by part', () => {
  const entries: LogEntry[] = (
    ['program', 'ingress', 'gitops', 'source', 'notification'] as const
  ).flatMap((part) =>
    (['debug', 'info', 'warn'] as const).map((level) => ({ level, part, message: level })),
  );
  const shown = (levels: string) =>
    written(levels, 'json', entries)
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogEntry)
      .map(({ part, level }) => `${part} ${level}`);

  test.each([
    [
      'warn',
      ['program', 'ingress', 'gitops', 'source', 'notification'].map((one) => `${one} warn`),
    ],
    ['error,ingress=info', ['ingress info', 'ingress warn']],
    ['error,gitops=warn', ['gitops warn', 'source warn', 'notification warn']],
    ['error,gitops=warn,source=error', ['gitops warn', 'notification warn']],
    ['panic,source=debug', ['source debug', 'source info', 'source warn']],
  ])('%s', (levels, expected) => {
    expect(shown(levels)).toEqual(expected);
  });

  test.each([
    ['loud', 'loud is none of trace'],
    ['info,nobody=debug', 'nobody is none of program'],
    ['info,source=loud', 'loud is none of trace'],
    ['', 'is none of trace'],
  ])('%j is refused', (levels, said) => {
    expect(logLevelsOf(levels)).toContain(said);
  });
});

test('one schema for every line', () => {
  const entry: LogEntry = {
    level: 'warn',
    part: 'source',
    message: 'a "word"\nand more',
    fields: { kind: 'GitRepository', object: 'a/b' },
  };
  expect(JSON.parse(written('info', 'json', [entry]))).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'warn',
    part: 'source',
    message: 'a "word"\nand more',
    kind: 'GitRepository',
    object: 'a/b',
  });
  expect(written('info', 'text', [{ level: 'info', message: 'started' }])).toBe(
    '1970-01-01T00:00:00.000Z info  started\n',
  );
  expect(written('info', 'text', [{ ...entry, message: 'x' }])).toBe(
    '1970-01-01T00:00:00.000Z warn  source: x kind="GitRepository" object="a/b"\n',
  );
});

test.each([
  ['GitRepository', 'source'],
  ['Kustomization', 'kustomize'],
  ['Receiver', 'notification'],
  [undefined, 'gitops'],
])('%s is of %s', (kind, part) => {
  expect(partOfKind(kind)).toBe(part);
});
