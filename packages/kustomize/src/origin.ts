import { newString } from '@waygate/text';
import type { Origin, Resource } from './resource.ts';
import { emitYaml } from './yaml/emit.ts';

export const originAnnotation = 'config.kubernetes.io/origin';
export const transformationsAnnotation = 'alpha.config.kubernetes.io/transformations';

/** The origin of what a path names, seen from a directory. */
export function appendOrigin(origin: Origin, path: string): Origin {
  return { ...origin, path: join(origin.path ?? '', path) };
}

function join(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${base}/${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

/** The origin of what a field of a kustomization file asks for. */
export function configurationOrigin(origin: Origin, fileName: string, kind: string): Origin {
  const { path = '', ...rest } = origin;
  return {
    ...rest,
    configuredIn: join(path, fileName),
    configuredBy: { apiVersion: 'builtin', kind, name: '' },
  };
}

/** The origin of what a configuration object asks for. */
export function externalOrigin(config: Resource): Origin | undefined {
  if (config.origin === undefined) return undefined;
  const { path, ...rest } = config.origin;
  return {
    ...rest,
    ...(path === undefined ? {} : { configuredIn: path }),
    configuredBy: {
      apiVersion: config.apiVersion,
      kind: config.kind,
      name: config.name,
      namespace: config.namespace,
    },
  };
}

/** The lines of an origin in YAML; its fields have an order of their own. */
function linesOf(origin: Origin): string[] {
  const lines: string[] = [];
  const put = (name: string, value: string | undefined, margin = ''): void => {
    if (value === undefined || value === '') return;
    lines.push(`${margin}${name}: ${emitYaml(newString(value)).trimEnd()}`);
  };
  put('path', origin.path);
  put('repo', origin.repo);
  put('ref', origin.ref);
  put('configuredIn', origin.configuredIn);
  if (origin.configuredBy !== undefined) {
    lines.push('configuredBy:');
    put('apiVersion', origin.configuredBy.apiVersion, '  ');
    put('kind', origin.configuredBy.kind, '  ');
    put('name', origin.configuredBy.name, '  ');
    put('namespace', origin.configuredBy.namespace, '  ');
  }
  return lines;
}

/** The text of the annotation. */
export function originText(origin: Origin): string {
  return linesOf(origin)
    .map((line) => `${line}\n`)
    .join('');
}

export function transformationsText(origins: readonly Origin[]): string {
  return origins
    .flatMap(linesOfItem)
    .map((line) => `${line}\n`)
    .join('');
}

function linesOfItem(origin: Origin): string[] {
  return linesOf(origin).map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));
}
