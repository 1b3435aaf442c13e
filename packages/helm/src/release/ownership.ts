import type { DynamicObject } from '@waygate/schema';
import { HelmError } from '../helm-error.ts';
import type { ReleaseCluster } from './release-cluster.ts';
import { describeObject } from './release-objects.ts';

const managedBy = 'app.kubernetes.io/managed-by';
const releaseName = 'meta.helm.sh/release-name';
const releaseNamespace = 'meta.helm.sh/release-namespace';

/** Whose an object is. */
export interface ReleaseOwner {
  readonly name: string;
  readonly namespace: string;
}

/**
 * The object with the marks of its release. They are not in the stored manifest.
 *
 * ```ts
 * const object = { kind: 'ConfigMap', metadata: { name: 'a' } };
 * owned(object, { name: 'web', namespace: 'shop' }).metadata.labels;
 * ```
 */
export function owned(object: DynamicObject, owner: ReleaseOwner): DynamicObject {
  const { labels, annotations } = object.metadata;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...labels, [managedBy]: 'Helm' },
      annotations: {
        ...annotations,
        [releaseName]: owner.name,
        [releaseNamespace]: owner.namespace,
      },
    },
  };
}

/** What is missing for a live object to be the release's, in Helm's words; undefined when it is. */
export function ownershipProblem(live: DynamicObject, owner: ReleaseOwner): string | undefined {
  const { labels = {}, annotations = {} } = live.metadata;
  const problems = [
    wrongValue('label', labels, managedBy, 'Helm'),
    wrongValue('annotation', annotations, releaseName, owner.name),
    wrongValue('annotation', annotations, releaseNamespace, owner.namespace),
  ].filter((problem) => problem !== undefined);
  if (problems.length === 0) return undefined;
  return `invalid ownership metadata; ${problems.join('; ')}`;
}

function wrongValue(
  what: string,
  values: Readonly<Record<string, string>>,
  key: string,
  wanted: string,
): string | undefined {
  const found = values[key];
  if (found === wanted) return undefined;
  const quoted = JSON.stringify(wanted);
  return found === undefined
    ? `${what} validation error: missing key ${JSON.stringify(key)}: must be set to ${quoted}`
    : `${what} validation error: key ${JSON.stringify(key)} must equal ${quoted}: current value is ${JSON.stringify(found)}`;
}

/**
 * Those objects of a release that are there already, and are or become its own.
 *
 * @throws HelmError `WG_HELM_RELEASE` when one belongs to someone else and is not to be taken
 */
export async function existingObjects(
  cluster: ReleaseCluster,
  objects: readonly DynamicObject[],
  owner: ReleaseOwner,
  takesOwnership: boolean,
): Promise<DynamicObject[]> {
  const existing: DynamicObject[] = [];
  for (const object of objects) {
    if (hasGeneratedName(object)) continue;
    const live = await cluster.get(object);
    if (live === undefined) continue;
    const problem = takesOwnership ? undefined : ownershipProblem(live, owner);
    if (problem !== undefined) {
      throw new HelmError(
        'WG_HELM_RELEASE',
        `${describeObject(object)} exists and cannot be imported into the current release: ${problem}`,
      );
    }
    existing.push(object);
  }
  return existing;
}

function hasGeneratedName({ metadata }: DynamicObject): boolean {
  if (!metadata.generateName) return false;
  if (!metadata.name) return true;
  throw new HelmError(
    'WG_HELM_RELEASE',
    'metadata.name and metadata.generateName cannot both be set',
  );
}
