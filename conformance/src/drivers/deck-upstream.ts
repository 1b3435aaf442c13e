import { isDeepStrictEqual } from 'node:util';
import { Gateway } from '@waygate/gateway';
import {
  AdminClient,
  applyPlan,
  type CollectionName,
  convertToVersion3,
  type DeclarativeConfig,
  gatherConfig,
  type JsonObject,
  mergeContents,
  parseContent,
  prepareSync,
  readState,
} from '@waygate/kong';
import { jsonFiles, readJson } from '../data-file.ts';
import { type Driver, fail, type Outcome, pass, skip } from '../driver.ts';

interface StateFile {
  readonly path: string;
  readonly json?: JsonObject;
}

interface UpstreamCase {
  readonly id: string;
  readonly command?: string;
  readonly appliesTo?: readonly string[];
  readonly steps?: readonly string[];
  readonly before?: readonly StateFile[];
  readonly target?: readonly StateFile[];
  readonly expectAfter?: Readonly<Record<string, readonly JsonObject[]>>;
  readonly params?: unknown;
  readonly from?: string;
  readonly to?: string;
  readonly input?: unknown;
  readonly expectOutput?: unknown;
}

/** Go's names of lists of entities, with the field that names one. */
const lists: Readonly<Record<string, readonly [CollectionName, string]>> = {
  Services: ['services', 'name'],
  Routes: ['routes', 'name'],
  Consumers: ['consumers', 'username'],
  Plugins: ['plugins', 'name'],
  Upstreams: ['upstreams', 'name'],
  KeySets: ['key_sets', 'name'],
  Keys: ['keys', 'name'],
  Vaults: ['vaults', 'prefix'],
};

/** The version that the embedded gateway is. */
const gatewayVersion = [3, 9, 1] as const;

/** Whether a range such as `>=3.0.0 <3.10.0` holds the version of the gateway. */
function isInRange(range: string): boolean {
  return range.split(/\s+/).every((part) => {
    const match = /^(>=|<=|>|<|==?)(\d+)\.(\d+)\.(\d+)$/.exec(part);
    if (match === null) return false;
    const other = match.slice(2).map(Number);
    const place = gatewayVersion.findIndex((number, index) => number !== other[index]);
    const order = place === -1 ? 0 : (gatewayVersion[place] as number) - (other[place] as number);
    switch (match[1]) {
      case '>=':
        return order >= 0;
      case '<=':
        return order <= 0;
      case '>':
        return order > 0;
      case '<':
        return order < 0;
      default:
        return order === 0;
    }
  });
}

/**
 * Whether a test runs on the open-source edition of the version that the embedded gateway is. Where
 * the conditions of several tests stand together, one that fits is enough: its files are in the
 * format of all versions from 3.0 on.
 */
function applies({ appliesTo = [] }: UpstreamCase): boolean {
  const own = appliesTo.find((condition) => /^case: [<>=]/.test(condition))?.slice(6);
  return appliesTo.some((condition) => {
    const match = /^runWhen(?:KongOrKonnect)?\(t, (?:"kong", )?(?:"([^"]*)"|tc\.\w+)\)$/.exec(
      condition,
    );
    if (match === null) return false;
    const range = match[1] ?? own;
    return range === undefined || isInRange(range);
  });
}

/** What the files of some tests hold, and Waygate does not manage. */
function holdsOthers(test: UpstreamCase): boolean {
  const text = JSON.stringify([test.before, test.target]);
  return /"(?:filter_chains|sticky_sessions_cookie|licenses|partials|rbac_roles)"/.test(text);
}

async function bring(
  client: AdminClient,
  file: StateFile,
  flags: string,
): Promise<string | undefined> {
  const parsed = parseContent(JSON.stringify(file.json ?? {}));
  const { config, problems } = mergeContents([parsed.content]);
  const prepared = await prepareSync(client, config, {
    skipsCaCertificates: flags.includes('--skip-ca-certificates'),
  });
  const messages = [
    ...parsed.problems,
    ...problems,
    ...prepared.problems.map(({ message }) => message),
  ];
  if (messages[0] !== undefined) return messages[0];
  const result = await applyPlan(client, prepared.plan);
  return result.failed[0]?.error.message;
}

async function runSync(test: UpstreamCase): Promise<Outcome> {
  if (!applies(test)) return skip('is for another edition or version of Kong');
  if (holdsOthers(test)) return skip('is about entities that are not managed');
  const isPlain = test.steps?.every((step) => !/^(?:apply|diff)\(/.test(step)) === true;
  if (!isPlain || test.target === undefined) {
    return skip('asks for something else than a sync');
  }
  const gateway = new Gateway({ mode: 'database', proxy: [] });
  const { admin } = await gateway.start();
  const client = new AdminClient({ url: `http://127.0.0.1:${admin?.port}` });
  try {
    const flags = (test.steps ?? []).join(' ');
    for (const file of [...(test.before ?? []), ...test.target]) {
      const wrong = await bring(client, file, flags);
      if (wrong !== undefined) return fail(`${file.path}: ${wrong}`);
    }
    const last = test.target.at(-1)?.json as DeclarativeConfig;
    const again = await prepareSync(client, last, {
      skipsCaCertificates: flags.includes('--skip-ca-certificates'),
    });
    const left = again.plan.operations.map(({ op, label }) => `${op} ${label}`);
    if (left.length > 0) return fail(`a second run would still ${left.join(', ')}`);
    return await compareNames(client, test);
  } finally {
    await client.close();
    await gateway.stop();
  }
}

async function compareNames(client: AdminClient, test: UpstreamCase): Promise<Outcome> {
  const state = await readState(client);
  for (const [key, entities] of Object.entries(test.expectAfter ?? {})) {
    const list = lists[key];
    if (list === undefined) continue;
    const [collection, field] = list;
    const names = (items: Iterable<JsonObject>) =>
      JSON.stringify([...items].map((entity) => String(entity[field] ?? '')).sort());
    // A name that stands in the test's code as an expression is not known here.
    const isKnown = entities.every((entity) => typeof entity[field] === 'string');
    if (!isKnown) continue;
    const got = names(state.values(collection));
    if (names(entities) !== got)
      return fail(`${collection}: wanted ${names(entities)}, got ${got}`);
  }
  return pass;
}

const conversions: Readonly<Record<string, (config: DeclarativeConfig) => DeclarativeConfig>> = {
  'kong-gateway-2.x kong-gateway-3.x': (config) => convertToVersion3(config).config,
  'distributed kong-gateway': (config) => gatherConfig(config, '3.0'),
  'distributed kong-gateway-2.x': (config) => gatherConfig(config, '1.1'),
  'distributed kong-gateway-3.x': (config) => gatherConfig(config, '3.0'),
};

function runConvert(test: UpstreamCase): Outcome {
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

export const driver: Driver = {
  suite: 'deck-upstream',
  async *cases(files) {
    for (const file of jsonFiles(files)) {
      const tests = readJson(files, file) as readonly UpstreamCase[];
      const seen = new Map<string, number>();
      for (const test of tests) {
        const count = seen.get(test.id) ?? 0;
        seen.set(test.id, count + 1);
        const feature = file.replace(/^upstream-|\.json$/g, '');
        const run = async (): Promise<Outcome> => {
          if (feature === 'sync') return runSync(test);
          if (feature === 'convert') return runConvert(test);
          return skip('holds for one version, or is covered by the suite deck');
        };
        yield { id: count === 0 ? test.id : `${test.id}#${count + 1}`, feature, run };
      }
    }
  },
};
