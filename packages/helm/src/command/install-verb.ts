import type { ChartFile } from '../chart/chart-file.ts';
import { metadataMap } from '../chart/print-metadata.ts';
import { jsonShape } from '../formats/json-shape.ts';
import { readYaml } from '../formats/yaml-read.ts';
import { toYaml } from '../formats/yaml-write.ts';
import { Budget } from '../go/budget.ts';
import type { GoValue } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { withSource } from '../render/render-chart.ts';
import { CommandError } from './command-error.ts';
import { dryInstall, type InstalledRelease } from './dry-install.ts';
import type { ParsedFlags } from './flag-set.ts';
import type { CommandWorld } from './world.ts';

/** `helm install --dry-run=client`: what would be installed, and the notes. */
export async function install(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const isDry = ['client', 'true', 'unset'].includes(flags.text('dry-run'));
  if (!isDry)
    throw new CommandError('charts are installed by HelmReleases here: give --dry-run=client');
  let release: InstalledRelease;
  try {
    release = await dryInstall(flags, world, 'install');
  } catch (cause) {
    if (!(cause instanceof CommandError || cause instanceof HelmError)) throw cause;
    throw new CommandError(`INSTALLATION FAILED: ${cause.message}`, { cause });
  }
  const now = world.now();
  switch (flags.text('output')) {
    case 'json':
      world.writeOut(`${JSON.stringify(releaseJson(release, now, world))}\n`);
      return;
    case 'yaml': {
      const value = readYaml(JSON.stringify(releaseJson(release, now, world)));
      world.writeOut(`${toYaml(value, new Budget())}\n`);
      return;
    }
    default:
      world.writeOut(printRelease(release, now, flags, world));
  }
}

function printRelease(
  { name, namespace, hooks, manifest, notes }: InstalledRelease,
  now: Date,
  flags: ParsedFlags,
  { helm }: CommandWorld,
): string {
  const tests = hooks.filter(({ events }) => events.includes('test'));
  const lines = [
    `NAME: ${name}`,
    `LAST DEPLOYED: ${ansiTime(now)}`,
    `NAMESPACE: ${namespace}`,
    'STATUS: pending-install',
    'REVISION: 1',
    ...(helm === 4 ? ['DESCRIPTION: Dry run complete'] : []),
    ...(tests.length === 0 ? ['TEST SUITE: None'] : []),
    'HOOKS:',
  ];
  let text = `${lines.join('\n')}\n`;
  for (const { path, content } of hooks) text += withSource(path, content);
  text += `MANIFEST:\n${manifest}\n`;
  if (!flags.bool('hide-notes') && notes !== '') text += `NOTES:\n${notes.trim()}\n`;
  return text;
}

/** `Mon Jan  2 15:04:05 2006`. */
function ansiTime(time: Date): string {
  const [day, , month, year, clock] = time.toUTCString().split(/,? /);
  return `${day} ${month} ${String(time.getUTCDate()).padStart(2)} ${clock} ${year}`.replace(
    /^(\w+) (\d+)/,
    '$1 $2',
  );
}

function releaseJson(release: InstalledRelease, now: Date, { helm }: CommandWorld): object {
  const { chart, hooks } = release;
  const time = now.toISOString();
  const isFour = helm === 4;
  const file = ({ name, data, modifiedAtMs }: ChartFile): object => ({
    name,
    data: Buffer.from(data).toString('base64'),
    ...(isFour ? { modtime: new Date(modifiedAtMs ?? 0).toISOString() } : {}),
  });
  const files = (list: readonly ChartFile[]): object[] | null =>
    list.length === 0 ? null : list.map(file);
  const config = plainJson(release.config);
  return {
    name: release.name,
    info: {
      first_deployed: time,
      last_deployed: time,
      ...(isFour ? {} : { deleted: '' }),
      description: 'Dry run complete',
      status: 'pending-install',
      ...(release.notes === '' ? {} : { notes: release.notes }),
    },
    chart: {
      metadata: orderedMetadata(chart.metadata),
      lock: chart.lock ?? null,
      templates: files(chart.templates),
      values: release.chartValues === undefined ? null : plainJson(release.chartValues),
      schema: chart.schema === undefined ? null : Buffer.from(chart.schema).toString('base64'),
      ...(isFour ? { schemamodtime: '0001-01-01T00:00:00Z' } : {}),
      files: files(chart.files),
      ...(isFour ? { modtime: time } : {}),
    },
    ...(release.config.size === 0 ? {} : { config }),
    manifest: release.manifest,
    ...(hooks.length === 0
      ? {}
      : {
          hooks: hooks.map((hook) => ({
            name: hook.name,
            kind: hook.kind,
            path: hook.path,
            manifest: hook.content,
            events: hook.events,
            last_run: { started_at: '', completed_at: '', phase: '' },
            ...(hook.weight === 0 ? {} : { weight: hook.weight }),
            ...(hook.deletePolicies.length === 0 ? {} : { delete_policies: hook.deletePolicies }),
            ...(hook.outputLogPolicies.length === 0
              ? {}
              : { output_log_policies: hook.outputLogPolicies }),
          })),
        }),
    version: 1,
    namespace: release.namespace,
    ...(isFour ? { apply_method: 'ssa' } : {}),
  };
}

const metadataOrder = [
  'name',
  'home',
  'sources',
  'version',
  'description',
  'keywords',
  'maintainers',
  'icon',
  'apiVersion',
  'condition',
  'tags',
  'appVersion',
  'deprecated',
  'annotations',
  'kubeVersion',
  'dependencies',
  'type',
];

function orderedMetadata(metadata: Parameters<typeof metadataMap>[0]): object {
  const map = metadataMap(metadata);
  const keys = metadataOrder.filter((key) => map.has(key));
  return Object.fromEntries(keys.map((key) => [key, plainJson(map.get(key)!)]));
}

function plainJson(value: GoValue): unknown {
  const shape = jsonShape(value);
  switch (shape.kind) {
    case 'leaf':
      return typeof shape.value === 'bigint' ? Number(shape.value) : shape.value;
    case 'items':
      return shape.items.map(plainJson);
    case 'fields':
      return Object.fromEntries(shape.fields.map(([key, each]) => [key, plainJson(each)]));
  }
}
