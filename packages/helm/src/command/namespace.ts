import { readYaml } from '../formats/yaml-read.ts';
import { GoMap, type GoValue, itemsOf } from '../go/value.ts';
import type { ParsedFlags } from './flag-set.ts';
import { absolute } from './paths.ts';
import type { CommandWorld } from './world.ts';

/** The namespace of a release: as it is told, or the one of the kubeconfig's context, or `default`. */
export function namespaceOf(flags: ParsedFlags, world: CommandWorld): string {
  return (
    flags.text('namespace') ||
    world.env.HELM_NAMESPACE ||
    namespaceOfContext(flags, world) ||
    'default'
  );
}

function namespaceOfContext(flags: ParsedFlags, world: CommandWorld): string {
  const { env } = world;
  const given = flags.text('kubeconfig') || env.KUBECONFIG || `${env.HOME ?? ''}/.kube/config`;
  const configs = given
    .split(':')
    .filter((each) => each !== '')
    .flatMap((path) => readConfig(absolute(world, path), world));
  const [current = ''] = configs.map((each) => textAt(each, 'current-context')).filter(Boolean);
  const wanted = flags.text('kube-context') || env.HELM_KUBECONTEXT || current;
  const contexts = configs.flatMap((each) => itemsOf(each.get('contexts')) ?? []);
  const found = contexts.find((each) => textAt(each, 'name') === wanted);
  return textAt(found instanceof GoMap ? found.get('context') : undefined, 'namespace');
}

function readConfig(path: string, { files }: CommandWorld): GoMap[] {
  if (files.status(path)?.kind !== 'file') return [];
  try {
    const config = readYaml(new TextDecoder().decode(files.read(path)));
    return config instanceof GoMap ? [config] : [];
  } catch {
    // Whoever talks to the cluster says what is wrong with it.
    return [];
  }
}

function textAt(value: GoValue | undefined, key: string): string {
  const found = value instanceof GoMap ? value.get(key) : undefined;
  return typeof found === 'string' ? found : '';
}
