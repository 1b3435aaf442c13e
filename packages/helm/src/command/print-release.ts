import { goJson } from '@waygate/text';
import { readYaml } from '../formats/yaml-read.ts';
import { toYaml } from '../formats/yaml-write.ts';
import { Budget } from '../go/budget.ts';
import type { StoredRelease } from '../release/stored-release.ts';
import { withSource } from '../render/render-chart.ts';
import type { ParsedFlags } from './flag-set.ts';
import { ansiTime } from './stored-time.ts';
import type { CommandWorld } from './world.ts';

/** What of a release is printed beside its state. */
interface PrintedParts {
  readonly isDryRun?: boolean | undefined;
  readonly hidesNotes?: boolean | undefined;
  /** Helm 3 shows it only when asked. */
  readonly showsDescription?: boolean | undefined;
}

/** The state of a release as people read it. */
export function printRelease(
  release: StoredRelease,
  world: CommandWorld,
  { isDryRun, hidesNotes, showsDescription }: PrintedParts = {},
): string {
  const { info } = release;
  let text = headOf(release, world);
  if (world.helm === 4 || showsDescription === true)
    text += `DESCRIPTION: ${info.description ?? ''}\n`;
  text += testsOf(release, world);
  if (isDryRun === true) text += manifestsOf(release);
  return hidesNotes === true ? text : text + notesOf(release);
}

/** All that is known of a release, with the values that its templates had. */
export function printEverything(
  release: StoredRelease,
  computed: unknown,
  world: CommandWorld,
): string {
  const { chart, info, config } = release;
  const { name, version, appVersion = '' } = chart.metadata;
  let text = headOf(release, world);
  text += `CHART: ${name}\nVERSION: ${version}\nAPP_VERSION: ${appVersion}\n`;
  if (world.helm === 4) text += `DESCRIPTION: ${info.description ?? ''}\n`;
  text += testsOf(release, world);
  text += `USER-SUPPLIED VALUES:\n${asYaml(config)}\n`;
  text += `COMPUTED VALUES:\n${asYaml(computed)}\n`;
  return text + manifestsOf(release) + notesOf(release);
}

function headOf({ name, namespace, version, info }: StoredRelease, world: CommandWorld): string {
  const deployed = info.last_deployed
    ? `LAST DEPLOYED: ${ansiTime(info.last_deployed, world)}\n`
    : '';
  return `NAME: ${name}\n${deployed}NAMESPACE: ${namespace}\nSTATUS: ${info.status}\nREVISION: ${version}\n`;
}

function testsOf({ hooks = [] }: StoredRelease, world: CommandWorld): string {
  const tests = hooks.filter(({ events }) => events.includes('test'));
  if (tests.length === 0) return 'TEST SUITE: None\n';
  let text = '';
  for (const { name, last_run } of tests) {
    if (!last_run.started_at) continue;
    text += `TEST SUITE:     ${name}\nLast Started:   ${ansiTime(last_run.started_at, world)}\n`;
    text += `Last Completed: ${ansiTime(last_run.completed_at, world)}\nPhase:          ${last_run.phase}\n`;
  }
  return text;
}

function manifestsOf({ hooks = [], manifest }: StoredRelease): string {
  const printed = hooks.map((hook) => withSource(hook.path, hook.manifest));
  return `HOOKS:\n${printed.join('')}MANIFEST:\n${manifest}\n`;
}

function notesOf({ info: { notes = '' } }: StoredRelease): string {
  return notes === '' ? '' : `NOTES:\n${notes.trim()}\n`;
}

/** Prints data as `--output` asks, or as text. */
export function printAs(
  flags: ParsedFlags,
  world: CommandWorld,
  data: unknown,
  asText: () => string,
): void {
  const output = flags.text('output');
  if (output === 'json' || output === 'yaml') printData(output, world, data);
  else world.writeOut(asText());
}

/** Prints data in one of the formats. */
export function printData(format: 'json' | 'yaml', world: CommandWorld, data: unknown): void {
  world.writeOut(format === 'json' ? `${goJson(data ?? null)}\n` : asYaml(data));
}

function asYaml(data: unknown): string {
  return `${toYaml(readYaml(JSON.stringify(data ?? null)), new Budget())}\n`;
}
