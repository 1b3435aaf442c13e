import {
  type CommandFiles,
  type HelmMajor,
  placesOfPrinted,
  type RenderedFile,
  runHelm,
} from '@waygate/helm';
import type { HelmOutput, HelmRequest } from '@waygate/kustomize';
import { type CliContext, CliError } from '../context.ts';
import { diskFiles } from '../helm/disk-files.ts';
import { helmWorld } from '../helm/helm-world.ts';
import { type HelmFlags, pullArguments, templateArguments, withFlags } from './build-helm.ts';

/** Where the values of a rendering are found; nothing is written for them. */
const valuesPath = '/dev/waygate/values.yaml';

/** Pulls and renders charts in this process, with no helm anywhere. */
export function engineRenderer(
  flags: Omit<HelmFlags, 'command'> & { readonly explains: boolean },
  context: CliContext,
): (request: HelmRequest) => Promise<HelmOutput> {
  const helm: HelmMajor = context.env.WAYGATE_HELM === '3' ? 3 : 4;
  return async (given) => {
    const request = { ...given, chart: withFlags(given.chart, flags) };
    const { configHome } = request.globals;
    const args =
      request.step === 'pull' ? pullArguments(request) : templateArguments(request, valuesPath);
    let stdout = '';
    let stderr = '';
    const made = new Map<string, RenderedFile>();
    const world = helmWorld(context, helm);
    const exitCode = await runHelm(args, {
      ...world,
      env: configHome ? { ...context.env, HELM_CONFIG_HOME: configHome } : context.env,
      ...(flags.explains && { onFile: (file: RenderedFile) => void made.set(file.path, file) }),
      files: withFile(diskFiles, valuesPath, request.values),
      writeOut: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
    });
    if (exitCode === 0) {
      context.stderr.write(stderr);
      return { text: stdout, ...(flags.explains && { places: placesOfPrinted(stdout, made) }) };
    }
    throw new CliError(
      `${stderr.trim().replace(/^Error: /, '')}: unable to run 'helm ${args.join(' ')}'`,
    );
  };
}

/** The files with one more, which is on no disk. */
function withFile(files: CommandFiles, path: string, text: string): CommandFiles {
  const data = Buffer.from(text);
  return {
    ...files,
    status: (each) =>
      each === path ? { kind: 'file', size: data.length, modifiedAtMs: 0 } : files.status(each),
    read: (each) => (each === path ? data : files.read(each)),
  };
}
