import { readYaml } from '../formats/yaml-read.ts';
import { GoMap, type GoValue, itemsOf } from '../go/value.ts';
import type { CommandWorld } from './world.ts';

/** How a plugin is run. */
interface FoundPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The post-renderer of a name among Helm 4's plugins: `plugin.yaml` of a directory in `HELM_PLUGINS`, with the runtime
 * `subprocess`. Those that WebAssembly runs are not found.
 */
export function findPlugin(
  name: string,
  args: readonly string[],
  world: CommandWorld,
): FoundPlugin | undefined {
  for (const base of pluginDirectories(world)) {
    if (world.files.status(base)?.kind !== 'directory') continue;
    for (const entry of world.files.list(base)) {
      const directory = `${base}/${entry}`;
      const plugin = readPlugin(directory, world);
      if (plugin === undefined || plugin.name !== name) continue;
      const env = { HELM_PLUGIN_NAME: name, HELM_PLUGIN_DIR: directory };
      const expand = (text: string): string => expanded(text, { ...world.env, ...env });
      const [command = '', ...more] = plugin.words.map(expand);
      if (command === '') continue;
      return { command, args: [...more, ...args], env };
    }
  }
  return undefined;
}

function pluginDirectories({ env }: CommandWorld): string[] {
  const data =
    env.HELM_DATA_HOME || `${env.XDG_DATA_HOME || `${env.HOME ?? ''}/.local/share`}/helm`;
  return (env.HELM_PLUGINS || `${data}/plugins`).split(':').filter((each) => each !== '');
}

function readPlugin(
  directory: string,
  world: CommandWorld,
): { readonly name: string; readonly words: readonly string[] } | undefined {
  const path = `${directory}/plugin.yaml`;
  if (world.files.status(path)?.kind !== 'file') return undefined;
  let plugin: GoValue;
  try {
    plugin = readYaml(new TextDecoder().decode(world.files.read(path)));
  } catch {
    // Another plugin that is broken is not this one's problem.
    return undefined;
  }
  if (textAt(plugin, 'type') !== 'postrenderer/v1' || textAt(plugin, 'runtime') !== 'subprocess') {
    return undefined;
  }
  const config = plugin instanceof GoMap ? plugin.get('runtimeConfig') : undefined;
  const commands = config instanceof GoMap ? itemsOf(config.get('platformCommand')) : undefined;
  return { name: textAt(plugin, 'name'), words: chosen(commands ?? [], world) };
}

/** The command for this system: the one that names it best. */
function chosen(commands: readonly GoValue[], { platform }: CommandWorld): string[] {
  const isSame = (one: string, other: string | undefined): boolean =>
    one.toLowerCase() === other?.toLowerCase();
  const fitting = commands.filter((each) => {
    const [os, arch] = [textAt(each, 'os'), textAt(each, 'arch')];
    if (arch !== '') return isSame(arch, platform?.arch) && isSame(os, platform?.os);
    return os === '' || isSame(os, platform?.os);
  });
  const weight = (each: GoValue): number =>
    (textAt(each, 'arch') === '' ? 0 : 2) + (textAt(each, 'os') === '' ? 0 : 1);
  const best = fitting.toSorted((a, b) => weight(b) - weight(a))[0];
  if (!(best instanceof GoMap)) return [];
  const args = (itemsOf(best.get('args')) ?? []).filter((each) => typeof each === 'string');
  return [...textAt(best, 'command').split(' '), ...args];
}

function textAt(value: GoValue, key: string): string {
  const found = value instanceof GoMap ? value.get(key) : undefined;
  return typeof found === 'string' ? found : '';
}

function expanded(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced, plain) => env[braced ?? plain] ?? '');
}
