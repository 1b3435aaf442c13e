import { type ChartFile, textOf, withoutByteOrderMark } from '../chart/chart-file.ts';
import { isIgnored, parseHelmIgnore } from '../chart/helm-ignore.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import { HelmError } from '../helm-error.ts';
import type { CommandFiles } from './world.ts';

const maxFileBytes = 5 * 1024 * 1024;
const maxChartBytes = 100 * 1024 * 1024;

/**
 * The files of a chart's directory, without those that its `.helmignore` names. Links are followed as long as
 * they stay inside: a chart brings nothing of whoever renders it.
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
  const root = files.realPath(directory);
  const found: ChartFile[] = [];
  let left = maxChartBytes;
  const open = new Set<string>();
  const walk = (path: string): void => {
    for (const name of files.list(path)) {
      const place = `${path}/${name}`;
      const inside = place.slice(directory.length + 1);
      const real = files.realPath(place);
      if (real !== root && !real.startsWith(`${root}/`)) {
        throw new HelmError(
          'WG_HELM_CHART',
          `${inside} is a link that leads out of the chart, to ${real}`,
        );
      }
      const status = files.status(place);
      if (status === undefined || isIgnored(rules, inside, status.kind === 'directory')) continue;
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
