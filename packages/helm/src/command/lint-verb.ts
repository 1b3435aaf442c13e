import { join } from 'node:path/posix';
import { ArchiveBudget, readArchive } from '../chart/archive.ts';
import type { Chart } from '../chart/chart.ts';
import { textOf } from '../chart/chart-file.ts';
import { loadChart } from '../chart/load-chart.ts';
import { renderTemplates } from '../engine/render-templates.ts';
import type { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { describeMisfits } from '../json-schema/values-schema.ts';
import { checkChartFile } from '../lint/chart-file-rules.ts';
import { checkDependencies } from '../lint/dependency-rules.ts';
import { type LintMessage, LintMessages } from '../lint/lint-messages.ts';
import { checkCrds, checkTemplates } from '../lint/template-rules.ts';
import { ChartNode } from '../render/chart-node.ts';
import { Coalescer } from '../render/coalesce.ts';
import { defaultKubeVersion, type KubeVersion, parseKubeVersion } from '../render/kube-version.ts';
import { chooseDependencies, jsonNode, prepareValues } from '../render/prepare.ts';
import { templateFiles } from '../render/template-files.ts';
import { readValues } from '../values/read-values.ts';
import { readChartDirectory } from './chart-directory.ts';
import { CommandError } from './command-error.ts';
import { withSchemas } from './dry-install.ts';
import type { ParsedFlags } from './flag-set.ts';
import { logTo } from './load-from.ts';
import { MemoryFiles } from './memory-files.ts';
import { absolute } from './paths.ts';
import { readValueFlags } from './value-flags.ts';
import type { CommandFiles, CommandWorld } from './world.ts';

/** `helm lint`: what is wrong with charts, and what could be better. */
export async function lint(flags: ParsedFlags, world: CommandWorld): Promise<void> {
  const kubeVersion = lintKubeVersion(flags, world);
  const given = flags.args.length === 0 ? ['.'] : flags.args;
  const paths = flags.bool('with-subcharts')
    ? given.concat(...given.map((path) => subcharts(path, world)))
    : given;
  const values = await readValueFlags(flags, world);
  const isQuiet = flags.bool('quiet');
  let text = '';
  let failed = 0;
  let noticed = 0;
  for (const path of paths) {
    const result = await lintOne(path, values, kubeVersion, flags, world);
    const { problem, messages = [] } = result;
    const isNoticed = problem !== undefined || messages.some(({ severity }) => severity !== 'INFO');
    if (isNoticed) noticed++;
    if (isQuiet && !isNoticed) continue;
    text += `==> Linting ${path}\n`;
    if (problem !== undefined) text += `Error ${problem}\n`;
    for (const { severity, path: place, text: words } of messages) {
      if (!isQuiet || severity !== 'INFO') text += `[${severity}] ${place}: ${words}\n`;
    }
    if (problem !== undefined || messages.some((each) => isFailure(each, flags))) failed++;
    text += '\n';
  }
  world.writeOut(text);
  const summary = `${paths.length} chart(s) linted, ${failed} chart(s) failed`;
  if (failed > 0) throw new CommandError(summary);
  if (!isQuiet || noticed > 0) world.writeOut(`${summary}\n`);
}

function isFailure({ severity }: LintMessage, flags: ParsedFlags): boolean {
  return severity === 'ERROR' || (severity === 'WARNING' && flags.bool('strict'));
}

function lintKubeVersion(flags: ParsedFlags, { helm }: CommandWorld): KubeVersion {
  const text = flags.text('kube-version');
  if (text === '') return defaultKubeVersion(helm);
  try {
    return parseKubeVersion(text, helm);
  } catch (cause) {
    throw new CommandError(`invalid kube version '${text}': ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Charts inside of a chart, at any depth. */
function subcharts(path: string, world: CommandWorld): string[] {
  const found: string[] = [];
  const walk = (shown: string): void => {
    const place = absolute(world, shown);
    if (world.files.status(place)?.kind !== 'directory') return;
    for (const name of world.files.list(place)) {
      const inside = join(shown, name);
      if (name === 'Chart.yaml') found.push(shown);
      else if (/\.(tgz|tar\.gz)$/.test(name)) found.push(inside);
      walk(inside);
    }
  };
  walk(join(path, 'charts'));
  return found;
}

interface LintResult {
  /** It is no chart at all. */
  readonly problem?: string;
  readonly messages?: readonly LintMessage[];
}

async function lintOne(
  path: string,
  values: GoMap,
  kubeVersion: KubeVersion,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<LintResult> {
  let directory = absolute(world, path);
  let { files } = world;
  if (/\.(tgz|tar\.gz)$/.test(path)) {
    try {
      files = unpacked(files.read(directory), world);
      directory = '/chart';
    } catch (error) {
      return { problem: `unable to extract tarball: ${(error as Error).message}` };
    }
  }
  if (files.status(`${directory}/Chart.yaml`) === undefined) {
    const shown = join(path, 'Chart.yaml');
    const why =
      files.status(directory)?.kind === 'file' ? 'not a directory' : 'no such file or directory';
    return { problem: `unable to check Chart.yaml file in chart: stat ${shown}: ${why}` };
  }
  const linter = new ChartLinter(files, directory, values, kubeVersion, flags, world);
  await linter.run();
  return { messages: linter.messages.all };
}

function unpacked(data: Uint8Array, world: CommandWorld): CommandFiles {
  const files = new MemoryFiles(world.now);
  for (const file of readArchive(data, new ArchiveBudget(world.helm))) {
    files.write(`/chart/${file.name}`, file.data);
  }
  return files;
}

class ChartLinter {
  readonly messages = new LintMessages();
  readonly #files: CommandFiles;
  readonly #directory: string;
  readonly #values: GoMap;
  readonly #kubeVersion: KubeVersion;
  readonly #flags: ParsedFlags;
  readonly #world: CommandWorld;

  constructor(
    files: CommandFiles,
    directory: string,
    values: GoMap,
    kubeVersion: KubeVersion,
    flags: ParsedFlags,
    world: CommandWorld,
  ) {
    this.#files = files;
    this.#directory = directory;
    this.#values = values;
    this.#kubeVersion = kubeVersion;
    this.#flags = flags;
    this.#world = world;
  }

  async run(): Promise<void> {
    const { helm } = this.#world;
    checkChartFile(this.#text('Chart.yaml'), helm, this.messages);
    await this.#checkValues();
    await this.#checkTemplates();
    const chart = this.#load('', 'unable to load chart\n\t');
    if (chart !== undefined) checkDependencies(chart, this.#directory, this.messages);
    if (helm === 4) this.#checkCrds();
  }

  #text(name: string): string {
    return textOf({ data: this.#files.read(`${this.#directory}/${name}`) });
  }

  #has(name: string): boolean {
    return this.#files.status(`${this.#directory}/${name}`) !== undefined;
  }

  /** Says it when the chart cannot be loaded. */
  #load(path: string, prefix: string): Chart | undefined {
    const { helm } = this.#world;
    try {
      const files = readChartDirectory(this.#files, this.#directory, helm);
      return loadChart(files, { helm, log: logTo(this.#world) });
    } catch (error) {
      if (!(error instanceof HelmError)) throw error;
      this.messages.check('ERROR', path, `${prefix}${error.message}`);
      return undefined;
    }
  }

  async #checkValues(): Promise<void> {
    const name = 'values.yaml';
    if (!this.messages.check('INFO', name, this.#has(name) ? undefined : 'file does not exist'))
      return;
    const { helm } = this.#world;
    let own: GoMap;
    try {
      own = readValues(this.#text(name));
    } catch (error) {
      const type = helm === 3 ? 'chartutil.Values' : 'common.Values';
      const words = (error as Error).message.replace('map[string]interface {}', type);
      this.messages.check('ERROR', name, `unable to parse YAML: ${words}`);
      return;
    }
    const isSkipped = helm === 4 && this.#flags.bool('skip-schema-validation');
    if (!this.#has('values.schema.json') || isSkipped) return;
    const coalescer = new Coalescer(helm, logTo(this.#world));
    const merged = coalescer.tables(
      coalescer.values(emptyChart(), this.#values, 'merge'),
      own,
      'coalesce',
    );
    const schema = this.#text('values.schema.json');
    if (schema === '') return;
    const misfits = await withSchemas(this.#world, (documents) =>
      describeMisfits(schema, jsonNode(merged), { documents }),
    );
    this.messages.check('ERROR', name, misfits === '' ? undefined : misfits);
  }

  async #checkTemplates(): Promise<void> {
    const directory = 'templates/';
    const { helm } = this.#world;
    const status = this.#files.status(`${this.#directory}/templates`);
    if (status === undefined && helm === 4) {
      this.messages.check('WARNING', directory, 'directory does not exist');
      return;
    }
    if (status !== undefined && status.kind !== 'directory') {
      this.messages.check(helm === 3 ? 'WARNING' : 'ERROR', directory, 'not a directory');
      return;
    }
    const chart = this.#load(directory, '');
    if (chart === undefined) return;
    const rendered = await this.#render(chart);
    if (rendered === undefined) return;
    checkTemplates(chart, rendered, this.#kubeVersion.plain, helm, this.messages);
  }

  /** Undefined when that fails, which has been said then. */
  async #render(chart: Chart): Promise<ReadonlyMap<string, string> | undefined> {
    const world = this.#world;
    const { helm } = world;
    const log = logTo(world);
    const flags = this.#flags;
    let root: ChartNode;
    let coalesced: GoMap;
    try {
      root = chooseDependencies(chart, this.#values, { helm, log });
      coalesced = new Coalescer(helm, log).values(root, this.#values, 'coalesce');
    } catch (error) {
      // Helm says nothing of it here.
      if (error instanceof HelmError) return undefined;
      throw error;
    }
    try {
      const skipSchemaValidation = flags.bool('skip-schema-validation');
      const values = await withSchemas(world, (schemas) =>
        prepareValues(root, coalesced, { helm, log, skipSchemaValidation, schemas }),
      );
      const namespace = flags.text('namespace') || world.env.HELM_NAMESPACE || 'default';
      const files = templateFiles(root, values, {
        helm,
        release: { name: 'test-release', namespace, revision: 0, isInstall: false },
        kubeVersion: this.#kubeVersion,
      });
      return renderTemplates(files, {
        helm,
        now: world.now(),
        random: world.random,
        timeZone: world.timeZone,
        ...(world.limits && { limits: world.limits }),
        lint: true,
        onWarning: (message, by) => log(lintEntry(message, by)),
      });
    } catch (error) {
      if (!(error instanceof HelmError)) throw error;
      this.messages.check('ERROR', 'templates/', error.message);
      return undefined;
    }
  }

  #checkCrds(): void {
    const status = this.#files.status(`${this.#directory}/crds`);
    if (status === undefined) return;
    if (
      !this.messages.check(
        'ERROR',
        'crds/',
        status.kind === 'directory' ? undefined : 'not a directory',
      )
    ) {
      return;
    }
    const chart = this.#load('crds/', '');
    if (chart === undefined) return;
    const crds = ChartNode.of(chart).crds();
    checkCrds(
      crds.map(({ file }) => ({ name: file.name, content: textOf(file) })),
      4,
      this.messages,
    );
  }
}

function emptyChart(): ChartNode {
  const metadata = { name: '', version: '', apiVersion: 'v2' };
  return ChartNode.of({ metadata, templates: [], files: [], raw: [], dependencies: [] });
}

/** What `required` and `fail` say while linting. */
function lintEntry(
  message: string,
  by: 'required' | 'fail',
): Parameters<ReturnType<typeof logTo>>[0] {
  return by === 'required'
    ? {
        place: 'engine.go:206',
        text: `[INFO] Missing required value: ${message}`,
        structured: { level: 'WARN', message: 'missing required value', fields: { message } },
      }
    : {
        place: 'engine.go:227',
        text: `[INFO] Fail: ${message}`,
        structured: { level: 'INFO', message: 'funcMap fail', fields: { message } },
      };
}
