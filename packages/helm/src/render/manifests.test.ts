import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kindsToInstall, kindsToUninstall, sortByKind } from './kind-order.ts';
import { sortManifests } from './manifests.ts';
import { splitManifests } from './split-manifests.ts';

describe('documents', () => {
  test.each([
    ['a: 1\n---\nb: 2\n', ['a: 1', 'b: 2'], ['a: 1\n', 'b: 2\n']],
    ['---\na: 1\n\n\n---\n\n', ['a: 1\n\n\n---'.slice(0, 4)], ['a: 1\n\n\n']],
    ['---\n---\na: 1\n', ['---\na: 1'], ['a: 1\n']],
    ['a: 1\n---b: 2\n', ['a: 1', 'b: 2'], ['a: 1\n', 'b: 2\n']],
    ['a: |\n  ---\n', ['a: |\n  ---'], ['a: |\n  ---\n']],
    ['', [], []],
  ])('%j', (text, three, four) => {
    expect(splitManifests(text, 3)).toEqual(three);
    expect(splitManifests(text, 4)).toEqual(four);
  });

  test('are split as the expressions of Helm split them', () => {
    const text = fc.string({ unit: fc.constantFrom('-', '--', '---', '\n', ' ', 'a', '\t') });
    fc.assert(
      fc.property(text, (given) => {
        const expected = given
          .trim()
          .split(/(?:^|[\t\n\f\r ]*\n)---[\t\n\f\r ]*/)
          .filter((part) => part !== '')
          .map((part) => part.trim());
        expect(splitManifests(given, 3)).toEqual(expected);
      }),
    );
  });

  test('of nothing but white space are split in one pass', () => {
    expect(splitManifests(`a${'\n '.repeat(200_000)}b`, 3)).toHaveLength(1);
  });
});

describe('kinds', () => {
  test('are installed and removed in the order of Helm', () => {
    const kinds = ['Zebra', 'Ingress', 'Service', 'Secret', 'Ant', 'Namespace'];
    const order = sortByKind(kinds, (kind) => kind, kindsToInstall(4));
    expect(order).toEqual(['Namespace', 'Secret', 'Service', 'Ingress', 'Ant', 'Zebra']);
    expect(kindsToUninstall(4).slice(0, 7)).toEqual([
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
      'APIService',
      'Ingress',
      'IngressClass',
      'Service',
      'CronJob',
    ]);
    expect(kindsToUninstall(3)).toHaveLength(kindsToInstall(3).length);
  });

  test('of one kind keep their order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('Secret', 'Pod', 'Own')), (kinds) => {
        const items = kinds.map((kind, index) => ({ kind, index }));
        const sorted = sortByKind(items, ({ kind }) => kind, kindsToInstall(4));
        for (const kind of ['Secret', 'Pod', 'Own']) {
          const places = sorted.filter((each) => each.kind === kind).map(({ index }) => index);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        }
      }),
    );
  });
});

describe('hooks', () => {
  const hook = (annotations: string) =>
    `kind: Job\nmetadata: {name: h, annotations: {${annotations}}}\n`;
  const sort = (text: string) => {
    const said: string[] = [];
    const files = new Map([['c/templates/a.yaml', text]]);
    return { ...sortManifests(files, 4, (entry) => said.push(entry.text)), said };
  };

  test('are apart from manifests, with their events, weight and policies', () => {
    const { hooks, manifests } = sort(
      hook(
        'helm.sh/hook: "pre-install, Post-Upgrade,test-success", helm.sh/hook-weight: "-5", helm.sh/hook-delete-policy: "hook-succeeded, hook-failed"',
      ),
    );
    expect(manifests).toEqual([]);
    expect(hooks).toMatchObject([
      {
        name: 'h',
        kind: 'Job',
        events: ['pre-install', 'post-upgrade', 'test'],
        weight: -5,
        deletePolicies: ['hook-succeeded', 'hook-failed'],
      },
    ]);
  });

  test('with one word that is no event are left out', () => {
    const { hooks, manifests, said } = sort(hook('helm.sh/hook: "pre-install,nope"'));
    expect([hooks, manifests]).toEqual([[], []]);
    expect(said).toEqual(['info: skipping unknown hook: "pre-install,nope"']);
  });

  test('a weight that is no number is none', () => {
    expect(sort(hook('helm.sh/hook: test, helm.sh/hook-weight: heavy')).hooks[0]?.weight).toBe(0);
  });

  test('a document that is no map is an error with its file', () => {
    expect(() => sort('- a\n')).toThrow(
      'YAML parse error on c/templates/a.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type util.SimpleHead',
    );
  });
});
