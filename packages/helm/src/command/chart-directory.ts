import { type ChartFile, textOf, withoutByteOrderMark } from '../chart/chart-file.ts';
import { isIgnored, parseHelmIgnore } from '../chart/helm-ignore.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import { HelmError } from '../helm-error.ts';
import type { CommandFiles } from './world.ts';

const maxFileBytes = 5 * 1024 * 1024;
const maxChartBytes = 100 * 1024 * 1024;

/**
 * The files of a chart's directory, without those that its `.helmignore` names. Links are followed as long as
 * they stay inside, or inside the Git work tree that the chart is a part of: a chart brings nothing of whoever renders
 * it.
 *
 * ```ts
 * declare const files: MemoryFiles;
 * readChartDirectory(files, '/web', 4).map(({ name }) => name); // ['Chart.yaml', …]
 * ```
 *
 * @throws HelmError `WG_HELM_CHART`, `WG_HELM_LIMIT`
 */
export function readChartDirectory(
  files: CommandFiles,
  directory: string,
  helm: HelmMajor,
): ChartFile[] {
  const ignore = `${directory}/.helmignore`;
  const rules = parseHelmIgnore(
    files.status(ignore)?.kind === 'file' ? textOf({ data: files.read(ignore) }) : '',
  );
  const root = boundaryOf(files, directory);
  const found: ChartFile[] = [];
  let left = maxChartBytes;
  const open = new Set<string>();
  const walk = (path: string): void => {
    for (const name of files.list(path)) {
      const place = `${path}/${name}`;
      const inside = place.slice(directory.length + 1);
      const status = files.status(place);
      if (status === undefined || isIgnored(rules, inside, status.kind === 'directory')) continue;
      const real = files.realPath(place);
      // What is in .git is of whoever cloned it, and may hold a password.
      if (!isWithin(real, root) || isWithin(real, `${root}/.git`)) {
        throw new HelmError(
          'WG_HELM_CHART',
          `${inside} is a link that leads out of the chart, to ${real}`,
        );
      }
      if (status.kind === 'directory') {
        if (open.has(real)) throw new HelmError('WG_HELM_CHART', `${inside} is a link into itself`);
        open.add(real);
        walk(place);
        open.delete(real);
        continue;
      }
      if (status.kind === 'other') {
        throw new HelmError(
          'WG_HELM_CHART',
          `cannot load irregular file ${place} as it has file mode type bits set`,
        );
      }
      if (helm === 3 && status.size > maxFileBytes) {
        throw new HelmError(
          'WG_HELM_LIMIT',
          `chart file ${JSON.stringify(name)} is larger than the maximum file size ${maxFileBytes}`,
        );
      }
      left -= status.size;
      if (left < 0) {
        throw new HelmError('WG_HELM_LIMIT', `the chart is larger than ${maxChartBytes} bytes`);
      }
      const { modifiedAtMs } = status;
      found.push({ name: inside, data: withoutByteOrderMark(files.read(place)), modifiedAtMs });
    }
  };
  walk(directory);
  return found;
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

/** What links may lead to: the work tree that the chart is a part of, or else the chart. */
function boundaryOf(files: CommandFiles, directory: string): string {
  const chart = files.realPath(directory);
  for (let at = chart; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    if (files.status(`${at}/.git`) !== undefined) return at;
  }
  return chart;
}
