import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../until.ts';
import { answer, core, ingress, ingresses, Stack, service, slice, slices } from './stack.ts';

const kong = '/apis/configuration.konghq.com';
const plugins = `${kong}/v1/namespaces/default/kongplugins`;
const policies = `${kong}/v1beta1/namespaces/default/kongupstreampolicies`;
const consumers = `${kong}/v1/namespaces/default/kongconsumers`;
const gatewayApi = '/apis/gateway.networking.k8s.io/v1';

type Object = Record<string, unknown> & { metadata: Record<string, unknown> };

/** Writes to the cluster of a mode. */
class Cluster {
  readonly stack: Stack;
  constructor(stack: Stack) {
    this.stack = stack;
  }

  async put(path: string, name: string, change: (object: Object) => object): Promise<void> {
    const object = (await this.stack.read(`${path}/${name}`)) as Object;
    await this.stack.replace(`${path}/${name}`, change(object));
  }

  annotate(path: string, name: string, annotations: Record<string, string>): Promise<void> {
    return this.put(path, name, (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations },
    }));
  }

  plugin(name: string, fields: object): Promise<void> {
    const base = { apiVersion: 'configuration.konghq.com/v1', kind: 'KongPlugin' };
    return this.stack.create(plugins, { ...base, metadata: { name }, ...fields });
  }
}

interface EventList {
  readonly items: readonly {
    readonly reason: string;
    readonly involvedObject: { readonly kind: string; readonly name: string };
  }[];
}

interface Row {
  /** What is there beside the Ingress and the Service of the row before the poison comes. */
  before?(cluster: Cluster, name: string): Promise<void>;
  poison(cluster: Cluster, name: string): Promise<void>;
  heal(cluster: Cluster, name: string): Promise<void>;
  /** The kind of the object, of the row's name, that an Event is written on. */
  readonly told?: string;
  /** Before, with the poison, and after it was taken away. */
  readonly answers: readonly [string, string];
  /** What a new Ingress with the same poison from its first moment answers, if that is another thing. */
  fresh?(cluster: Cluster, name: string): Record<string, string>;
}

const use = (cluster: Cluster, name: string, plugin = name) =>
  cluster.annotate(ingresses, name, { 'konghq.com/plugins': plugin });

const dropPlugin = (cluster: Cluster, name: string) => cluster.stack.remove(`${plugins}/${name}`);

/** Which plugin it is cannot be changed. */
async function remake(cluster: Cluster, name: string, fields: object): Promise<void> {
  await dropPlugin(cluster, name);
  await cluster.plugin(name, fields);
}

const keyAuth = { plugin: 'key-auth' };

async function withKeyAuth(cluster: Cluster, name: string): Promise<void> {
  await cluster.plugin(name, keyAuth);
  await use(cluster, name);
}

const rows: Record<string, Row> = {
  'a plugin that does not exist': {
    poison: (cluster, name) => use(cluster, name),
    heal: (cluster, name) => cluster.plugin(name, keyAuth),
    answers: ['served', '401'],
    fresh: () => ({ 'konghq.com/plugins': 'nowhere' }),
  },
  'a plugin whose name is misspelt': {
    async poison(cluster, name) {
      await cluster.plugin(name, { plugin: 'kee-auth' });
      await use(cluster, name);
    },
    heal: (cluster, name) => remake(cluster, name, keyAuth),
    answers: ['served', '401'],
    fresh: (_, name) => ({ 'konghq.com/plugins': name }),
  },
  'a plugin that the gateway refuses': {
    async poison(cluster, name) {
      await cluster.plugin(name, { plugin: 'rate-limiting', config: { minute: 'many' } });
      await use(cluster, name);
    },
    heal: (cluster, name) => use(cluster, name, ''),
    answers: ['served', 'served'],
    fresh: (_, name) => ({ 'konghq.com/plugins': name }),
  },
  'a plugin with a configuration from a Secret that is not there': {
    async poison(cluster, name) {
      const secretKeyRef = { name: 'nowhere', key: 'config' };
      await cluster.plugin(name, { ...keyAuth, configFrom: { secretKeyRef } });
      await use(cluster, name);
    },
    heal: (cluster, name) =>
      cluster.put(plugins, name, ({ configFrom: _, ...one }) => ({ ...one, config: {} })),
    answers: ['served', '401'],
    fresh: (_, name) => ({ 'konghq.com/plugins': name }),
  },
  'a plugin of another namespace without a grant': {
    poison: (cluster, name) => use(cluster, name, 'kube-system:x'),
    heal: (cluster, name) => use(cluster, name, ''),
    answers: ['served', 'served'],
    fresh: () => ({ 'konghq.com/plugins': 'kube-system:x' }),
  },
  'a plugin that went bad while it is in use': {
    before: withKeyAuth,
    poison: (cluster, name) =>
      cluster.put(plugins, name, (one) => ({ ...one, config: { key_names: 7 } })),
    heal: (cluster, name) => use(cluster, name, ''),
    answers: ['401', 'served'],
  },
  'a plugin that is deleted while it is in use': {
    before: withKeyAuth,
    poison: dropPlugin,
    heal: (cluster, name) => use(cluster, name, ''),
    answers: ['401', 'served'],
  },
  'a plugin that is replaced by a bad one': {
    before: withKeyAuth,
    async poison(cluster, name) {
      await cluster.plugin(`${name}-2`, { plugin: 'basic-aut' });
      await use(cluster, name, `${name}-2`);
      await dropPlugin(cluster, name);
    },
    heal: (cluster, name) => remake(cluster, `${name}-2`, { plugin: 'basic-auth' }),
    answers: ['401', '401'],
  },
  'an annotation that the gateway refuses': {
    poison: (cluster, name) =>
      cluster.annotate(ingresses, name, { 'konghq.com/path-handling': 'v9' }),
    heal: (cluster, name) => cluster.annotate(ingresses, name, {}),
    answers: ['served', 'served'],
    fresh: () => ({ 'konghq.com/path-handling': 'v9' }),
  },
  'an annotation that cannot be translated': {
    poison: (cluster, name) => cluster.annotate(ingresses, name, { 'konghq.com/rewrite': '/$x' }),
    heal: (cluster, name) => cluster.annotate(ingresses, name, {}),
    answers: ['served', 'served'],
    fresh: () => ({ 'konghq.com/rewrite': '/$x' }),
  },
  'a Service that the gateway refuses': {
    poison: (cluster, name) =>
      cluster.annotate(`${core}/services`, name, { 'konghq.com/connect-timeout': '-1' }),
    heal: (cluster, name) => cluster.annotate(`${core}/services`, name, {}),
    answers: ['served', 'served'],
  },
  'an upstream policy that the gateway refuses': {
    async poison(cluster, name) {
      const healthchecks = { passive: { healthy: { successes: 999 } } };
      await cluster.stack.create(policies, {
        apiVersion: 'configuration.konghq.com/v1beta1',
        kind: 'KongUpstreamPolicy',
        metadata: { name },
        spec: { slots: 11, algorithm: 'round-robin', healthchecks },
      });
      const annotations = { 'konghq.com/upstream-policy': name };
      await cluster.annotate(`${core}/services`, name, annotations);
    },
    heal: (cluster, name) => cluster.stack.remove(`${policies}/${name}`),
    told: 'KongUpstreamPolicy',
    answers: ['served', 'served'],
  },
};

describe.each(['dbless', 'database'] as const)('poison, %s', (mode) => {
  let cluster: Cluster;
  let proxy = '';
  let admin = '';
  let running: { stop(): Promise<void> };
  let markers = 0;
  const stackOf = () => cluster.stack;

  beforeAll(async () => {
    cluster = new Cluster(await Stack.start());
    await stackOf().installDefinitions();
    ({ proxy, admin } = await stackOf().gateway({ mode }));
    await serve('web');
    await stackOf().create(ingresses, ingress('neighbour', 'neighbour.test'));
    running = stackOf().controller({ kongAdmin: stackOf().adminClient(admin) });
    await until('the neighbour is live', () => isServed('neighbour.test'));
  });

  afterAll(() => stackOf().stop());

  const isServed = async (host: string) => (await answer(proxy, host)) === 'served';

  async function serve(name: string): Promise<void> {
    await stackOf().create(`${core}/services`, { ...service, metadata: { name } });
    const port = await stackOf().backend('served');
    const one = slice(port) as { metadata: object };
    const labels = { 'kubernetes.io/service-name': name };
    await stackOf().create(slices, { ...one, metadata: { name: `${name}-1`, labels } });
  }

  function ingressTo(name: string, backend: string, annotations = {}): object {
    const text = JSON.stringify(ingress(name, `${name}.test`));
    const object = JSON.parse(text.replaceAll('"web"', JSON.stringify(backend))) as Object;
    return { ...object, metadata: { ...object.metadata, annotations } };
  }

  /** Whatever was written before has been taken up when an Ingress that comes after it is live. */
  async function passed(): Promise<void> {
    markers += 1;
    const name = `marker-${markers}`;
    await stackOf().create(ingresses, ingress(name, `${name}.test`));
    await until(`${name} is live`, () => isServed(`${name}.test`));
  }

  test.each(Object.entries(rows))('%s', async (title, row) => {
    const name = `row-${Object.keys(rows).indexOf(title)}`;
    const [during, healed] = row.answers;
    await serve(name);
    await stackOf().create(ingresses, ingressTo(name, name));
    await row.before?.(cluster, name);
    const shown = () => answer(proxy, `${name}.test`);
    await until('it is live', async () => (await shown()) === during);

    await row.poison(cluster, name);
    await passed();
    expect(await shown()).toBe(during);
    if (row.fresh !== undefined) {
      const annotations = row.fresh(cluster, name);
      await stackOf().create(ingresses, ingressTo(`${name}-new`, 'web', annotations));
      await passed();
      expect(await answer(proxy, `${name}-new.test`)).toBe('404');
    }
    expect(await answer(proxy, 'neighbour.test')).toBe('served');
    if (row.told !== undefined)
      await until(`an Event on ${row.told}`, async () => {
        const { items } = (await stackOf().read(`${core}/events`)) as EventList;
        return items.some(
          ({ involvedObject: { kind, name: on } }) => kind === row.told && on === name,
        );
      });

    await running.stop();
    running = stackOf().controller({ kongAdmin: stackOf().adminClient(admin) });
    await passed();
    expect(await shown()).toBe(during);
    if (row.fresh !== undefined) expect(await answer(proxy, `${name}-new.test`)).toBe('404');

    await row.heal(cluster, name);
    await until('it is healed', async () => (await shown()) === healed);
    await passed();
    expect(await shown()).toBe(healed);
    expect(await answer(proxy, 'neighbour.test')).toBe('served');
    if (row.fresh !== undefined) await stackOf().remove(`${ingresses}/${name}-new`);
  });

  test('a timeout of 0s is no limit, and no harm to others at the same Service', async () => {
    await stackOf().create(`${gatewayApi}/gatewayclasses`, {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'kong' },
      spec: { controllerName: 'konghq.com/kic-gateway-controller' },
    });
    await stackOf().create(`${gatewayApi}/namespaces/default/gateways`, {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'gw' },
      spec: { gatewayClassName: 'kong', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
    });
    const route = (name: string, timeouts?: object) => ({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name },
      spec: {
        parentRefs: [{ name: 'gw' }],
        hostnames: [`${name}.test`],
        rules: [{ backendRefs: [{ name: 'web', port: 80 }], ...(timeouts && { timeouts }) }],
      },
    });
    const path = `${gatewayApi}/namespaces/default/httproutes`;
    await stackOf().create(path, route('plain'));
    await until('it is live', () => isServed('plain.test'));
    await stackOf().create(path, route('endless', { backendRequest: '0s' }));
    await until('the endless one is live', () => isServed('endless.test'));
    expect(await answer(proxy, 'plain.test')).toBe('served');
  });

  test('a consumer with a credential that the gateway refuses stays as it was', async () => {
    const name = 'reader';
    const secret = (type: string, stringData: object) => ({
      metadata: { name: `${name}-${type}`, labels: { 'konghq.com/credential': type } },
      stringData,
    });
    const authorization = `Basic ${btoa('reader:sesame')}`;
    const withPassword = () => answer(proxy, 'basic.test', { authorization });
    const password = { username: name, password: 'sesame' };
    await stackOf().create(`${core}/secrets`, secret('basic-auth', password));
    await cluster.plugin('basic', { plugin: 'basic-auth' });
    const guarded = { 'konghq.com/plugins': 'basic' };
    await stackOf().create(ingresses, ingressTo('basic', 'web', guarded));
    await stackOf().create(`${core}/secrets`, secret('key-auth', { key: 'sesame' }));
    const consumer = {
      apiVersion: 'configuration.konghq.com/v1',
      kind: 'KongConsumer',
      metadata: { name, annotations: { 'kubernetes.io/ingress.class': 'kong' } },
      username: name,
      credentials: [`${name}-key-auth`, `${name}-basic-auth`],
    };
    await stackOf().create(consumers, consumer);
    await cluster.plugin('keyed', keyAuth);
    const annotations = { 'konghq.com/plugins': 'keyed' };
    await stackOf().create(ingresses, ingressTo('keyed', 'web', annotations));
    const shown = () => answer(proxy, 'keyed.test', { apikey: 'sesame' });
    await until('the key opens', async () => (await shown()) === 'served');
    const broken = { key: 'k', algorithm: 'RS256', rsa_public_key: 'no key' };
    await stackOf().create(`${core}/secrets`, secret('jwt', broken));
    await cluster.put(consumers, name, (one) => ({
      ...one,
      credentials: [`${name}-key-auth`, `${name}-basic-auth`, `${name}-jwt`],
    }));
    await passed();
    expect(await shown()).toBe('served');
    expect(await answer(proxy, 'keyed.test')).toBe('401');
    expect(await withPassword()).toBe('served');

    // Of a password a gateway tells only the hash: it is not what is sent again.
    await running.stop();
    running = stackOf().controller({ kongAdmin: stackOf().adminClient(admin) });
    await passed();
    expect(await withPassword()).toBe('served');
  });
});
