import {
  featuresOfGates,
  type RouterFlavor,
  toDeclarativeConfig,
  translate,
  unservedLine,
  unservedRoutes,
  withManifestDefaults,
} from '@waygate/ingress';
import { type JsonValue, printYaml } from '@waygate/text';
import { type Command, Option } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { readManifests } from '../manifests.ts';
import { problemLine } from '../problem-line.ts';
import { pluginNamesIn, sayUnrunnable } from '../unrunnable-plugins.ts';

interface Flags {
  readonly filename: readonly string[];
  readonly naming: 'modern' | 'legacy';
  readonly ingressClass: string;
  readonly kongVersion?: string;
  readonly featureGates?: string;
  readonly clusterDomain?: string;
  readonly routerFlavor: RouterFlavor;
  readonly namespace: string;
  readonly output: 'yaml' | 'json';
  readonly strict?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  command
    .requiredOption('-f, --filename <path...>', 'manifests: files, directories, or - for stdin')
    .addOption(
      new Option('--naming <scheme>', "names of Kong Ingress Controller 3, or of 0.8's")
        .choices(['modern', 'legacy'])
        .default('modern'),
    )
    .option('--ingress-class <name>', 'the class of objects to translate', 'kong')
    .option('--kong-version <version>', 'the version of the gateway')
    .addOption(
      new Option('--router-flavor <flavor>', "the gateway's router")
        .choices(['traditional', 'traditional_compatible', 'expressions'])
        .default('traditional_compatible'),
    )
    .option('--feature-gates <gates>', "as the controller's, e.g. RewriteURIs=true")
    .option('--cluster-domain <domain>', 'the domain of Services, such as cluster.local')
    .option('-n, --namespace <name>', 'the namespace of objects that name none', 'default')
    .addOption(
      new Option('-o, --output <format>', 'how to print').choices(['yaml', 'json']).default('yaml'),
    )
    .option('--strict', 'fail when an object could not be translated')
    .addHelpText(
      'after',
      `
Prints the declarative configuration that the manifests stand for; problems go to stderr.

Examples:
  waygate translate -f manifests/
  kubectl get ingress,service,endpointslice -A -o yaml | waygate translate -f -
  waygate translate -f shop.yaml --naming=legacy > kong.yaml`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const gates = featuresOfGates(flags.featureGates?.split(',') ?? []);
  if (gates.problems.length > 0)
    throw new CliError(gates.problems.join('; '), { exitCode: exitCode.usage });
  const objects = (await readManifests(flags.filename, context)).map((object) =>
    withManifestDefaults(object, flags.namespace),
  );
  const { state, problems } = translate(objects, {
    naming: flags.naming,
    ingressClass: flags.ingressClass,
    routerFlavor: flags.routerFlavor,
    features: gates.features,
    ...(flags.clusterDomain === undefined ? {} : { clusterDomain: flags.clusterDomain }),
    ...(flags.kongVersion === undefined ? {} : { kongVersion: flags.kongVersion }),
  });
  const formatVersion = flags.naming === 'legacy' ? '1.1' : '3.0';
  const document = toDeclarativeConfig(state, { isDbless: false, formatVersion });
  context.stdout.write(
    flags.output === 'json' ? `${JSON.stringify(document, null, 2)}\n` : printYaml(document),
  );
  for (const problem of problems) context.stderr.write(`${problemLine(problem)}\n`);
  await sayUnrunnable(pluginNamesIn(document as JsonValue), context);
  // Nothing is wrong with these, but whoever looks for them in a gateway should know why they are not there.
  const unserved = unservedRoutes(objects, { ingressClass: flags.ingressClass, isWhole: false });
  for (const route of unserved) context.stderr.write(`${unservedLine(route)}\n`);
  if (flags.strict && problems.length > 0) context.exitCode = exitCode.failed;
}
