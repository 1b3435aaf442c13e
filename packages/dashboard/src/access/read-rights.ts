import { createHash } from 'node:crypto';
import { runInParallel } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import { everything, type Need, type Rights } from '../view/guarded.ts';
import { type AccessQuestion, isAllowed, rulesAllow, rulesIn } from './access-question.ts';
import { partsOfNeed } from './known-needs.ts';

/** Who may do anything may see everything. */
export const allRights: Rights = { id: 'all', allows: () => true };
/** Who may nothing. */
const noRights: Rights = { id: 'none', allows: () => false };

/** How many questions are put to the API at a time for one person. */
const concurrency = 8;
/** To see an object, one must be allowed both: pages list, and lead to each. */
const verbs = ['get', 'list'] as const;
/** Who may read these everywhere sees what no object of the cluster stands for, too. */
const telling = [
  { group: 'networking.k8s.io', resource: 'ingresses' },
  { group: '', resource: 'services' },
] as const;

type Reader = Pick<KubeClient, 'json'>;

/**
 * Asks the API what a person may read of all that there is to read. Rights that hold everywhere are asked
 * by kind; the others by namespace, all kinds at once where the API can tell.
 */
export async function readRights(
  client: Reader,
  needs: readonly Need[],
  plurals: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): Promise<Rights> {
  if (await mayRead(client, { group: '*', resource: '*' }, signal)) return allRights;
  const questions = new Map<Need, Omit<AccessQuestion, 'verb'>>();
  for (const need of needs) {
    const { group, kind, namespace } = partsOfNeed(need);
    const resource = plurals.get(`${group}/${kind}`);
    if (resource !== undefined) questions.set(need, { group, resource, namespace });
  }
  const allowed = new Set<Need>();
  const everywhere = await allowedEverywhere(client, [...questions.values()], signal);
  const isEverywhere = telling.every(({ group, resource }) =>
    everywhere.has(`${group}/${resource}`),
  );
  if (isEverywhere) allowed.add(everything);
  const byNamespace = new Map<string, Need[]>();
  for (const [need, { group, resource, namespace = '' }] of questions) {
    if (everywhere.has(`${group}/${resource}`)) allowed.add(need);
    else if (namespace !== '')
      byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), need]);
  }
  await runInParallel([...byNamespace], concurrency, async ([namespace, wanted]) => {
    const rules = await rulesIn(client, namespace, signal);
    for (const need of wanted) {
      const question = questions.get(need)!;
      const may =
        rules === undefined
          ? await mayRead(client, question, signal)
          : verbs.every((verb) => rulesAllow(rules, { ...question, verb }));
      if (may) allowed.add(need);
    }
  });
  return rightsTo(allowed);
}

/** Rights to exactly these. */
export function rightsTo(allowed: ReadonlySet<Need>): Rights {
  if (allowed.size === 0) return noRights;
  const text = [...allowed].sort().join('\n');
  const id = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { id, allows: (need) => allowed.has(need) };
}

/** `group/resource` of what may be read in all namespaces, and of what has none. */
async function allowedEverywhere(
  client: Reader,
  questions: readonly Omit<AccessQuestion, 'verb'>[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const resources = new Map(
    [...telling, ...questions].map(({ group, resource }) => [
      `${group}/${resource}`,
      { group, resource },
    ]),
  );
  const allowed = new Set<string>();
  await runInParallel([...resources], concurrency, async ([id, resource]) => {
    if (await mayRead(client, resource, signal)) allowed.add(id);
  });
  return allowed;
}

async function mayRead(
  client: Reader,
  question: Omit<AccessQuestion, 'verb'>,
  signal?: AbortSignal,
): Promise<boolean> {
  for (const verb of verbs)
    if (!(await isAllowed(client, { ...question, verb }, signal))) return false;
  return true;
}
