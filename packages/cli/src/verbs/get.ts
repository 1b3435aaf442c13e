import { isNotFound } from '@waygate/kube';
import type { Command } from 'commander';
import {
  type ClusterFlags,
  clusterOptions,
  type ReportedObject,
  readyOf,
  reportedKind,
  reportedKinds,
  table,
  withCluster,
} from '../cluster-option.ts';
import type { CliContext } from '../context.ts';
import { outputOption, print } from '../output.ts';

interface Flags extends ClusterFlags {
  readonly allNamespaces?: boolean;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('[kind]', 'kustomizations, gitrepositories, …; all of them when absent')
    .argument('[name]', 'one object')
    .option('-A, --all-namespaces', 'in all namespaces')
    .addHelpText(
      'after',
      `
Examples:
  waygate get
  waygate get kustomizations -A
  waygate get git shop -o yaml`,
    )
    .action((kind: string | undefined, name: string | undefined, flags: Flags) =>
      run(kind, name, flags, context),
    );
  outputOption(command);
}

async function run(
  kindName: string | undefined,
  name: string | undefined,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  const wanted = kindName === undefined ? reportedKinds : [reportedKind(kindName)];
  const objects = await withCluster(flags, context, async (client, own) => {
    const namespace = flags.allNamespaces === true ? undefined : own;
    const found: ReportedObject[] = [];
    for (const kind of wanted) {
      const resource = client.resource(kind);
      if (name !== undefined) found.push(await resource.get(name, { namespace: own }));
      else {
        try {
          found.push(...(await resource.list(namespace === undefined ? {} : { namespace })).items);
        } catch (error) {
          // A cluster need not know every kind.
          if (!isNotFound(error) || kindName !== undefined) throw error;
        }
      }
    }
    return found;
  });
  print(context, flags.output, objects, textOf(objects));
}

function textOf(objects: readonly ReportedObject[]): string {
  if (objects.length === 0) return 'There are none.';
  const rows = objects.map((object) => {
    const ready = readyOf(object);
    const { namespace = '', name = '' } = object.metadata;
    return [
      namespace,
      `${object.kind?.toLowerCase()}/${name}`,
      object.status?.lastAppliedRevision ?? object.status?.artifact?.revision ?? '',
      object.spec?.suspend === true ? 'True' : 'False',
      ready?.status ?? 'Unknown',
      (ready?.message ?? '').split('\n', 1)[0] ?? '',
    ];
  });
  return table([['NAMESPACE', 'NAME', 'REVISION', 'SUSPENDED', 'READY', 'MESSAGE'], ...rows]);
}
