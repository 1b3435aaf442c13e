import { HelmError } from '../helm-error.ts';
import { compareNewestFirst, isInRange, isRange, isVersion } from '../version/version.ts';
import type { GoShape } from './go-shape.ts';
import { unmarshalYaml } from './go-yaml.ts';

/** One version of a chart that a repository has. */
export interface IndexEntry {
  readonly name: string;
  readonly version: string;
  /** Where it is; relative ones start at the repository. */
  readonly urls: readonly string[];
  /** The SHA-256 of the archive, with or without `sha256:`. */
  readonly digest: string;
  readonly appVersion?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
}

/** What a repository has: charts by name, newest versions first. */
export type RepositoryIndex = ReadonlyMap<string, readonly IndexEntry[]>;

const text: GoShape = { kind: 'string' };

const indexShape: GoShape = {
  kind: 'struct',
  name: 'IndexFile',
  in: 'repo',
  fields: {
    apiVersion: text,
    entries: {
      kind: 'map',
      of: {
        kind: 'list',
        of: {
          kind: 'struct',
          name: 'ChartVersion',
          in: 'repo',
          fields: {
            name: text,
            version: text,
            appVersion: text,
            description: text,
            deprecated: { kind: 'bool' },
            digest: text,
            urls: { kind: 'list', of: text },
          },
        },
      },
    },
  },
};

/**
 * Reads an `index.yaml`. Entries without a name or with a version that is none are left out.
 *
 * ```ts
 * readIndex('apiVersion: v1\nentries: {}\n').get('web'); // undefined
 * ```
 *
 * @throws HelmError `WG_HELM_CHART`
 */
export function readIndex(yaml: string): RepositoryIndex {
  const index: { apiVersion?: string; entries?: Record<string, (Partial<IndexEntry> | null)[]> } =
    {};
  try {
    unmarshalYaml(yaml, indexShape, index);
  } catch (cause) {
    throw new HelmError('WG_HELM_CHART', (cause as Error).message, { cause });
  }
  if (!index.apiVersion) throw new HelmError('WG_HELM_CHART', 'no API version specified');
  const charts = new Map<string, IndexEntry[]>();
  for (const [name, versions] of Object.entries(index.entries ?? {})) {
    const entries = (versions ?? []).flatMap((each): IndexEntry[] => {
      if (each === null || !each.version || !isVersion(each.version)) return [];
      return [
        {
          ...each,
          name: each.name || name,
          version: each.version,
          urls: each.urls ?? [],
          digest: each.digest ?? '',
        },
      ];
    });
    charts.set(
      name,
      entries.sort((a, b) => compareNewestFirst(a.version, b.version)),
    );
  }
  return charts;
}

/**
 * The version of a chart that is asked for: an exact one, the newest of a range, or the newest stable one.
 *
 * ```ts
 * declare const index: RepositoryIndex;
 * findInIndex(index, 'web', '^1.2').version; // '1.4.0'
 * ```
 *
 * @throws HelmError `WG_HELM_CHART`
 */
export function findInIndex(index: RepositoryIndex, name: string, version: string): IndexEntry {
  const entries = index.get(name);
  if (entries === undefined || entries.length === 0) {
    throw new HelmError('WG_HELM_CHART', 'no chart name found');
  }
  const exact = version === '' ? undefined : entries.find((entry) => entry.version === version);
  if (exact !== undefined) return exact;
  const range = version === '' ? '*' : version;
  if (!isRange(range)) throw new HelmError('WG_HELM_CHART', `improper constraint: ${version}`);
  const found = entries.find((entry) => isInRange(entry.version, range));
  if (found === undefined) {
    throw new HelmError('WG_HELM_CHART', `no chart version found for ${name}-${version}`);
  }
  return found;
}
