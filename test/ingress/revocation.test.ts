import { connect } from 'node:tls';
import { CertificateAuthority, type KeyPairPem } from '@waygate/apiserver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../until.ts';
import { answer, core, Stack, service, slice, slices } from './stack.ts';

const group = 'gateway.networking.k8s.io';
const api = `/apis/${group}/v1`;
const grants = `/apis/${group}/v1beta1/namespaces/certificates/referencegrants`;
const routes = `${api}/namespaces/default/httproutes`;
const gateways = `${api}/namespaces/default/gateways`;

let stack: Stack;
let proxy = '';
let tlsPort = 0;
let pair: KeyPairPem;

type Condition = { type: string; status: string; reason: string };

interface GatewayStatus {
  listeners?: { name: string; attachedRoutes: number; conditions: Condition[] }[];
}

const grant = {
  apiVersion: `${group}/v1beta1`,
  kind: 'ReferenceGrant',
  metadata: { name: 'tls' },
  spec: {
    from: [{ group, kind: 'Gateway', namespace: 'default' }],
    to: [{ group: '', kind: 'Secret' }],
  },
};

beforeAll(async () => {
  stack = await Stack.start();
  await stack.installDefinitions();
  const gateway = await stack.gateway({
    proxy: [
      { host: '127.0.0.1', port: 0 },
      { host: '127.0.0.1', port: 0, isTls: true },
    ],
  });
  proxy = gateway.proxy;
  tlsPort = gateway.proxyPorts[1] ?? 0;
  pair = await (await CertificateAuthority.create(() => Date.now())).issueServer(['tls.test']);
  await stack.create('/api/v1/namespaces', { metadata: { name: 'certificates' } });
  await stack.create('/api/v1/namespaces/certificates/secrets', tlsSecret());
  await stack.create(`${core}/services`, service);
  await stack.create(slices, slice(await stack.backend('served')));
  await stack.create(`${api}/gatewayclasses`, {
    apiVersion: `${group}/v1`,
    kind: 'GatewayClass',
    metadata: { name: 'kong' },
    spec: { controllerName: 'konghq.com/kic-gateway-controller' },
  });
  const selector = { matchLabels: { team: 'web' } };
  await stack.create(gateways, {
    apiVersion: `${group}/v1`,
    kind: 'Gateway',
    metadata: { name: 'gw' },
    spec: {
      gatewayClassName: 'kong',
      listeners: [
        {
          name: 'http',
          port: 80,
          protocol: 'HTTP',
          allowedRoutes: { namespaces: { from: 'Selector', selector } },
        },
        {
          name: 'https',
          port: 443,
          protocol: 'HTTPS',
          hostname: 'tls.test',
          tls: { certificateRefs: [{ name: 'tls', namespace: 'certificates' }] },
          allowedRoutes: { namespaces: { from: 'Selector', selector } },
        },
      ],
    },
  });
  await stack.create(routes, {
    apiVersion: `${group}/v1`,
    kind: 'HTTPRoute',
    metadata: { name: 'r' },
    spec: {
      parentRefs: [{ name: 'gw', sectionName: 'http' }],
      hostnames: ['routed.test'],
      rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
    },
  });
  stack.controller({ kongAdmin: stack.adminClient(gateway.admin) });
});

afterAll(() => stack.stop());

function tlsSecret(): object {
  return {
    metadata: { name: 'tls' },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': pair.certificate, 'tls.key': pair.privateKey },
  };
}

async function label(team: string | undefined): Promise<void> {
  const path = '/api/v1/namespaces/default';
  const namespace = (await stack.read(path)) as { metadata: object };
  const metadata = { ...namespace.metadata, labels: team === undefined ? {} : { team } };
  await stack.replace(path, { ...namespace, metadata });
}

async function listener(name: string) {
  const { status } = (await stack.read(`${gateways}/gw`)) as { status?: GatewayStatus };
  return status?.listeners?.find((one) => one.name === name);
}

async function reasonOf(listenerName: string, type: string): Promise<string> {
  const found = await listener(listenerName);
  return found?.conditions.find((one) => one.type === type)?.reason ?? '';
}

async function routeCondition(type: string): Promise<string> {
  const { status } = (await stack.read(`${routes}/r`)) as {
    status?: { parents?: { conditions: Condition[] }[] };
  };
  return status?.parents?.[0]?.conditions.find((one) => one.type === type)?.reason ?? '';
}

/** Whether the certificate of the Secret is shown, by its bytes. */
async function isShown(): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port: tlsPort, servername: 'tls.test' };
    const socket = connect({ ...options, rejectUnauthorized: false }, () => {
      const shown = socket.getPeerCertificate().raw.toString('base64');
      socket.destroy();
      resolve(pair.certificate.replace(/\s/gu, '').includes(shown));
    });
    socket.on('error', () => resolve(false));
  });
}

test('a grant for the certificate of a Gateway that comes or goes counts at once', async () => {
  await until('it is not permitted', async () => {
    return (await reasonOf('https', 'ResolvedRefs')) === 'RefNotPermitted';
  });
  expect(await isShown()).toBe(false);
  for (let round = 0; round < 2; round += 1) {
    await stack.create(grants, grant);
    await until('the certificate is shown', isShown);
    expect(await reasonOf('https', 'ResolvedRefs')).toBe('ResolvedRefs');
    await stack.remove(`${grants}/tls`);
    await until('the certificate is gone', async () => !(await isShown()));
    await until('the listener says so', async () => {
      return (await reasonOf('https', 'ResolvedRefs')) === 'RefNotPermitted';
    });
  }
});

test('so does the Secret itself', async () => {
  await stack.create(grants, grant);
  await until('the certificate is shown', isShown);
  await stack.remove('/api/v1/namespaces/certificates/secrets/tls');
  await until('the listener says so', async () => {
    return (await reasonOf('https', 'ResolvedRefs')) === 'InvalidCertificateRef';
  });
  await until('the certificate is gone', async () => !(await isShown()));
  await stack.create('/api/v1/namespaces/certificates/secrets', tlsSecret());
  await until('the certificate is shown again', isShown);
});

test('a namespace that loses its label loses its routes, and they and the Gateway say so', async () => {
  await until('it is not allowed', async () => {
    return (await routeCondition('Accepted')) === 'NotAllowedByListeners';
  });
  for (let round = 0; round < 2; round += 1) {
    await label('web');
    await until('it is served', async () => (await answer(proxy, 'routed.test')) === 'served');
    await until('it is accepted', async () => (await routeCondition('Accepted')) === 'Accepted');
    await until('it is counted', async () => (await listener('http'))?.attachedRoutes === 1);
    await label(undefined);
    await until('it is gone', async () => (await answer(proxy, 'routed.test')) === '404');
    await until('it says so', async () => {
      return (await routeCondition('Accepted')) === 'NotAllowedByListeners';
    });
    await until('it is not counted', async () => (await listener('http'))?.attachedRoutes === 0);
  }
});

test('a backend that goes is told on the route, and so is one that comes', async () => {
  await label('web');
  await until('it is resolved', async () => {
    return (await routeCondition('ResolvedRefs')) === 'ResolvedRefs';
  });
  await stack.remove(`${core}/services/web`);
  await until('it is missed', async () => {
    return (await routeCondition('ResolvedRefs')) === 'BackendNotFound';
  });
  await stack.create(`${core}/services`, service);
  await until('it is found', async () => {
    return (await routeCondition('ResolvedRefs')) === 'ResolvedRefs';
  });
  await until('it is served', async () => (await answer(proxy, 'routed.test')) === 'served');
});
