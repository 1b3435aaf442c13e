import type { GoShape } from '../chart/go-shape.ts';
import { unmarshalYaml } from '../chart/go-yaml.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import { HelmError } from '../helm-error.ts';
import type { Log } from '../log-entry.ts';
import { kindsToInstall, sortByKind } from './kind-order.ts';
import { splitManifests } from './split-manifests.ts';

/** An object of a release, as the template printed it. */
export interface Manifest {
  /** The template that it came from: `web/templates/service.yaml`. */
  readonly path: string;
  readonly content: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** When a hook runs. */
export type HookEvent =
  | 'pre-install'
  | 'post-install'
  | 'pre-delete'
  | 'post-delete'
  | 'pre-upgrade'
  | 'post-upgrade'
  | 'pre-rollback'
  | 'post-rollback'
  | 'test';

/** An object that is not part of the release: it is created at certain times. */
export interface Hook {
  readonly path: string;
  readonly content: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly events: readonly HookEvent[];
  /** Lower ones run first. */
  readonly weight: number;
  readonly deletePolicies: readonly string[];
  readonly outputLogPolicies: readonly string[];
}

interface Head {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string; annotations?: Record<string, string> };
}

/** No release holds as many: what is stored of one is a Secret of a megabyte. */
const maxDocuments = 25_000;
/** Of all documents together: ten times what the largest charts print. */
const maxLines = 300_000;

const events = new Map<string, HookEvent>(
  (
    [
      'pre-install',
      'post-install',
      'pre-delete',
      'post-delete',
      'pre-upgrade',
      'post-upgrade',
      'pre-rollback',
      'post-rollback',
      'test',
    ] as const
  ).map((event) => [event, event]),
).set('test-success', 'test');

const headShape: Readonly<Record<HelmMajor, GoShape>> = {
  3: headShapeOf('releaseutil'),
  4: headShapeOf('util'),
};

function headShapeOf(library: string): GoShape {
  const text = { kind: 'string' } as const;
  return {
    kind: 'struct',
    name: 'SimpleHead',
    in: library,
    fields: {
      apiVersion: text,
      kind: text,
      metadata: {
        kind: 'struct',
        name: '',
        in: '',
        fields: { name: text, annotations: { kind: 'map', of: text } },
        printedAs:
          'struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }',
      },
    },
  };
}

/**
 * The objects and hooks of rendered files, in the order in which they are created.
 *
 * @throws HelmError `WG_HELM_TEMPLATE` for a document that is no YAML map
 */
export function sortManifests(
  files: ReadonlyMap<string, string>,
  helm: HelmMajor,
  log: Log,
): { manifests: Manifest[]; hooks: Hook[] } {
  const manifests: Manifest[] = [];
  const hooks: Hook[] = [];
  for (const [path, documents] of documentsOf(files, helm)) {
    for (const content of documents) {
      const head = headOf(content, path, helm);
      const named = {
        path,
        content,
        apiVersion: head.apiVersion ?? '',
        kind: head.kind ?? '',
        name: head.metadata?.name ?? '',
      };
      const hook = head.metadata?.annotations?.['helm.sh/hook'];
      if (hook === undefined) manifests.push(named);
      else hooks.push(...hookOf(named, hook, head.metadata!.annotations!, log));
    }
  }
  const order = kindsToInstall(helm);
  return {
    manifests: sortByKind(manifests, ({ kind }) => kind, order),
    hooks: sortByKind(hooks, ({ kind }) => kind, order),
  };
}

/** The documents of each file, counted before any of them is read: that takes far longer than to find them. */
function documentsOf(
  files: ReadonlyMap<string, string>,
  helm: HelmMajor,
): [path: string, documents: readonly string[]][] {
  const found: [string, readonly string[]][] = [];
  let documents = 0;
  let lines = 0;
  for (const path of [...files.keys()].sort()) {
    const text = files.get(path)!;
    // What starts with _ has only templates for others.
    if (path.slice(path.lastIndexOf('/') + 1).startsWith('_') || text.trim() === '') continue;
    const contents = splitManifests(text, helm);
    found.push([path, contents]);
    documents += contents.length;
    lines += linesOf(text);
    if (documents > maxDocuments) throw tooMany(`${maxDocuments} documents`);
    if (lines > maxLines) throw tooMany(`${maxLines} lines of documents`);
  }
  return found;
}

function linesOf(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

function tooMany(what: string): HelmError {
  return new HelmError('WG_HELM_LIMIT', `the templates make more than ${what}`);
}

function headOf(content: string, path: string, helm: HelmMajor): Head {
  const head: Head = {};
  try {
    unmarshalYaml(content, headShape[helm], head);
  } catch (cause) {
    const { message } = cause as Error;
    throw new HelmError('WG_HELM_TEMPLATE', `YAML parse error on ${path}: ${message}`, { cause });
  }
  return head;
}

/** One, or none where its annotation has a word that is no event. */
function hookOf(
  manifest: Manifest,
  words: string,
  annotations: Readonly<Record<string, string>>,
  log: Log,
): Hook[] {
  const found = splitWords(words).map((word) => events.get(word));
  if (found.includes(undefined)) {
    log({
      place: 'manifest_sorter.go:199',
      text: `info: skipping unknown hook: ${JSON.stringify(words)}`,
      structured: {
        level: 'INFO',
        message: 'skipping unknown hooks',
        fields: { hookTypes: words },
      },
    });
    return [];
  }
  const weight = annotations['helm.sh/hook-weight'] ?? '';
  return [
    {
      ...manifest,
      events: found as HookEvent[],
      weight: /^[+-]?\d{1,18}$/.test(weight) ? Number(weight) : 0,
      deletePolicies: splitWords(annotations['helm.sh/hook-delete-policy']),
      outputLogPolicies: splitWords(annotations['helm.sh/hook-output-log-policy']),
    },
  ];
}

function splitWords(text: string | undefined): string[] {
  return text?.split(',').map((word) => word.trim().toLowerCase()) ?? [];
}
