import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway, type GatewayOptions } from '@waygate/gateway';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  customResourceDefinitions,
  gatewayApiDefinitions,
} from '../crds/custom-resource-definitions.ts';
import type { IngressControllerOptions } from './controller-options.ts';
import { IngressController } from './ingress-controller.ts';

/** A cluster, a gateway, and the controller between them, all over sockets. */
interface Stack {
  readonly server: TestServer;
  readonly proxy: string;
  readonly admin: string;
  readonly controller: IngressController;
  readonly logs: string[];
  /** Stops the gateway and starts it anew without its configuration; returns where it proxies. */
  readonly restartGateway: () => Promise<string>;
}

let backends: Server[] = [];
let cleanups: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  backends = [];
  cleanups = [];
});

afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  for (const backend of backends) {
    backend.closeAllConnections();
    await new Promise((resolve) => backend.close(resolve));
  }
});

async function backend(name: string): Promise<number> {
  const server = createServer((_, reply) => reply.end(name));
  backends.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The API server refuses endpoints on loopback, as Kubernetes does; names lead there. */
const gatewayOptions: GatewayOptions = {
  resolveName: async () => ({ addresses: [{ ip: '127.0.0.1' }], ttlMs: 60_000 }),
};
const ports: GatewayOptions = { proxy: [{ host: '127.0.0.1', port: 0 }] };

async function start(
  mode: NonNullable<GatewayOptions['mode']>,
  {
    isCrdInstalled,
    ...options
  }: Partial<IngressControllerOptions> & { isCrdInstalled?: boolean } = {},
): Promise<Stack> {
  const server = await startTestServer();
  cleanups.push(() => server.stop());
  if (isCrdInstalled) await installDefinitions(server);
  const gateway = new Gateway({ ...gatewayOptions, mode, ...ports });
  const addresses = await gateway.start();
  let stopGateway = () => gateway.stop();
  cleanups.push(() => stopGateway());
  const restartGateway = async () => {
    await gateway.stop();
    const { host = '', port = 0 } = addresses.admin ?? {};
    const next = new Gateway({ ...gatewayOptions, mode, ...ports, admin: { host, port } });
    stopGateway = () => next.stop();
    const after = await next.start();
    return `http://127.0.0.1:${after.proxy[0]?.port}`;
  };
  const admin = `http://127.0.0.1:${addresses.admin?.port}`;
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  cleanups.push(() => client.close());
  const adminClient = new AdminClient({ url: admin });
  cleanups.push(() => adminClient.close());
  const logs: string[] = [];
  const controller = new IngressController({
    client,
    kongAdmin: adminClient,
    resyncCheckMs: 50,
    onLog: ({ level, message }) => logs.push(`${level} ${message}`),
    ...options,
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  cleanups.push(async () => {
    stop.abort();
    await running;
  });
  await controller.waitUntilReady();
  const proxy = `http://127.0.0.1:${addresses.proxy[0]?.port}`;
  return { server, proxy, admin, controller, logs, restartGateway };
}

async function installDefinitions(server: TestServer): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const definition of [...customResourceDefinitions(), ...gatewayApiDefinitions()]) {
    const { status, body } = await server.request('POST', path, definition);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  await until('all definitions are established', async () => {
    const { body } = await server.request('GET', path);
    const { items } = body as {
      items: { status?: { conditions?: { type: string; status: string }[] } }[];
    };
    return items.every(({ status }) =>
      status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True'),
    );
  });
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 8_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const core = '/api/v1/namespaces/default';
const networking = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

async function create({ server }: Stack, path: string, body: object): Promise<void> {
  const answer = await server.request('POST', path, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}

function ingress(name: string, host: string, annotations: Record<string, string> = {}) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, annotations },
    spec: {
      ingressClassName: 'kong',
      rules: [
        {
          host,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'web', port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  };
}

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { ports: [{ port: 80, targetPort: 8080 }] },
};

function slice(port: number) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'FQDN',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['backend.test'], conditions: { ready: true } }],
  };
}

/** The body of a good answer, or the status of another one. */
async function answer({ proxy }: Stack, host: string, apikey?: string): Promise<string> {
  const headers = { host, ...(apikey === undefined ? {} : { apikey }) };
  return new Promise((resolve) => {
    const call = request(proxy, { headers, agent: false }, (reply) => {
      let body = '';
      reply.on('data', (chunk) => {
        body += chunk;
      });
      reply.on('end', () => resolve(reply.statusCode === 200 ? body : String(reply.statusCode)));
    });
    call.on('error', () => resolve('unreachable'));
    call.end();
  });
}

describe.each(['dbless', 'database'] as const)(
  'the controller with a gateway in %s mode',
  (mode) => {
    test('traffic follows the cluster: create, change, delete', async () => {
      const stack = await start(mode, { publishStatusAddress: ['10.1.2.3'] });
      const [one, two] = [await backend('one'), await backend('two')];
      await create(stack, `${core}/services`, service);
      await create(stack, slices, slice(one));
      await create(stack, networking, ingress('shop', 'shop.test'));
      await until('the Ingress is live', async () => (await answer(stack, 'shop.test')) === 'one');

      await until('the status shows the address', async () => {
        const { body } = await stack.server.request('GET', `${networking}/shop`);
        const { status } = body as { status?: { loadBalancer?: { ingress?: { ip: string }[] } } };
        return status?.loadBalancer?.ingress?.[0]?.ip === '10.1.2.3';
      });

      await stack.server.request('PUT', `${slices}/web-1`, slice(two));
      await until(
        'the new endpoint answers',
        async () => (await answer(stack, 'shop.test')) === 'two',
      );

      await stack.server.request('DELETE', `${networking}/shop`);
      await until('the route is gone', async () => (await answer(stack, 'shop.test')) === '404');
    });

    test('a rejected object is left out, the rest goes live, and an Event says why', async () => {
      const stack = await start(mode);
      await create(stack, `${core}/services`, service);
      await create(stack, slices, slice(await backend('fine')));
      // A host with an underscore passes the API server's check of annotations, but not Kong's.
      await create(
        stack,
        networking,
        ingress('bad', 'bad.test', { 'konghq.com/path-handling': 'v9' }),
      );
      await create(stack, networking, ingress('good', 'good.test'));
      await until(
        'the good one is live',
        async () => (await answer(stack, 'good.test')) === 'fine',
      );
      await until('an Event is on the bad one', async () => {
        const { body } = await stack.server.request('GET', `${core}/events`);
        const { items } = body as { items: { reason: string; involvedObject: { name: string } }[] };
        return items.some(
          ({ reason, involvedObject }) =>
            reason === 'KongConfigurationApplyFailed' && involvedObject.name === 'bad',
        );
      });
      const { body } = await stack.server.request('GET', `${networking}/bad`);
      const fixed = body as { metadata: { annotations?: object } };
      fixed.metadata.annotations = {};
      await stack.server.request('PUT', `${networking}/bad`, fixed);
      await until(
        'it works once repaired',
        async () => (await answer(stack, 'bad.test')) === 'fine',
      );
    });
  },
);

describe('the controller', () => {
  test('tells what stays wrong, and not what an application lacks while it is being created', async () => {
    const stack = await start('dbless', { eventHoldMs: 4_000 });
    const warned = async (): Promise<string[]> => {
      const { body } = await stack.server.request('GET', `${core}/events`);
      const { items } = body as { items: { type: string; involvedObject: { name: string } }[] };
      return items
        .filter(({ type }) => type === 'Warning')
        .map(({ involvedObject }) => involvedObject.name);
    };
    await create(stack, networking, ingress('early', 'early.test'));
    const lacking = ingress('lacking', 'lacking.test');
    const nobody = { service: { name: 'nobody', port: { number: 80 } } };
    for (const { http } of lacking.spec.rules) for (const path of http.paths) path.backend = nobody;
    await create(stack, networking, lacking);
    await until('both are seen', async () => (await answer(stack, 'early.test')) !== '404');
    await create(stack, `${core}/services`, service);
    await create(stack, slices, slice(await backend('fine')));
    await until('it is live', async () => (await answer(stack, 'early.test')) === 'fine');
    await until('the other is told', async () => (await warned()).includes('lacking'));
    expect(new Set(await warned())).toEqual(new Set(['lacking']));
  });

  test('follows the Gateway API, and says so in its statuses', async () => {
    const stack = await start('dbless', {
      isCrdInstalled: true,
      publishStatusAddress: ['10.1.2.3'],
    });
    const api = '/apis/gateway.networking.k8s.io/v1';
    await create(stack, `${core}/services`, service);
    await create(stack, slices, slice(await backend('routed')));
    await create(stack, `${api}/gatewayclasses`, {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'kong' },
      spec: { controllerName: 'konghq.com/kic-gateway-controller' },
    });
    await create(stack, `${api}/namespaces/default/gateways`, {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'gw' },
      spec: { gatewayClassName: 'kong', listeners: [{ name: 'http', protocol: 'HTTP', port: 80 }] },
    });
    await create(stack, `${api}/namespaces/default/httproutes`, {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'r' },
      spec: {
        parentRefs: [{ name: 'gw' }],
        hostnames: ['routed.test'],
        rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
      },
    });
    await until('the route is live', async () => (await answer(stack, 'routed.test')) === 'routed');
    await until('the route says so', async () => {
      const { body } = await stack.server.request('GET', `${api}/namespaces/default/httproutes/r`);
      const { status } = body as {
        status?: { parents?: { conditions: { type: string; status: string }[] }[] };
      };
      const conditions = status?.parents?.[0]?.conditions ?? [];
      return conditions.length === 3 && conditions.every((one) => one.status === 'True');
    });
    await until('the Gateway counts it', async () => {
      const { body } = await stack.server.request('GET', `${api}/namespaces/default/gateways/gw`);
      const { status } = body as {
        status?: { listeners?: { attachedRoutes: number }[]; addresses?: { value: string }[] };
      };
      return (
        status?.listeners?.[0]?.attachedRoutes === 1 && status.addresses?.[0]?.value === '10.1.2.3'
      );
    });
  });

  test('follows Kong resources: a plugin, a consumer and its credential', async () => {
    const stack = await start('database', { isCrdInstalled: true });
    await create(stack, `${core}/services`, service);
    await create(stack, slices, slice(await backend('secret place')));
    await create(stack, networking, ingress('shop', 'shop.test', { 'konghq.com/plugins': 'auth' }));
    await create(stack, networking, ingress('open', 'open.test'));
    await until(
      'the one beside it is live',
      async () => (await answer(stack, 'open.test')) === 'secret place',
    );
    expect(await answer(stack, 'shop.test')).toBe('404');
    const kong = '/apis/configuration.konghq.com/v1/namespaces/default';
    await create(stack, `${kong}/kongplugins`, {
      apiVersion: 'configuration.konghq.com/v1',
      kind: 'KongPlugin',
      metadata: { name: 'auth' },
      plugin: 'key-auth',
    });
    await until('a key is asked for', async () => (await answer(stack, 'shop.test')) === '401');
    await create(stack, `${core}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'bob-key', labels: { 'konghq.com/credential': 'key-auth' } },
      stringData: { key: 'open-sesame' },
    });
    await create(stack, `${kong}/kongconsumers`, {
      apiVersion: 'configuration.konghq.com/v1',
      kind: 'KongConsumer',
      metadata: { name: 'bob', annotations: { 'kubernetes.io/ingress.class': 'kong' } },
      username: 'bob',
      credentials: ['bob-key'],
    });
    await until(
      'the key opens it',
      async () => (await answer(stack, 'shop.test', 'open-sesame')) === 'secret place',
    );
    await until('the plugin says that it is programmed', async () => {
      const { body } = await stack.server.request('GET', `${kong}/kongplugins/auth`);
      const { status } = body as { status?: { conditions?: { status: string }[] } };
      return status?.conditions?.[0]?.status === 'True';
    });
    await stack.server.request('DELETE', `${kong}/kongplugins/auth`);
    await create(stack, networking, ingress('later', 'later.test'));
    await until(
      'a later one is live',
      async () => (await answer(stack, 'later.test')) === 'secret place',
    );
    expect(await answer(stack, 'shop.test')).toBe('401');
    const { body } = await stack.server.request('GET', `${networking}/shop`);
    const { metadata, ...rest } = body as { metadata: object };
    const shop = { ...rest, metadata: { ...metadata, annotations: {} } };
    await stack.server.request('PUT', `${networking}/shop`, shop);
    await until(
      'it is open again',
      async () => (await answer(stack, 'shop.test')) === 'secret place',
    );
  });
  test('fills a gateway that was restarted without its configuration', async () => {
    const stack = await start('dbless');
    await create(stack, `${core}/services`, service);
    await create(stack, slices, slice(await backend('again')));
    await create(stack, networking, ingress('shop', 'shop.test'));
    await until('the Ingress is live', async () => (await answer(stack, 'shop.test')) === 'again');
    const proxy = await stack.restartGateway();
    await until(
      'it is live again',
      async () => (await answer({ ...stack, proxy }, 'shop.test')) === 'again',
    );
  });

  test('undoes what others did to its entities in a database', async () => {
    const stack = await start('database', { fullComparisonMs: 100 });
    await create(stack, `${core}/services`, service);
    await create(stack, slices, slice(await backend('mine')));
    await create(stack, networking, ingress('shop', 'shop.test'));
    await until('the Ingress is live', async () => (await answer(stack, 'shop.test')) === 'mine');
    const { data } = (await (await fetch(`${stack.admin}/routes`)).json()) as {
      data: { id: string }[];
    };
    await fetch(`${stack.admin}/routes/${data[0]?.id}`, { method: 'DELETE' });
    await until('the route is gone', async () => (await answer(stack, 'shop.test')) === '404');
    await until('it is back', async () => (await answer(stack, 'shop.test')) === 'mine');
  });

  test('coalesces a storm of changes, and ends with the last of them', async () => {
    const stack = await start('database');
    await create(stack, `${core}/services`, service);
    const ports = [await backend('one'), await backend('two')];
    await create(stack, slices, slice(ports[0]!));
    await create(stack, networking, ingress('shop', 'shop.test'));
    await until('the Ingress is live', async () => (await answer(stack, 'shop.test')) === 'one');
    for (let change = 1; change <= 60; change += 1)
      await stack.server.request('PUT', `${slices}/web-1`, slice(ports[change % 2]!));
    await stack.server.request('PUT', `${slices}/web-1`, slice(ports[1]!));
    await until(
      'the last change is live',
      async () => (await answer(stack, 'shop.test')) === 'two',
    );
    const targets = await fetch(`${stack.admin}/upstreams/web.default.80.svc/targets`);
    expect(((await targets.json()) as { data: unknown[] }).data).toHaveLength(1);
  });

  test('writes one entity to a database for one changed endpoint', async () => {
    const stack = await start('database');
    const port = await backend('x');
    await create(stack, `${core}/services`, service);
    await create(stack, slices, slice(port));
    await create(stack, networking, ingress('shop', 'shop.test'));
    await until('the Ingress is live', async () => (await answer(stack, 'shop.test')) === 'x');
    const more = slice(port);
    more.endpoints.push({ addresses: ['second.test'], conditions: { ready: true } });
    await stack.server.request('PUT', `${slices}/web-1`, more);
    await until('the target is there', async () => {
      const { outcome } = stack.controller.lastPass ?? {};
      return outcome?.kind === 'applied' && outcome.writes === 1;
    });
  });
});
