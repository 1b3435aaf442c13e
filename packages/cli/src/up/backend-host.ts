import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CliError } from '../context.ts';
import type { HostOrder, HostReport } from './backend-host-process.ts';

/** The local backends in a process of their own, which ends with this one. */
export class BackendHost {
  readonly ports = new Map<string, number>();
  #child: ChildProcess | undefined;

  async start(
    order: HostOrder,
    log: (line: string) => void,
    env: NodeJS.ProcessEnv,
  ): Promise<void> {
    if (order.backends.length === 0) return;
    const child = fork(fileURLToPath(new URL('./backend-host-process.js', import.meta.url)), {
      env,
      // A group of its own: the terminal's Ctrl-C must not end the backends before the gateway.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    const started = new Promise<Readonly<Record<string, number>>>((resolve, reject) => {
      child.on('message', (report: HostReport) => {
        if (report.type === 'line') log(report.line);
        else if (report.type === 'started') resolve(report.ports);
        else reject(new CliError(`cannot start the local backends: ${report.message}`));
      });
      child.once('exit', () => reject(new CliError('the process of the local backends ended')));
    });
    child.send(order);
    for (const [name, port] of Object.entries(await started)) this.ports.set(name, port);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || !child.connected) return;
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  }
}
