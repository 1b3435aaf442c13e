import { parseObjectId } from '@waygate/apply';
import { type Kustomization, kustomizationKind } from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import type { Command } from 'commander';
import { namespaceOf, objectOf } from '../cluster-objects.ts';
import { type ClusterFlags, clusterOptions, orNothing, withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { outputOption, print } from '../output.ts';

interface Flags extends ClusterFlags {
  readonly compact?: boolean;
  readonly output: string;
}

interface TreeNode {
  readonly object: string;
  readonly children: readonly TreeNode[];
}

/** Kustomizations that apply Kustomizations, and so on. */
const maxDepth = 20;

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<object...>', 'kustomization NAME, or ks/NAME')
    .option('--compact', 'only Kustomizations and HelmReleases')
    .addHelpText(
      'after',
      `
Shows what a Kustomization has applied, and what Kustomizations among it have.

Examples:
  waygate tree kustomization apps
  waygate tree ks/apps -o json`,
    )
    .action((words: readonly string[], flags: Flags) => run(words, flags, context));
  outputOption(command);
}

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const { kind, name } = objectOf(words);
  if (kind.kind !== kustomizationKind.kind) {
    throw new CliError('only a Kustomization has a tree', { exitCode: exitCode.usage });
  }
  const root = await withCluster(flags, context, async (client, own) => {
    const namespace = await namespaceOf(client, { kind, name }, own, flags, context);
    const object = await client.resource(kustomizationKind).get(name, { namespace });
    return nodeOf(client, object, 0, flags.compact === true);
  });
  print(context, flags.output, root, lines(root, '', '').join('\n'));
}

async function nodeOf(
  client: KubeClient,
  { metadata, status }: Kustomization,
  depth: number,
  isCompact: boolean,
): Promise<TreeNode> {
  const children: TreeNode[] = [];
  for (const { id } of status?.inventory?.entries ?? []) {
    const { kind, group, namespace, name } = parseObjectId(id);
    const object = [kind, namespace, name].filter(Boolean).join('/');
    const isNested = kind === 'Kustomization' && group === kustomizationKind.group;
    if (isCompact && !isNested && kind !== 'HelmRelease') continue;
    const nested = isNested && depth < maxDepth ? await find(client, namespace, name) : undefined;
    children.push(
      nested === undefined
        ? { object, children: [] }
        : await nodeOf(client, nested, depth + 1, isCompact),
    );
  }
  return { object: `Kustomization/${metadata.namespace}/${metadata.name}`, children };
}

function find(client: KubeClient, namespace: string, name: string) {
  return orNothing(client.resource(kustomizationKind).get(name, { namespace }));
}

function lines({ object, children }: TreeNode, head: string, tail: string): string[] {
  const below = children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return lines(child, `${tail}${isLast ? '└── ' : '├── '}`, `${tail}${isLast ? '    ' : '│   '}`);
  });
  return [`${head}${object}`, ...below];
}
