// The process that owns the local backends. When the program that started it is gone, however it went,
// the channel between them closes, and the backends are ended: nothing is left behind by a kill -9.
import { LocalBackends } from './local-backends.ts';
import type { LocalBackend } from './project-file.ts';

export interface HostOrder {
  readonly backends: readonly LocalBackend[];
  readonly directory: string;
  readonly preferredPorts: Readonly<Record<string, number>>;
}

export type HostReport =
  | { readonly type: 'started'; readonly ports: Readonly<Record<string, number>> }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'line'; readonly line: string };

let backends: LocalBackends | undefined;

process.once('message', async (order: HostOrder) => {
  backends = new LocalBackends(order.backends, {
    directory: order.directory,
    env: process.env,
    log: (line) => report({ type: 'line', line }),
    preferredPorts: new Map(Object.entries(order.preferredPorts)),
  });
  try {
    await backends.start();
    report({ type: 'started', ports: Object.fromEntries(backends.ports) });
  } catch (error) {
    report({ type: 'failed', message: (error as Error).message });
  }
});

process.once('disconnect', async () => {
  await backends?.stop();
  process.exit(0);
});

function report(message: HostReport): void {
  if (process.connected) process.send?.(message);
}
