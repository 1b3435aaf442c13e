import type { DynamicObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { type Change, changeOf } from './change-set.ts';
import { printChangeDiff } from './object-diff.ts';

const object = (
  kind: string,
  data: Record<string, unknown>,
  metadata: object = {},
): DynamicObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'a', ...metadata },
  data,
});

const change = (
  action: Change['action'],
  before: DynamicObject | undefined,
  after: DynamicObject | undefined,
): Change => ({ ...changeOf((before ?? after) as DynamicObject, action), before, after });

const ten = (value: string) =>
  Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`k${index}`, index === 5 ? value : 'same']),
  );

describe('a change for people', () => {
  test('shows what differs with three lines around, and says where it left lines out', () => {
    expect(
      printChangeDiff(
        change('configured', object('ConfigMap', ten('1')), object('ConfigMap', ten('2'))),
      ),
    ).toBe(
      [
        '  …',
        '    k2: same',
        '    k3: same',
        '    k4: same',
        '-   k5: "1"',
        '+   k5: "2"',
        '    k6: same',
        '    k7: same',
        '    k8: same',
      ].join('\n'),
    );
  });

  test('shows all of what is new, and all of what goes', () => {
    const one = object('ConfigMap', { k: '1' });
    expect(printChangeDiff(change('created', undefined, one))).toBe(
      [
        '+ apiVersion: v1',
        '+ data:',
        '+   k: "1"',
        '+ kind: ConfigMap',
        '+ metadata:',
        '+   name: a',
      ].join('\n'),
    );
    expect(printChangeDiff(change('deleted', one, one))).toBe(
      [
        '- apiVersion: v1',
        '- data:',
        '-   k: "1"',
        '- kind: ConfigMap',
        '- metadata:',
        '-   name: a',
      ].join('\n'),
    );
  });

  test.each(['unchanged', 'skipped', 'absent'] as const)('is empty for what is %s', (action) => {
    const [before, after] = [object('ConfigMap', { k: '1' }), object('ConfigMap', { k: '2' })];
    expect(printChangeDiff(change(action, before, after))).toBe('');
  });

  test('is silent about what only the server writes', () => {
    const written = {
      managedFields: [{}],
      resourceVersion: '7',
      uid: 'u',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
      selfLink: '/a',
    };
    const before = { ...object('ConfigMap', { k: '1' }), status: { seen: true } };
    expect(
      printChangeDiff(change('configured', before, object('ConfigMap', { k: '1' }, written))),
    ).toBe('');
  });

  test('shows that values of a Secret differ, never what they are', () => {
    const before = object('Secret', { same: 'c2FtZQ==', other: 'b25l', gone: 'Z29uZQ==' });
    const after = object('Secret', { same: 'c2FtZQ==', other: 'dHdv', come: 'Y29tZQ==' });
    const text = printChangeDiff(change('configured', before, after));
    expect(text).toContain("-   other: '*** (before)'");
    expect(text).toContain("+   other: '*** (after)'");
    expect(text).toContain("+   come: '***'");
    expect(text).toContain("-   gone: '***'");
    expect(text).toContain("    same: '***'");
    expect(text).not.toMatch(/c2FtZQ|b25l|Z29uZQ|dHdv|Y29tZQ/);
    expect(printChangeDiff(change('created', undefined, after))).not.toMatch(/c2FtZQ|dHdv|Y29tZQ/);
    expect(printChangeDiff(change('deleted', before, undefined))).not.toMatch(/c2FtZQ|b25l|Z29uZQ/);
  });
});
