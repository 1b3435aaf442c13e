import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, type ApiServerOptions, type RunningApiServer } from '@waygate/apiserver';
import { type Running, start } from '../real/processes.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The real kubectl, with a home directory of its own in which its kubeconfig is. */
export class KubectlProgram {
  readonly directory: string;
  readonly #program: string;
  #namespaces = 0;

  constructor(directory: string, program = 'kubectl') {
    this.directory = directory;
    this.#program = program;
  }

  /** Runs to the end; a failure is an outcome, not an exception. */
  attempt(args: readonly string[], options: KubectlOptions = {}): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn(this.#program, [...this.#place(), ...args], {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: { ...process.env, HOME: this.directory, ...options.environment },
        timeout: 60_000,
      });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => (stdout += chunk));
      child.stderr.on('data', (chunk) => (stderr += chunk));
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
      child.stdin.on('error', () => undefined);
      child.stdin.end(options.input ?? '');
    });
  }

  /** Runs something that has to work, and returns what it printed. */
  async run(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.attempt(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  async json<T = Record<string, unknown>>(args: readonly string[]): Promise<T> {
    return JSON.parse(await this.run([...args, '-o', 'json'])) as T;
  }

  apply(manifest: string, ...args: readonly string[]): Promise<string> {
    return this.run(['apply', '-f', '-', ...args], { input: manifest });
  }

  /** Writes the status of something; a path as of the API, below which `/status` is. */
  async writeStatus(path: string, status: unknown): Promise<void> {
    const object = JSON.parse(await this.run(['get', '--raw', path])) as Record<string, unknown>;
    const file = await this.file('status.json', JSON.stringify({ ...object, status }));
    await this.run(['replace', '--raw', `${path}/status`, '-f', file]);
  }

  /** Starts one that goes on, such as a watch. */
  follow(args: readonly string[]): Running {
    return start(this.#program, [
      ...this.#place(),
      '--cache-dir',
      join(this.directory, 'cache'),
      ...args,
    ]);
  }

  /** A namespace that no other test has. */
  async namespace(): Promise<string> {
    const name = `ns-${++this.#namespaces}`;
    await this.run(['create', 'namespace', name]);
    return name;
  }

  async file(name: string, text: string, mode = 0o600): Promise<string> {
    const path = join(this.directory, name);
    await writeFile(path, text);
    await chmod(path, mode);
    return path;
  }

  #place(): string[] {
    return ['--kubeconfig', join(this.directory, 'kubeconfig')];
  }
}

/** The real kubectl on an embedded API of its own. */
export class Kubectl extends KubectlProgram {
  readonly server: RunningApiServer;

  private constructor(server: RunningApiServer, directory: string, program: string) {
    super(directory, program);
    this.server = server;
  }

  static async start(options: ApiServerOptions = {}, program = 'kubectl'): Promise<Kubectl> {
    const server = await new ApiServer({ log: () => undefined, ...options }).start();
    return new Kubectl(server, await kubectlHome(server.kubeconfig), program);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** A home directory for kubectl. */
export async function kubectlHome(kubeconfig: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'waygate-kubectl-'));
  await writeFile(join(directory, 'kubeconfig'), kubeconfig, { mode: 0o600 });
  return directory;
}

export const deployment = (name: string, replicas = 2) => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: { app: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: web
          image: nginx:1.27
          ports: [{ containerPort: 80 }]
`;

export const configMap = (name: string, data: Readonly<Record<string, string>>) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

export const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources:
        status: {}
        scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size }
      additionalPrinterColumns:
        - { name: Size, type: integer, jsonPath: .spec.size }
        - { name: Colour, type: string, jsonPath: .spec.colour, priority: 1 }
      schema:
        openAPIV3Schema:
          description: A widget has a size and a colour.
          type: object
          required: [spec]
          properties:
            spec:
              description: What the widget should be.
              type: object
              required: [size]
              properties:
                size: { type: integer, minimum: 1, description: How large it is. }
                colour: { type: string, enum: [red, green], default: red }
                parts:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties: { name: { type: string }, weight: { type: integer } }
              x-kubernetes-validations:
                - { rule: 'self.size < 100', message: size has to be under 100 }
            status:
              type: object
              properties: { size: { type: integer } }
`;
