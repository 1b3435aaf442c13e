import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../until.ts';
import { answer, core, ingress, ingresses, Stack, service, slice, slices } from './stack.ts';

let stack: Stack;

beforeEach(async () => {
  stack = await Stack.start();
  await stack.create(`${core}/services`, service);
  await stack.create(slices, slice(await stack.backend('hello')));
});

afterEach(() => stack.stop());

async function addressOf(path: string): Promise<string | undefined> {
  const { status } = (await stack.read(path)) as {
    status?: { loadBalancer?: { ingress?: { ip: string }[] } };
  };
  return status?.loadBalancer?.ingress?.[0]?.ip;
}

describe('the names of 0.8', () => {
  test('are those of the running controller too, if asked', async () => {
    const { proxy, admin } = await stack.gateway();
    await stack.create(ingresses, ingress('shop', 'shop.test'));
    stack.controller({ kongAdmin: stack.adminClient(admin), translate: { naming: 'legacy' } });
    await until('it is live', async () => (await answer(proxy, 'shop.test')) === 'hello');
    const { data } = (await (await fetch(`${admin}/routes`)).json()) as {
      data: { name: string }[];
    };
    expect(data.map(({ name }) => name)).toEqual(['default.shop.00']);
    await stack.replace(`${slices}/web-1`, slice(await stack.backend('moved')));
    await until('it follows', async () => (await answer(proxy, 'shop.test')) === 'moved');
    await stack.remove(`${ingresses}/shop`);
    await until('it is gone', async () => (await answer(proxy, 'shop.test')) === '404');
  });
});

describe('Secrets', () => {
  test('are kept when something refers to them, and only then', async () => {
    const { proxy, admin } = await stack.gateway();
    await stack.installDefinitions();
    for (let index = 0; index < 5; index += 1)
      await stack.create(`${core}/secrets`, {
        metadata: { name: `other-${index}` },
        stringData: { password: 'nobody reads this' },
      });
    await stack.create(`${core}/secrets`, {
      metadata: { name: 'limits' },
      stringData: { config: 'minute: 1\npolicy: local\n' },
    });
    const { controller } = stack.controller({ kongAdmin: stack.adminClient(admin) });
    await controller.waitUntilReady();
    const known = controller.onDemandCounts;
    expect(known).toEqual({ known: known.known, kept: 0 });
    expect(known.known).toBeGreaterThanOrEqual(6);

    const plugins = '/apis/configuration.konghq.com/v1/namespaces/default/kongplugins';
    await stack.create(plugins, {
      apiVersion: 'configuration.konghq.com/v1',
      kind: 'KongPlugin',
      metadata: { name: 'limit' },
      plugin: 'rate-limiting',
      configFrom: { secretKeyRef: { name: 'limits', key: 'config' } },
    });
    await stack.create(ingresses, {
      ...ingress('shop', 'shop.test'),
      metadata: { name: 'shop', annotations: { 'konghq.com/plugins': 'limit' } },
    });
    await until('the limit is in force', async () => (await answer(proxy, 'shop.test')) === '429');
    expect(controller.onDemandCounts.kept).toBe(1);

    await stack.remove(`${ingresses}/shop`);
    await until('it is let go', async () => controller.onDemandCounts.kept === 0);
  });
});

describe('addresses in statuses', () => {
  test('come late from the Service that publishes the gateway, and are taken back at the end', async () => {
    const { admin } = await stack.gateway();
    await stack.create(`${core}/services`, {
      metadata: { name: 'proxy' },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });
    await stack.create(ingresses, ingress('shop', 'shop.test'));
    const { stop, controller } = stack.controller({
      kongAdmin: stack.adminClient(admin),
      publishService: 'default/proxy',
      updateStatusOnShutdown: true,
    });
    await controller.waitUntilReady();
    expect(await addressOf(`${ingresses}/shop`)).toBeUndefined();
    const proxy = (await stack.read(`${core}/services/proxy`)) as object;
    await stack.replace(`${core}/services/proxy/status`, {
      ...proxy,
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } },
    });
    await until('it is shown', async () => (await addressOf(`${ingresses}/shop`)) === '192.0.2.7');
    await stop();
    expect(await addressOf(`${ingresses}/shop`)).toBeUndefined();
  });

  test('are those of our nodes when nothing else is said', async () => {
    const { admin } = await stack.gateway();
    await stack.create('/api/v1/nodes', { metadata: { name: 'n1' } });
    const node = (await stack.read('/api/v1/nodes/n1')) as object;
    await stack.replace('/api/v1/nodes/n1/status', {
      ...node,
      status: { addresses: [{ type: 'InternalIP', address: '10.9.8.7' }] },
    });
    await stack.create(`${core}/pods`, {
      metadata: { name: 'me', labels: { app: 'waygate' } },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
    });
    const pod = (await stack.read(`${core}/pods/me`)) as object;
    await stack.replace(`${core}/pods/me/status`, { ...pod, status: { phase: 'Running' } });
    await stack.create(ingresses, ingress('shop', 'shop.test'));
    stack.controller({
      kongAdmin: stack.adminClient(admin),
      pod: { namespace: 'default', name: 'me' },
    });
    await until('it is shown', async () => (await addressOf(`${ingresses}/shop`)) === '10.9.8.7');
    await until('an Event on the Pod says that all is well', async () => {
      const { items } = (await stack.read(`${core}/events`)) as {
        items: { reason: string; involvedObject: { kind: string } }[];
      };
      return items.some(
        ({ reason, involvedObject }) =>
          reason === 'KongConfigurationSucceeded' && involvedObject.kind === 'Pod',
      );
    });
  });
});

describe('one Gateway to look after', () => {
  test('makes the others none of our business', async () => {
    const { proxy, admin } = await stack.gateway();
    await stack.installDefinitions();
    const api = '/apis/gateway.networking.k8s.io/v1';
    const header = { apiVersion: 'gateway.networking.k8s.io/v1' };
    await stack.create(`${api}/gatewayclasses`, {
      ...header,
      kind: 'GatewayClass',
      metadata: { name: 'kong' },
      spec: { controllerName: 'konghq.com/kic-gateway-controller' },
    });
    for (const name of ['mine', 'theirs']) {
      await stack.create(`${api}/namespaces/default/gateways`, {
        ...header,
        kind: 'Gateway',
        metadata: { name },
        spec: {
          gatewayClassName: 'kong',
          listeners: [{ name: 'http', protocol: 'HTTP', port: 80 }],
        },
      });
      await stack.create(`${api}/namespaces/default/httproutes`, {
        ...header,
        kind: 'HTTPRoute',
        metadata: { name },
        spec: {
          parentRefs: [{ name }],
          hostnames: [`${name}.test`],
          rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
        },
      });
    }
    stack.controller({
      kongAdmin: stack.adminClient(admin),
      gatewayToReconcile: 'default/mine',
    });
    await until('mine is live', async () => (await answer(proxy, 'mine.test')) === 'hello');
    expect(await answer(proxy, 'theirs.test')).toBe('404');
    const other = (await stack.read(`${api}/namespaces/default/gateways/theirs`)) as {
      status?: { conditions?: { reason: string }[] };
    };
    expect(other.status?.conditions?.some(({ reason }) => reason === 'Programmed')).not.toBe(true);
  });
});

describe('two replicas', () => {
  test('are both ready, although one of them leads', async () => {
    const { admin } = await stack.gateway({ mode: 'database' });
    const replica = (identity: string) =>
      stack.controller({
        kongAdmin: stack.adminClient(admin),
        leaderElection: { namespace: 'default', name: 'leader', identity },
        health: {},
      }).controller;
    const replicas = [replica('one'), replica('two')];
    const isReady = async ({ addresses }: (typeof replicas)[0]) => {
      const { port } = addresses.health ?? {};
      return port !== undefined && (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
    };
    for (const one of replicas) await until('it is ready', () => isReady(one));
    expect(replicas.filter(({ isLeader }) => isLeader)).toHaveLength(1);
  });
});

describe('metrics', () => {
  test('are for those only whom RBAC allows them, if asked', async () => {
    const { admin } = await stack.gateway();
    const { controller } = stack.controller({
      kongAdmin: stack.adminClient(admin),
      metrics: { isRestricted: true },
    });
    await controller.waitUntilReady();
    const url = `http://127.0.0.1:${controller.addresses.metrics?.port}/metrics`;
    const status = async (token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(url, { headers })).status;
    };
    expect(await status()).toBe(401);
    expect(await status('nonsense')).toBe(401);
    expect(await status(stack.server.adminToken)).toBe(200);
    await stack.create(`${core}/serviceaccounts`, { metadata: { name: 'guest' } });
    const { body } = await stack.server.request('POST', `${core}/serviceaccounts/guest/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    const { token } = (body as { status: { token: string } }).status;
    expect(await status(token)).toBe(403);
  });
});
