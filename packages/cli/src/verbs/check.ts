import type { Command } from 'commander';
import { checkCluster, checkVersion } from '../check/check-cluster.ts';
import { checkHost } from '../check/check-host.ts';
import { checkKong } from '../check/check-kong.ts';
import { checkManifests } from '../check/check-manifests.ts';
import { type Finding, reportOf } from '../check/finding.ts';
import { type ClusterFlags, clusterOptions, withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { type ControllerName, controllersOption } from '../controllers-option.ts';
import { readManifests } from '../manifests.ts';
import { outputOption, print } from '../output.ts';
import { type ConnectionOptions, connectionOptions, withClient } from './gateway-connection.ts';

interface Flags extends ClusterFlags, ConnectionOptions {
  readonly controllers: readonly ControllerName[];
  readonly as?: string;
  readonly filename?: readonly string[];
  readonly ingressClass: string;
  readonly skipCluster?: boolean;
  readonly pre?: boolean;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  command.option(
    '--as <user>',
    'check the rights of this user, such as the account of a controller',
  );
  clusterOptions(command)
    .addOption(controllersOption('those that shall run here'))
    .option('--pre', 'only what must hold before anything is installed')
    .option('--skip-cluster', 'look at the gateway and the manifests only')
    .option('-f, --filename <path...>', 'manifests to check: files, directories, or - for stdin')
    .option('--ingress-class <name>', 'the class of the manifests', 'kong');
  connectionOptions(command).addHelpText(
    'after',
    `
Says whether a cluster, a Kong and manifests are fit for the controllers: versions, the kinds that the
cluster serves, the rights of the user, and what could not be translated. Kong is looked at when
--kong-addr (or DECK_KONG_ADDR) says where it is. Ends with 1 when something is not fit.

Examples:
  waygate check
  waygate check --pre
  waygate check --controllers=ingress --kong-addr http://localhost:8001
  waygate check --as system:serviceaccount:waygate-system:waygate-ingress --controllers=ingress
  waygate check --skip-cluster -f manifests/`,
  );
  outputOption(command).action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const findings: Finding[] = [];
  const controllers = flags.skipCluster === true ? [] : flags.controllers;
  findings.push(...(await checkHost(controllers.includes('source'))));
  if (flags.skipCluster !== true)
    findings.push(...(await attempt('cluster', () => cluster(flags, context))));
  const address = flags.kongAddr ?? context.env.DECK_KONG_ADDR;
  if (address !== undefined)
    findings.push(...(await attempt('kong', () => kong(flags, address, context))));
  if (flags.filename !== undefined) {
    const namespace = flags.namespace ?? 'default';
    const objects = await readManifests(flags.filename, context);
    findings.push(...checkManifests(objects, { ingressClass: flags.ingressClass, namespace }));
  }
  print(context, flags.output, findings, reportOf(findings));
  if (findings.some(({ state }) => state === 'failed')) context.exitCode = exitCode.failed;
}

/** What cannot be reached is a finding, so that the other parts are looked at all the same. */
async function attempt(area: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { message, hint } = error;
    return [{ area, state: 'failed', message, ...(hint === undefined ? {} : { hint }) }];
  }
}

function cluster(flags: Flags, context: CliContext): Promise<Finding[]> {
  // The Leases of an account's controller are beside it.
  const [, own] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(flags.as ?? '') ?? [];
  const namespaced = own === undefined ? flags : { namespace: own, ...flags };
  return withCluster(namespaced, context, async (client, namespace) => {
    if (flags.pre === true) return [await checkVersion(client, context.signal)];
    return checkCluster(client, flags.controllers, namespace, context.signal);
  });
}

async function kong(flags: Flags, address: string, context: CliContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  await withClient({ ...flags, retries: 0 }, context, async (client) => {
    findings.push(...(await checkKong(client, address, context.signal)));
  });
  return findings;
}
