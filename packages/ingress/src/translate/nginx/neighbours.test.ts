import { Gateway } from '@waygate/gateway';
import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { toDeclarativeConfig } from '../declarative-config.ts';
import { IncrementalTranslator } from '../incremental/incremental-translator.ts';
import { resolveOptions } from '../options.ts';
import { translate } from '../translate.ts';
import { isValid } from './annotation-reader.ts';
import { annotationTable } from './annotation-table.ts';
import { settingsTable } from './settings-table.ts';

const options = { routerFlavor: 'expressions', nginx: { configMap: 'system/nginx' } } as const;

const ingressClass = (name: string, controller: string) =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name },
    spec: { controller },
  }) as unknown as KubeObject;
const classes = [
  ingressClass('nginx', 'k8s.io/ingress-nginx'),
  ingressClass('kong', 'ingress-controllers.konghq.com/kong'),
  ingressClass('traefik', 'traefik.io/ingress-controller'),
];

function ingress(name: string, className: string, service = name): KubeObject {
  const backend = { service: { name: service, port: { number: 80 } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'shop', uid: name },
    spec: {
      ingressClassName: className,
      rules: [
        { host: `${name}.test`, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } },
      ],
    },
  } as unknown as KubeObject;
}

const service = (name: string) =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'shop' },
    spec: { ports: [{ port: 80 }] },
  }) as unknown as KubeObject;
const slice = (name: string, address: string) =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-1`,
      namespace: 'shop',
      labels: { 'kubernetes.io/service-name': name },
    },
    ports: [{ name: '', port: 8_080, protocol: 'TCP' }],
    endpoints: [{ addresses: [address] }],
  }) as unknown as KubeObject;
const settings = (data: Record<string, string>) =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'nginx', namespace: 'system' },
    data,
  }) as unknown as KubeObject;

describe('500 Ingresses of other classes', () => {
  const foreign = Array.from({ length: 500 }, (_, index) => ingress(`f${index}`, 'traefik', 'web'));
  const ours = Array.from({ length: 200 }, (_, index) => [
    ingress(`n${index}`, 'nginx'),
    service(`n${index}`),
    slice(`n${index}`, '10.0.0.1'),
  ]).flat();
  const base = [...classes, service('web'), slice('web', '10.0.0.2')];

  test('leave no trace, and cost a change of endpoints nothing', () => {
    const translator = new IncrementalTranslator(resolveOptions(options));
    const put = (objects: readonly KubeObject[]) =>
      translator.apply(objects.map((object) => ({ type: 'put' as const, object })));
    put([...base, ...ours, ...foreign]);
    translator.settle();
    expect(translator.state()).toEqual(translate([...base, ...ours], options).state);
    translator.takeChanges();
    // One of ours: its location is made again, and nothing else.
    put([slice('n7', '10.0.0.9')]);
    expect(translator.settle()).toBeLessThanOrEqual(2);
    expect(translator.takeChanges().services.size).toBeLessThanOrEqual(2);
    // One that only strangers use.
    put([slice('web', '10.0.0.8')]);
    expect(translator.settle()).toBe(0);
  });
});

describe('settings of the ConfigMap', () => {
  const hostile = ['a\r\nX-Evil: 1', "'\u0000"];
  const objects = [
    ...classes,
    ingress('n', 'nginx'),
    ingress('k', 'kong'),
    ...['n', 'k'].flatMap((name) => [service(name), slice(name, '10.0.0.1')]),
  ];
  const isOfKong = ({ tags }: { tags?: string[] }) => tags?.includes('k8s-name:k') === true;
  const plain = translate(objects, options).state.services.filter(isOfKong);

  test.each(settingsTable.map(({ key }) => key))('hostile values of %s', (key) => {
    for (const value of hostile) {
      const { state } = translate([...objects, settings({ [key]: value })], options);
      const texts = textsIn([state.services, state.plugins]).filter(
        (text) => !text.startsWith('<html>'),
      );
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(texts.filter((text) => /[\r\n\x00]/.test(text))).toEqual([]);
      expect(state.services.filter(isOfKong)).toEqual(plain);
    }
  });
});

test.each([
  'a\r\nb',
  '"; return 200;',
  '$1}{',
  'http://$nobody_knows/',
  '~*(((a+)+',
  '9'.repeat(400),
  '-1',
  '../etc',
])('a gateway takes what is made of settings that are all %j', async (value) => {
  const data = Object.fromEntries(settingsTable.map(({ key }) => [key, value]));
  const objects = [...classes, ingress('n', 'nginx'), service('n'), slice('n', '10.0.0.1')];
  const { state } = translate([...objects, settings(data)], options);
  const gateway = new Gateway({
    flavor: 'expressions',
    proxy: [],
    admin: false,
    drainMs: 0,
    config: toDeclarativeConfig(state, { isDbless: true }),
  });
  await gateway.start();
  await gateway.stop();
});

test('a gateway takes what is made of every annotation with whatever passes its check', async () => {
  const values = ['$1}{', '((a+)+', '-1', '0', '9'.repeat(15), 'a', '$nobody_knows'];
  values.push('http://a/$nobody_knows');
  const all = annotationTable.flatMap((row) =>
    values
      .filter((value) => row.risk !== 'Critical' && isValid(row, value))
      .map((value, index) => {
        const one = ingress(`${row.name}-${index}`, 'nginx', 'n');
        const annotations = { [`nginx.ingress.kubernetes.io/${row.name}`]: value };
        return { ...one, metadata: { ...one.metadata, annotations } };
      }),
  );
  const objects = [...classes, service('n'), slice('n', '10.0.0.1'), ...all];
  const { state } = translate(objects, options);
  const gateway = new Gateway({
    flavor: 'expressions',
    proxy: [],
    admin: false,
    drainMs: 0,
    config: toDeclarativeConfig(state, { isDbless: true }),
  });
  await gateway.start();
  await gateway.stop();
}, 30_000);

/** Every text in an entity. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
