import type { Chart } from '../chart/chart.ts';
import type { ChartFile } from '../chart/chart-file.ts';
import { GoMap } from '../go/value.ts';
import { goValueFromJson } from '../values/read-values.ts';
import type { StoredFile, StoredRelease } from './stored-release.ts';

/** The chart of a stored release, as far as it is stored: without subcharts. */
export function chartOfRelease({ chart }: StoredRelease): Chart {
  return {
    metadata: chart.metadata,
    values: goMapOf(chart.values ?? undefined),
    templates: filesOf(chart.templates),
    files: filesOf(chart.files),
    raw: [],
    dependencies: [],
  };
}

/** Values as a release has them. */
export function goMapOf(value: object | undefined): GoMap {
  const map = value === undefined ? undefined : goValueFromJson(JSON.stringify(value));
  return map instanceof GoMap ? map : new GoMap();
}

function filesOf(files: readonly StoredFile[] | null): ChartFile[] {
  return (files ?? []).map(({ name, data }) => ({ name, data: Buffer.from(data, 'base64') }));
}
