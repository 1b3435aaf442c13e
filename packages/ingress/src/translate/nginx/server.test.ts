import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { IncrementalTranslator } from '../incremental/incremental-translator.ts';
import { resolveOptions } from '../options.ts';
import { translate } from '../translate.ts';

const options = { routerFlavor: 'expressions', nginx: { configMap: 'system/nginx' } } as const;

const ingressClass = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'nginx' },
  spec: { controller: 'k8s.io/ingress-nginx' },
} as KubeObject;

interface Wish {
  readonly name: string;
  readonly host?: string;
  readonly paths?: readonly (readonly [path: string, type: string])[];
  readonly second?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly className?: string;
}

function ingress({ name, host = 'a.test', paths = [['/', 'Prefix']], ...more }: Wish): KubeObject {
  const backend = { service: { name, port: { number: 80 } } };
  const annotations = Object.fromEntries(
    Object.entries(more.annotations ?? {}).map(([key, value]) => [
      `nginx.ingress.kubernetes.io/${key}`,
      value,
    ]),
  );
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      creationTimestamp: `2026-01-01T00:00:${String(more.second ?? 0).padStart(2, '0')}Z`,
      annotations,
    },
    spec: {
      ingressClassName: more.className ?? 'nginx',
      rules: [
        { host, http: { paths: paths.map(([path, pathType]) => ({ path, pathType, backend })) } },
      ],
    },
  } as unknown as KubeObject;
}

/** What each route of a host matches, and the Ingress that has it, by priority. */
function routesOf(objects: readonly KubeObject[], host = 'a.test'): string[] {
  const { state } = translate([ingressClass, ...objects], options);
  return state.services
    .flatMap(({ routes = [] }) => routes)
    .filter(({ expression }) => expression?.includes(`"${host}"`))
    .sort((left, right) => (right.priority ?? 0) - (left.priority ?? 0))
    .map(({ expression = '', tags = [] }) => {
      const path = expression.slice(expression.lastIndexOf('(http.path') + 1, -1);
      return `${path} ${tags[0]?.slice('k8s-name:'.length)}`;
    });
}

describe('servers of ingress-nginx', () => {
  test.each<[string, readonly Wish[], readonly string[]]>([
    [
      'the oldest has a path, whatever its name',
      [
        { name: 'new', second: 2 },
        { name: 'old', second: 1 },
      ],
      ['http.path ^= "/" old'],
    ],
    [
      'in the same second the name that sorts last has it',
      [{ name: 'aa' }, { name: 'zz' }, { name: 'mm' }],
      ['http.path ^= "/" zz'],
    ],
    [
      'a prefix is a path by itself and what is below it, and the host has a root',
      [{ name: 'one', paths: [['/a', 'Prefix']] }],
      ['http.path ^= "/a/" one', 'http.path == "/a" one', 'http.path ^= "/" one'],
    ],
    [
      'a root of a later Ingress takes the place of the implicit one',
      [
        { name: 'one', paths: [['/a', 'Exact']] },
        { name: 'two', second: 1 },
      ],
      ['http.path == "/a" one', 'http.path ^= "/" two'],
    ],
    [
      'one regular expression makes all of the host',
      [
        { name: 'one', paths: [['/a.*', 'Exact']], annotations: { 'use-regex': 'true' } },
        { name: 'two', paths: [['/abcdef', 'Exact']], second: 1 },
      ],
      ['http.path ~ "(?i)^/abcdef" two', 'http.path ~ "(?i)^/a.*" one', 'http.path ~ "(?i)^/" one'],
    ],
    ['an Ingress of another class is none of ours', [{ name: 'one', className: 'other' }], []],
    [
      'a value that is not valid leaves the Ingress out',
      [{ name: 'one', annotations: { 'relative-redirects': 'maybe' } }],
      [],
    ],
  ])('%s', (_, wishes, expected) => {
    expect(routesOf(wishes.map(ingress))).toEqual(expected);
  });

  test('what is made step by step is what is made at once', () => {
    const objects = [
      ingressClass,
      ingress({ name: 'one', paths: [['/a', 'Prefix']] }),
      ingress({ name: 'two', second: 1, annotations: { 'rewrite-target': '/x' } }),
      ingress({ name: 'three', host: 'b.test', second: 2 }),
    ];
    const translator = new IncrementalTranslator(resolveOptions(options));
    for (const object of objects) {
      translator.apply([{ type: 'put', object }]);
      translator.settle();
    }
    expect(translator.state()).toEqual(translate(objects, options).state);
    translator.apply([{ type: 'delete', object: objects[2] as KubeObject }]);
    const rest = objects.filter((_, index) => index !== 2);
    expect(translator.state()).toEqual(translate(rest, options).state);
  });

  test('a change of one host makes only its parts again', () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      ingress({ name: `one-${index}`, host: `${index}.test` }),
    );
    const translator = new IncrementalTranslator(resolveOptions(options));
    translator.apply([ingressClass, ...many].map((object) => ({ type: 'put', object })));
    translator.settle();
    const changed = ingress({ name: 'one-7', host: '7.test', paths: [['/b', 'Exact']] });
    translator.apply([{ type: 'put', object: changed }]);
    expect(translator.settle()).toBeLessThan(10);
  });
});

describe('names that a route cannot have are told', () => {
  const alias = (text: string) => ingress({ name: 'web', annotations: { 'server-alias': text } });
  const wide = ingress({ name: 'web', host: '*.a.test' });

  test.each([
    ['a pattern that cannot be run', 'expressions', alias('~^(a)\\1$'), 'cannot be run'],
    ['a pattern', 'traditional_compatible', alias('~^x[0-9]'), 'patterns need the expressions'],
    ['a wildcard of one label', 'traditional_compatible', wide, 'deeper names'],
    ['a pattern that can be run', 'expressions', alias('~^x[0-9]'), undefined],
    ['an alias', 'traditional_compatible', alias('b.test'), undefined],
    ['a wildcard', 'expressions', wide, undefined],
  ] as const)('%s, with %s', (_name, routerFlavor, object, word) => {
    const { problems } = translate([ingressClass, object], { ...options, routerFlavor });
    const told = problems
      .map(({ message }) => message)
      .filter((text) => /server-alias|host /.test(text));
    if (word === undefined) expect(told).toEqual([]);
    else expect(told.join()).toContain(word);
  });
});
