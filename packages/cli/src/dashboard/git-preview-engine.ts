import type { Change } from '@waygate/apply';
import {
  DashboardError,
  entityDiffOf,
  objectDiffOf,
  type Person,
  type PreviewEngine,
  type ShownObject,
  type SourcePreview,
} from '@waygate/dashboard';
import {
  GitOpsError,
  type GitRepository,
  gitReferenceFiles,
  gitReferenceNames,
  gitRepositoryKind,
  type Kustomization,
  kustomizationKind,
  PhaseError,
  previewKustomization,
} from '@waygate/gitops';
import { isNotFound } from '@waygate/kube';
import { previewGateway } from '../preview-gateway.ts';

export interface GitPreviewOptions {
  /** Where what git fetched is kept, one directory for each person. */
  readonly directory: (person: Person) => string;
  readonly allowFileUrls: boolean;
  readonly defaultNamespace?: string | undefined;
}

/** The engine of `waygate preview`, for the page: everything is asked as the person who looks. */
export function gitPreviewEngine(options: GitPreviewOptions): PreviewEngine {
  const { allowFileUrls, directory } = options;
  const read = (person: Person, signal: AbortSignal) => ({
    client: person.client,
    directory: directory(person),
    allowFileUrls,
    signal,
  });
  return {
    references: (source, person, signal) =>
      explained(async () => {
        const object = await repositoryOf(source, person, signal);
        return { source, ...(await gitReferenceNames(object, read(person, signal))) };
      }),
    preview: (source, reference, person, signal) =>
      explained(async () => {
        const object = await repositoryOf(source, person, signal);
        const { files, revision } = await gitReferenceFiles(
          object,
          reference,
          read(person, signal),
        );
        const answers: Previewed[] = [];
        for (const kustomization of await kustomizationsOf(source, person, signal)) {
          const path = kustomization.spec.path ?? '/';
          answers.push(await previewOf(kustomization, { files, path }, person, options, signal));
        }
        const commit = /@sha1:([0-9a-f]{40})$/.exec(revision)?.[1];
        return {
          ref: reference,
          ...(commit === undefined ? {} : { commit }),
          objects: answers.flatMap(({ objects }) => objects),
          entities: answers.flatMap(({ entities }) => entities),
          problems: answers.flatMap(({ problems }) => problems),
        };
      }),
  };
}

async function repositoryOf(
  { namespace, name }: ShownObject,
  { client }: Person,
  signal: AbortSignal,
): Promise<GitRepository> {
  return client.resource(gitRepositoryKind).get(name, { namespace }, { signal });
}

/** Those that are made from a source, as far as the person may see them. */
async function kustomizationsOf(
  source: ShownObject,
  { client }: Person,
  signal: AbortSignal,
): Promise<readonly Kustomization[]> {
  const list = async (scope: { readonly namespace?: string }) =>
    (await client.resource(kustomizationKind).list(scope, { signal })).items;
  const items = await list({}).catch((error: unknown) => {
    if (isNotFound(error)) return [];
    return list({ namespace: source.namespace });
  });
  return items.filter(({ metadata, spec }) => {
    const { kind, name, namespace = metadata.namespace } = spec.sourceRef;
    return kind === 'GitRepository' && name === source.name && namespace === source.namespace;
  });
}

type Previewed = Pick<SourcePreview, 'objects' | 'entities' | 'problems'>;

async function previewOf(
  kustomization: Kustomization,
  source: Parameters<typeof previewKustomization>[1],
  { client }: Person,
  { defaultNamespace }: GitPreviewOptions,
  signal: AbortSignal,
): Promise<Previewed> {
  try {
    const found = await previewKustomization(kustomization, source, {
      client,
      signal,
      defaultNamespace,
    });
    const gateway = await previewGateway(client, found.changes, { ingressClass: 'kong', signal });
    const refused = found.failures.map(({ message }) => message);
    const said = [
      ...(found.guard === undefined ? [] : [found.guard]),
      ...(gateway?.problems ?? []),
      ...(gateway?.notes ?? []),
    ];
    return {
      objects: found.changes.filter(isDifference).map((change) =>
        objectDiffOf({
          object: { ...change.id, version: change.entry.v },
          action: change.action as 'created' | 'configured' | 'deleted',
          before: change.before,
          after: change.after,
        }),
      ),
      entities: (gateway?.operations ?? []).map(({ collection, label, before, after }) =>
        entityDiffOf({ collection, name: label, before, after }),
      ),
      problems: [
        ...refused.map((message) => problemOf(kustomization, message, 'blocked')),
        ...said.map((message) => problemOf(kustomization, message, 'warning')),
      ],
    };
  } catch (error) {
    if (!(error instanceof PhaseError)) throw error;
    return {
      objects: [],
      entities: [],
      problems: [problemOf(kustomization, error.message, 'blocked')],
    };
  }
}

function problemOf(
  { metadata }: Kustomization,
  message: string,
  severity: 'blocked' | 'warning',
): SourcePreview['problems'][number] {
  const { namespace = '', name = '' } = metadata;
  const { group, version, kind } = kustomizationKind;
  const object = { group, version, kind, namespace, name };
  return { id: `${namespace}/${name}/${message}`, severity, object, message, since: Date.now() };
}

function isDifference({ action }: Change): boolean {
  return action === 'created' || action === 'configured' || action === 'deleted';
}

/** A repository that does not answer is no fault of the page. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitOpsError)) throw error;
    throw new DashboardError('WG_DASHBOARD_UPSTREAM', error.message, { cause: error });
  }
}
