import type { ChartCrd } from '../chart/chart.ts';
import { textOf } from '../chart/chart-file.ts';
import { printMetadata } from '../chart/print-metadata.ts';
import { decodeBytes } from '../go/bytes.ts';
import { ChartNode } from '../render/chart-node.ts';
import { loadLocated } from './dry-install.ts';
import type { ParsedFlags } from './flag-set.ts';
import { printJsonPath } from './json-path.ts';
import { locateChart } from './locate-chart.ts';
import type { CommandWorld } from './world.ts';

/** What `helm show` shows. */
type ShowPart = 'all' | 'chart' | 'values' | 'readme' | 'crds';

const readmeNames = ['readme.md', 'readme.txt', 'readme'];

/** `helm show`: parts of a chart as they are. */
export async function show(part: ShowPart, flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const located = await locateChart(flags.args[0] ?? '', flags, world);
  const chart = loadLocated(located, world);
  const isAll = part === 'all';
  let text = '';
  if (isAll || part === 'chart') text += `${printMetadata(chart.metadata)}\n`;
  if ((isAll || part === 'values') && chart.values !== undefined) {
    if (isAll) text += '---\n';
    const path = flags.text('jsonpath');
    const file = chart.raw.find(({ name }) => name === 'values.yaml');
    if (path !== '') text += printJsonPath(path, chart.values);
    else if (file !== undefined) text += `${decodeBytes(file.data)}\n`;
  }
  if (isAll || part === 'readme') {
    const readme = chart.files.find(({ name }) => readmeNames.includes(name.toLowerCase()));
    if (readme !== undefined) text += `${isAll ? '---\n' : ''}${textOf(readme)}\n`;
  }
  if (isAll || part === 'crds') text += printCrds(ChartNode.of(chart).crds(), isAll, world);
  world.writeOut(text);
}

/** Helm 4 puts a line between CRDs; Helm 3 only before the first, and only among other parts. */
function printCrds(crds: readonly ChartCrd[], isAll: boolean, { helm }: CommandWorld): string {
  return crds
    .map(({ file }, index) => {
      const crd = textOf(file);
      const isDivided = !crd.startsWith('---') && (helm === 4 || (isAll && index === 0));
      return `${isDivided ? '---\n' : ''}${crd}\n`;
    })
    .join('');
}
