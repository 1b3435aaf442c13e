import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A gateway in processes of its own whose configuration changes all the time. */
export class ChangingGateway {
  readonly #process: ChildProcess;
  readonly #admin: string;
  readonly proxyPort: number;
  #changes = 0;
  #problems: string[] = [];

  private constructor(child: ChildProcess, adminPort: number, proxyPort: number) {
    this.#process = child;
    this.#admin = `http://127.0.0.1:${adminPort}`;
    this.proxyPort = proxyPort;
  }

  static async start(workers: number): Promise<ChangingGateway> {
    const child = fork(fileURLToPath(new URL('./load-server.js', import.meta.url)));
    child.send({ workers });
    const [message] = (await once(child, 'message')) as [{ admin: number; proxy: number }];
    return new ChangingGateway(child, message.admin, message.proxy);
  }

  get changes(): number {
    return this.#changes;
  }

  /** Changes that were refused: there should be none. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  async configure(targets: readonly number[]): Promise<void> {
    await this.#call('POST', '/upstreams', { name: 'load' });
    for (const port of targets) {
      await this.#call('POST', '/upstreams/load/targets', { target: `127.0.0.1:${port}` });
    }
    await this.#call('POST', '/services', { name: 'load', host: 'load', retries: 5 });
    await this.#call('POST', '/services/load/routes', { name: 'load', paths: ['/load'] });
    await this.#call('POST', '/plugins', {
      name: 'prometheus',
      config: { status_code_metrics: true, latency_metrics: true, bandwidth_metrics: true },
    });
    await this.#call('POST', '/plugins', { name: 'correlation-id' });
  }

  /** One change after the other, until told to stop. */
  async change(everyMs: number, targets: readonly number[], signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const startedAt = performance.now();
      await this.#changeOnce(turn, targets);
      this.#changes += 1;
      const restMs = everyMs - (performance.now() - startedAt);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  }

  /** Resident memory of all its processes, in megabytes. */
  async memoryMb(): Promise<number> {
    const root = (await (await fetch(`${this.#admin}/`)).json()) as {
      pids: { master: number; workers: number[] };
    };
    const ids = new Set([root.pids.master, ...root.pids.workers]);
    return [...ids].reduce((sum, id) => sum + residentMb(id), 0);
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.disconnect();
    await exited;
  }

  async #changeOnce(turn: number, targets: readonly number[]): Promise<void> {
    const port = targets[turn % targets.length];
    switch (turn % 6) {
      case 0:
        await this.#call('PUT', '/services/load/routes/extra', { paths: [`/extra-${turn}`] });
        return;
      case 1:
        await this.#call('PATCH', '/services/load', { read_timeout: 30_000 + turn });
        return;
      case 2:
        await this.#call('DELETE', `/upstreams/load/targets/127.0.0.1:${port}`);
        await this.#call('POST', '/upstreams/load/targets', { target: `127.0.0.1:${port}` });
        return;
      case 3:
        await this.#call('PUT', `/consumers/c${turn % 50}`, { custom_id: `x${turn}` });
        return;
      case 4:
        await this.#call('PATCH', '/upstreams/load', {
          algorithm: ['round-robin', 'least-connections', 'latency'][Math.floor(turn / 6) % 3],
        });
        return;
      default:
        await this.#call('DELETE', '/routes/extra');
    }
  }

  async #call(method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(this.#admin + path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) this.#problems.push(`${method} ${path}: ${answer.status} ${text}`);
  }
}

function residentMb(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
}
