import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type SyncMode = 'database' | 'dbless';

/** Where a part answers. */
export interface PartAddress {
  readonly url: string;
  readonly token: string;
}

export type PartQuestion =
  | { readonly ask: 'api'; readonly size: number }
  | { readonly ask: 'gateway'; readonly mode: SyncMode }
  | { readonly ask: 'sync'; readonly api: PartAddress; readonly gateway: PartAddress }
  | { readonly ask: 'usage' };

interface Usage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

export type PartAnswer = PartAddress | Usage | { readonly syncedMs: number };

/** Node.js as the image starts it. */
const execArgv = ['--max-semi-space-size=32'];

/** One of the processes that a cluster has: API server, controller, gateway. */
export class Part {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('./part.js', import.meta.url)), {
    execArgv,
  });

  async ask<T extends PartAnswer>(question: PartQuestion): Promise<T> {
    const failed = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`a part ended with ${String(code)} before it answered ${question.ask}`);
    });
    this.#child.send(question);
    const [answer] = await Promise.race([once(this.#child, 'message'), failed]);
    return answer as T;
  }

  usage(): Promise<Usage> {
    return this.ask({ ask: 'usage' });
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}

/** What a first sync took, and each process of it. */
export interface FirstSync {
  readonly syncedMs: number;
  readonly apiCpuSeconds: number;
  readonly controller: Usage;
  readonly gateway: Usage;
}

/** A controller syncs an empty gateway with a cluster, all three as processes of their own. */
export async function syncApart(api: Part, at: PartAddress, mode: SyncMode): Promise<FirstSync> {
  const gateway = new Part();
  const controller = new Part();
  try {
    const address = await gateway.ask<PartAddress>({ ask: 'gateway', mode });
    const before = await api.usage();
    const started = await Promise.all([controller.usage(), gateway.usage()]);
    const { syncedMs } = await controller.ask<{ readonly syncedMs: number }>({
      ask: 'sync',
      api: at,
      gateway: address,
    });
    const ended = await Promise.all([controller.usage(), gateway.usage()]);
    const after = await api.usage();
    const [controllerUsage, gatewayUsage] = ended.map(({ cpuSeconds, rssBytes }, index) => ({
      cpuSeconds: cpuSeconds - (started[index]?.cpuSeconds ?? 0),
      rssBytes,
    })) as [Usage, Usage];
    return {
      syncedMs,
      apiCpuSeconds: after.cpuSeconds - before.cpuSeconds,
      controller: controllerUsage,
      gateway: gatewayUsage,
    };
  } finally {
    await Promise.all([gateway.stop(), controller.stop()]);
  }
}
