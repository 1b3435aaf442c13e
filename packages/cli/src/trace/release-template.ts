import {
  type Artifact,
  ArtifactFetcher,
  type HelmRelease,
  helmChartKind,
  KubeReleaseCluster,
} from '@waygate/gitops';
import {
  type Chart,
  decodeRelease,
  loadArchive,
  type RenderedFile,
  renderAgain,
  type StoredRelease,
} from '@waygate/helm';
import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import { type DynamicObject, kinds } from '@waygate/schema';
import { isObject, parseYaml } from '@waygate/text';
import { lineOfField, lineOfObject } from './field-line.ts';

/** Where an object of a release stands in its chart: `web/templates/service.yaml:3`. */
interface TemplateTrace {
  /** The template, with the line where it can be told. */
  readonly template: string;
  /** The line that the field came from which was asked for: perhaps of a partial. */
  readonly field?: string | undefined;
}

/**
 * The template of a chart that an object came from, as the stored release tells it, and the line, as the release
 * rendered once more tells that. Undefined where that is gone, is not the reader's to read, or says nothing: a
 * post-renderer may have taken it away.
 */
export async function templateOf(
  client: KubeClient,
  found: HelmRelease,
  object: DynamicObject,
  field: string | undefined,
  signal: AbortSignal,
): Promise<TemplateTrace | undefined> {
  const { status, metadata } = found;
  const [last] = status?.history ?? [];
  if (last === undefined) return undefined;
  const namespace = status?.storageNamespace ?? metadata.namespace;
  const name = `sh.helm.release.v1.${last.name}.v${last.version}`;
  try {
    const { data } = await client.resource(kinds.Secret).get(name, { namespace }, { signal });
    const release = decodeRelease(Buffer.from(data?.release ?? '', 'base64').toString('latin1'));
    const printed = (release.hooks ?? []).map((hook) => `# Source: ${hook.path}\n${hook.manifest}`);
    const manifest = [release.manifest, ...printed].join('\n---\n');
    const template = templateIn(manifest, object, last.namespace);
    if (template === undefined) return undefined;
    const file = await renderedFile(client, found, release, template, signal);
    return file === undefined ? { template } : linesIn(file, template, object, field);
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

/** The template that a manifest names above an object; one without a namespace is in the release's. */
function templateIn(
  manifest: string,
  { kind, metadata }: DynamicObject,
  releaseNamespace: string,
): string | undefined {
  for (const document of manifest.split(/^---\s*$/m)) {
    const source = /^# Source: (\S.*)$/m.exec(document)?.[1];
    if (source === undefined || !document.includes(metadata.name ?? '')) continue;
    const parsed = parseYaml(document);
    if (!isObject(parsed) || parsed.kind !== kind || !isObject(parsed.metadata)) continue;
    const { name, namespace } = parsed.metadata;
    const isThere =
      metadata.namespace === undefined || (namespace ?? releaseNamespace) === metadata.namespace;
    if (name === metadata.name && isThere) return source;
  }
  return undefined;
}

/** The template rendered once more: from the stored chart, or with subcharts from the source's, if it is still that one. */
async function renderedFile(
  client: KubeClient,
  found: HelmRelease,
  release: StoredRelease,
  template: string,
  signal: AbortSignal,
): Promise<RenderedFile | undefined> {
  const cluster = new KubeReleaseCluster(client, { fieldManager: 'waygate', signal });
  const capabilities = await cluster.capabilities();
  const stored = renderAgain(release, template, { capabilities });
  if (stored !== undefined) return stored;
  const chart = await chartOf(client, found, release, signal);
  return chart && renderAgain(release, template, { capabilities, chart });
}

async function chartOf(
  client: KubeClient,
  { status }: HelmRelease,
  { chart: { metadata } }: StoredRelease,
  signal: AbortSignal,
): Promise<Chart | undefined> {
  const [namespace = '', name = ''] = status?.helmChart?.split('/') ?? [];
  if (name === '') return undefined;
  try {
    const source = await client.resource(helmChartKind).get(name, { namespace }, { signal });
    const { artifact } = (source.status ?? {}) as { artifact?: Artifact };
    if (artifact === undefined) return undefined;
    const fetcher = new ArtifactFetcher({ maxTries: 1 });
    const chart = loadArchive(await fetcher.fetchBytes(artifact, signal));
    const isSame =
      chart.metadata.name === metadata.name && chart.metadata.version === metadata.version;
    return isSame ? chart : undefined;
  } catch {
    // Artifacts are often out of reach from here, or gone by now: then there is no line, only the template.
    return undefined;
  }
}

function linesIn(
  file: RenderedFile,
  template: string,
  object: DynamicObject,
  field: string | undefined,
): TemplateTrace {
  const line = lineOfObject(file.text, object);
  const place = line === undefined ? undefined : file.lines[line];
  const fieldLine = field === undefined ? undefined : lineOfField(file.text, object, field);
  const from = fieldLine === undefined ? undefined : file.lines[fieldLine];
  return {
    template: place?.file === template ? `${template}:${place.line}` : template,
    ...(from && { field: `${from.file}:${from.line}` }),
  };
}
