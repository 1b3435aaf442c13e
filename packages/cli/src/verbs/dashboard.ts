import { userInfo } from 'node:os';
import type { AdminClient } from '@waygate/kong';
import { type Command, InvalidArgumentError } from 'commander';
import { type ClusterFlags, clusterOptions, withCluster } from '../cluster-option.ts';
import type { CliContext } from '../context.ts';
import { LocalDashboard } from '../dashboard/local-dashboard.ts';
import { openBrowser } from '../dashboard/open-browser.ts';
import { PreviewStores } from '../dashboard/preview-stores.ts';
import { translationProblems } from '../dashboard/translation-problems.ts';
import {
  type ConnectionOptions,
  connectionOptions,
  withChosenGateway,
} from './gateway-connection.ts';

interface Flags extends ClusterFlags, ConnectionOptions {
  readonly port: number;
  readonly open?: boolean;
  readonly ingressClass: string;
  readonly skipGateway?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .option('--port <port>', 'where it is served on this machine (0: any free port)', parsePort, 0)
    .option('--open', 'open it in the browser')
    .option('--ingress-class <name>', 'the class of objects that the gateway serves', 'kong')
    .option('--skip-gateway', 'look at the cluster alone');
  connectionOptions(command)
    .addHelpText(
      'after',
      `
Serves the dashboard of a cluster on this machine, with the rights that the kubeconfig has. With -n
only one namespace is looked at, for those who may not read the others. The gateway is that of
--kong-addr, or of the waygate up that wrote the kubeconfig.

Examples:
  waygate dashboard --open
  waygate dashboard --kubeconfig staging.yaml --kong-addr http://localhost:8001
  waygate dashboard -n shop --skip-gateway`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  await withChosenGateway(flags, context, flags.skipGateway === true, (admin) =>
    serve(flags, admin, context),
  );
}

async function serve(
  flags: Flags,
  admin: AdminClient | undefined,
  context: CliContext,
): Promise<void> {
  const { signal } = context;
  const previews = new PreviewStores();
  await withCluster(flags, context, async (client) => {
    const dashboard = new LocalDashboard({
      client,
      admin: admin && (() => admin),
      port: flags.port,
      cluster: new URL(client.config.server).host,
      user: userInfo().username,
      namespace: flags.namespace,
      ingressClass: flags.ingressClass,
      previews: { directory: previews.directoryOf({ key: 'owner' }) },
      reported: (stop) => translationProblems(client, flags.ingressClass, stop),
      onError: (error) => {
        if ((flags.verbose ?? 0) > 0) context.stderr.write(`${(error as Error).message}\n`);
      },
    });
    await dashboard.listen();
    const url = dashboard.openingUrl();
    context.stdout.write(
      `The dashboard of ${client.config.server} (opens once; Ctrl-C ends it):\n  ${url}\n`,
    );
    if (flags.open === true) openBrowser(url);
    await dashboard.run(signal);
  }).finally(() => previews.close());
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new InvalidArgumentError('must be a port, 0 to 65535.');
  return port;
}
