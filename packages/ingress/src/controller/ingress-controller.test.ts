import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import {
  answer,
  backend,
  core,
  create,
  endStacksAfterEach,
  ingress,
  networking,
  service,
  slice,
  slices,
  start,
} from '../../test/running-stack.ts';

endStacksAfterEach();

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
    const route = `${stack.admin}/routes/${data[0]?.id}`;
    // What is gone may be back before anyone could look: only that it went and that it came back can be held.
    expect((await fetch(route, { method: 'DELETE' })).status).toBe(204);
    await until('the route is stored again', async () => (await fetch(route)).status === 200);
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
