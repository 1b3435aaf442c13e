import type { HelmMajor } from '../engine/values-type.ts';
import type { GoShape } from './go-shape.ts';
import { unmarshalYaml } from './go-yaml.ts';
import type { ChartLock, ChartMetadata } from './metadata.ts';

const text: GoShape = { kind: 'string' };
const texts: GoShape = { kind: 'list', of: text };

/** What `Chart.yaml` may hold. */
export const metadataShape: Readonly<Record<HelmMajor, GoShape>> = {
  3: shapeOf('chart'),
  4: shapeOf('v2'),
};

const lockShape: Readonly<Record<HelmMajor, GoShape>> = {
  3: lockShapeOf('chart'),
  4: lockShapeOf('v2'),
};

function shapeOf(library: string): GoShape {
  return {
    kind: 'struct',
    name: 'Metadata',
    in: library,
    fields: {
      name: text,
      home: text,
      sources: texts,
      version: text,
      description: text,
      keywords: texts,
      maintainers: {
        kind: 'list',
        of: {
          kind: 'struct',
          name: 'Maintainer',
          in: library,
          fields: { name: text, email: text, url: text },
        },
      },
      icon: text,
      apiVersion: text,
      condition: text,
      tags: text,
      appVersion: text,
      deprecated: { kind: 'bool' },
      annotations: { kind: 'map', of: text },
      kubeVersion: text,
      dependencies: { kind: 'list', of: dependencyShape(library) },
      type: text,
    },
  };
}

function dependencyShape(library: string): GoShape {
  return {
    kind: 'struct',
    name: 'Dependency',
    in: library,
    fields: {
      name: text,
      version: text,
      repository: text,
      condition: text,
      tags: texts,
      enabled: { kind: 'bool' },
      'import-values': { kind: 'list', of: { kind: 'any' } },
      alias: text,
    },
  };
}

function lockShapeOf(library: string): GoShape {
  return {
    kind: 'struct',
    name: 'Lock',
    in: library,
    fields: {
      generated: text,
      digest: text,
      dependencies: { kind: 'list', of: dependencyShape(library) },
    },
  };
}

/**
 * Reads `Chart.yaml`, or `requirements.yaml` over it, into metadata that may hold something already.
 *
 * @throws Error with Helm's words
 */
export function readMetadata(yaml: string, into: Partial<ChartMetadata>, helm: HelmMajor): void {
  unmarshalYaml(yaml, metadataShape[helm], into);
}

/**
 * Reads `Chart.lock`.
 *
 * @throws Error with Helm's words
 */
export function readLock(yaml: string, helm: HelmMajor): ChartLock {
  const lock: ChartLock = { generated: '', digest: '', dependencies: [] };
  unmarshalYaml(yaml, lockShape[helm], lock);
  return lock;
}
