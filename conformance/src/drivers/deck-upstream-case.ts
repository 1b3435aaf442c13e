import { type CollectionName, type JsonObject, pluginNames } from '@waygate/kong';
import type { Flags, StateFile } from './deck-upstream-gateway.ts';

/** A test of decK's own suites, as data. */
export interface UpstreamCase {
  readonly id: string;
  readonly command?: string;
  readonly appliesTo?: readonly string[];
  readonly flagsSeenInTest?: readonly string[];
  readonly steps?: readonly string[];
  readonly before?: readonly StateFile[];
  readonly target?: readonly StateFile[];
  readonly expectFile?: readonly StateFile[];
  /** Lists of entities, or the path of a file that is not in the data. */
  readonly expectAfter?: Readonly<Record<string, readonly JsonObject[]>> | string;
  readonly params?: unknown;
  readonly from?: string;
  readonly to?: string;
  readonly input?: unknown;
  readonly expectOutput?: unknown;
  /** Which manifests a test of `kong2kic` wants. */
  readonly builder?: string;
  /** What a test of a function of decK's gives it, and wants of it. */
  readonly args?: unknown;
  readonly plugin?: unknown;
  readonly expected?: unknown;
  readonly wantErr?: boolean;
}

/** What a test was made with, where that is data. */
export type Params = Readonly<Record<string, unknown>>;

export function paramsOf(test: UpstreamCase): Params {
  return (test.params ?? {}) as Params;
}

/** Go's names of lists of entities, with the field that names one. */
export const lists: Readonly<Record<string, readonly [CollectionName, string]>> = {
  Services: ['services', 'name'],
  Routes: ['routes', 'name'],
  Consumers: ['consumers', 'username'],
  ConsumerGroups: ['consumer_groups', 'name'],
  Plugins: ['plugins', 'name'],
  Upstreams: ['upstreams', 'name'],
  Targets: ['targets', 'target'],
  Certificates: ['certificates', 'id'],
  CACertificates: ['ca_certificates', 'id'],
  SNIs: ['snis', 'name'],
  KeySets: ['key_sets', 'name'],
  Keys: ['keys', 'name'],
  Vaults: ['vaults', 'prefix'],
  KeyAuths: ['keyauth_credentials', 'key'],
  BasicAuths: ['basicauth_credentials', 'username'],
  HMACAuths: ['hmacauth_credentials', 'username'],
  JWTAuths: ['jwt_secrets', 'key'],
  ACLGroups: ['acls', 'group'],
};

/** Entities of Konnect and Kong Enterprise, or of the AI gateway, which are not managed here. */
const others: readonly (readonly [RegExp, string])[] = [
  [/"_konnect":/, 'Konnect, which is not a Kong with an Admin API'],
  [/"(?:ai_models|mcp_servers|models|agents|identity_providers)":/, 'the AI gateway'],
  [
    /"(partials|filter_chains|licenses|rbac_roles|cloned_plugins|custom_plugins|custom_entities)":/,
    'entities of Kong Enterprise: ',
  ],
];

function filesOf(test: UpstreamCase): readonly StateFile[] {
  return [...(test.before ?? []), ...(test.target ?? [])];
}

/** The first plugin of a test that open-source Kong does not have. */
export function foreignPlugin(test: UpstreamCase): string | undefined {
  const known = new Set(pluginNames());
  return pluginsOf(filesOf(test).map(({ json }) => json)).find((name) => !known.has(name));
}

/** Whether a test is for Konnect alone. */
export function isForKonnect({ appliesTo = [], id }: UpstreamCase): boolean {
  const isOnly = appliesTo.every((one) => /konnect/i.test(one) && !/Or(?:Konnect|Kong)/.test(one));
  return /Konnect/.test(id) || (isOnly && appliesTo.length > 0);
}

/** An entity that a test's code makes before its file is read: the file knows its id. */
export interface Stranger {
  readonly collection: 'consumers' | 'consumer_groups' | 'routes' | 'services';
  readonly id: string;
}

/** The entities that plugins of a test's files refer to by an id that no file has. */
export function strangersOf(test: UpstreamCase): readonly Stranger[] {
  if (!/not-in-state-file/.test(test.id)) return [];
  const found = new Map<string, Stranger>();
  const text = JSON.stringify(filesOf(test));
  const reference = /"(consumer|consumer_group|route|service)":"([0-9a-f]{8}-[0-9a-f-]{27})"/g;
  for (const [, field, id = ''] of text.matchAll(reference)) {
    if (text.includes(`"id":"${id}"`)) continue;
    found.set(id, { collection: `${field}s` as Stranger['collection'], id });
  }
  return [...found.values()];
}

/** Why a test cannot be played here; undefined when it can. */
export function reasonAgainst(test: UpstreamCase): string | undefined {
  const files = filesOf(test);
  const said = JSON.stringify([files, test.params, test.steps, test.flagsSeenInTest]);
  for (const [pattern, what] of others) {
    const found = pattern.exec(said);
    if (found !== null) return `is about ${what}${found[1] ?? ''}`;
  }
  if (test.target === undefined || files.some(({ json }) => json === undefined))
    return 'has no files';
  const { envVars = {} } = paramsOf(test) as { envVars?: object };
  const isUnset = files.some(({ text = '' }) =>
    Array.from(text.matchAll(/env "(\w+)"/g)).some(([, name = '']) => !(name in envVars)),
  );
  const isSetUp = /"\$go":"func"/.test(said) && strangersOf(test).length === 0;
  if (isUnset || isSetUp) return 'is set up by code that is not in the data';
  const isSpread = (test.steps ?? []).some((step) => /^dump\(\w+\.\.\.\)/.test(step));
  if (isSpread && flagsOf(test, 'dump').texts.length === 0)
    return 'has flags that are not in the data';
  if (said.includes('--consumer-group-policy-overrides'))
    return 'asks for --consumer-group-policy-overrides, of Kong Enterprise before 3.4';
  return undefined;
}

/**
 * The Kongs that a test is played on, the first that fits: the embedded gateway, or one in whose place a
 * server takes everything, for what the gateway does not have.
 */
export function kongsOf(test: UpstreamCase): readonly ('embedded' | string)[] {
  const text = JSON.stringify(filesOf(test));
  if (/"_format_version":"[12]\./.test(text)) return [refusesFormat(test) ? 'embedded' : '2.8.0'];
  const isForeign =
    foreignPlugin(test) !== undefined ||
    /"(?:consumer_groups?|_workspace|tls_sans|failover|sticky_sessions_cookie)":/.test(text) ||
    /"vaults":\[\{[^\]]*"name":"(?!env")/.test(text);
  // Files that do not say are of the older format, where the test is for an older Kong.
  const isOld = (test.appliesTo ?? []).every((one) =>
    /"(?:==2|<3|<=2|>=[12][^ ]* <=?[123]\.[01])/.test(one),
  );
  if (isOld && (test.appliesTo ?? []).length > 0) return ['2.8.0'];
  return isForeign ? ['3.9.0.0-enterprise-edition'] : ['embedded', '3.9.0.0-enterprise-edition'];
}

function refusesFormat(test: UpstreamCase): boolean {
  return String(paramsOf(test).expectedError ?? '').includes('config format version');
}

function pluginsOf(value: unknown, key = ''): string[] {
  if (Array.isArray(value))
    return value.flatMap((item) => [
      ...(key === 'plugins' && typeof item?.name === 'string' ? [item.name as string] : []),
      ...pluginsOf(item),
    ]);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, item]) => pluginsOf(item, name));
}

/** Of steps that a test does one or the other of, those that its parameters choose: `skipConsumers` is a flag. */
function chosenSteps(test: UpstreamCase, steps: readonly string[]): readonly string[] {
  for (const [name, value] of Object.entries(paramsOf(test))) {
    if (typeof value !== 'boolean') continue;
    const flag = `"--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}"`;
    if (!steps.some((step) => step.includes(flag))) continue;
    return steps.filter((step) => step.includes(flag) === value);
  }
  return steps;
}

/** Flags that a test is named after, where its code puts them together. */
const namedFlags: readonly (readonly [RegExp, string])[] = [
  [/^\w+\/Test_Dump_SkipDefaults/, '--skip-defaults'],
  [/^\w+\/Test_Dump_Sanitize/, '--sanitize'],
];

/** The flags of one step, the last of a verb or the one at a place: the texts in its call, and those that the test puts there by name. */
export function flagsOf(test: UpstreamCase, verb: string, place = -1): Flags {
  const steps = (test.steps ?? []).filter((one) => one.startsWith(`${verb}(`));
  const step = chosenSteps(test, steps).at(place) ?? '';
  const texts = Array.from(step.matchAll(/"([^"]*)"/g), ([, text = '']) => text);
  const { envVars, flags, dumpArgs, dumpOpts, dumpFlags, resetFlags, selectTags } = paramsOf(test);
  const given = {
    sync: flags,
    dump: dumpArgs ?? dumpOpts ?? dumpFlags ?? flags,
    reset: resetFlags,
  }[verb];
  // A list that is made in the test's code has the flags that the code names.
  const isSpread = /\.\.\./.test(step) && !Array.isArray(given);
  const named = isSpread ? (test.flagsSeenInTest ?? []) : [];
  const byName = isSpread && verb === 'dump' ? namedFlags.filter(([id]) => id.test(test.id)) : [];
  const tags = isSpread && Array.isArray(selectTags) ? selectTags : [];
  return {
    texts: [
      ...texts,
      ...byName.map(([, flag]) => flag).filter((flag) => !named.includes(flag)),
      ...named.filter((flag) => flag !== '--select-tag'),
      ...tags.flatMap((tag) => ['--select-tag', String(tag)]),
      ...(Array.isArray(given) ? given.map(String) : []),
    ],
    environment: (envVars ?? {}) as Record<string, string>,
  };
}
