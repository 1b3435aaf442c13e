import type { Command } from 'commander';
import { type ClusterFlags, clusterOptions, withCluster } from '../cluster-option.ts';
import type { CliContext } from '../context.ts';
import { fluxCreates } from '../flux/create-commands.ts';
import { type FluxCreate, labelsOf, refused } from '../flux/created-object.ts';
import { exportText } from '../flux/export-text.ts';
import { declareFluxFlags, type FluxFlag, FluxValues } from '../flux/flux-flags.ts';
import { applyCreation, placeOf, systemNamespace } from '../flux/upsert.ts';
import { allowGoBooleans } from '../go-booleans.ts';
import { timeoutOption } from '../reconcile-wait.ts';

interface Flags extends ClusterFlags {
  readonly timeout: number;
}

const shared: readonly FluxFlag[] = [
  { name: 'interval', kind: 'duration', summary: 'how often to reconcile', default: '1m' },
  { name: 'export', kind: 'bool', summary: 'print it as YAML, and ask no cluster' },
  { name: 'label', kind: 'list', summary: 'labels of the object: a=b,c=d; may be repeated' },
];

const groups: Readonly<Record<string, string>> = {
  source: 'Create or update a source',
  secret: 'Create or update a Secret for a source',
};

const aliases: Readonly<Record<string, string>> = { kustomization: 'ks', helmrelease: 'hr' };

/** Declares the commands below `create` that make objects of a cluster. */
export function configureObjects(command: Command, context: CliContext): void {
  const parents = new Map<string, Command>();
  for (const create of fluxCreates) {
    const [first = '', second] = create.path;
    let parent = command;
    if (second !== undefined) {
      const known = parents.get(first);
      parent = known ?? below(command, first, ['create', first]).description(groups[first] ?? '');
      parents.set(first, parent);
    }
    const own = below(parent, second ?? first, ['create', ...create.path]);
    const alias = aliases[create.path.join(' ')];
    if (alias !== undefined) own.alias(alias);
    configureOne(own, create, context);
  }
}

function below(parent: Command, name: string, words: readonly string[]): Command {
  const command = parent.command(name).copyInheritedSettings(parent);
  allowGoBooleans(command);
  return command.showHelpAfterError(`(waygate ${words.join(' ')} --help shows the options)`);
}

function configureOne(command: Command, create: FluxCreate, context: CliContext): void {
  command.description(create.summary).argument('[name]', 'its name');
  declareFluxFlags(command, [...create.flags, ...shared]);
  clusterOptions(command);
  command
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      `
As "flux create ${create.path.join(' ')}": with --export it is printed, else it is applied, and waited for.
Without -n it goes into ${systemNamespace({})}, as with flux, where there is such a namespace.

Example:
  waygate create ${create.path.join(' ')} ${create.example}`,
    )
    .action((name: string | undefined, flags: Flags) => run(create, name, flags, context));
}

const nameForm = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

async function run(
  create: FluxCreate,
  name: string | undefined,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  if (name === undefined) throw refused('name is required');
  if (!nameForm.test(name)) {
    throw refused(
      `name '${name}' is invalid, it should adhere to standard defined in RFC 1123, the name can only contain alphanumeric characters or '-'`,
    );
  }
  const values = new FluxValues(flags as unknown as Readonly<Record<string, unknown>>);
  const given = {
    name,
    values,
    context,
    labels: labelsOf(values.list('label')),
    interval: values.duration('interval') ?? '0s',
  };
  if (values.isSet('export')) {
    const namespace = flags.namespace ?? systemNamespace(context.env);
    const { objects } = await create.make({ ...given, namespace, isExport: true });
    for (const object of objects) context.stdout.write(exportText(object));
    // Flux ends each Secret with a line of its own, that of certificates aside.
    if (create.path[0] === 'secret' && create.path[1] !== 'tls') context.stdout.write('\n');
    return;
  }
  // The token of a Receiver is none of the cluster's.
  const { token: _, ...others } = flags;
  const hasToken = create.flags.some(({ name: flag }) => flag === 'token');
  await withCluster(hasToken ? others : flags, context, async (client, own) => {
    const namespace = flags.namespace ?? (await placeOf(client, own, context));
    const creation = await create.make({ ...given, namespace, isExport: false });
    await applyCreation(client, create, creation, flags.timeout, context);
  });
}
