import { isDeepStrictEqual } from 'node:util';
import {
  type CollectionName,
  convertToVersion3,
  type DeclarativeConfig,
  gatherConfig,
  type JsonObject,
  mergeContents,
  parseContent,
  pluginNames,
} from '@waygate/kong';
import { convertToKic } from '@waygate/kong/kic';
import type { StateObject } from '@waygate/kong/rewrite';
import { printYaml } from '@waygate/text';
import { jsonFiles, readJson } from '../data-file.ts';
import { type Driver, fail, type Outcome, pass, skip } from '../driver.ts';
import { type Flags, type StateFile, UpstreamGateway } from './deck-upstream-gateway.ts';
import { isForThisKong } from './deck-upstream-range.ts';
import { difference } from './kic-compare.ts';

interface UpstreamCase {
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
}

/** Go's names of lists of entities, with the field that names one. */
const lists: Readonly<Record<string, readonly [CollectionName, string]>> = {
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

/** What only other editions have, or Kong later than 3.9. */
const others =
  /"(_konnect|_workspace|filter_chains|sticky_sessions_cookie|licenses|partials|rbac_roles|ai_models|mcp_servers|models|agents|cloned_plugins|custom_plugins)":/;

/** What decK learnt and we have not. */
const unknownFlags = ['--consumer-group-policy-overrides', '--no-deletes'];

/** Why a test cannot be run on the gateway that there is; undefined when it can. */
function reasonAgainst(test: UpstreamCase): string | undefined {
  const files = [...(test.before ?? []), ...(test.target ?? [])];
  if (test.target === undefined || files.some(({ json }) => json === undefined))
    return 'has no files';
  const other = others.exec(JSON.stringify(files))?.[1];
  if (other !== undefined) return `is about what open-source Kong 3.9 does not have: ${other}`;
  const known = new Set(pluginNames());
  const unknown = pluginsOf(files.map(({ json }) => json)).find((name) => !known.has(name));
  if (unknown !== undefined) return `is about a plugin that Kong 3.9 does not have: ${unknown}`;
  const isOld = files.some(({ json }) => /^[12]\./.test(String(json?._format_version ?? '3.0')));
  if (isOld) return 'is in the format of Kong 2, which Kong 3 does not take';
  const step = (test.steps ?? []).find((one) =>
    /^(?:multiFileSync|render|lint|openapi)\(/.test(one),
  );
  if (step !== undefined) return `asks for ${step.replace(/\(.*/, '')}, which there is not`;
  const said = JSON.stringify([test.steps, test.flagsSeenInTest, test.params]);
  const flag = unknownFlags.find((one) => said.includes(one));
  if (flag !== undefined) return `asks for ${flag}, which there is not`;
  if (/"\$go":"func"/.test(said)) return 'is set up by code that is not in the data';
  const spread = (test.steps ?? []).flatMap((one) => /(?:tc\.)?(\w+)\.\.\./.exec(one)?.[1] ?? []);
  if (spread.some((name) => !(name in ((test.params ?? {}) as object))))
    return 'has flags that are not in the data';
  return undefined;
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

/** The flags of one step: the texts in its call. */
function flagsOf(test: UpstreamCase, verb: string): Flags {
  const step = (test.steps ?? []).filter((one) => one.startsWith(`${verb}(`)).at(-1) ?? '';
  const texts = Array.from(step.matchAll(/"([^"]*)"/g), ([, text = '']) => text);
  const { envVars, flags, dumpArgs, dumpOpts, resetFlags } = (test.params ?? {}) as Record<
    string,
    unknown
  >;
  const given = { sync: flags, dump: dumpArgs ?? dumpOpts ?? flags, reset: resetFlags }[verb];
  return {
    texts: [...texts, ...(Array.isArray(given) ? given.map(String) : [])],
    environment: (envVars ?? {}) as Record<string, string>,
  };
}

type Play = (gateway: UpstreamGateway, test: UpstreamCase) => Promise<Outcome>;

/** Brings the gateway to where the test begins. */
async function bring(gateway: UpstreamGateway, test: UpstreamCase): Promise<string | undefined> {
  for (const file of [...(test.before ?? []), ...(test.target ?? [])]) {
    const wrong = await gateway.sync(file, flagsOf(test, 'sync'));
    if (wrong !== undefined) return `${file.path}: ${wrong}`;
  }
  return undefined;
}

const playSync: Play = async (gateway, test) => {
  const wrong = await bring(gateway, test);
  if (wrong !== undefined) return fail(wrong);
  const again = await gateway.diff(test.target!.at(-1)!, flagsOf(test, 'sync'));
  if (typeof again === 'string') return fail(again);
  const left = again.map(({ op, label }) => `${op} ${label}`);
  if (left.length > 0) return fail(`a second run would still ${left.join(', ')}`);
  return compareNames(gateway, test);
};

/** Applies the last file over what the others made; a second time it would do nothing. */
const playApply: Play = async (gateway, test) => {
  if (typeof test.expectAfter !== 'object') return skip('names a file that is not in the data');
  for (const file of test.before ?? []) {
    const wrong = await gateway.sync(file, flagsOf(test, 'sync'));
    if (wrong !== undefined) return fail(`${file.path}: ${wrong}`);
  }
  for (const file of test.target ?? []) {
    const wrong = await gateway.apply(file, flagsOf(test, 'apply'));
    if (wrong !== undefined) return fail(`${file.path}: ${wrong}`);
  }
  return compareNames(gateway, test);
};

/** A dump that gives nothing away is a file still: Kong takes it, and has as much as before. */
const playSanitize: Play = async (gateway, test) => {
  const wrong = await bring(gateway, test);
  if (wrong !== undefined) return fail(wrong);
  const before = await gateway.state();
  const json = await gateway.dump(flagsOf(test, 'dump'));
  const none: Flags = { texts: [], environment: {} };
  const again = (await gateway.reset(none)) ?? (await gateway.sync({ path: 'dump', json }, none));
  if (again !== undefined) return fail(again);
  const after = await gateway.state();
  for (const [collection] of Object.values(lists)) {
    const counts = [before, after].map((state) => [...state.values(collection)].length);
    if (counts[0] !== counts[1]) return fail(`${collection}: had ${counts[0]}, has ${counts[1]}`);
  }
  return pass;
};

const playReset: Play = async (gateway, test) => {
  const wrong = (await bring(gateway, test)) ?? (await gateway.reset(flagsOf(test, 'reset')));
  return wrong === undefined ? compareNames(gateway, test, true) : fail(wrong);
};

const playDump: Play = async (gateway, test) => {
  const wrong = await bring(gateway, test);
  if (wrong !== undefined) return fail(wrong);
  const wanted = test.expectFile?.at(-1)?.json;
  if (wanted === undefined) return skip('has no file to compare with');
  const dumped = await gateway.dump(flagsOf(test, 'dump'));
  const problem = difference(wanted, dumped);
  return problem === undefined ? pass : fail(problem);
};

/** A test that says how much differs; the texts of others are of one version's defaults. */
const playDiff: Play = async (gateway, test) => {
  for (const file of test.before ?? []) {
    const wrong = await gateway.sync(file, flagsOf(test, 'sync'));
    if (wrong !== undefined) return fail(`${file.path}: ${wrong}`);
  }
  const { expectedDiff } = (test.params ?? {}) as { expectedDiff?: unknown };
  if (typeof expectedDiff !== 'string') return skip('does not say how much differs');
  const operations = await gateway.diff(test.target!.at(-1)!, flagsOf(test, 'diff'));
  if (typeof operations === 'string') return fail(operations);
  const counts = { Created: 'create', Updated: 'update', Deleted: 'delete' };
  for (const [word, op] of Object.entries(counts)) {
    const wanted = Number(new RegExp(`${word}: (\\d+)`).exec(expectedDiff)?.[1] ?? 0);
    const got = operations.filter((one) => one.op === op).length;
    if (wanted !== got) return fail(`${word}: wanted ${wanted}, got ${got}`);
  }
  return pass;
};

/** Plays a test; one that is for another version may come out otherwise here, and says how. */
async function play(test: UpstreamCase, how: Play): Promise<Outcome> {
  const reason = reasonAgainst(test);
  if (reason !== undefined) return skip(reason);
  const gateway = new UpstreamGateway();
  await gateway.start();
  try {
    const outcome = await how(gateway, test);
    if (outcome.kind !== 'fail' || isForThisKong(test.appliesTo ?? [], test.params ?? {}))
      return outcome;
    return skip('is for another edition or version of Kong, and comes out otherwise here');
  } finally {
    await gateway.stop();
  }
}

async function compareNames(
  gateway: UpstreamGateway,
  test: UpstreamCase,
  isWhole = false,
): Promise<Outcome> {
  const state = await gateway.state();
  const expected = typeof test.expectAfter === 'object' ? test.expectAfter : {};
  for (const [key, [collection, field]] of Object.entries(lists)) {
    const entities = expected[key];
    if (entities === undefined && !isWhole) continue;
    const names = (items: Iterable<JsonObject>) =>
      JSON.stringify([...items].map((entity) => String(entity[field] ?? '')).sort());
    // A name that stands in the test's code as an expression is not known here.
    const isKnown = (entities ?? []).every((entity) => typeof entity[field] === 'string');
    const got = names(state.values(collection));
    const count = [...state.values(collection)].length;
    if (isKnown ? names(entities ?? []) !== got : entities?.length !== count)
      return fail(`${collection}: wanted ${names(entities ?? [])}, got ${got}`);
  }
  return pass;
}

const conversions: Readonly<Record<string, (config: DeclarativeConfig) => DeclarativeConfig>> = {
  'kong-gateway-2.x kong-gateway-3.x': (config) => convertToVersion3(config).config,
  'distributed kong-gateway': (config) => gatherConfig(config, '3.0'),
  'distributed kong-gateway-2.x': (config) => gatherConfig(config, '1.1'),
  'distributed kong-gateway-3.x': (config) => gatherConfig(config, '3.0'),
};

/** The manifests of a test of `kong2kic`, byte for byte. */
function runKic({ builder = '', input, expectOutput }: UpstreamCase): Outcome {
  const [, version, api] = /^KICV([23])_(GATEWAY|INGRESS)$/.exec(builder) ?? [];
  const { content, problems } = parseContent(String(input));
  if (problems[0] !== undefined) return fail(problems[0]);
  const { manifests } = convertToKic(content as unknown as StateObject, {
    className: 'kong',
    version: version === '2' ? 2 : 3,
    api: api === 'INGRESS' ? 'ingress' : 'gateway',
  });
  const text = manifests.map((one) => `${printYaml(one)}---\n`).join('');
  // Where documents begin and end is not what the test compares.
  const documents = (one: string) => one.split(/^---$/m).map((document) => document.trim());
  const wanted = documents(String(expectOutput));
  const got = documents(text);
  const index = wanted.findIndex((document, place) => document !== got[place]);
  if (index === -1 && wanted.length === got.length) return pass;
  return fail(`document ${index + 1}: wanted ${wanted[index]}, got ${got[index]}`);
}

function runConvert(test: UpstreamCase): Outcome {
  if (test.command === 'file kong2kic') return runKic(test);
  const convert = conversions[`${test.from} ${test.to}`];
  if (convert === undefined || typeof test.expectOutput !== 'string') {
    return skip('converts for Konnect or Enterprise, or tests a function of Go');
  }
  const { envVars = {} } = (test.params ?? {}) as { envVars?: Record<string, string> };
  const contents = Object.values((test.input ?? {}) as Record<string, string>).map(
    (text) => parseContent(text, { environment: envVars }).content,
  );
  const config = convert(mergeContents(contents).config);
  const wanted = parseContent(test.expectOutput).content;
  return isDeepStrictEqual(config, wanted)
    ? pass
    : fail(`wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(config)}`);
}

const plays: Readonly<Record<string, Play>> = {
  sync: playSync,
  dump: playDump,
  diff: playDiff,
  reset: playReset,
};

/** How a test is played: by what it is about and, where it does more than that, by its steps. */
function playOf(feature: string, { steps = [] }: UpstreamCase): Play | undefined {
  if (feature === 'sync' && steps.some((step) => step.startsWith('apply('))) return playApply;
  if (feature === 'dump' && steps.some((step) => step.includes('"--sanitize"')))
    return playSanitize;
  return plays[feature];
}

export const driver: Driver = {
  suite: 'deck-upstream',
  async *cases(files) {
    for (const file of jsonFiles(files)) {
      const tests = readJson(files, file) as readonly UpstreamCase[];
      const seen = new Map<string, number>();
      const feature = file.replace(/^upstream-|\.json$/g, '');
      for (const [index, test] of tests.entries()) {
        const id = test.id ?? `${feature}/${index + 1}`;
        const count = seen.get(id) ?? 0;
        seen.set(id, count + 1);
        const how = playOf(feature, test);
        const run = async (): Promise<Outcome> => {
          if (feature === 'convert') return runConvert(test);
          if (how === undefined) return skip('is a text that tests of diff name, and no test');
          return play(test, how);
        };
        yield { id: count === 0 ? id : `${id}#${count + 1}`, feature, run };
      }
    }
  },
};
