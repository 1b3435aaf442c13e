import type { KubeObject } from '@waygate/schema';
import type { Ingress } from '../objects/ingress.ts';
import { compareText, keyOf } from '../objects/reference.ts';
import { ObjectStore } from '../store/object-store.ts';
import { annotationRow, type Support } from '../translate/nginx/annotation-table.ts';
import { isNginxIngress } from '../translate/nginx/class-of.ts';
import { type NginxOptions, resolveNginxOptions } from '../translate/nginx/options.ts';
import { readSettings } from '../translate/nginx/settings.ts';
import { settingsTable } from '../translate/nginx/settings-table.ts';
import type { Problem } from '../translate/problem.ts';
import { translate } from '../translate/translate.ts';

/** What becomes of one Ingress of ingress-nginx. */
export interface IngressVerdict {
  readonly namespace: string;
  readonly name: string;
  /** `same`: it answers as before. `but`: as before, but for what is named. `cannot`: it is not served. */
  readonly verdict: 'same' | 'but' | 'cannot';
  /** What is done otherwise here. */
  readonly differences: readonly string[];
  /** What is wrong with it in the original as well. */
  readonly notes: readonly string[];
}

/** How often something is used, and how much of it is done. */
export interface UsedName {
  readonly name: string;
  readonly count: number;
  readonly support: Support | 'unknown';
  readonly note: string;
}

/** What a take-over from ingress-nginx would change. */
export interface NginxTakeover {
  readonly ingresses: readonly IngressVerdict[];
  readonly annotations: readonly UsedName[];
  /** The keys of the ConfigMap that are set. */
  readonly settings: readonly UsedName[];
}

/** What these say is so because of us: the original would do it. */
const ours =
  /cannot be done here|no web application firewall|that the gateway can run|the gateway has no plugin|is not let through unasked|is not served:|stands for deeper names|is no variable that is known here/;
/** The original does this to the Ingress too. */
const leftOut = /the Ingress is left out/;

/**
 * Says what serving the Ingresses of ingress-nginx here would change, Ingress by Ingress. Pure: it looks at
 * nothing but the objects.
 *
 * ```ts
 * const { items } = await client.resource(kinds.Ingress).list();
 * const { ingresses } = nginxTakeover(items, { configMap: 'ingress-nginx/ingress-nginx-controller' });
 * ingresses.filter(({ verdict }) => verdict === 'cannot');
 * ```
 */
export function nginxTakeover(
  objects: readonly KubeObject[],
  options: NginxOptions = {},
): NginxTakeover {
  const resolved = resolveNginxOptions(options);
  const store = new ObjectStore();
  for (const object of objects) store.put(object);
  const { problems } = translate(objects, { routerFlavor: 'expressions', nginx: options });
  const byObject = new Map<string, Problem[]>();
  for (const problem of problems) {
    const { kind, namespace, name } = problem.object;
    const key = `${kind} ${namespace}/${name}`;
    byObject.set(key, [...(byObject.get(key) ?? []), problem]);
  }
  const ingresses = store
    .list<Ingress>('Ingress')
    .filter((ingress) => isNginxIngress(store, ingress, resolved))
    .sort((left, right) => compareText(keyOf(left), keyOf(right)));
  const prefix = `${resolved.annotationsPrefix}/`;
  const namesOf = ({ metadata }: Ingress) =>
    Object.keys(metadata.annotations ?? {})
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length));
  const settings = readSettings(store, resolved.configMap);
  return {
    ingresses: ingresses.map((ingress) =>
      verdictOf(ingress, prefix, namesOf(ingress), byObject.get(`Ingress ${keyOf(ingress)}`) ?? []),
    ),
    annotations: counted(ingresses.flatMap(namesOf), annotationUse),
    settings: counted(settings.keys(), settingUse),
  };
}

/** Values of annotations that are done in part which are done otherwise; the rest of them is alike. */
const otherwise: Readonly<Record<string, RegExp>> = {
  'proxy-http-version': /^\s*1\.0/,
  'enable-modsecurity': /^\s*(1|t|true)\s*$/i,
  'enable-owasp-core-rules': /^\s*(1|t|true)\s*$/i,
  'enable-opentelemetry': /^\s*(1|t|true)\s*$/i,
};

function verdictOf(
  { metadata }: Ingress,
  prefix: string,
  names: readonly string[],
  problems: readonly Problem[],
): IngressVerdict {
  const differences = new Set<string>();
  const notes = new Set<string>();
  let isServed = true;
  for (const { message } of problems) {
    if (!ours.test(message)) notes.add(message);
    else differences.add(message);
    if (ours.test(message) && leftOut.test(message)) isServed = false;
  }
  for (const name of names) {
    const { support, note } = annotationUse(name);
    const isSaid = [...differences].some((one) => one.includes(`/${name}:`));
    const value = metadata.annotations?.[`${prefix}${name}`] ?? '';
    if (otherwise[name]?.test(value) === false) continue;
    if ((support === 'partly' || support === 'reported') && !isSaid && !isSnippet(name))
      differences.add(`${name}: ${note}`);
  }
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    verdict: !isServed ? 'cannot' : differences.size > 0 ? 'but' : 'same',
    differences: [...differences],
    notes: [...notes],
  };
}

/** These are read line by line: what is not understood is said by itself. */
function isSnippet(name: string): boolean {
  return name.endsWith('-snippet');
}

function annotationUse(name: string): Pick<UsedName, 'support' | 'note'> {
  const row = annotationRow(name);
  if (row === undefined)
    return { support: 'unknown', note: 'not known to ingress-nginx 1.15: it does nothing there' };
  return { support: row.support, note: row.note };
}

function settingUse(key: string): Pick<UsedName, 'support' | 'note'> {
  const row = settingsTable.find((one) => one.key === key);
  if (row === undefined)
    return { support: 'unknown', note: 'not known to ingress-nginx 1.15: it does nothing there' };
  return { support: row.support, note: row.note };
}

function counted(
  names: readonly string[],
  use: (name: string) => Pick<UsedName, 'support' | 'note'>,
): UsedName[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count, ...use(name) }))
    .sort((left, right) => right.count - left.count || compareText(left.name, right.name));
}
