import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import { createInformer } from '@waygate/runtime';
import type { Kind, KubeObject } from '@waygate/schema';
import {
  type ClusterFlags,
  orNothing,
  type ReportedObject,
  reportedKind,
  reportedKinds,
  sourceKinds,
} from './cluster-option.ts';
import { type CliContext, CliError, exitCode } from './context.ts';

/** What words of a command line mean: kinds, and one object when it is named. */
export interface ObjectSelection {
  readonly kinds: readonly Kind<ReportedObject>[];
  readonly name?: string;
}

/**
 * Reads `kind`, `kind name`, `kind/name` and, as the flux CLI has it, `source git name`; `all` is every
 * kind, and so is nothing.
 */
export function selectionOf(words: readonly string[]): ObjectSelection {
  const isOfSources = /^sources?$/i.test(words[0] ?? '');
  const [kindText = 'all', nameText, ...rest] = isOfSources ? words.slice(1) : words;
  if (rest.length > 0) throw tooMany(rest);
  const slash = kindText.indexOf('/');
  const name = slash < 0 ? nameText : kindText.slice(slash + 1);
  if (slash >= 0 && nameText !== undefined) throw tooMany([nameText]);
  if (kindText.toLowerCase() === 'all') {
    if (name !== undefined) throw new CliError(`of which kind is ${name}?`, usage);
    return { kinds: isOfSources ? sourceKinds : reportedKinds };
  }
  const word = slash < 0 ? kindText : kindText.slice(0, slash);
  // `source helm` is a repository of charts, and `source chart` a chart.
  const kind = reportedKind(isOfSources ? (sourceWords[word.toLowerCase()] ?? word) : word);
  return { kinds: [kind], ...(name === undefined || name === '' ? {} : { name }) };
}

/** Reads what must be one object. */
export function objectOf(words: readonly string[]): {
  kind: Kind<ReportedObject>;
  name: string;
} {
  const { kinds, name } = selectionOf(words);
  const [kind] = kinds;
  if (kind !== undefined && name !== undefined) return { kind, name };
  throw new CliError('which object? Give its kind and name', {
    ...usage,
    hint: 'For example: kustomization apps, ks/apps, or source git shop.',
  });
}

/** Reads one object or several of one kind: `ks apps base`. */
export function objectsOf(words: readonly string[]): ReturnType<typeof objectOf>[] {
  const first = /^sources?$/i.test(words[0] ?? '') ? 3 : 2;
  const isOne = words.length <= first || words.some((word) => word.includes('/'));
  if (isOne) return [objectOf(words)];
  const { kind } = objectOf(words.slice(0, first));
  return words.slice(first - 1).map((name) => ({ kind, name }));
}

const sourceWords: Readonly<Record<string, string>> = {
  helm: 'helmrepo',
  chart: 'hc',
  external: 'ea',
};

const usage = { exitCode: exitCode.usage };

function tooMany(words: readonly string[]): CliError {
  return new CliError(`what is "${words.join(' ')}" for? One object at a time`, usage);
}

/** Tells of objects as they are, and of each that changes, until the signal aborts. */
export async function follow<T extends KubeObject>(
  client: KubeClient,
  kinds: readonly Kind<T>[],
  namespace: string | undefined,
  tell: (object: T) => void,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    kinds.map((kind) => {
      const informer = createInformer(client, kind, namespace === undefined ? {} : { namespace });
      informer.addEventHandler({ onAdd: tell, onUpdate: (_old, object) => tell(object) });
      return informer.run(signal);
    }),
  );
}

/**
 * The namespace that a named object is in. Without `-n` that is the kubeconfig's own, or, when it is not
 * there, the only other one that has it; which one is said.
 */
export async function namespaceOf(
  client: KubeClient,
  { kind, name }: { readonly kind: Kind<ReportedObject>; readonly name: string },
  own: string,
  flags: ClusterFlags,
  context: CliContext,
): Promise<string> {
  if (flags.namespace !== undefined) return own;
  const resource = client.resource(kind);
  if ((await orNothing(resource.get(name, { namespace: own }))) !== undefined) return own;
  const items = await elsewhere(client, kind, name);
  const namespaces = items.map(({ metadata }) => metadata.namespace ?? '').sort();
  const [only, ...more] = namespaces;
  if (only === undefined) return own;
  if (more.length > 0) {
    throw new CliError(
      `${kind.kind.toLowerCase()}/${name} is in ${namespaces.length} namespaces: ${namespaces.join(', ')}`,
      { ...usage, hint: `Say which: -n ${only}` },
    );
  }
  context.stderr.write(`${kind.kind.toLowerCase()}/${name} is in the namespace ${only}.\n`);
  return only;
}

/** Those of the name in any namespace; none where the person may not look there. */
async function elsewhere(
  client: KubeClient,
  kind: Kind<ReportedObject>,
  name: string,
): Promise<readonly ReportedObject[]> {
  try {
    return (await client.resource(kind).list({ fieldSelector: `metadata.name=${name}` })).items;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return [];
    throw error;
  }
}
