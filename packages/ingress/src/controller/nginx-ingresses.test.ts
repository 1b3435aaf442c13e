import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { CertificateAuthority, startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway } from '@waygate/gateway';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import { afterEach, expect, test } from 'vitest';
import { optionsFromFlags } from '../flags/options-from-flags.ts';
import { IngressController } from './ingress-controller.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const core = '/api/v1/namespaces/default';
const networking = '/apis/networking.k8s.io/v1';
const ingresses = `${networking}/namespaces/default/ingresses`;

interface Wish {
  readonly className?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly service?: string;
}

function ingress(name: string, { className, annotations = {}, service = 'web' }: Wish = {}) {
  const backend = { service: { name: service, port: { number: 80 } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, annotations },
    spec: {
      ...(className && { ingressClassName: className }),
      rules: [
        { host: `${name}.test`, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } },
      ],
    },
  };
}

/** Says its name and the headers that tell who carried the request. */
async function backend(name: string): Promise<number> {
  const server: Server = createServer((asked, reply) =>
    reply.end(`${name} ${asked.headers['x-forwarded-scheme'] ?? 'kong'}`),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return (server.address() as AddressInfo).port;
}

async function post(server: TestServer, path: string, object: object): Promise<void> {
  const { status, body } = await server.request('POST', path, object);
  if (status !== 201) throw new Error(JSON.stringify(body));
}

async function putService(server: TestServer, name: string, port: number): Promise<void> {
  const spec = { ports: [{ port: 80, targetPort: 8080 }] };
  await post(server, `${core}/services`, { metadata: { name }, spec });
  await post(server, '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
  });
}

async function start(flags: Readonly<Record<string, string>>) {
  const server = await startTestServer();
  cleanups.push(() => server.stop());
  const listen = { host: '127.0.0.1', port: 0 };
  const gatewayOptions = { flavor: 'expressions', drainMs: 0 } as const;
  const proxyOf = (http: number, https: number) => [
    { ...listen, port: http },
    { ...listen, port: https, isTls: true },
  ];
  let gateway = new Gateway({ ...gatewayOptions, proxy: proxyOf(0, 0) });
  cleanups.push(() => gateway.stop());
  const { proxy, admin } = await gateway.start();
  const [http = 0, https = 0] = proxy.map(({ port }) => port);
  const adminPort = admin?.port ?? 0;
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  const kongAdmin = new AdminClient({ url: `http://127.0.0.1:${adminPort}` });
  cleanups.push(
    () => client.close(),
    () => kongAdmin.close(),
  );
  const parsed = optionsFromFlags(
    { 'ingress-nginx': 'true', 'force-leader-election': 'disabled', ...flags },
    {},
    { identity: 'test' },
  );
  expect(parsed.problems).toEqual([]);
  const run = () => {
    const stop = new AbortController();
    const controller = new IngressController({
      ...parsed.options,
      client,
      kongAdmin,
      resyncCheckMs: 50,
    });
    const running = controller.run(stop.signal);
    const end = async () => {
      stop.abort();
      await running;
    };
    cleanups.push(end);
    return end;
  };
  /** The gateway dies and comes back on its ports without what it was told. */
  const restartGateway = async () => {
    await gateway.stop();
    gateway = new Gateway({
      ...gatewayOptions,
      proxy: proxyOf(http, https),
      admin: { ...listen, port: adminPort },
    });
    await gateway.start();
  };
  return { server, http, https, run, restartGateway };
}

/** Status, and the body or where a redirect leads. */
function ask(port: number, host: string): Promise<string> {
  return new Promise((resolve) => {
    const call = request({ port, host: '127.0.0.1', headers: { host }, agent: false }, (reply) => {
      let body = '';
      reply.on('data', (chunk) => {
        body += chunk;
      });
      reply.on('end', () => {
        const { statusCode = 0, headers } = reply;
        const said = statusCode === 200 ? body : (headers.location ?? '');
        resolve(`${statusCode} ${said}`.trim());
      });
    });
    call.on('error', () => resolve('unreachable'));
    call.end();
  });
}

async function shown(port: number, servername: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

async function addressOf(server: TestServer, name: string): Promise<string> {
  const { body } = await server.request('GET', `${ingresses}/${name}`);
  const { status } = body as { status?: { loadBalancer?: { ingress?: { ip?: string }[] } } };
  return status?.loadBalancer?.ingress?.[0]?.ip ?? 'none';
}

const wait = { timeout: 20_000, interval: 20 };

test('Ingresses of ingress-nginx are served by its flags, beside a neighbour of Kong’s class', async () => {
  const { server, http, https, run, restartGateway } = await start({
    configmap: 'default/settings',
    'default-backend-service': 'default/lost',
    'default-ssl-certificate': 'default/own',
    'watch-ingress-without-class': 'true',
    'publish-service': 'default/front',
  });
  await putService(server, 'web', await backend('web'));
  await putService(server, 'lost', await backend('lost'));
  const spec = { clusterIP: '10.96.7.7', ports: [{ port: 80 }] };
  await post(server, `${core}/services`, { metadata: { name: 'front' }, spec });
  const authority = await CertificateAuthority.create(Date.now);
  const { certificate, privateKey } = await authority.issueClient('own.test', []);
  await post(server, `${core}/secrets`, {
    metadata: { name: 'own' },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': certificate, 'tls.key': privateKey },
  });
  for (const [name, controller] of [
    ['nginx', 'k8s.io/ingress-nginx'],
    ['edge', 'k8s.io/ingress-nginx'],
    ['kong', 'ingress-controllers.konghq.com/kong'],
  ])
    await post(server, `${networking}/ingressclasses`, {
      metadata: { name },
      spec: { controller },
    });
  const legacy = { 'kubernetes.io/ingress.class': 'nginx' };
  const prefix = 'nginx.ingress.kubernetes.io';
  const moved = { [`${prefix}/permanent-redirect`]: 'https://else.test/' };
  for (const one of [
    ingress('named', { className: 'nginx' }),
    ingress('other', { className: 'edge', annotations: moved }),
    ingress('legacy', { annotations: legacy }),
    ingress('bare'),
    ingress('kong', { className: 'kong', annotations: moved }),
    ingress('foreign', { className: 'traefik' }),
  ])
    await post(server, ingresses, one);
  const end = run();
  const all = async () => ({
    named: await ask(http, 'named.test'),
    other: await ask(http, 'other.test'),
    legacy: await ask(http, 'legacy.test'),
    bare: await ask(http, 'bare.test'),
    kong: await ask(http, 'kong.test'),
    foreign: await ask(http, 'foreign.test'),
  });
  const served = {
    named: '200 web http',
    other: '301 https://else.test/',
    legacy: '200 web http',
    bare: '200 web http',
    // Annotations of ingress-nginx are nothing to it, nor are its headers.
    kong: '200 web kong',
    // Nobody's: the default backend answers for its host.
    foreign: '200 lost http',
  };
  await expect.poll(all, wait).toEqual(served);
  expect(await shown(https, 'named.test')).toBe('own.test');
  await expect.poll(() => addressOf(server, 'named'), wait).toBe('10.96.7.7');
  await expect.poll(() => addressOf(server, 'kong'), wait).toBe('10.96.7.7');
  expect(await addressOf(server, 'foreign')).toBe('none');

  // The ConfigMap comes, changes and goes; the neighbour does not notice.
  const settings = (data: object) => ({ metadata: { name: 'settings' }, data });
  const redirects = { 'force-ssl-redirect': 'true' };
  await post(server, `${core}/configmaps`, settings(redirects));
  const moves = (status: number) => `${status} https://named.test`;
  await expect.poll(() => ask(http, 'named.test'), wait).toBe(moves(308));
  const again = settings({ ...redirects, 'http-redirect-code': '307' });
  await server.request('PUT', `${core}/configmaps/settings`, again);
  await expect.poll(() => ask(http, 'named.test'), wait).toBe(moves(307));
  expect(await ask(http, 'kong.test')).toBe(served.kong);
  await server.request('DELETE', `${core}/configmaps/settings`);
  await expect.poll(() => ask(http, 'named.test'), wait).toBe(served.named);

  // The gateway dies and forgets; then the controller ends, and another starts where it was.
  await restartGateway();
  await expect.poll(all, wait).toEqual(served);
  await end();
  expect(await all()).toEqual(served);
  await server.request('DELETE', `${ingresses}/legacy`);
  run();
  await expect.poll(() => ask(http, 'legacy.test'), wait).toBe('200 lost http');
  expect(await all()).toEqual({ ...served, legacy: '200 lost http' });
}, 60_000);
