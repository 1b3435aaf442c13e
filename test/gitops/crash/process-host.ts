import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Running, start, waygate } from '../../real/processes.ts';
import { GitHttpsServer } from '../git-https-server.ts';
import { type ApiAddress, type ControllerHost, crashNamespace } from './controller-host.ts';
import { tornArtifacts } from './torn-artifacts.ts';

const hook = pathToFileURL(join(import.meta.dirname, 'kill-at.mjs')).href;

/** `waygate controller` in a process of its own, which ends by SIGKILL. */
export class ProcessHost implements ControllerHost {
  private readonly home = mkdtempSync(join(tmpdir(), 'waygate-killed-'));
  private readonly storageDirectory: string;
  private readonly repositories: GitHttpsServer;

  static async start(api: ApiAddress, storageDirectory: string): Promise<ProcessHost> {
    const repositories = await GitHttpsServer.start({ root: '/', username: '-', password: '-' });
    repositories.isOpen = true;
    return new ProcessHost(api, storageDirectory, repositories);
  }

  private constructor(
    { url, adminToken }: ApiAddress,
    storageDirectory: string,
    repositories: GitHttpsServer,
  ) {
    this.storageDirectory = storageDirectory;
    this.repositories = repositories;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [{ name: 'test', cluster: { server: url } }],
      users: [{ name: 'test', user: { token: adminToken } }],
      contexts: [
        { name: 'test', context: { cluster: 'test', user: 'test', namespace: crashNamespace } },
      ],
    };
    writeFileSync(join(this.home, 'kubeconfig'), JSON.stringify(config));
  }

  urlOf(directory: string): string {
    return `${this.repositories.url}/${relative('/', directory)}/.git`;
  }

  async crash(random: () => number, isDone: () => Promise<void>): Promise<string> {
    const log = join(this.home, 'killed');
    rmSync(log, { force: true });
    const step = 1 + Math.floor(random() * 90);
    const running = this.spawn(['source', 'kustomize'], `${hook}?step=${step}&log=${log}`);
    const killed = once(running.process, 'exit');
    const end = await Promise.race([
      killed.then(() => 'killed'),
      isDone().then(
        () => 'idle',
        () => 'still at work',
      ),
    ]);
    // What is idle may be killed as well.
    await running.stop('SIGKILL');
    if (running.process.signalCode !== 'SIGKILL') {
      throw new Error(`the controller ended by itself:\n${running.output()}`);
    }
    const torn = await tornArtifacts(this.storageDirectory);
    if (torn.length > 0) throw new Error(`torn: ${torn.join(', ')}`);
    return end === 'killed' ? `${step}: ${readFileSync(log, 'utf8')}` : `${step}: ${end}`;
  }

  async run(
    which: readonly ('source' | 'kustomize')[],
    isDone: () => Promise<void>,
  ): Promise<void> {
    const running = this.spawn(which);
    try {
      await isDone();
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${running.output()}`);
    } finally {
      await running.stop('SIGKILL');
    }
  }

  private spawn(which: readonly string[], imported?: string): Running {
    return start(process.execPath, [
      ...(imported === undefined ? [] : ['--import', imported]),
      waygate,
      'controller',
      `--controllers=${which.join(',')}`,
      `--kubeconfig=${join(this.home, 'kubeconfig')}`,
      `--storage-path=${this.storageDirectory}`,
      '--storage-addr=127.0.0.1:0',
      '--metrics-addr=off',
      '--health-addr=off',
      '--requeue-dependency=200ms',
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.repositories[Symbol.asyncDispose]();
    rmSync(this.home, { recursive: true, force: true });
  }
}
