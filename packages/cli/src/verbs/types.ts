import { type CustomResourceDefinition, SchemaError, typesOfDefinitions } from '@waygate/schema';
import type { Command } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { readManifests } from '../manifests.ts';

interface Flags {
  readonly apiVersion?: string;
  readonly from: string;
  readonly comments: boolean;
}

export function configure(command: Command, context: CliContext): void {
  command
    .argument('<path...>', 'definitions: files, directories, or - for stdin')
    .option('--api-version <version>', 'only this version, such as v1beta1; else every served one')
    .option('--from <module>', 'the module that has defineKind and KubeObject', '@waygate/kube')
    .option('--no-comments', "without the definitions' descriptions as comments")
    .addHelpText(
      'after',
      `
Prints one TypeScript module: an interface of each kind and of each object in it, and a constant of the
kind's name for client.resource(). The stored version has the plain name, others carry theirs: WidgetV1beta1.

Examples:
  waygate types widget-crd.yaml > src/widget.ts
  kubectl get crd certificates.cert-manager.io -o yaml | waygate types - > src/certificate.ts`,
    )
    .action((paths: string[], flags: Flags) => run(paths, flags, context));
}

async function run(paths: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const objects = await readManifests(paths, context);
  const definitions = objects.filter(
    ({ apiVersion, kind }) =>
      kind === 'CustomResourceDefinition' && apiVersion === 'apiextensions.k8s.io/v1',
  ) as CustomResourceDefinition[];
  if (definitions.length === 0)
    throw new CliError(`there is no CustomResourceDefinition in ${paths.join(', ')}`, {
      exitCode: exitCode.usage,
      hint: 'name a file with one of apiextensions.k8s.io/v1, or pipe one in with -',
    });
  try {
    context.stdout.write(
      typesOfDefinitions(definitions, {
        version: flags.apiVersion,
        from: flags.from,
        isBare: !flags.comments,
      }),
    );
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new CliError(error.message, { cause: error, exitCode: exitCode.usage });
  }
}
