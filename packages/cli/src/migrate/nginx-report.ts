import {
  type IngressVerdict,
  type NginxOptions,
  type NginxTakeover,
  nginxTakeover,
  type UsedName,
} from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { table } from '../cluster-option.ts';

const words: Readonly<Record<IngressVerdict['verdict'], string>> = {
  same: 'same',
  but: 'same but for',
  cannot: 'cannot',
};
/** How much of an annotation or a setting is done, in words. */
export const supports: Readonly<Record<UsedName['support'], string>> = {
  yes: 'supported',
  partly: 'partly',
  'no effect': 'not needed',
  reported: 'reported',
  unknown: 'unknown',
};

/** What a take-over from ingress-nginx comes to, for programs and for people. */
export function nginxReport(
  objects: readonly KubeObject[],
  options: NginxOptions,
  { ignoresSnippets = false }: { readonly ignoresSnippets?: boolean } = {},
): { readonly takeover: NginxTakeover; readonly data: object; readonly text: string } {
  const takeover = nginxTakeover(objects, {
    ...options,
    unknownSnippets: ignoresSnippets ? 'ignore' : 'refuse',
  });
  const count = (verdict: IngressVerdict['verdict']) =>
    takeover.ingresses.filter((one) => one.verdict === verdict).length;
  const summary = { same: count('same'), but: count('but'), cannot: count('cannot') };
  return { takeover, data: { summary, ...takeover }, text: textOf(takeover, summary) };
}

function textOf(
  { ingresses, annotations, settings }: NginxTakeover,
  summary: Readonly<Record<IngressVerdict['verdict'], number>>,
): string {
  const rows = ingresses.map(({ namespace, name, verdict }) => [
    `${namespace}/${name}`,
    words[verdict],
  ]);
  const said = ingresses.flatMap(({ namespace, name, differences, notes }) => [
    ...differences.map((one) => `  ${namespace}/${name}: ${one}`),
    ...notes.map((one) => `  ${namespace}/${name}: as in ingress-nginx: ${one}`),
  ]);
  const used = (list: readonly UsedName[]) =>
    list.map(({ name, count, support, note }) => [name, String(count), supports[support], note]);
  return [
    table([['INGRESS', 'VERDICT'], ...rows]),
    ...(said.length > 0 ? ['', ...said] : []),
    '',
    ...(annotations.length > 0
      ? [table([['ANNOTATION', 'COUNT', 'SUPPORT', 'NOTE'], ...used(annotations)]), '']
      : []),
    ...(settings.length > 0
      ? [table([['CONFIGMAP KEY', 'COUNT', 'SUPPORT', 'NOTE'], ...used(settings)]), '']
      : []),
    `${ingresses.length} Ingresses: ${summary.same} same, ${summary.but} same but for what is named, ${summary.cannot} cannot be served.`,
  ].join('\n');
}
