import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { gatewayApiDefinitions } from '@waygate/ingress';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import { Kubectl } from '../apiserver/kubectl.ts';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { type Running, run, start, waygate, workspace } from '../real/processes.ts';
import { until } from '../until.ts';
import { gatewayApiRows } from './gateway-api-rows.ts';
import {
  isCluster,
  knativeDefinition,
  manifests,
  type Place,
  placed,
  type Row,
} from './kind-row.ts';
import { kongRows } from './kong-rows.ts';
import { kubernetesRows } from './kubernetes-rows.ts';

const rows = [...kubernetesRows, ...kongRows, ...gatewayApiRows];

// Every kind that the controller follows: created, changed and deleted with kubectl, and traffic follows.
// The gateway and the controller are processes of their own, told by their command lines.

let kubectl: Kubectl;
let gateway: Running;
let controller: Running;
let certificates: Certificates;
let place: Place;
const servers: Server[] = [];
let udpServers: Socket[] = [];

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Says who it is, and what it was asked. */
function backend(name: string) {
  return (request: IncomingMessage, reply: ServerResponse) => {
    reply.end(`${name} ${request.headers.host} ${request.url}`);
  };
}

async function udpBackend(name: string): Promise<number> {
  const socket = createSocket('udp4');
  udpServers.push(socket);
  socket.on('message', (_, { port, address }) => socket.send(name, port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket.address().port;
}

async function printed(program: Running, pattern: RegExp): Promise<string> {
  const found = await until(String(pattern), () => pattern.exec(program.output()) ?? undefined);
  return found[1]!;
}

beforeAll(async () => {
  certificates = makeCertificates();
  const pair = {
    cert: readFileSync(certificates.server.cert),
    key: readFileSync(certificates.server.key),
  };
  const h2 = createHttp2Server((_, reply) => {
    reply.setHeader('content-type', 'application/grpc');
    reply.end('grpc');
  });
  kubectl = await Kubectl.start({ allowsLoopbackEndpoints: true });
  const [tcpPort, tlsPort, udpPort] = [await ownPort(), await ownPort(), await ownPort()];
  gateway = start(process.execPath, [
    waygate,
    'gateway',
    'run',
    ...['proxy', 'proxy-tls', 'admin'].map((name) => `--${name}-listen=127.0.0.1:0`),
    `--tcp-listen=127.0.0.1:${tcpPort}`,
    `--tls-listen=127.0.0.1:${tlsPort}`,
    `--udp-listen=127.0.0.1:${udpPort}`,
  ]);
  place = {
    proxy: await printed(gateway, /proxy: (http:[^,\s]+)/),
    proxyTls: await printed(gateway, /(https:[^,\s]+)/),
    admin: await printed(gateway, /Admin API: (http:\S+)/),
    kubeconfig: join(kubectl.directory, 'kubeconfig'),
    tcpPort,
    tlsPort,
    udpPort,
    one: await listen(createHttpServer(backend('one'))),
    two: await listen(createHttpServer(backend('two'))),
    secure: await listen(createHttpsServer(pair, backend('secure'))),
    grpc: await listen(h2 as unknown as Server),
    udpOne: await udpBackend('one'),
    udpTwo: await udpBackend('two'),
    authority: readFileSync(certificates.ca, 'utf8'),
    other: readFileSync(certificates.client.cert, 'utf8'),
  };
  const definitions = [...gatewayApiDefinitions(), knativeDefinition];
  await kubectl.run(['apply', '--server-side', '-k', join(workspace, 'deploy/crds')]);
  await kubectl.run(['apply', '--server-side', '-f', '-'], { input: manifests(definitions) });
  await kubectl.run(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
  controller = start(process.execPath, [
    waygate,
    'controller',
    '--controllers=ingress',
    `--kubeconfig=${join(kubectl.directory, 'kubeconfig')}`,
    `--kong-admin-url=${place.admin}`,
    '--health-probe-bind-address=off',
    '--metrics-bind-address=off',
    '--feature-gates=KongServiceFacade=true',
    '--publish-status-address=192.0.2.1',
  ]);
  await printed(controller, /(the gateways have a new configuration)/);
}, 90_000);

afterAll(async () => {
  await controller?.stop();
  await gateway?.stop();
  await kubectl?.stop();
  for (const server of servers) server.close();
  for (const socket of udpServers) socket.close();
  udpServers = [];
  if (certificates !== undefined) rmSync(certificates.directory, { recursive: true, force: true });
});

/** Applies all of these at once; a change is another version of the same object. */
async function apply(objects: readonly object[]): Promise<void> {
  await kubectl.run(['apply', '-f', '-'], { input: manifests(objects) });
}

async function remove(objects: readonly object[], ...more: string[]): Promise<void> {
  await kubectl.run(['delete', '--ignore-not-found', ...more, '-f', '-'], {
    input: manifests(objects),
  });
}

async function seen(what: string, row: Row, expected: string | RegExp): Promise<void> {
  let last = '';
  try {
    await until(what, async () => {
      last = await row.look(place, run);
      return typeof expected === 'string' ? last.startsWith(expected) : expected.test(last);
    });
  } catch (error) {
    const tail = controller.output().split('\n').slice(-8).join('\n');
    throw new Error(`${(error as Error).message}; wanted ${expected}, saw ${last}\n${tail}`);
  }
}

async function follow(row: Row): Promise<void> {
  const namespace = row.name.toLowerCase().replaceAll(' ', '-');
  const { given = [], created, changed } = row.objects(place, namespace);
  const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  const at = (one: object) => placed(one, namespace);
  await apply([space, ...given.map(at)]);
  await seen('before', row, row.before);
  await apply([at(created)]);
  await seen('created', row, row.afterCreate);
  await apply([at(changed)]);
  await seen('changed', row, row.afterChange);
  await remove([at(changed)]);
  await seen('deleted', row, row.afterDelete ?? row.before);
  await remove([...given.filter(isCluster), space], '--wait=false');
}

describe('traffic follows', () => {
  describe('kinds whose objects are for themselves', () => {
    test.concurrent.each(rows.filter((row) => !row.isForAll))('$name', async (row) => {
      await follow(row);
      expect(controller.process.exitCode).toBeNull();
    });
  });

  describe('kinds that concern everything', () => {
    test.each(rows.filter((row) => row.isForAll))('$name', (row) => follow(row));
  });
});
