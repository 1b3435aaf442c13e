import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HelmRequest } from '@waygate/kustomize';
import { type CliContext, CliError } from '../context.ts';
import { type RunLimits, runProgram } from '../run-program.ts';

/** What the command line says of charts; what a chart says itself comes before it. */
export interface HelmFlags {
  readonly command: string;
  readonly kubeVersion?: string | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  readonly isVerbose: boolean;
}

/** Pulls and renders charts with a Helm 3 or 4 that is installed here. */
export function helmRenderer(
  flags: HelmFlags,
  context: CliContext,
  limits: RunLimits,
): (request: HelmRequest) => Promise<string> {
  const { command } = flags;
  let isChecked = false;
  return async (given) => {
    const request = { ...given, chart: withFlags(given.chart, flags) };
    const scratch = mkdtempSync(join(tmpdir(), 'waygate-helm-'));
    const configHome = request.globals.configHome || join(scratch, 'helm');
    const helmEnv = {
      HELM_CONFIG_HOME: configHome,
      HELM_CACHE_HOME: `${configHome}/.cache`,
      HELM_DATA_HOME: `${configHome}/.data`,
    };
    const run = async (args: readonly string[]): Promise<string> => {
      const options = { cwd: context.cwd, env: { ...context.env, ...helmEnv } };
      const { exitCode, stdout, stderr } = await runProgram(
        command,
        args,
        options,
        limits,
        context.signal,
      );
      if (exitCode === 0) return stdout;
      const env = Object.entries(helmEnv).map(([name, value]) => `${name}=${value}`);
      throw new CliError(
        `${stderr.trim()}: unable to run: '${command} ${args.join(' ')}' with env=[${env.join(' ')}] (is '${command}' installed?): exit status ${exitCode}`,
      );
    };
    try {
      if (!isChecked) checkVersion(await run(['version', '--short']));
      isChecked = true;
      if (request.step === 'pull') return await run(pullArguments(request));
      const values = join(scratch, `${request.chart.name}-kustomize-values.yaml`);
      writeFileSync(values, request.values);
      return await run(templateArguments(request, values));
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  };
}

/** What the chart does not say itself, as the command line says it. */
export function withFlags(
  chart: HelmRequest['chart'],
  flags: Omit<HelmFlags, 'command'>,
): HelmRequest['chart'] {
  const { kubeVersion, apiVersions, isVerbose } = flags;
  return {
    ...(kubeVersion === undefined ? {} : { kubeVersion }),
    ...(apiVersions === undefined ? {} : { apiVersions }),
    ...(isVerbose ? { debug: true } : {}),
    ...chart,
  };
}

function checkVersion(text: string): void {
  const found = /v?(\d+)(?:\.\d+)+/.exec(text);
  if (found === null) throw new CliError(`cannot find version string in ${text}`);
  if (found[1] === '3' || found[1] === '4') return;
  throw new CliError(`this plugin requires helm V3 or V4 but got v${found[0].replace(/^v/, '')}`);
}

/** The arguments that bring a chart into its directory. */
export function pullArguments({ chart, chartHome }: HelmRequest): string[] {
  const { name = '', repo = '', version, digest } = chart;
  const args = ['pull', '--untar', '--untardir', chartHome];
  const reference = digest ? `${name}@${digest}` : name;
  if (repo.startsWith('oci://')) args.push(`${repo.replace(/\/$/, '')}/${reference}`);
  else args.push('--repo', repo, name);
  if (version) args.push('--version', version);
  if (chart.devel === true) args.push('--devel');
  return args;
}

/** The arguments that render a chart. */
export function templateArguments({ chart, chartHome }: HelmRequest, values: string): string[] {
  const args = ['template', chart.releaseName || '--generate-name', join(chartHome, chart.name!)];
  if (chart.namespace) args.push('--namespace', chart.namespace);
  if (chart.nameTemplate) args.push('--name-template', chart.nameTemplate);
  args.push('-f', values);
  for (const file of chart.additionalValuesFiles ?? []) args.push('-f', file);
  for (const version of chart.apiVersions ?? []) args.push('--api-versions', version);
  if (chart.kubeVersion) args.push('--kube-version', chart.kubeVersion);
  if (chart.includeCRDs === true) args.push('--include-crds');
  if (chart.skipTests === true) args.push('--skip-tests');
  if (chart.skipHooks === true) args.push('--no-hooks');
  if (chart.debug === true) args.push('--debug');
  if (chart.devel === true) args.push('--devel');
  return args;
}
