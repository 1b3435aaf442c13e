import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Condition, fileListKey, type SourceObject } from '@waygate/gitops';
import type { Kind, KubeObject } from '@waygate/schema';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

type ConditionFacts = readonly [type: string, status: string, reason: string, message: string];

/** What a recording says of one of many sources. */
export interface SourceFacts {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly ref?: Readonly<Record<string, string>> | false;
  readonly artifact: object;
  readonly url?: string | null;
  readonly conditions: readonly ConditionFacts[];
}

/** Waits until a source has done what it could, and gives back its facts in the recording's words. */
export async function settledFacts(
  stage: Stage,
  kind: Kind<KubeObject>,
  name: string,
): Promise<SourceFacts> {
  let object: SourceObject | undefined;
  await stage.until(async () => {
    object = (await stage.find(kind, name)) as SourceObject | undefined;
    const ready = conditionOf(object, 'Ready');
    return ready !== undefined && ready.status !== 'Unknown' && !isAtWork(object);
  });
  const { artifact, conditions = [], url } = object?.status ?? {};
  const { path, revision } = artifact ?? {};
  // Which files an artifact has is told by us alone.
  const { [fileListKey]: _ours, ...others } = artifact?.metadata ?? {};
  const metadata = Object.keys(others).length === 0 ? undefined : others;
  const facts = {
    artifact: { path, revision, metadata },
    ...(kind.kind === 'GitRepository' ? {} : { url: url === undefined ? null : pathOf(url) }),
    conditions: conditions.map((one) => [one.type, one.status, one.reason, one.message]),
  };
  return JSON.parse(stage.told(JSON.stringify(facts))) as SourceFacts;
}

/**
 * The recorded facts as they are when the controller is not at work: some were taken in the middle of
 * the next try.
 */
export function asSettled({ artifact, conditions, url }: SourceFacts): SourceFacts {
  const failure = conditions.find(([type]) => type === 'FetchFailed');
  const isMidway = conditions.some(([type, status]) => type === 'Ready' && status === 'Unknown');
  const [, , reason = '', message = ''] = failure ?? [];
  return {
    artifact,
    ...(url === undefined ? {} : { url: url === null ? null : pathOf(url) }),
    conditions: isMidway
      ? [
          ['Reconciling', 'True', 'ProgressingWithRetry', 'building artifact'],
          ['Ready', 'False', reason, message],
          ['FetchFailed', 'True', reason, message],
        ]
      : conditions,
  };
}

/** A story whose facts on sources are those of settled ones. */
export function withSettledFacts(story: Story, key: string): Story {
  const facts = story.extra[key] as Readonly<Record<string, SourceFacts>>;
  const settled = Object.entries(facts).map(([name, one]) => [name, asSettled(one)]);
  return { ...story, extra: { ...story.extra, [key]: Object.fromEntries(settled) } };
}

/** Our servers are elsewhere. */
function pathOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname);
}

function conditionOf(object: SourceObject | undefined, wanted: string): Condition | undefined {
  return object?.status?.conditions?.find(({ type }) => type === wanted);
}

function isAtWork(object: SourceObject | undefined): boolean {
  return conditionOf(object, 'Reconciling')?.reason === 'Progressing';
}

/** The files that the storage has of a source; null when it knows none. */
export function storedFiles(stage: Stage, path: string): string[] | null {
  try {
    const names = readdirSync(join(stage.storageDirectory, ...path.split('/')));
    return names.map((name) => stage.told(name)).sort();
  } catch {
    return null;
  }
}

/** What the real tar says of the artifact of a source. */
export async function listed(
  stage: Stage,
  kind: Kind<KubeObject>,
  name: string,
  ...options: string[]
): Promise<string[]> {
  const object = (await stage.find(kind, name)) as SourceObject | undefined;
  const path = object?.status?.artifact?.path ?? '';
  const file = join(stage.storageDirectory, ...path.split('/'));
  const text = execFileSync('tar', ['--list', '--file', file, ...options], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TZ: 'UTC' },
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/(?<=.)\/$/, ''));
}

/** Flux keeps a lock beside each file, which is of no use to one process. */
export function withoutLocks(value: unknown): unknown {
  return Array.isArray(value)
    ? value.filter((one) => typeof one !== 'string' || !one.endsWith('.lock')).sort()
    : value;
}
