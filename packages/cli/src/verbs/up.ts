import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { corsOriginOption } from '../cors-origin-option.ts';
import { openBrowser } from '../dashboard/open-browser.ts';
import { followChanges } from '../up/change-feed.ts';
import { findSource, refuseStateAsSource, type SourceChoice } from '../up/find-source.ts';
import { readProjectFile } from '../up/project-file.ts';
import { Stack, type StackOptions } from '../up/stack.ts';
import { StateDirectory } from '../up/state-directory.ts';
import { summary } from '../up/summary.ts';

interface Flags {
  readonly dataDir?: string;
  readonly path?: string;
  readonly source: SourceChoice;
  readonly apiPort: number;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly adminPort: number;
  readonly adminCorsOrigin: readonly string[];
  readonly dashboard: boolean;
  readonly dashboardPort: number;
  readonly open?: boolean;
  readonly verbose?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  command
    .argument('[dir]', 'manifests, a kustomization, or a Git work tree to apply and follow')
    .option('--data-dir <dir>', 'keep the state there, over restarts; without it nothing is kept')
    .option('--path <path>', 'what to build inside the directory (or path: in its waygate.yaml)')
    .addOption(
      new Option(
        '--source <kind>',
        'follow commits or files; auto takes commits where there are any',
      )
        .choices(['auto', 'git', 'directory'])
        .default('auto'),
    )
    .option('--api-port <port>', 'the Kubernetes API (0: any free port)', parsePort, 0)
    .option('--http-port <port>', 'the gateway, HTTP', parsePort, 0)
    .option('--https-port <port>', 'the gateway, HTTPS', parsePort, 0)
    .option('--admin-port <port>', "the gateway's Admin API", parsePort, 0)
    .addOption(corsOriginOption())
    .option('--dashboard [on]', 'serve the dashboard; --dashboard=false does not', isOn, true)
    .option('--dashboard-port <port>', 'the dashboard', parsePort, 0)
    .option('--open', 'open the dashboard in the browser')
    .option('-v, --verbose', 'tell what the parts of the stack say, too')
    .addHelpText(
      'after',
      `
A directory may hold a waygate.yaml that names the path to build and the local processes to start:
  path: overlays/laptop
  backends:
    - name: web
      command: [node, server.mjs]     # gets a free port in PORT; manifests say \${web_port}

The Admin API wants a token, which lies beside the kubeconfig: verbs of waygate find both when
KUBECONFIG names it, and other programs send it as the header Kong-Admin-Token. Web pages are refused
but for those that --admin-cors-origin names, and these need the token, too.

Examples:
  waygate up                                      an empty cluster with a gateway
  waygate up examples/shop                        follow a directory
  waygate up ~/src/shop --data-dir .waygate       follow a Git work tree, keep the state
  waygate up . --http-port 8000 --api-port 6443   on ports of your choice`,
    )
    .action((directory: string | undefined, flags: Flags) => up(directory, flags, context));
}

async function up(directory: string | undefined, flags: Flags, context: CliContext): Promise<void> {
  const project =
    directory === undefined ? undefined : openProject(resolve(context.cwd, directory), flags);
  const dataDir = flags.dataDir === undefined ? undefined : resolve(context.cwd, flags.dataDir);
  if (directory !== undefined) refuseStateAsSource(resolve(context.cwd, directory), dataDir);
  const state = new StateDirectory(dataDir);
  const tell = (line: string): void => {
    context.stdout.write(`  ${new Date().toISOString().slice(11, 19)}  ${line}\n`);
  };
  const stack = new Stack({
    state,
    project,
    ports: {
      api: flags.apiPort,
      http: flags.httpPort,
      https: flags.httpsPort,
      admin: flags.adminPort,
      dashboard: flags.dashboardPort,
    },
    hasDashboard: flags.dashboard,
    adminOrigins: flags.adminCorsOrigin,
    env: context.env,
    log: (line) => {
      if (flags.verbose) context.stderr.write(`${line}\n`);
    },
    tell,
  });
  const net = stopWithin(stopMostMs, stack, context);
  try {
    await state.claim();
    const addresses = await stack.start();
    context.stdout.write(summary(addresses, project?.file, context.env));
    if (flags.open === true && addresses.dashboardUrl !== undefined)
      openBrowser(addresses.dashboardUrl);
    context.stdout.write('\nWhat changes (Ctrl-C stops everything):\n');
    await followChanges(stack.client, tell, context.signal);
  } finally {
    await stack.stop();
    await state.release();
    net.release();
  }
}

/** Longer than any part takes that stops in order. */
const stopMostMs = 30_000;

/** Whoever says stop is not left waiting for a part that does not: it is named, and the end comes. */
function stopWithin(mostMs: number, stack: Stack, context: CliContext): { release(): void } {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => {
      const what = stack.stopping.join(', ') || 'what follows the changes';
      context.stderr.write(`waygate: ${what} did not stop within ${mostMs / 1_000} s\n`);
      process.exit(1);
    }, mostMs);
  };
  context.signal.addEventListener('abort', onAbort, { once: true });
  return {
    release() {
      context.signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}

function openProject(directory: string, flags: Flags): StackOptions['project'] {
  const source = findSource(directory, flags.source);
  const { project, problems } = readProjectFile(directory);
  if (problems.length > 0) {
    const lines = problems.map(({ place, message }) => `  ${place}: ${message}`);
    throw new CliError(`the project in ${directory} cannot be used:\n${lines.join('\n')}`);
  }
  return { source, file: flags.path === undefined ? project : { ...project, path: flags.path } };
}

function isOn(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('must be true or false.');
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new InvalidArgumentError('must be a port, 0 to 65535.');
  return port;
}
