import { resolve } from 'node:path';
import { ApiServer } from '@waygate/apiserver';
import { StorageError, writeWholeFile } from '@waygate/text';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import type { Verb } from '../verb.ts';

interface Flags {
  readonly dataDir?: string;
  readonly host: string;
  readonly port: number;
  readonly kubeconfigOut?: string;
  readonly allowLoopbackEndpoints?: boolean;
}

export const verbs: readonly Verb[] = [
  {
    name: 'snapshot',
    summary: 'Save all objects of a data directory in one file, while it is in use or not',
    load: () => import('./apiserver-snapshot.ts'),
  },
  {
    name: 'restore',
    summary: 'Go back to a snapshot, or to what can be read of a damaged store',
    load: () => import('./apiserver-restore.ts'),
  },
];

export function configure(command: Command, context: CliContext): void {
  command
    // The verbs below have a --data-dir of their own.
    .enablePositionalOptions()
    .option('--data-dir <directory>', 'keep everything there; without it, in memory only')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('-p, --port <number>', 'the port to listen on; 0 takes a free one', parsePort, 6443)
    .option('--kubeconfig-out <file>', "write the administrator's kubeconfig, readable by you only")
    .option(
      '--allow-loopback-endpoints',
      'let endpoints be on 127.0.0.1, which Kubernetes refuses: for backends on this machine',
    )
    .addHelpText(
      'after',
      `
Runs a Kubernetes API in this process: no cluster, no containers, and nothing runs pods.

Examples:
  waygate apiserver --kubeconfig-out kubeconfig
  waygate apiserver --data-dir ~/.waygate --port 7443 --kubeconfig-out kubeconfig
  kubectl --kubeconfig kubeconfig get namespaces
  waygate apiserver snapshot --data-dir ~/.waygate --output objects.snapshot`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const say = (text: string): void => {
    context.stderr.write(`${text}\n`);
  };
  const server = await new ApiServer({
    host: flags.host,
    port: flags.port,
    log: say,
    allowsLoopbackEndpoints: flags.allowLoopbackEndpoints ?? false,
    ...(flags.dataDir === undefined ? {} : { dataDir: resolve(context.cwd, flags.dataDir) }),
  })
    .start()
    .catch((error: Error) => {
      if (error instanceof StorageError) throw error;
      throw new CliError(`the API server did not start: ${error.message}`, { cause: error });
    });
  try {
    if (flags.kubeconfigOut !== undefined) {
      const file = resolve(context.cwd, flags.kubeconfigOut);
      writeWholeFile(file, server.kubeconfig);
      say(`waygate apiserver: the kubeconfig is in ${flags.kubeconfigOut}`);
    }
    say(`waygate apiserver: serving on ${server.url}`);
    await stopped(context.signal);
  } finally {
    await server.stop();
  }
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new InvalidArgumentError('a port is 0 to 65535');
  return port;
}
