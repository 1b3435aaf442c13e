import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  buildTarget,
  type CollectionName,
  dumpConfig,
  type JsonObject,
  KongEntities,
  readFiles,
  writeDeckYaml,
  writeJson,
} from '@waygate/kong';
import type { CaseFiles } from '../case-files.ts';
import { jsonFiles, readJson } from '../data-file.ts';
import { type ConformanceCase, type Driver, fail, type Outcome, pass } from '../driver.ts';
import { type ProtocolCase, runProtocolCase } from './deck-protocol.ts';
import { recordedFiles } from './deck-recorded-file.ts';
import { runSyncCase, type SyncCase } from './deck-sync.ts';

interface ValidateCase {
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
  readonly state: readonly string[];
  readonly stdin?: string;
  readonly exit: number;
  readonly error: string | null;
}

interface DumpCase {
  readonly id: string;
  readonly serverState: Readonly<Record<string, readonly JsonObject[]>>;
  readonly flags: readonly string[];
  readonly exit: number;
  readonly output: string;
  readonly error?: string;
}

/** Ids that are made up differ from run to run. */
function withoutUuids(text: string): string {
  return text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>');
}

/** What `validate` says of the files: the first problem, or undefined. */
async function validationError(test: ValidateCase, directory: string): Promise<string | undefined> {
  const paths = test.state
    .flatMap((entry) => entry.split(','))
    .map((entry) => (entry === '-' ? entry : join(directory, entry)));
  const { config, problems } = await readFiles(paths, {
    isLenient: true,
    readStdin: async () => test.stdin ?? '',
  });
  if (problems[0] !== undefined) return problems[0].replaceAll(`${directory}/`, '');
  const options = { current: new KongEntities(), newId: randomUUID };
  return buildTarget(config, options).problems[0]?.message;
}

async function runValidateCase(test: ValidateCase): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'deck-'));
  try {
    for (const [name, text] of Object.entries(test.files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const error = await validationError(test, directory);
    const got = error === undefined ? null : withoutUuids(error);
    const wanted = test.error === null ? null : withoutUuids(test.error);
    if (got === wanted) return pass;
    return fail(`wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const serverKeys: Readonly<Record<string, CollectionName>> = {
  'key-auths': 'keyauth_credentials',
  'basic-auths': 'basicauth_credentials',
  'hmac-auths': 'hmacauth_credentials',
  jwts: 'jwt_secrets',
  oauth2: 'oauth2_credentials',
  'mtls-auths': 'mtls_auth_credentials',
};

function flagValue(flags: readonly string[], name: string): string | undefined {
  const index = flags.indexOf(name);
  return index === -1 ? undefined : flags[index + 1];
}

function runDumpCase(test: DumpCase): Outcome {
  const state = new KongEntities();
  const skipsConsumers = test.flags.includes('--skip-consumers');
  for (const [key, entities] of Object.entries(test.serverState)) {
    const collection = serverKeys[key] ?? (key as CollectionName);
    for (const entity of entities) {
      const isConsumers =
        collection === 'consumers' || (entity.consumer !== undefined && entity.consumer !== null);
      if (skipsConsumers && isConsumers) continue;
      state.put(collection, entity as JsonObject & { readonly id: string });
    }
  }
  const format = flagValue(test.flags, '--format') ?? 'yaml';
  if (format !== 'yaml' && format !== 'json') {
    return test.exit === 1 ? pass : fail(`format ${format} was taken`);
  }
  const config = dumpConfig(state, {
    formatVersion: '1.1',
    withIds: test.flags.includes('--with-id'),
  }) as JsonObject;
  const got = format === 'json' ? writeJson(config) : writeDeckYaml(config);
  if (got === test.output) return pass;
  const [ours, theirs] = [got.split('\n'), test.output.split('\n')];
  const line = ours.findIndex((text, index) => text !== theirs[index]);
  return fail(
    `line ${line + 1}: wanted ${JSON.stringify(theirs[line])}, got ${JSON.stringify(ours[line])}`,
  );
}

async function* casesOf(files: CaseFiles): AsyncGenerator<ConformanceCase> {
  for (const file of jsonFiles(files)) {
    const tests = readJson(files, file) as readonly { readonly id: string }[];
    for (const test of tests) {
      const [, feature = 'other'] = test.id.split('/');
      const run = async (): Promise<Outcome> => {
        if (file.startsWith('own-validate')) return runValidateCase(test as ValidateCase);
        if (file.startsWith('own-dump')) return runDumpCase(test as DumpCase);
        return runSyncCase(test as SyncCase);
      };
      yield { id: test.id, feature, run };
    }
  }
  const recordings = files
    .names()
    .filter((name) => /^protocol\/.*\.json$/.test(name))
    .map((name) => readJson(files, name) as ProtocolCase);
  const read = recordedFiles(recordings);
  for (const test of recordings)
    yield {
      id: `protocol/${test.id}`,
      feature: 'protocol',
      run: () => runProtocolCase(test, read),
    };
}

export const driver: Driver = { suite: 'deck', cases: casesOf };
