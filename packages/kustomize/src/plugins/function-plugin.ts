import { parseYamlNode } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';
import { Resource } from '../resource.ts';
import type { ResourceList } from '../resource-list.ts';
import type { Transformer } from '../transformers/transformer.ts';
import { emitYaml } from '../yaml/emit.ts';
import { type JsonValue, toJson } from '../yaml/json-value.ts';
import { generatedResources, replaceResources } from './external-resources.ts';
import type { Generator, PluginContext } from './plugin-context.ts';

const functionAnnotations = ['config.kubernetes.io/function', 'config.k8s.io/function'];

interface ExecSpec {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The text in which a configuration says that it is a KRM function; undefined when it does not. */
export function functionText(config: Resource): string | undefined {
  const annotations = config.annotations();
  for (const name of functionAnnotations) {
    const text = annotations.get(name);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

/** A function that runs as a program: a ResourceList goes in and comes out. */
export function functionPlugin(
  config: Resource,
  text: string,
  context: PluginContext,
): Generator & Transformer {
  const spec = execSpec(config, text);
  const name = `api: ${config.apiVersion}, kind: ${config.kind}, name: ${config.name}`;
  const functionConfig = configurationText(config);
  return {
    kind: config.kind,
    generate() {
      // A pipeline needs something to start with: the configuration, which is left out again.
      const output = run(spec, [functionConfig], functionConfig, context);
      return generatedResources(output, context.schemas);
    },
    transform(resources: ResourceList) {
      const items = resources.toArray().map((resource) => emitYaml(resource.node));
      replaceResources(resources, run(spec, items, functionConfig, context), context.schemas, name);
    },
  };
}

function execSpec(config: Resource, text: string): ExecSpec {
  const refuse = (message: string): KustomizeError =>
    new KustomizeError(message, {
      code: 'WG_KUSTOMIZE_PLUGIN_REFUSED',
      file: config.file,
      line: config.line,
    });
  const node = parseYamlNode(text);
  const spec = node === undefined ? null : toJson(node);
  const exec = spec instanceof Map ? spec.get('exec') : undefined;
  const path = exec instanceof Map ? exec.get('path') : undefined;
  if (!(exec instanceof Map) || typeof path !== 'string' || path === '') {
    throw refuse(
      `function ${config.kind}: only functions with exec.path are run; containers and Starlark are not`,
    );
  }
  const args = exec.get('args');
  const env: Record<string, string> = {};
  for (const entry of listOf(exec.get('env'))) {
    const equals = entry.indexOf('=');
    if (equals > 0) env[entry.slice(0, equals)] = entry.slice(equals + 1);
  }
  return { path, args: listOf(args), env };
}

function listOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The configuration as the function sees it; the annotation keeps it out of what is printed. */
function configurationText(config: Resource): string {
  const copy = new Resource(config.node.copy(), config.schemas);
  const annotations = copy.annotations();
  annotations.set('config.kubernetes.io/local-config', 'true');
  copy.setAnnotations(annotations);
  return emitYaml(copy.node);
}

function run(
  spec: ExecSpec,
  items: readonly string[],
  functionConfig: string,
  context: PluginContext,
): string {
  const { programs, loader } = context;
  if (programs?.functions !== true) {
    throw new KustomizeError(`must specify --enable-exec to run the function '${spec.path}'`, {
      code: 'WG_KUSTOMIZE_PLUGIN_REFUSED',
    });
  }
  const list = items.map((item) => `- ${indented(item).slice(2)}`).join('');
  const outcome = programs.run({
    path: spec.path,
    args: spec.args,
    directory: loader.shownRoot,
    env: spec.env,
    input: `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:${list === '' ? ' []\n' : `\n${list}`}functionConfig:\n${indented(functionConfig)}`,
  });
  const results = resultsOf(outcome.stdout);
  if (outcome.exitCode !== 0) {
    const said = [outcome.stderr.trim(), ...results].filter((line) => line !== '').join('\n');
    throw new KustomizeError(
      `couldn't execute function: '${spec.path}': exit status ${outcome.exitCode}${said === '' ? '' : `: ${said}`}`,
    );
  }
  for (const result of results) context.warn(`function '${spec.path}': ${result}`);
  return outcome.stdout;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

/** What the function has to say on its input. */
function resultsOf(output: string): string[] {
  if (!output.includes('results:')) return [];
  let json: JsonValue;
  try {
    const node = parseYamlNode(output);
    json = node === undefined ? null : toJson(node);
  } catch {
    return [];
  }
  const results = json instanceof Map ? json.get('results') : undefined;
  if (!Array.isArray(results)) return [];
  return results.flatMap((result) => {
    if (!(result instanceof Map)) return [];
    const severity = result.get('severity');
    return [`[${String(severity ?? 'info')}] ${String(result.get('message') ?? '')}`];
  });
}
