import type { Container, KubeObject, PodTemplateSpec } from '@waygate/schema';

/** Finds what a container's environment is taken from; undefined when there is none. */
export interface EnvironmentSources {
  configMap(name: string): { readonly data?: Readonly<Record<string, string>> } | undefined;
  /** Its values as they are in the API: base64. */
  secret(name: string): { readonly data?: Readonly<Record<string, string>> } | undefined;
}

/** The environment of a container, or what is missing for it, in the kubelet's words. */
type PodEnvironment =
  | { readonly env: Readonly<Record<string, string>> }
  | { readonly missing: string };

type Subject = Pick<KubeObject, 'metadata'> & { readonly template: PodTemplateSpec };

/**
 * The variables that a container would have: of whole ConfigMaps and Secrets first, then those of its own,
 * where `$(NAME)` stands for one before it.
 */
export function environmentOf(
  container: Container,
  subject: Subject,
  sources: EnvironmentSources,
): PodEnvironment {
  const env: Record<string, string> = {};
  try {
    for (const source of container.envFrom ?? []) {
      const { prefix = '', configMapRef, secretRef } = source;
      const values =
        configMapRef === undefined
          ? decoded(found('secret', secretRef, sources))
          : found('configmap', configMapRef, sources);
      for (const [name, value] of Object.entries(values ?? {})) env[`${prefix}${name}`] = value;
    }
    for (const { name, value, valueFrom } of container.env ?? []) {
      const given =
        valueFrom === undefined ? expand(value ?? '', env) : givenBy(valueFrom, subject, sources);
      if (given !== undefined) env[name] = given;
    }
  } catch (error) {
    if (error instanceof MissingError) return { missing: error.message };
    throw error;
  }
  return { env };
}

/** Ends the reading: the container cannot be started. */
class MissingError extends Error {}

interface Reference {
  readonly name?: string;
  readonly optional?: boolean;
}

function found(
  kind: 'configmap' | 'secret',
  reference: Reference | undefined,
  sources: EnvironmentSources,
): Readonly<Record<string, string>> | undefined {
  const name = reference?.name ?? '';
  const object = kind === 'secret' ? sources.secret(name) : sources.configMap(name);
  if (object !== undefined) return object.data ?? {};
  if (reference?.optional === true) return undefined;
  throw new MissingError(`${kind} ${JSON.stringify(name)} not found`);
}

function decoded(
  data: Readonly<Record<string, string>> | undefined,
): Record<string, string> | undefined {
  if (data === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

type ValueSource = NonNullable<NonNullable<Container['env']>[number]['valueFrom']>;

function givenBy(
  source: ValueSource,
  subject: Subject,
  sources: EnvironmentSources,
): string | undefined {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = source;
  if (fieldRef !== undefined) return fieldOf(fieldRef.fieldPath, subject);
  if (resourceFieldRef !== undefined) return '0';
  const kind = configMapKeyRef === undefined ? 'secret' : 'configmap';
  const reference = configMapKeyRef ?? secretKeyRef;
  if (reference === undefined) return undefined;
  const data = found(kind, reference, sources);
  const value = (kind === 'secret' ? decoded(data) : data)?.[reference.key];
  if (value !== undefined || reference.optional === true) return value;
  throw new MissingError(
    `couldn't find key ${reference.key} in ${kind === 'secret' ? 'Secret' : 'ConfigMap'} ${subject.metadata.namespace}/${reference.name}`,
  );
}

/** What a Pod knows of itself; its name is that of its workload, as one process stands for all. */
function fieldOf(path: string, { metadata, template }: Subject): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed !== null)
    return template.metadata?.[keyed[1] as 'labels' | 'annotations']?.[keyed[2]!] ?? '';
  const known: Record<string, string | undefined> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': 'localhost',
    'spec.serviceAccountName': template.spec?.serviceAccountName ?? 'default',
    'status.podIP': '127.0.0.1',
    'status.podIPs': '127.0.0.1',
    'status.hostIP': '127.0.0.1',
    'status.hostIPs': '127.0.0.1',
  };
  return known[path] ?? '';
}

/** `$(NAME)` is the value of a variable before it; unknown ones stay, and `$$` is one dollar. */
function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    return env[name] ?? whole;
  });
}
