import type { KeyObject } from 'node:crypto';
import type { Chart } from '../chart/chart.ts';
import type { RenderedFile } from '../engine/line-origins.ts';
import { makeKey } from '../functions/private-key.ts';
import type { EngineLimits } from '../go/budget.ts';
import { HelmError } from '../helm-error.ts';
import { parseKubeVersion } from '../render/kube-version.ts';
import { prepareChart } from '../render/prepare.ts';
import { renderFiles } from '../render/render-chart.ts';
import { chartOfRelease, goMapOf } from './release-chart.ts';
import type { StoredRelease } from './stored-release.ts';

/** What is known besides the stored release. */
export interface RenderAgainOptions {
  /** The chart with its subcharts, which are not stored. Default: what is stored. */
  readonly chart?: Chart | undefined;
  /** What the cluster can do: `v1.36.4`, and `apps/v1`, `apps/v1/Deployment`, … */
  readonly capabilities?:
    | { readonly version: string; readonly apiVersions: readonly string[] }
    | undefined;
  readonly limits?: Partial<EngineLimits> | undefined;
}

/**
 * Renders one template of a stored release once more, to tell by its lines where they came from. Undefined where that
 * cannot be done: the template is a subchart's, or needs one, and only the chart itself is stored.
 *
 * What was random, looked up or of that moment may differ from what is in the cluster; the lines are the same.
 *
 * @example
 * declare const release: StoredRelease;
 * const file = renderAgain(release, 'web/templates/service.yaml');
 * file?.lines[0]; // { file: 'web/templates/service.yaml', line: 1 }
 */
export function renderAgain(
  release: StoredRelease,
  path: string,
  { chart = chartOfRelease(release), capabilities, limits }: RenderAgainOptions = {},
): RenderedFile | undefined {
  // Only Helm 4 tells how it applies.
  const helm = release.apply_method === undefined ? 3 : 4;
  const { name, namespace, version, info } = release;
  let made: RenderedFile | undefined;
  let key: KeyObject | undefined;
  try {
    const settings = { helm, log: () => {}, skipSchemaValidation: true } as const;
    const prepared = prepareChart(chart, goMapOf(release.config), settings);
    renderFiles(prepared, {
      helm,
      release: { name, namespace, revision: version, isUpgrade: version > 1 },
      now: new Date(info.last_deployed || 0),
      random: (count) => new Uint8Array(count),
      timeZone: 'UTC',
      limits,
      only: path,
      // Which line they came from is all that is asked of keys.
      makeKey: () => (key ??= makeKey('ecdsa')),
      onFile: (file) => {
        made = file;
      },
      ...(capabilities && {
        kubeVersion: parseKubeVersion(capabilities.version, helm),
        apiVersions: capabilities.apiVersions,
      }),
    });
  } catch (error) {
    if (!(error instanceof HelmError)) throw error;
    return undefined;
  }
  return made;
}
