import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import {
  type Problem,
  type RouterFlavor,
  toDeclarativeConfig,
  translate,
  withManifestDefaults,
} from '@waygate/ingress';
import { type KubeObject, parseYamlAll, printYaml } from '@waygate/schema';
import { type Command, Option } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';

interface Flags {
  readonly filename: readonly string[];
  readonly naming: 'modern' | 'legacy';
  readonly ingressClass: string;
  readonly kongVersion?: string;
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
  const objects: KubeObject[] = [];
  for (const path of flags.filename) objects.push(...(await readManifests(path, context)));
  const { state, problems } = translate(
    objects.map((object) => withManifestDefaults(object, flags.namespace)),
    {
      naming: flags.naming,
      ingressClass: flags.ingressClass,
      routerFlavor: flags.routerFlavor,
      ...(flags.kongVersion === undefined ? {} : { kongVersion: flags.kongVersion }),
    },
  );
  const formatVersion = flags.naming === 'legacy' ? '1.1' : '3.0';
  const document = toDeclarativeConfig(state, { isDbless: false, formatVersion });
  context.stdout.write(
    flags.output === 'json' ? `${JSON.stringify(document, null, 2)}\n` : printYaml(document),
  );
  for (const problem of problems) context.stderr.write(`${lineOf(problem)}\n`);
  if (flags.strict && problems.length > 0) context.exitCode = exitCode.failed;
}

function lineOf({ object, field, message }: Problem): string {
  const name = object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
  return `${object.kind} ${name}${field === undefined ? '' : ` (${field})`}: ${message}`;
}

async function readManifests(path: string, context: CliContext): Promise<KubeObject[]> {
  if (path === '-') return parseManifests(await readText(context.stdin), 'stdin');
  const full = resolve(context.cwd, path);
  const found = await stat(full).catch((cause: unknown) => {
    throw new CliError(`cannot read ${path}`, { cause, exitCode: exitCode.usage });
  });
  if (!found.isDirectory()) return parseManifests(await readFile(full, 'utf8'), path);
  const objects: KubeObject[] = [];
  const names = (await readdir(full, { recursive: true })).sort();
  for (const name of names) {
    if (!/\.(?:ya?ml|json)$/u.test(name)) continue;
    const text = await readFile(join(full, name), 'utf8');
    objects.push(...parseManifests(text, join(path, name)));
  }
  return objects;
}

/** Documents of a file; lists are taken apart, and what is no object is left out. */
function parseManifests(text: string, name: string): KubeObject[] {
  let documents: unknown[];
  try {
    documents = parseYamlAll(text, { name });
  } catch (cause) {
    throw new CliError((cause as Error).message, { cause });
  }
  return documents.flatMap(objectsIn);
}

function objectsIn(value: unknown): KubeObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const { kind, items, metadata } = value as {
    kind?: unknown;
    items?: unknown;
    metadata?: unknown;
  };
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items))
    return items.flatMap(objectsIn);
  if (typeof kind !== 'string' || typeof metadata !== 'object' || metadata === null) return [];
  return [value as KubeObject];
}
