import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HelmRequest } from '@waygate/kustomize';
import { CliError } from '../context.ts';

const execute = promisify(execFile);

/** Charts larger than this are not manifests any more. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Renders charts by running `helm template`. */
export function helmRenderer(
  command: string,
  signal: AbortSignal,
): (request: HelmRequest) => Promise<string> {
  return async (request) => {
    const scratch = await mkdtemp(join(tmpdir(), 'waygate-helm-'));
    try {
      const inline = join(scratch, 'values.json');
      const hasInline = request.chart.valuesInline !== undefined;
      if (hasInline) await writeFile(inline, toJson(request.chart.valuesInline));
      const { stdout } = await execute(
        command,
        helmArguments(request, hasInline ? inline : undefined),
        { cwd: request.directory, maxBuffer: MAX_OUTPUT_BYTES, signal },
      );
      return stdout;
    } catch (cause) {
      const output = (cause as { stderr?: string }).stderr?.trim();
      throw new CliError(`${command} template failed: ${output || (cause as Error).message}`, {
        cause,
      });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };
}

/** The arguments for one chart: a directory below the chart home, or one of a repository. */
export function helmArguments(request: HelmRequest, inlineValues: string | undefined): string[] {
  const { chart, globals, directory } = request;
  const name = chart.name ?? '';
  const local = join(directory, globals.chartHome ?? 'charts', name);
  const isLocal = existsSync(local);
  const args = ['template'];
  if (chart.releaseName) args.push(chart.releaseName);
  else args.push('--generate-name');
  args.push(isLocal ? local : name);
  if (!isLocal && chart.repo) args.push('--repo', chart.repo);
  if (!isLocal && chart.version) args.push('--version', chart.version);
  if (chart.namespace) args.push('--namespace', chart.namespace);
  if (chart.valuesFile) args.push('--values', join(directory, chart.valuesFile));
  for (const file of chart.additionalValuesFiles ?? [])
    args.push('--values', join(directory, file));
  if (inlineValues !== undefined) args.push('--values', inlineValues);
  if (chart.includeCRDs === true) args.push('--include-crds');
  if (chart.skipHooks === true) args.push('--no-hooks');
  if (chart.skipTests === true) args.push('--skip-tests');
  if (chart.kubeVersion) args.push('--kube-version', chart.kubeVersion);
  for (const version of chart.apiVersions ?? []) args.push('--api-versions', version);
  return args;
}

/** Values were decoded without losing digits, so maps and large integers need a hand. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (each instanceof Map) return Object.fromEntries(each as Map<string, unknown>);
    return typeof each === 'bigint' ? Number(each) : each;
  });
}
