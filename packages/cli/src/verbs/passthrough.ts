import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { PassthroughCluster, type PassthroughConfig, parseConfig } from '@waygate/passthrough';
import { parseYaml } from '@waygate/text';
import { type Command, InvalidArgumentError } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { followFile } from '../follow-file.ts';
import { listenOption, parseListenAddress } from '../listen-address.ts';
import { serveMetrics } from '../metrics-server.ts';

interface Flags {
  readonly config: string;
  readonly listen: { host: string; port: number };
  readonly workers: number;
  readonly drain: number;
  readonly metricsListen?: { host: string; port: number };
  readonly accessLog?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  command
    .requiredOption(
      '-c, --config <file>',
      'hosts and their backends, YAML or JSON; followed while running',
    )
    .addOption(listenOption('-l, --listen', 'where to take connections', '127.0.0.1:8443'))
    .option(
      '-w, --workers <count>',
      'processes that share the port',
      parseCount,
      availableParallelism(),
    )
    .option(
      '--drain <seconds>',
      'how long living connections may go on after a stop',
      parseCount,
      30,
    )
    .option('--metrics-listen <host:port>', 'serve /metrics there', parseListenAddress)
    .option('--access-log', 'print a line of JSON for every connection that ended')
    .addHelpText(
      'after',
      `
The configuration:
  hosts:
    - host: shop.example.com           # or *.example.com
      backend: { endpoints: ["10.0.0.7:8443", "10.0.0.8:8443"], proxyProtocol: v2 }
  defaultBackend: { endpoints: ["127.0.0.1:9443"] }

Examples:
  waygate passthrough --config hosts.yaml --listen 0.0.0.0:443
  waygate passthrough -c hosts.yaml --metrics-listen 127.0.0.1:9090 --access-log`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const path = resolve(context.cwd, flags.config);
  const file = await followFile(path, context.signal).catch((error: Error) => {
    throw new CliError(`cannot read ${flags.config}: ${error.message}`);
  });
  const config = readConfig(file.text, flags.config);
  const say = (text: string): void => {
    context.stderr.write(`${text}\n`);
  };
  const cluster = new PassthroughCluster({
    ...config,
    workers: flags.workers,
    onWorkerExit: ({ processId }) => say(`a worker ended (process ${processId}); starting another`),
    ...(flags.accessLog
      ? { onConnection: (summary) => context.stdout.write(`${JSON.stringify(summary)}\n`) }
      : {}),
  });
  const address = await cluster.start(flags.listen).catch(async (error: NodeJS.ErrnoException) => {
    await cluster.stop();
    throw cannotListen(error, flags.listen);
  });
  const metrics =
    flags.metricsListen === undefined
      ? undefined
      : await serveMetrics(flags.metricsListen, cluster);
  say(
    `passing TLS through on ${address.host}:${address.port}, ${config.table.hosts.length} hosts, ${flags.workers} workers`,
  );
  for await (const text of file.changes) {
    try {
      const next = readConfig(text, flags.config);
      await cluster.update(next.table);
      say(`${flags.config} changed: ${next.table.hosts.length} hosts`);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      say(`${error.message}\nthe configuration before stays in force`);
    }
  }
  say('stopping');
  await metrics?.close();
  await cluster.stop({ drainMs: 1000 * flags.drain });
}

/** Reads the file's text; every problem is named, with its place. */
function readConfig(text: string, name: string): PassthroughConfig {
  let value: unknown;
  try {
    value = parseYaml(text, { name, booleans: 'true-false' });
  } catch (error) {
    throw new CliError((error as Error).message, { exitCode: exitCode.failed });
  }
  const { config, problems } = parseConfig(value);
  if (problems.length === 0) return config;
  const lines = problems.map(({ field, message }) => `  ${field || '(top)'}: ${message}`);
  throw new CliError(`${name} cannot be used:\n${lines.join('\n')}`);
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: Flags['listen']): CliError {
  const hint =
    error.code === 'EADDRINUSE'
      ? 'Another program listens there; choose another port with --listen.'
      : error.code === 'EACCES'
        ? 'Ports below 1024 need the right to bind them (CAP_NET_BIND_SERVICE).'
        : undefined;
  return new CliError(`cannot listen on ${host}:${port}: ${error.message}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}

function parseCount(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('must be a whole number.');
  return Number(text);
}
