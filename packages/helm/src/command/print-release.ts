import { goJson } from '@waygate/text';
import { readYaml } from '../formats/yaml-read.ts';
import { toYaml } from '../formats/yaml-write.ts';
import { Budget } from '../go/budget.ts';
import type { StoredRelease } from '../release/stored-release.ts';
import { withSource } from '../render/render-chart.ts';
import type { ParsedFlags } from './flag-set.ts';
import type { CommandWorld } from './world.ts';

/** What of a release is printed beside its state. */
export interface PrintedParts {
  readonly isDryRun?: boolean | undefined;
  readonly hidesNotes?: boolean | undefined;
}

/** The state of a release as people read it. */
export function printRelease(
  { name, namespace, version, info, hooks = [], manifest }: StoredRelease,
  { helm }: CommandWorld,
  { isDryRun, hidesNotes }: PrintedParts = {},
): string {
  let text = `NAME: ${name}\n`;
  if (info.last_deployed) text += `LAST DEPLOYED: ${ansiTime(new Date(info.last_deployed))}\n`;
  text += `NAMESPACE: ${namespace}\nSTATUS: ${info.status}\nREVISION: ${version}\n`;
  if (helm === 4) text += `DESCRIPTION: ${info.description ?? ''}\n`;
  const tests = hooks.filter(({ events }) => events.includes('test'));
  if (tests.length === 0) text += 'TEST SUITE: None\n';
  for (const { name: test, last_run } of tests) {
    if (!last_run.started_at) continue;
    text += `TEST SUITE:     ${test}\nLast Started:   ${ansiTime(new Date(last_run.started_at))}\n`;
    text += `Last Completed: ${ansiTime(new Date(last_run.completed_at ?? ''))}\nPhase:          ${last_run.phase}\n`;
  }
  if (isDryRun === true) {
    text += 'HOOKS:\n';
    for (const hook of hooks) text += withSource(hook.path, hook.manifest);
    text += `MANIFEST:\n${manifest}\n`;
  }
  const { notes = '' } = info;
  if (hidesNotes !== true && notes !== '') text += `NOTES:\n${notes.trim()}\n`;
  return text;
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
  const text =
    format === 'json'
      ? goJson(data ?? null)
      : toYaml(readYaml(JSON.stringify(data ?? null)), new Budget());
  world.writeOut(`${text}\n`);
}

/** `Mon Jan  2 15:04:05 2006`. */
export function ansiTime(time: Date): string {
  const [day, , month, year, clock] = time.toUTCString().split(/,? /);
  return `${day} ${month} ${String(time.getUTCDate()).padStart(2)} ${clock} ${year}`;
}
