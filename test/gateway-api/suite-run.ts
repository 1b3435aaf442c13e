import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, staticToken } from '@waygate/kube';
import { World } from '../hostile/world.ts';
import { ApiFront } from './api-front.ts';
import type { ConformanceSuite } from './conformance-suite.ts';
import { LocalNode } from './local-node.ts';

/** A cluster of `waygate up` with a stand-in for its nodes, as the suite expects to find one. */
export class SuiteCluster {
  /** Where the suite finds the API. */
  readonly url: string;
  readonly #directory: string;
  readonly #world: World;
  readonly #front: ApiFront;
  readonly #client: KubeClient;
  readonly #stopping = new AbortController();
  readonly #node: Promise<void>;
  readonly #said: readonly string[];

  private constructor(
    directory: string,
    world: World,
    client: KubeClient,
    node: LocalNode,
    front: ApiFront,
    url: string,
    said: readonly string[],
  ) {
    this.#said = said;
    this.#directory = directory;
    this.#world = world;
    this.#client = client;
    this.#front = front;
    this.url = url;
    this.#node = node.run(this.#stopping.signal);
  }

  static async start(suite: ConformanceSuite, args: readonly string[]): Promise<SuiteCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-gateway-api-'));
    const world = await World.start(args);
    const { port, token, ca } = world.access;
    const server = `https://127.0.0.1:${port}`;
    const client = new KubeClient({
      server,
      namespace: 'default',
      tls: { caData: ca },
      credentials: staticToken(token),
    });
    const { echoProgram } = suite;
    const said: string[] = [];
    const log = (line: string) => void said.push(line);
    const node = new LocalNode({ client, echoProgram, directory, log });
    const front = new ApiFront({ url: server, ca, token, node });
    const url = await front.start();
    const cluster = new SuiteCluster(directory, world, client, node, front, url, said);
    await cluster.#applyDefinitions(suite);
    await cluster.#awaitFeatures();
    return cluster;
  }

  /** Runs the suite to its end, and returns all that it wrote. */
  async run(
    suite: ConformanceSuite,
    args: readonly string[],
    onOutput: (text: string) => void = () => {},
  ): Promise<string> {
    const kubeconfig = join(this.#directory, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigFor(this.url));
    const child = spawn(
      suite.program,
      ['-test.v', '-test.run=^TestConformance$', '-test.timeout=0', ...args],
      {
        cwd: this.#directory,
        env: { ...process.env, KUBECONFIG: kubeconfig },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += String(chunk);
        onOutput(String(chunk));
      });
    await once(child, 'close');
    return output;
  }

  /** What `up` and the stand-in for the nodes said. */
  get log(): string {
    return `${this.#world.stack.output()}\n${[...new Set(this.#said)].join('\n')}\n`;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#node;
    this.#front.stop();
    await this.#client.close();
    await this.#world.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** The suite reads once, right at its start, what the class says that it can be asked for. */
  async #awaitFeatures(): Promise<void> {
    const path = '/apis/gateway.networking.k8s.io/v1/gatewayclasses/kong';
    const until = Date.now() + 60_000;
    for (;;) {
      const answer = await fetch(`${this.url}${path}`);
      const { status } = (await answer.json()) as { status?: { supportedFeatures?: unknown[] } };
      if (status?.supportedFeatures?.length) return;
      if (Date.now() > until) throw new Error(`the class declares nothing: ${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #applyDefinitions({ definitions }: ConformanceSuite): Promise<void> {
    for (const text of definitions) {
      const name = /^ {2}name: (\S+)$/m.exec(text)?.[1];
      if (!/^kind: CustomResourceDefinition$/m.test(text) || name === undefined) continue;
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
      let answer = await this.#apply(path, text);
      if (answer.status === 422) {
        // An older release: what is stored in a version that it does not have stands in its way.
        await fetch(`${this.url}${path}`, { method: 'DELETE' });
        while ((await fetch(`${this.url}${path}`)).status !== 404)
          await new Promise((resolve) => setTimeout(resolve, 50));
        answer = await this.#apply(path, text);
      }
      if (!answer.ok) throw new Error(`${name} was refused: ${await answer.text()}`);
    }
  }

  #apply(path: string, text: string): Promise<Response> {
    return fetch(`${this.url}${path}?fieldManager=suite&force=true`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: text,
    });
  }
}

function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'suite',
    clusters: [{ name: 'suite', cluster: { server } }],
    contexts: [{ name: 'suite', context: { cluster: 'suite', user: 'suite' } }],
    users: [{ name: 'suite', user: {} }],
  });
}
