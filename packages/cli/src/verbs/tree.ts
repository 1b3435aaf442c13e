import { parseObjectId } from '@waygate/apply';
import { type Kustomization, kustomizationKind } from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import { printYaml } from '@waygate/text';
import type { Command } from 'commander';
import { namespaceOf, objectOf } from '../cluster-objects.ts';
import {
  type ClusterFlags,
  clusterOptions,
  orNothing,
  readyOf,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { listOutputOption, print } from '../output.ts';
import { coloured, stateTone, terminalOf } from '../terminal.ts';

interface Flags extends ClusterFlags {
  readonly compact?: boolean;
  readonly output: string;
}

interface TreeNode {
  readonly id: TreeId;
  /** Of a Kustomization: what it has applied, and whether that went well. */
  readonly revision?: string;
  readonly ready?: string;
  readonly children: readonly TreeNode[];
}

interface TreeId {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
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
  waygate tree ks/apps -o wide
  waygate tree ks/apps -o json`,
    )
    .action((words: readonly string[], flags: Flags) => run(words, flags, context));
  listOutputOption(command);
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
  if (flags.output === 'name') {
    context.stdout.write(`${namesOf(root).join('\n')}\n`);
    return;
  }
  const { hasColour } = terminalOf(context);
  const labelOf = (node: TreeNode) => {
    const { ready, revision = '' } = node;
    const label = nameOf(node);
    if (flags.output !== 'wide' || ready === undefined) return label;
    const state = coloured(ready === 'True' ? 'ready' : 'not ready', stateTone(ready), {
      hasColour,
    });
    return `${label}   ${state}${revision === '' ? '' : ` at ${revision}`}`;
  };
  if (flags.output === 'yaml') {
    context.stdout.write(printYaml(dataOf(root)));
    return;
  }
  print(context, flags.output, dataOf(root), lines(root, labelOf, '', '').join('\n'));
}

async function nodeOf(
  client: KubeClient,
  kustomization: Kustomization,
  depth: number,
  isCompact: boolean,
): Promise<TreeNode> {
  const { metadata, status } = kustomization;
  const children: TreeNode[] = [];
  for (const { id } of status?.inventory?.entries ?? []) {
    const { kind, group, namespace, name } = parseObjectId(id);
    const isNested = kind === 'Kustomization' && group === kustomizationKind.group;
    if (isCompact && !isNested && kind !== 'HelmRelease') continue;
    const nested = isNested && depth < maxDepth ? await find(client, namespace, name) : undefined;
    children.push(
      nested === undefined
        ? { id: { group, kind, namespace, name }, children: [] }
        : await nodeOf(client, nested, depth + 1, isCompact),
    );
  }
  return {
    id: {
      group: kustomizationKind.group,
      kind: kustomizationKind.kind,
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
    },
    ...(status?.lastAppliedRevision === undefined ? {} : { revision: status.lastAppliedRevision }),
    ready: readyOf(kustomization)?.status ?? 'Unknown',
    children,
  };
}

function find(client: KubeClient, namespace: string, name: string) {
  return orNothing(client.resource(kustomizationKind).get(name, { namespace }));
}

/** Everything in the tree, without the tree: for `grep` and `sort`. */
function namesOf(node: TreeNode): string[] {
  return [nameOf(node), ...node.children.flatMap(namesOf)];
}

function nameOf({ id: { kind, namespace, name } }: TreeNode): string {
  return [kind, namespace, name].filter(Boolean).join('/');
}

/** The tree in the shape that flux prints as JSON and YAML. */
function dataOf({ id, children }: TreeNode): object {
  return {
    resource: {
      Namespace: id.namespace,
      Name: id.name,
      GroupKind: { Group: id.group, Kind: id.kind },
    },
    ...(children.length === 0 ? {} : { resources: children.map(dataOf) }),
  };
}

function lines(
  node: TreeNode,
  labelOf: (node: TreeNode) => string,
  head: string,
  tail: string,
): string[] {
  const below = node.children.flatMap((child, index) => {
    const isLast = index === node.children.length - 1;
    const [branch, more] = isLast ? ['└── ', '    '] : ['├── ', '│   '];
    return lines(child, labelOf, `${tail}${branch}`, `${tail}${more}`);
  });
  return [`${head}${labelOf(node)}`, ...below];
}
