import type { Container } from '@waygate/schema';
import { type Running, waygate } from '../real/processes.ts';
import { until } from '../until.ts';
import { startStandIn } from './kong-stand-in.ts';
import { system, type Workload } from './manifests.ts';
import { type OwnMachine, podAddress } from './own-machine.ts';

const account = '/var/run/secrets/kubernetes.io/serviceaccount';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number };
}

export interface PodOptions {
  readonly machine: OwnMachine;
  readonly kubectl: (...args: string[]) => Promise<string>;
  /** What an operator would say in an overlay of their own. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * The containers of a workload, each with exactly its arguments, its environment and the token of its account;
 * Kong is stood in for by our gateway. They are asked what a kubelet and Prometheus would ask from outside.
 */
export class Pod implements AsyncDisposable {
  readonly #machine: OwnMachine;
  readonly #workload: Workload;
  readonly #running = new Map<string, Running>();

  static async start(workload: Workload, options: PodOptions): Promise<Pod> {
    const pod = new Pod(options.machine, workload);
    const { serviceAccountName, containers } = workload.spec.template.spec;
    if (serviceAccountName !== undefined) await pod.#giveToken(serviceAccountName, options.kubectl);
    try {
      for (const container of containers)
        pod.#running.set(container.name, await pod.#start(container, options.environment ?? {}));
    } catch (error) {
      await pod[Symbol.asyncDispose]();
      throw error;
    }
    return pod;
  }

  private constructor(machine: OwnMachine, workload: Workload) {
    this.#machine = machine;
    this.#workload = workload;
  }

  output(): string {
    return [...this.#running].map(([name, one]) => `${name}:\n${one.output()}`).join('\n');
  }

  /** The status that a port of the Pod answers with; 0 when nothing does. */
  async ask(port: number, path: string): Promise<number> {
    const url = `http://${podAddress}:${port}${path}`;
    const format = ['-o', '/dev/null', '-w', '%{http_code}'];
    const args = ['-sk', '--max-time', '5', ...format, url];
    return Number(await this.#machine.run('curl', args).catch(() => 0));
  }

  /** Waits until the probes of all containers are content, and asks for metrics where some are named. */
  async untilReady(): Promise<void> {
    for (const { livenessProbe, readinessProbe, ports = [] } of this.#containers()) {
      for (const probe of [livenessProbe, readinessProbe] as unknown as Probe[]) {
        const { path, port } = probe.httpGet;
        const number = ports.find(({ name }) => name === port)!.containerPort;
        await until(
          `${path} on port ${number} to be content`,
          async () => (await this.ask(number, path)) === 200,
        );
      }
      for (const { name, containerPort } of ports) {
        const isMetrics = name === 'metrics' || name === 'status';
        if (isMetrics && (await this.ask(containerPort, '/metrics')) !== 200)
          throw new Error(`there are no metrics on port ${containerPort}`);
      }
    }
  }

  #containers(): readonly Container[] {
    return this.#workload.spec.template.spec.containers;
  }

  async #giveToken(name: string, kubectl: PodOptions['kubectl']): Promise<void> {
    const token = await kubectl('create', 'token', name, '--namespace', system);
    const authority = await kubectl(
      ...['config', 'view', '--raw', '-o'],
      'jsonpath={.clusters[0].cluster.certificate-authority-data}',
    );
    await this.#machine.write(`${account}/token`, token.trim());
    await this.#machine.write(`${account}/namespace`, system);
    await this.#machine.write(
      `${account}/ca.crt`,
      Buffer.from(authority, 'base64').toString('utf8'),
    );
  }

  #start(container: Container, more: Readonly<Record<string, string>>): Promise<Running> {
    const { name = '' } = this.#workload.metadata;
    const fields: Record<string, string> = {
      'metadata.name': `${name}-0`,
      'metadata.namespace': system,
      'status.podIP': '127.0.0.1',
    };
    const own = (container.env ?? []).map(({ name: variable, value, valueFrom }) => {
      const path = valueFrom?.fieldRef?.fieldPath;
      return [variable, value ?? (path === undefined ? 'from a Secret' : fields[path]!)] as const;
    });
    const variables: Record<string, string> = {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: '6443',
      ...Object.fromEntries(own),
      ...more,
    };
    const args = (container.args ?? []).map((argument) =>
      argument.replaceAll(/\$\((\w+)\)/g, (_, variable: string) => variables[variable] ?? ''),
    );
    if (container.name === 'kong') return startStandIn(this.#machine, variables);
    return Promise.resolve(this.#machine.start(process.execPath, [waygate, ...args], variables));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of [...this.#running.values()].reverse()) await one.stop();
  }
}
