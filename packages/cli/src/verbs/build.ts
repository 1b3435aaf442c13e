import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  type BuildOptions,
  type BuildResult,
  type BuiltResource,
  build,
  directoryFileSystem,
  type LoadRestrictor,
  type Problem,
} from '@waygate/kustomize';
import { type Command, Option } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import type { RunLimits } from '../run-program.ts';
import { collectList } from './gateway-option-values.ts';

interface Flags {
  readonly loadRestrictor: LoadRestrictor;
  readonly output?: string;
  readonly reorder: 'legacy' | 'none';
  readonly enableHelm?: boolean;
  readonly helmCommand?: string;
  readonly helmKubeVersion?: string;
  readonly helmApiVersions?: readonly string[];
  readonly helmDebug?: boolean;
  readonly enableAlphaPlugins?: boolean;
  readonly enableExec?: boolean;
  readonly execTimeout: string;
  readonly enableManagedbyLabel?: boolean;
  readonly explain?: string;
  readonly resource?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly path?: string;
}

export function configure(command: Command, context: CliContext): void {
  command
    .argument('[directory]', 'the directory of a kustomization file; or kustomization, or ks', '.')
    .argument('[name]', 'a Kustomization of the cluster');
  addKustomizeOptions(command);
  addOwnOptions(command);
  command
    .addHelpText(
      'after',
      `
Prints what "kustomize build" prints, byte for byte, without running it. Remote bases are refused:
a build reads files and nothing else. Charts are rendered, and fetched, only with --enable-helm; programs
are started only when a flag names or allows them: build with --helm-command or --enable-exec what you trust.

Examples:
  waygate build overlays/production
  waygate build overlays/production -o manifests.yaml
  waygate build . --explain Deployment/web
  waygate build . --explain spec.replicas -r deploy/web -o json
  waygate build overlays/production | kubectl apply -f -
  waygate build ks apps --path ./apps
  waygate build ks apps --path ./apps --kustomization-file ./clusters/a/apps.yaml --dry-run`,
    )
    .action((directory: string, name: string | undefined, flags: Flags) =>
      isObject(directory, name, context)
        ? runObject(name === undefined ? [directory] : [directory, name], flags, context)
        : run(directory, flags, context),
    );
}

/** Those of `kustomize build`. */
function addKustomizeOptions(command: Command): void {
  command
    .addOption(
      legalOption(
        '--load-restrictor <mode>',
        "whether files outside of a kustomization's directory may be read",
        ['LoadRestrictionsRootOnly', 'LoadRestrictionsNone'],
      ),
    )
    .option('-o, --output <path>', 'write to a file, or one file per resource to a directory')
    .addOption(
      legalOption('--reorder <order>', 'the order of the output, unless sortOptions says it', [
        'legacy',
        'none',
      ]),
    )
    .option('--enable-helm', 'render Helm charts, and fetch those that are not there')
    .option('--helm-command <path>', 'a helm to render charts with, in place of our own engine')
    .option('--helm-kube-version <version>', 'the Kubernetes version that charts are rendered for')
    .addOption(
      new Option(
        '--helm-api-versions <version>',
        'an API version that charts may count on; may be repeated',
      ).argParser(repeated),
    )
    .option('--helm-debug', 'let helm say more when it fails')
    .option('--enable-alpha-plugins', 'run functions and plugins that are not built in')
    .option('--enable-exec', 'let functions be executables of this machine (an alpha plugin)')
    .option('--exec-timeout <seconds>', 'how long helm, a function or a plugin may run', '60')
    .option('-e, --env <NAME=value>', 'of functions in containers, which do not run here', repeated)
    .option('--as-current-user', 'of functions in containers, which do not run here')
    .option('--network', 'of functions in containers, which do not run here')
    .option('--network-name <name>', 'of functions in containers, which do not run here', 'bridge')
    .option('--mount <options>', 'of functions in containers, which do not run here', repeated)
    .option('--enable-managedby-label', 'add app.kubernetes.io/managed-by to every resource');
}

/** Where fields came from, and those of `flux build kustomization`. */
function addOwnOptions(command: Command): void {
  command
    .option(
      '--explain <resource|field>',
      'print where each field of Kind/name came from, or one field of the -r resource; -o json or yaml for programs',
    )
    .option('-r, --resource <kind/name>', 'of --explain: the resource whose field it is')
    .option('--path <directory>', 'of ks NAME: files of this machine instead of its source')
    .option('--kustomization-file <file>', 'of ks NAME: the Kustomization, before it is applied')
    .option('--dry-run', 'of ks NAME: ask no cluster')
    .option(
      '--ignore-paths <patterns>',
      'of ks NAME: files to leave out, as in .gitignore',
      collectList,
    )
    .option('--recursive', 'of ks NAME: build the Kustomizations that it applies, too')
    .option(
      '--local-sources <source=dir>',
      'of --recursive: Kind/namespace/name=directory',
      collectList,
    )
    .option(
      '--strict-substitute',
      'of ks NAME: refuse variables that have no value; the default, =false does not',
    )
    .addOption(new Option('--in-memory-build', 'it always is').hideHelp())
    .option('--kubeconfig <file>', 'of ks NAME: the kubeconfig to use')
    .option('--context <name>', 'of ks NAME: the context of the kubeconfig')
    .option('-n, --namespace <name>', 'of ks NAME: its namespace');
}

function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** An option with few values, which answers others in the words of the original. */
function legalOption(flags: string, summary: string, legal: readonly [string, string]): Option {
  const name = flags.split(' ', 1)[0];
  return new Option(flags, `${summary} (choices: ${legal.join(', ')})`)
    .default(legal[0])
    .argParser((value: string) => {
      if (legal.includes(value)) return value;
      throw new CliError(
        `illegal flag value ${name} ${value}; legal values: [${legal.join(' ')}]`,
        { exitCode: exitCode.failed },
      );
    });
}

/** `ks NAME`, and `ks/NAME` where there is no such directory. */
function isObject(directory: string, name: string | undefined, { cwd }: CliContext): boolean {
  const isKind = /^(?:ks|kustomizations?)(?:\/|$)/i.test(directory);
  if (name !== undefined && !isKind) {
    throw new CliError('specify one path to kustomization.yaml', { exitCode: exitCode.usage });
  }
  if (!isKind) return false;
  const isThere = statSync(resolve(cwd, directory), { throwIfNoEntry: false }) !== undefined;
  return name !== undefined || (directory.includes('/') && !isThere);
}

async function runObject(
  words: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<void> {
  const { printKustomization } = await import('./build-kustomization.ts');
  await printKustomization(words, flags, context);
}

async function run(directory: string, flags: Flags, context: CliContext): Promise<void> {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(directory);
  const path = isUrl ? directory : resolve(context.cwd, directory);
  const isManaged =
    flags.enableManagedbyLabel === true || context.env.KUSTOMIZE_ENABLE_MANAGEDBY_LABEL === 'on';
  const result = await build(directoryFileSystem('/'), path, {
    loadRestrictor: flags.loadRestrictor,
    shownAs: directory,
    reorder: flags.reorder,
    addManagedByLabel: isManaged,
    explain: flags.explain !== undefined,
    ...(await programs(flags, context)),
  });
  report(result, context);
  if (flags.explain !== undefined) {
    const { explanation } = await import('./build-explain.ts');
    const { explain, resource, output } = flags;
    context.stdout.write(explanation(result, { explain, resource, output }, context.cwd));
  } else if (flags.output !== undefined) {
    write(result, resolve(context.cwd, flags.output));
  } else {
    context.stdout.write(result.toYaml());
  }
}

/** Warnings go to stderr; an error ends the verb. */
function report(result: BuildResult, context: CliContext): void {
  for (const problem of result.problems) {
    if (problem.severity === 'warning') context.stderr.write(`${problem.message}\n`);
  }
  const error = result.problems.find((problem) => problem.severity === 'error');
  if (error === undefined) return;
  const place = placeOf(error);
  throw new CliError(error.message, {
    exitCode: exitCode.failed,
    ...(place === undefined ? {} : { hint: `look at ${place}` }),
  });
}

function placeOf({ file, line }: Problem): string | undefined {
  if (file === undefined) return undefined;
  return line === undefined ? file : `${file}:${line}`;
}

/** Loaded when it is asked for: most builds start no program. */
async function programs(
  flags: Flags,
  context: CliContext,
): Promise<Pick<BuildOptions, 'helm' | 'programs'>> {
  const runsPlugins = flags.enableAlphaPlugins === true || flags.enableExec === true;
  if (flags.enableHelm !== true && !runsPlugins) return {};
  const seconds = Number(flags.execTimeout);
  if (!(seconds > 0 && seconds <= 86_400)) {
    throw new CliError(`--exec-timeout is a number of seconds, not '${flags.execTimeout}'`, {
      exitCode: exitCode.usage,
    });
  }
  const limits = { timeoutMs: seconds * 1_000 };
  const { findPluginHome, programRunner } = await import('./build-programs.ts');
  return {
    ...(flags.enableHelm === true ? { helm: await helmOf(flags, context, limits) } : {}),
    ...(runsPlugins
      ? {
          programs: {
            functions: flags.enableExec === true,
            pluginHome: findPluginHome(context.env),
            run: programRunner(context, limits),
          },
        }
      : {}),
  };
}

async function helmOf(
  flags: Flags,
  context: CliContext,
  limits: RunLimits,
): Promise<NonNullable<BuildOptions['helm']>> {
  const settings = {
    kubeVersion: flags.helmKubeVersion,
    apiVersions: flags.helmApiVersions,
    isVerbose: flags.helmDebug === true,
  };
  if (flags.helmCommand !== undefined) {
    const { helmRenderer } = await import('./build-helm.ts');
    return helmRenderer({ ...settings, command: flags.helmCommand }, context, limits);
  }
  const { engineRenderer } = await import('./build-helm-engine.ts');
  return engineRenderer({ ...settings, explains: flags.explain !== undefined }, context);
}

/** Into one file, or into a file per resource where the path is a directory. */
function write(result: BuildResult, path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, result.toYaml());
    return;
  }
  const namespaces = new Set(
    result.resources.filter(({ isClusterScoped }) => !isClusterScoped).map(namespaceOf),
  );
  for (const resource of result.resources) {
    const hasNamespace = namespaces.size > 1 && !resource.isClusterScoped;
    writeFileSync(join(path, fileNameOf(resource, hasNamespace)), resource.yaml);
  }
}

function namespaceOf({ namespace }: BuiltResource): string {
  return namespace || 'default';
}

/** As kustomize names the files: `apps_v1_deployment_web.yaml`. */
function fileNameOf(resource: BuiltResource, hasNamespace: boolean): string {
  const parts = [...resource.apiVersion.split('/'), resource.kind, resource.name];
  if (hasNamespace) parts.unshift(namespaceOf(resource));
  // Names come from the input: none of them may lead to another directory.
  return `${parts.join('_').toLowerCase().replaceAll(/[/\\]/g, '_')}.yaml`;
}
