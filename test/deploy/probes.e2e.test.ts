import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYamlAll } from '@waygate/text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../apiserver/kubectl.ts';
import { type Running, waygate, workspace } from '../real/processes.ts';
import { OwnMachine, podAddress } from './own-machine.ts';

// Each Deployment of deploy/ with exactly its arguments and its environment, on a machine of its own:
// what a kubelet, Prometheus and the API server would ask from outside of the Pod must answer.

const system = 'waygate-system';
const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const problem = OwnMachine.problem();
if (problem !== undefined) console.warn(`the probes of deploy/ are not asked: ${problem}`);

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number };
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Deployment {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly [Container];
      };
    };
  };
}

const deployments = readdirSync(join(workspace, 'deploy'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !file.startsWith('crds'))
  .flatMap(
    (file) =>
      parseYamlAll(
        readFileSync(join(workspace, 'deploy', file), 'utf8'),
      ) as unknown as readonly Deployment[],
  )
  .filter(({ kind }) => kind === 'Deployment');

test('there are two Deployments', () => {
  expect(deployments.map(({ metadata }) => metadata.name).sort()).toEqual([
    'waygate-gitops',
    'waygate-ingress',
  ]);
});

describe.skipIf(problem !== undefined)('a Pod', () => {
  let machine: OwnMachine;
  let api: Running;
  const environment = { KUBECONFIG: '/tmp/kubeconfig' };
  const kubectl = (...args: string[]) => machine.run('kubectl', args, { environment });

  beforeAll(async () => {
    machine = await OwnMachine.start();
    api = machine.start(process.execPath, [
      ...[waygate, 'apiserver', '--port=6443', `--kubeconfig-out=${environment.KUBECONFIG}`],
    ]);
    await eventually('the API to answer', () =>
      kubectl('get', '--raw', '/readyz').then(
        () => true,
        () => false,
      ),
    );
    await kubectl('apply', '--server-side', '-k', join(workspace, 'deploy'));
  }, 60_000);

  afterAll(async () => {
    await api?.stop();
    await machine?.[Symbol.asyncDispose]();
  });

  /** Everything that the kubelet gives a container. */
  async function surroundings({ metadata, spec }: Deployment): Promise<Record<string, string>> {
    const { serviceAccountName, containers } = spec.template.spec;
    const token = await kubectl('create', 'token', serviceAccountName, '--namespace', system);
    const authority = await kubectl(
      ...['config', 'view', '--raw', '-o'],
      'jsonpath={.clusters[0].cluster.certificate-authority-data}',
    );
    await machine.write(`${account}/token`, token.trim());
    await machine.write(`${account}/namespace`, system);
    await machine.write(`${account}/ca.crt`, Buffer.from(authority, 'base64').toString('utf8'));
    const fields: Record<string, string> = {
      'metadata.name': `${metadata.name}-0`,
      'metadata.namespace': system,
    };
    return {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: '6443',
      ...Object.fromEntries(
        containers[0].env.map(({ name, value, valueFrom }) => [
          name,
          value ?? fields[valueFrom!.fieldRef.fieldPath]!,
        ]),
      ),
    };
  }

  async function ask(port: number, path: string, scheme = 'http'): Promise<number> {
    const url = `${scheme}://${podAddress}:${port}${path}`;
    const format = ['-o', '/dev/null', '-w', '%{http_code}'];
    return Number(await machine.run('curl', ['-sk', '--max-time', '5', ...format, url]));
  }

  const answers = (what: string, port: number, path: string, scheme?: string) =>
    eventually(`${what} on port ${port} to answer`, async () => {
      const status = await ask(port, path, scheme).catch(() => 0);
      return status === 0 ? undefined : status;
    });

  test.each(deployments)('of $metadata.name answers on every port that it names', async (one) => {
    const variables = await surroundings(one);
    const [{ args, ports, livenessProbe, readinessProbe }] = one.spec.template.spec.containers;
    const expanded = args.map((argument) =>
      argument.replaceAll(/\$\((\w+)\)/g, (_, name: string) => variables[name] ?? ''),
    );
    const portOf = ({ httpGet: { port } }: Probe): number =>
      typeof port === 'number' ? port : ports.find(({ name }) => name === port)!.containerPort;
    const program = machine.start(process.execPath, [waygate, ...expanded], variables);
    try {
      const { httpGet: alive } = livenessProbe;
      expect(await answers('liveness', portOf(livenessProbe), alive.path)).toBe(200);
      // The gateway that the manifest names is not here: who waits for one is alive, and not ready.
      const needsGateway = 'CONTROLLER_KONG_ADMIN_URL' in variables;
      const { httpGet: ready } = readinessProbe;
      await eventually('readiness to be told', async () => {
        const status = await ask(portOf(readinessProbe), ready.path);
        return status === (needsGateway ? 500 : 200);
      });
      for (const { name, containerPort } of ports) {
        const scheme = name === 'webhook' ? 'https' : 'http';
        const status = await answers(name, containerPort, `/${name}`, scheme);
        if (name === 'metrics') expect(status).toBe(200);
      }
      expect(await ask(portOf(livenessProbe), alive.path)).toBe(200);
    } catch (error) {
      throw new Error(`${String(error)}\n${program.output()}`);
    } finally {
      await program.stop();
    }
    expect(program.output()).not.toMatch(/forbidden|defect/i);
  });
});
