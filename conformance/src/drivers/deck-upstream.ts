import { isDeepStrictEqual } from 'node:util';
import { Gateway } from '@waygate/gateway';
import {
  AdminClient,
  applyPlan,
  type CollectionName,
  convertToVersion3,
  type DeclarativeConfig,
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

/** Whether a test runs on the open-source edition of the version that the embedded gateway is. */
function applies({ appliesTo = [] }: UpstreamCase): boolean {
  const pattern = /^runWhen(?:KongOrKonnect)?\(t, (?:"kong", )?">=(2\.\d+|3\.\d)\.\d+"\)$/;
  return appliesTo.length > 0 && appliesTo.every((condition) => pattern.test(condition));
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
  const result = await applyPlan(client, prepared.plan, prepared.current);
  return result.failed[0]?.error.message;
}

async function runSync(test: UpstreamCase): Promise<Outcome> {
  if (!applies(test)) return skip('is for another edition or version of Kong');
  const isPlain = test.steps?.every((step) => !/^(?:apply|diff)\(/.test(step)) === true;
  if (!isPlain || test.params !== undefined || test.target === undefined) {
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
    if (entities.some((entity) => JSON.stringify(entity[field] ?? '').includes('$go'))) continue;
    const got = names(state.values(collection));
    if (names(entities) !== got)
      return fail(`${collection}: wanted ${names(entities)}, got ${got}`);
  }
  return pass;
}

function runConvert(test: UpstreamCase): Outcome {
  const isKnown = test.from === 'kong-gateway-2.x' && test.to === 'kong-gateway-3.x';
  if (!isKnown || typeof test.expectOutput !== 'string') {
    return skip('converts something else than files for Kong 2.x');
  }
  const contents = Object.values((test.input ?? {}) as Record<string, string>).map(
    (text) => parseContent(text).content,
  );
  const { config } = convertToVersion3(mergeContents(contents).config);
  const wanted = parseContent(test.expectOutput).content;
  return isDeepStrictEqual(config, wanted)
    ? pass
    : fail(`wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(config)}`);
}

export const driver: Driver = {
  suite: 'deck-upstream',
  async *cases(directory) {
    for (const file of await jsonFiles(directory)) {
      const tests = (await readJson(directory, file)) as readonly UpstreamCase[];
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
