import { DatabaseSync, translate } from '@waygate/ingress';
import { entityKinds, fillFields, findSchema, type StoredEntity } from '@waygate/kong';
import { FakeClock } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { type ConformanceCase, fail, type Outcome, pass } from '../driver.ts';
import { optionsOf } from './kic-case.ts';
import { difference } from './kic-compare.ts';
import { type RecordedWrite, RecordingDatabase } from './kic-legacy-database.ts';

/** Several syncs with a database, with the writes that each may cost. */
export interface DatabaseCase {
  readonly id: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly initial: Readonly<Record<string, readonly StoredEntity[]>>;
  readonly steps: readonly {
    readonly inputs: readonly KubeObject[];
    readonly expect_writes: readonly (RecordedWrite & { readonly stage: number })[];
    readonly expect_error?: string;
  }[];
}

export function databaseCase(one: DatabaseCase): ConformanceCase {
  return { id: one.id, feature: 'dbmode', run: () => run(one) };
}

async function run({ settings, initial, steps }: DatabaseCase): Promise<Outcome> {
  const database = new RecordingDatabase(initial);
  const sync = new DatabaseSync({
    client: () => database,
    clock: new FakeClock(),
    filterTags: settings['kong-admin-filter-tag'] as string[],
  });
  try {
    for (const [index, step] of steps.entries()) {
      const { state } = translate(step.inputs, { ...optionsOf(settings), naming: 'legacy' });
      const request = { state: () => state, changedServices: undefined };
      const outcome = await sync.sync(request, new AbortController().signal);
      const isError = outcome.kind === 'failed' || outcome.kind === 'rejected';
      if (isError !== (step.expect_error !== undefined))
        return fail(`step ${index}: ${isError ? outcome.error.message : 'no error'}`);
      const found = compareWrites(step.expect_writes, database.takeWrites());
      if (found !== undefined) return fail(`step ${index}: ${found}`);
    }
    return pass;
  } finally {
    await database.close();
  }
}

/** The same writes in any order; a body may leave out what Kong fills in with the same value. */
function compareWrites(
  expected: DatabaseCase['steps'][number]['expect_writes'],
  actual: readonly RecordedWrite[],
): string | undefined {
  const wanted = expected.map(({ method, path, body }) => ({
    method: methodOf(method, path),
    path,
    ...(body === undefined ? {} : { body }),
  }));
  const sent = actual.map((write) => {
    const twin = wanted.find(({ method, path, body }) => {
      const isSame = method === methodOf(write.method, write.path) && path === write.path;
      return isSame && (method !== 'POST' || body?.target === write.body?.target);
    });
    const filled = write.body && withExpectedDefaults(write, twin?.body);
    return {
      method: methodOf(write.method, write.path),
      path: write.path,
      ...(filled && { body: filled }),
    };
  });
  const key = ({ method, path, body }: RecordedWrite) => `${method} ${path} ${body?.target ?? ''}`;
  const sorted = (list: readonly RecordedWrite[]) =>
    [...list]
      .sort((a, b) => (key(a) < key(b) ? -1 : 1))
      .map((write) => ({ ...write, name: key(write) }));
  return difference({ writes: sorted(wanted) }, { writes: sorted(sent) });
}

/** A target is written by POST or by PATCH, to the same effect. */
function methodOf(method: string, path: string): string {
  return path.includes('/targets') && method !== 'DELETE' ? 'POST' : method;
}

function withExpectedDefaults(
  { path, body = {} }: RecordedWrite,
  expected: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const kind = path
    .split('/')
    .reverse()
    .map((part) => entityKinds.find(({ segment }) => segment === part))
    .find((found) => found !== undefined);
  const schema = kind && findSchema(kind.collection);
  if (expected === undefined || schema === undefined) return { ...body };
  const defaults = fillFields(schema.fields, {}) as Record<string, unknown>;
  const result: Record<string, unknown> = { ...body };
  for (const [field, value] of Object.entries(expected)) {
    if (result[field] === undefined && holds(defaults[field], value)) result[field] = value;
  }
  return result;
}

/** Whether a value is part of another: newer versions of Kong have more fields in their records. */
function holds(whole: unknown, part: unknown): boolean {
  if (isObject(part)) {
    return (
      typeof whole === 'object' &&
      whole !== null &&
      Object.entries(part).every(([key, value]) =>
        holds((whole as Record<string, unknown>)[key], value),
      )
    );
  }
  return JSON.stringify(whole) === JSON.stringify(part);
}
