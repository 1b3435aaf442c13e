import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RouterFlavor } from '@waygate/kong';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { corsOriginOption } from '../cors-origin-option.ts';
import { projectFileName } from '../project/project-file.ts';
import { endLeftBehind } from '../runs/left-behind.ts';
import { anyPorts, type PortPlan, type RunRecord, RunRegistry } from '../runs/run-registry.ts';
import { terminalOf } from '../terminal.ts';
import { startEarlyProcesses } from '../up/early-processes.ts';
import { GatewayAddressBook } from '../up/gateway-address-book.ts';
import { addNginxFlags, type NginxUpFlags, nginxOfUpFlags } from '../up/nginx-flags.ts';
import { openProject, type SourceChoice } from '../up/open-project.ts';
import { Screen } from '../up/screen.ts';
import { refuseStateAsSource } from '../up/state-as-source.ts';
import { StateDirectory } from '../up/state-directory.ts';

interface Flags extends NginxUpFlags {
  readonly dataDir?: string;
  readonly path?: string;
  readonly source: SourceChoice;
  readonly watch?: boolean;
  readonly apiPort: number;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly adminPort: number;
  readonly adminCorsOrigin: readonly string[];
  readonly routerFlavor?: RouterFlavor;
  readonly gatewayAddresses?: GatewayAddressBook;
  readonly dashboard: boolean;
  readonly dashboardPort: number;
  readonly open?: boolean;
  readonly output: 'text' | 'json';
  readonly verbose?: boolean;
  readonly otlpEndpoint?: string;
  readonly traceRatio?: string;
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
    .option('--watch', 'follow saves, in a Git work tree too: the same as --source directory')
    .option('--api-port <port>', 'the Kubernetes API (0: any free port)', parsePort, 0)
    .option('--http-port <port>', 'the gateway, HTTP', parsePort, 0)
    .option('--https-port <port>', 'the gateway, HTTPS', parsePort, 0)
    .option('--admin-port <port>', "the gateway's Admin API", parsePort, 0)
    .addOption(corsOriginOption())
    .addOption(
      new Option('--router-flavor <flavor>', 'how the gateway routes, as with Kong').choices([
        'traditional',
        'traditional_compatible',
        'expressions',
      ]),
    )
    .option(
      '--gateway-addresses <range>',
      'each Gateway has an address of this range to itself, such as 127.64.0.0/16',
      parseRange,
    )
    .option('--dashboard [on]', 'serve the dashboard; --dashboard=false does not', isOn, true)
    .option('--dashboard-port <port>', 'the dashboard', parsePort, 0)
    .option('--open', 'open the dashboard in the browser')
    .addOption(
      new Option('-o, --output <format>', 'text for people, or one JSON object a line')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option('-v, --verbose', 'tell what the parts of the stack say, too')
    .option(
      '--otlp-endpoint <url>',
      'send a trace of each revision there, as OTLP over HTTP (or OTEL_EXPORTER_OTLP_ENDPOINT)',
    )
    .option('--trace-ratio <number>', 'the part of all traces that is kept, from 0 to 1');
  addNginxFlags(command)
    .addHelpText(
      'after',
      `
Nothing runs pods here. A waygate.yaml in the directory says what stands in for Services (waygate init
proposes one):
  path: overlays/laptop
  services:
    web: {start: {command: npm run dev, ready: /healthz}}   # gets a free port in PORT
    billing: {attach: 4000}                                 # what listens there already
    mail: {stub: echo}

The Admin API wants a token, which lies beside the kubeconfig: verbs of waygate find both in the directory
of the run or when KUBECONFIG names it, and other programs send it as the header Kong-Admin-Token. Web pages
are refused but for those that --admin-cors-origin names, and these need the token, too.

Examples:
  waygate up                                      this directory, if it has a waygate.yaml, else an empty cluster
  waygate up examples/shop                        follow a directory
  waygate up overlays/local                       an overlay, with the bases that it refers to
  waygate up ~/src/shop --data-dir .waygate       follow a Git work tree, keep the state
  waygate up . --ingress-nginx                    Ingresses of the class nginx, as ingress-nginx serves them
  waygate up . --http-port 8000 --api-port 6443   on ports of your choice`,
    )
    .action((directory: string | undefined, flags: Flags) => up(directory, flags, context));
}

async function up(directory: string | undefined, flags: Flags, context: CliContext): Promise<void> {
  const { screen, project, state, registry, place } = prepare(directory, flags, context);
  const routerFlavor = flavorOf(flags);
  const early = startEarlyProcesses(context.env, project?.file);
  try {
    await endKilled(registry, place, (line) => screen.tell(line));
    for (const other of registry.running())
      if (other.directory === place) screen.tell(beside(other));
    // Most of the program is behind this: the other processes load theirs at the same time.
    const { runUp } = await import('../up/run-up.ts');
    await runUp({
      screen,
      project,
      state,
      registry,
      place,
      early,
      context,
      isVerbose: flags.verbose === true,
      opensDashboard: flags.open === true,
      isPathGiven: flags.path !== undefined,
      traces: { endpoint: flags.otlpEndpoint, ratio: flags.traceRatio },
      lastPorts: lastPorts(registry, place, state),
      ports: {
        api: flags.apiPort,
        http: flags.httpPort,
        https: flags.httpsPort,
        admin: flags.adminPort,
        dashboard: flags.dashboardPort,
      },
      hasDashboard: flags.dashboard,
      adminOrigins: flags.adminCorsOrigin,
      routerFlavor,
      gatewayAddresses: flags.gatewayAddresses,
      nginx: nginxOfUpFlags(flags),
    });
  } finally {
    early.end();
  }
}

function prepare(directory: string | undefined, flags: Flags, context: CliContext) {
  if (flags.watch === true && flags.source === 'git')
    throw new CliError('--watch follows saves and --source git commits: choose one', {
      exitCode: exitCode.usage,
    });
  const choice = flags.watch === true ? 'directory' : flags.source;
  const full = resolve(context.cwd, directory ?? '.');
  // A waygate.yaml is written for this verb: whoever is where one lies means it.
  const isProject = directory !== undefined || existsSync(join(full, projectFileName));
  const project = isProject ? openProject(full, choice, flags.path) : undefined;
  const dataDir = flags.dataDir === undefined ? undefined : resolve(context.cwd, flags.dataDir);
  if (isProject) refuseStateAsSource(full, dataDir);
  const terminal = terminalOf(context);
  const screen = new Screen({
    stdout: context.stdout,
    format: flags.output,
    isTerminal: terminal.width !== undefined,
    hasColour: terminal.hasColour,
    width: terminal.width,
    now: () => new Date(),
  });
  const state = new StateDirectory(dataDir);
  return {
    screen,
    project,
    state,
    registry: new RunRegistry(context.env),
    place: realpathSync(full),
  };
}

/** What runs before were killed have left behind is ended, and that is said. */
async function endKilled(
  registry: RunRegistry,
  place: string,
  tell: (line: string) => void,
): Promise<void> {
  for (const record of registry.killed(place)) {
    const ended = await endLeftBehind(record);
    if (ended.length > 0)
      tell(`an earlier waygate up was killed and left processes behind: ended ${ended.join(', ')}`);
  }
}

/** Two on one directory are allowed, but seldom meant. */
function beside({ process: { id } }: RunRecord): string {
  return `another waygate up runs for this directory, process ${id}: verbs use the newer one, and waygate down ends that first`;
}

/** The ports of the state that is kept, else of the last run on the directory. */
function lastPorts(registry: RunRegistry, place: string, state: StateDirectory): PortPlan {
  const kept = state.readPorts();
  if (kept !== undefined) return kept;
  const last = registry.lastPorts(place) ?? anyPorts;
  for (const record of registry.killed(place)) registry.forget(record);
  return last;
}

/** Only expressions can tell which address a request came to. */
function flavorOf({ routerFlavor, gatewayAddresses, ingressNginx }: Flags): RouterFlavor {
  const needing = gatewayAddresses === undefined ? '--ingress-nginx' : '--gateway-addresses';
  if (gatewayAddresses === undefined && !ingressNginx)
    return routerFlavor ?? 'traditional_compatible';
  if ((routerFlavor ?? 'expressions') === 'expressions') return 'expressions';
  throw new CliError(`${needing} needs --router-flavor expressions, not ${routerFlavor}`);
}

function parseRange(text: string): GatewayAddressBook {
  const book = GatewayAddressBook.parse(text);
  if (book === undefined)
    throw new InvalidArgumentError('must be a range of loopback addresses, such as 127.64.0.0/16.');
  return book;
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
