import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Change, subjectOfObject } from '@waygate/apply';
import {
  fetchedChart,
  GitOpsError,
  type HelmRelease,
  helmReleaseKind,
  previewRelease,
  type ReleasePreview,
} from '@waygate/gitops';
import {
  type Chart,
  HelmError,
  loadArchive,
  loadChart,
  type RenderedFile,
  readChartDirectory,
} from '@waygate/helm';
import type { KubeClient } from '@waygate/kube';
import type { DynamicObject } from '@waygate/schema';
import { type CliContext, CliError, exitCode } from './context.ts';
import { diskFiles } from './helm/disk-files.ts';
import { lineOfObject, lineOfPointer } from './trace/field-line.ts';

/** Where in a chart an object and its changed fields are written: `web/templates/service.yaml:3`. */
interface ChangeOrigin {
  readonly template: string;
  /** By the pointer of the field. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What the HelmReleases among changes would change themselves. */
export interface PreviewedRelease {
  /** `shop/web`. */
  readonly name: string;
  /** `shop 1.2.0`. */
  readonly chart?: string | undefined;
  readonly preview?: ReleasePreview | undefined;
  /** Why it is not known. */
  readonly unknown?: string | undefined;
}

/** What a HelmRelease of the cluster would change, with its own chart or one of this machine. */
export async function previewNamedRelease(
  client: KubeClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  path: string | undefined,
  context: CliContext,
): Promise<PreviewedRelease> {
  const { signal } = context;
  const object = await client.resource(helmReleaseKind).get(name, { namespace }, { signal });
  const chart = path === undefined ? undefined : await localChart(resolve(context.cwd, path));
  const previewed = await releaseOf(client, object, chart, signal);
  if (previewed.unknown === undefined) return previewed;
  throw new CliError(`HelmRelease ${previewed.name}: ${previewed.unknown}`, {
    hint: 'With --path, a chart of this machine is used: a directory or an archive.',
  });
}

/** What those HelmReleases would change that are created or changed themselves. */
export async function previewReleases(
  client: KubeClient,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<readonly PreviewedRelease[]> {
  const previewed: PreviewedRelease[] = [];
  for (const { id, action, after } of changes) {
    const isRelease = id.group === helmReleaseKind.group && id.kind === helmReleaseKind.kind;
    if (!isRelease || after === undefined || !['created', 'configured'].includes(action)) continue;
    const object = after as unknown as HelmRelease;
    if (object.spec.suspend === true) continue;
    previewed.push(await releaseOf(client, object, undefined, signal));
  }
  return previewed;
}

async function releaseOf(
  client: KubeClient,
  object: HelmRelease,
  given: Chart | undefined,
  signal: AbortSignal,
): Promise<PreviewedRelease> {
  const name = `${object.metadata.namespace}/${object.metadata.name}`;
  try {
    const chart = given ?? (await fetchedChart(object, client, signal));
    const preview = await previewRelease(object, chart, { client, signal });
    return { name, chart: `${chart.metadata.name} ${chart.metadata.version}`, preview };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GitOpsError || error instanceof HelmError)) throw error;
    return { name, unknown: error.message };
  }
}

async function localChart(path: string): Promise<Chart> {
  if (!existsSync(path)) {
    throw new CliError(`there is no chart ${path}`, { exitCode: exitCode.usage });
  }
  try {
    if (!statSync(path).isDirectory()) return loadArchive(await readFile(path));
    return loadChart(readChartDirectory(diskFiles, path, 4));
  } catch (cause) {
    if (!(cause instanceof HelmError)) throw cause;
    throw new CliError(cause.message, { cause, exitCode: exitCode.usage });
  }
}

/** The line of the template that an object came from, and of each field that would change. */
export function originOf(change: Change, files: readonly RenderedFile[]): ChangeOrigin | undefined {
  const object = change.after ?? change.before;
  if (object === undefined || change.action === 'deleted') return undefined;
  const typed = { ...object, kind: change.id.kind } as DynamicObject;
  for (const file of files) {
    const at = lineOfObject(file.text, typed);
    if (at === undefined) continue;
    const placeOf = (line: number) => {
      const place = file.lines[line];
      return place === undefined ? file.path : `${place.file}:${place.line}`;
    };
    const fields: Record<string, string> = {};
    for (const path of change.paths ?? []) {
      // What is not in the file was added after it: by post-renderers, the controller or the API.
      const line = lineOfPointer(file.text, typed, path);
      if (line !== undefined) fields[path] = placeOf(line);
    }
    return { template: placeOf(at), fields };
  }
  return undefined;
}

/** `from web/templates/cm.yaml:1`, and below it the changed fields with theirs. */
export function originLines(origin: ChangeOrigin | undefined): string[] {
  if (origin === undefined) return [];
  const fields = Object.entries(origin.fields).map(
    ([path, place]) => `      ${path} from ${place}`,
  );
  return [`    from ${origin.template}`, ...fields];
}

/** A line for each hook that would run. */
export function hookLines({ hooks }: ReleasePreview): string[] {
  return hooks.map(({ object, events }) => `> ${subjectOfObject(object)} runs (${events})`);
}
