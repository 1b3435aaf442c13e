import { KustomizeError } from '../kustomize-error.ts';
import type { Resource } from '../resource.ts';
import type { ResourceList } from '../resource-list.ts';
import type { Transformer } from '../transformers/transformer.ts';
import { emitYaml } from '../yaml/emit.ts';
import { generatedResources, replaceResources } from './external-resources.ts';
import type { Generator, PluginContext } from './plugin-context.ts';

/**
 * A plugin of the older kind: an executable below the plugin home, named by the version and kind
 * of its configuration. It gets that in a file, and resources on stdin.
 */
export function execPlugin(config: Resource, context: PluginContext): Generator & Transformer {
  const { apiVersion, kind } = config;
  const home = context.programs?.pluginHome;
  const isSafe = !/(?:^|\/)\.\.?(?:\/|$)|\\/.test(`${apiVersion}/${kind}`) && !kind.includes('/');
  if (home === undefined || !isSafe) {
    throw new KustomizeError(
      `unable to load external plugin '${kind}': there is no plugin home; set KUSTOMIZE_PLUGIN_HOME`,
      { code: 'WG_KUSTOMIZE_PLUGIN_REFUSED', file: config.file, line: config.line },
    );
  }
  const path = `${home}/${apiVersion}/${kind.toLowerCase()}/${kind}`;
  const configuration = emitYaml(config.node);
  const run = (input: string): string => {
    const outcome = context.programs!.run({
      path,
      args: argumentsOf(config, context),
      directory: context.loader.shownRoot,
      input,
      configuration,
      env: {
        KUSTOMIZE_PLUGIN_CONFIG_STRING: configuration,
        KUSTOMIZE_PLUGIN_CONFIG_ROOT: context.loader.shownRoot,
      },
    });
    if (outcome.exitCode === 0) return outcome.stdout;
    throw new KustomizeError(
      `failure in plugin ${path}; exit status ${outcome.exitCode}: ${outcome.stderr.trim()}`,
      { file: config.file, line: config.line },
    );
  };
  return {
    kind,
    generate: () => generatedResources(run(''), context.schemas),
    transform(resources: ResourceList) {
      const input = resources
        .toArray()
        .map((resource) => emitYaml(resource.node))
        .join('---\n');
      replaceResources(resources, run(input), context.schemas, kind);
    },
  };
}

/** Arguments in one line, quoted as in a shell, and in a file, one a line. */
function argumentsOf(config: Resource, context: PluginContext): string[] {
  const line = config.node.get('argsOneLiner')?.value ?? '';
  const file = config.node.get('argsFromFile')?.value ?? '';
  const args = splitArguments(line);
  if (file === '') return args;
  const lines = context.loader.loadText(file).split('\n');
  return [...args, ...lines.map((text) => text.trim()).filter((text) => text !== '')];
}

function splitArguments(line: string): string[] {
  const args: string[] = [];
  for (const match of line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)) {
    args.push(
      match[0].replaceAll(/"([^"]*)"|'([^']*)'/g, (_all, a?: string, b?: string) => a ?? b ?? ''),
    );
  }
  return args;
}
