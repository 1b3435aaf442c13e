import { startTestServer } from '@waygate/apiserver';
import { Gateway, type GatewayOptions } from '@waygate/gateway';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import type { Rival } from '@waygate/runtime';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import type { IngressControllerOptions } from './controller-options.ts';
import { IngressController } from './ingress-controller.ts';
import { classOf } from './ingress-rivals.ts';

const pod = (image: string, args: string[] = [], env: { name: string; value: string }[] = []) => ({
  metadata: { name: 'p' },
  spec: {
    containers: [
      { name: 'proxy', image: 'kong:3.9' },
      { name: 'c', image, args, env },
    ],
  },
});

test.each([
  ['the default', pod('kong/kubernetes-ingress-controller:3.5'), 'kong'],
  [
    'a mirror, with a digest',
    pod('registry.example:5000/kong/kubernetes-ingress-controller:3.5@sha256:0'),
    'kong',
  ],
  ['a flag', pod('kong/kubernetes-ingress-controller', ['--ingress-class=inner']), 'inner'],
  ['two words', pod('kong/kubernetes-ingress-controller', ['--ingress-class', 'inner']), 'inner'],
  [
    'a variable',
    pod(
      'kong/kubernetes-ingress-controller',
      [],
      [{ name: 'CONTROLLER_INGRESS_CLASS', value: 'inner' }],
    ),
    'inner',
  ],
  ['somebody else', pod('registry.k8s.io/ingress-nginx/controller:v1'), undefined],
  ['ourselves', pod('waygate:0.1.0'), undefined],
])('the class of %s', (_name, one, expected) => {
  expect(classOf(one)).toBe(expected);
});

describe('beside a Kong Ingress Controller of the same class', () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

  async function start(
    mode: NonNullable<GatewayOptions['mode']>,
    lease = '5b374a9e.konghq.com',
    leaderElection: IngressControllerOptions['leaderElection'] = false,
  ) {
    const server = await startTestServer();
    const gateway = new Gateway({ mode, proxy: [{ host: '127.0.0.1', port: 0 }] });
    const { admin } = await gateway.start();
    const client = new KubeClient({
      server: server.url,
      namespace: 'default',
      credentials: staticToken(server.adminToken),
    });
    const kongAdmin = new AdminClient({ url: `http://127.0.0.1:${admin?.port}` });
    const { spec } = pod('kong/kubernetes-ingress-controller:3.5');
    await server.request('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'kic-1' },
      spec,
    });
    await server.request('POST', leases, {
      metadata: { name: lease },
      spec: {
        holderIdentity: 'kic-1_0123',
        leaseDurationSeconds: 15,
        renewTime: new Date().toISOString().replace('Z', '000Z'),
      },
    });
    const said: (string | undefined)[] = [];
    const controller = new IngressController({
      client,
      kongAdmin,
      leaderElection,
      standsAside: true,
      onStandingAside: (rival) => said.push(rival?.holder),
    });
    const stop = new AbortController();
    const running = controller.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
      await kongAdmin.close();
      await client.close();
      await gateway.stop();
      await server.stop();
    });
    return { server, controller, said };
  }

  const own = { name: 'elsewhere', namespace: 'kube-system', identity: 'waygate-1' };

  test.each([
    ['its own name', '5b374a9e.konghq.com', undefined],
    ["the name that Kong's chart gives it", 'kong-ingress-controller-leader-kong', undefined],
    ['the name that both were told', 'elsewhere', own],
  ])(
    'a shared Kong is not written to, until the other has gone: a Lease of %s',
    async (_name, lease, election) => {
      const { server, controller, said } = await start('database', lease, election);
      await vi.waitFor(() => expect(said).toEqual(['kic-1_0123']), patience);
      expect(controller.isLeader).toBe(false);
      expect(controller.isReady).toBe(false);
      await server.request('DELETE', `${leases}/${lease}`);
      expect(await controller.waitUntilReady()).toBe(true);
      expect(controller.isLeader).toBe(true);
      expect(said).toEqual(['kic-1_0123', undefined]);
    },
  );

  test('a gateway of its own is fed meanwhile', async () => {
    const { controller } = await start('dbless');
    expect(await controller.waitUntilReady()).toBe(true);
    expect(controller.isLeader).toBe(false);
  });
});

test('without a Lease, it is known by the statuses that it writes over ours', async () => {
  const server = await startTestServer();
  const gateway = new Gateway({ mode: 'dbless', proxy: [{ host: '127.0.0.1', port: 0 }] });
  const { admin } = await gateway.start();
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  const kongAdmin = new AdminClient({ url: `http://127.0.0.1:${admin?.port}` });
  const said: (Rival | undefined)[] = [];
  const controller = new IngressController({
    client,
    kongAdmin,
    standsAside: true,
    maxPauseMs: 50,
    publishStatusAddress: ['192.0.2.1'],
    onStandingAside: (rival) => said.push(rival),
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await kongAdmin.close();
    await client.close();
    await gateway.stop();
    await server.stop();
  });
  const path = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
  await server.request('POST', path, {
    metadata: { name: 'web' },
    spec: {
      ingressClassName: 'kong',
      defaultBackend: { service: { name: 'web', port: { number: 80 } } },
    },
  });
  const address = async () => {
    const { body } = await server.request('GET', `${path}/web`);
    const { status } = body as { status?: { loadBalancer?: { ingress?: { ip: string }[] } } };
    return status?.loadBalancer?.ingress?.[0]?.ip;
  };
  const report = async (manager: string, ip: string) => {
    const { status } = await server.request(
      'PATCH',
      `${path}/web/status?fieldManager=${manager}`,
      { status: { loadBalancer: { ingress: [{ ip }] } } },
      { 'Content-Type': 'application/merge-patch+json' },
    );
    expect(status).toBe(200);
  };
  // A status is looked at when its object changes.
  let port = 80;
  const change = async () => {
    port += 1;
    const spec = { defaultBackend: { service: { name: 'web', port: { number: port } } } };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    await server.request('PATCH', `${path}/web`, { spec }, headers);
  };
  const isOurs = async () => (await address()) === '192.0.2.1';
  await vi.waitFor(async () => expect(await isOurs()).toBe(true), patience);
  // What a person writes is put right, as often as it takes, and proves nothing.
  for (let count = 0; count < 4; count += 1) {
    await report('kubectl-edit', '198.51.100.9');
    await change();
    await vi.waitFor(async () => expect(await isOurs()).toBe(true), patience);
  }
  expect(said).toEqual([]);
  for (let count = 0; count < 2; count += 1) {
    await report('manager', '198.51.100.1');
    await change();
    await vi.waitFor(
      async () => expect((await isOurs()) || said.length > 0, `write ${count}`).toBe(true),
      patience,
    );
  }
  await vi.waitFor(
    () => expect(said).toEqual([{ holder: 'manager', wrote: 'Ingress default/web' }]),
    patience,
  );
  expect(controller.isLeader).toBe(false);
  // Its statuses stay, and a gateway of our own is fed on.
  await report('manager', '198.51.100.1');
  await change();
  await vi.waitFor(async () => {
    const answer = await fetch(`http://127.0.0.1:${admin?.port}/services`);
    const { data } = (await answer.json()) as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual([`default.web.${port}`]);
  }, patience);
  expect(await address()).toBe('198.51.100.1');
});
