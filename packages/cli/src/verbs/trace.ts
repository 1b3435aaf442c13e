import { objectFromTags, type UnservedRoute } from '@waygate/ingress';
import type { KubeClient } from '@waygate/kube';
import type { Command } from 'commander';
import { type ClusterFlags, clusterOptions, withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { outputOption, print } from '../output.ts';
import { runOfKubeconfig } from '../runs/find-run.ts';
import { type CommitTrace, type ObjectName, traceCommit } from '../trace/commit-trace.ts';
import { type GatewayTrace, traceGateway } from '../trace/gateway-trace.ts';
import { type MissingTargets, missingTargets } from '../trace/missing-targets.ts';
import { findNamed, objectTraceText, traceObject } from '../trace/object-trace.ts';
import { traceData, traceText } from '../trace/trace-report.ts';
import { type RequestFlags, type TracedRequest, tracedRequest } from '../trace/traced-request.ts';
import { unservedMatches } from '../trace/unserved-match.ts';
import { type ConnectionOptions, connectionOptions, withClient } from './gateway-connection.ts';
import { collect } from './gateway-option-values.ts';

interface Flags extends ClusterFlags, ConnectionOptions, RequestFlags {
  readonly skipCluster?: boolean;
  readonly ingressClass: string;
  readonly all?: boolean;
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly field?: string;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument(
      '<url|object...>',
      'a request, http://shop.example/catalog or tls://db.example:5432; or an object, deployment web',
    )
    .option('-X, --request <method>', 'the method (default: GET)')
    .option('-H, --header <name:value>', 'a header of the request; may be repeated', collect)
    .option('--skip-cluster', 'end at the gateway, without a look into the cluster')
    .option('--ingress-class <name>', 'the class of objects that the gateway serves', 'kong')
    .option('--all', 'why each of the other routes does not get it, not only the nearest');
  connectionOptions(command).addHelpText(
    'after',
    `
Says which route takes a request and why the others do not, which plugins and targets are on its way,
and the way back: the objects that the route was made from, the Kustomization that applied them, the
commit, and the file. No request is sent. Ends with 1 when no route takes it.

An object, KIND NAME or KIND/NAME, is followed back in the same way, as "flux trace" does: to the
Kustomization or HelmRelease that applied it, to the source, and to the revision and file. Of a
HelmRelease's object the template and its line are told, and those of a --field.

Examples:
  waygate trace http://shop.example/catalog
  waygate trace deployment web -n shop
  waygate trace deployment web -n shop --field 'spec.template.spec.containers[name=web].image'
  waygate trace ingress/catalog
  waygate trace -X POST -H 'Host: shop.example' http://127.0.0.1:8000/orders
  waygate trace http://shop.example/catalog --kong-addr http://localhost:8001 -o json`,
  );
  outputOption(command)
    .option('--kind <kind>', 'the kind of the object, with --api-version')
    .option('--api-version <version>', 'the API version of the object, with --kind')
    .option(
      '--field <path>',
      "a field of a HelmRelease's object, whose template and line are told: spec.replicas",
    )
    .action((words: readonly string[], flags: Flags) => {
      const [first = ''] = words;
      const isObject = words.length > 1 || flags.kind !== undefined || isObjectWord(first);
      return isObject ? runObject(words, flags, context) : run(first, flags, context);
    });
}

/** `deploy/web` and `deployments.apps/web` are objects; what has a scheme or ends like a host is a request. */
function isObjectWord(word: string): boolean {
  const [, kind = ''] = /^([a-z]+(?:\.[a-z0-9.]+)?)\/[a-z0-9][a-z0-9.:-]*$/i.exec(word) ?? [];
  if (kind === '') return false;
  return !kind.includes('.') || groups.test(kind);
}

/** A name with dots is a host, unless it ends as the groups of APIs do that people have. */
const groups =
  /\.(?:apps|batch|policy|autoscaling|extensions|(?:.+\.)?(?:k8s\.io|fluxcd\.io|konghq\.com))$/i;

async function runObject(
  words: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<void> {
  const { kind, name } = objectWords(words, flags);
  await withCluster(flags, context, async (client, namespace) => {
    const found = await findNamed(client, kind, name, namespace, context.signal);
    const trace = await traceObject(client, found, flags.field, context.signal);
    const data = trace.blocks.map((block) => Object.fromEntries(block));
    print(context, flags.output, data, objectTraceText(trace));
    if (!trace.isManaged) context.exitCode = exitCode.failed;
  });
}

function objectWords(words: readonly string[], flags: Flags): { kind: string; name: string } {
  const usage = (message: string) => new CliError(message, { exitCode: exitCode.usage });
  const [first = '', second, ...more] = words;
  if (flags.kind !== undefined || flags.apiVersion !== undefined) {
    if (flags.kind === undefined) throw usage('object kind is required (--kind)');
    if (flags.apiVersion === undefined)
      throw usage('object apiVersion is required (--api-version)');
    if (second !== undefined) throw usage(`what is "${second}" for? One object at a time`);
    const group = flags.apiVersion.includes('/') ? `.${flags.apiVersion.split('/')[0]}` : '';
    return { kind: `${flags.kind}${group}`, name: first };
  }
  if (more.length > 0) throw usage(`what is "${more.join(' ')}" for? One object at a time`);
  if (second !== undefined) return { kind: first, name: second };
  const slash = first.indexOf('/');
  return { kind: first.slice(0, slash), name: first.slice(slash + 1) };
}

async function run(url: string, flags: Flags, context: CliContext): Promise<void> {
  const request = tracedRequest(url, flags);
  const gateway = await gatewayTrace(request, flags, context);
  const found =
    flags.skipCluster === true
      ? { commits: [] }
      : await clusterTrace(request, gateway, flags, context);
  const trace = { request, gateway, ...found };
  const showsAll = flags.all === true;
  print(context, flags.output, traceData(trace, showsAll), traceText(trace, showsAll));
  if (gateway.match === undefined) context.exitCode = exitCode.failed;
}

async function gatewayTrace(
  request: TracedRequest,
  flags: Flags,
  context: CliContext,
): Promise<GatewayTrace> {
  let trace: GatewayTrace | undefined;
  await withClient({ ...flags, retries: 0 }, context, async (client) => {
    trace = await traceGateway(client, request, context.signal);
  });
  if (trace === undefined) throw new CliError('the gateway did not answer');
  return trace;
}

/** The objects that the entities on the way were made from, each once. */
function objectsOf({ match, plugins }: GatewayTrace): ObjectName[] {
  if (match === undefined) return [];
  const { route, service } = match.entry;
  const named = new Map<string, ObjectName>();
  for (const tags of [route.tags, service?.tags, ...plugins.map((plugin) => plugin.tags)]) {
    const object = objectFromTags(tags ?? []);
    if (object === undefined || object.name === 'UNKNOWN') continue;
    const { group, version, kind, namespace, name } = object;
    named.set([group, kind, namespace, name].join('/'), { group, version, kind, namespace, name });
  }
  return [...named.values()];
}

interface ClusterTrace {
  readonly commits: readonly CommitTrace[];
  readonly missing?: MissingTargets | undefined;
  readonly unserved?: readonly UnservedRoute[];
}

/** What the cluster knows of it. One that is not there takes nothing away from what the gateway told. */
async function clusterTrace(
  request: TracedRequest,
  gateway: GatewayTrace,
  flags: Flags,
  context: CliContext,
): Promise<ClusterTrace> {
  const objects = objectsOf(gateway);
  try {
    return await withCluster(flags, context, (client) =>
      lookIntoCluster(client, objects, request, gateway, flags, context),
    );
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { commits: objects.map((object) => ({ object, stopped: error.message })) };
  }
}

async function lookIntoCluster(
  client: KubeClient,
  objects: readonly ObjectName[],
  request: TracedRequest,
  gateway: GatewayTrace,
  { ingressClass, kubeconfig }: Flags,
  { env, signal }: CliContext,
): Promise<ClusterTrace> {
  const isUp = runOfKubeconfig(env, kubeconfig) !== undefined;
  const { flavor } = gateway;
  const [commits, missing, unserved] = await Promise.all([
    Promise.all(objects.map((object) => traceCommit(client, object, signal))),
    missingTargets(client, gateway, isUp, signal),
    unservedMatches(client, request, { ingressClass, flavor }, signal),
  ]);
  return { commits, missing, unserved };
}
