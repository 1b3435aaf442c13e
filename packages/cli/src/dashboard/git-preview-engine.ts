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
import { isForbidden, isNotFound } from '@waygate/kube';
import { previewGateway } from '../preview-gateway.ts';

interface GitPreviewOptions {
  /** Where what git fetched is kept, one directory for each person. */
  readonly directory: (person: Person) => string;
  readonly allowFileUrls: boolean;
  readonly defaultNamespace?: string | undefined;
  /** Whose routes a gateway would get. */
  readonly ingressClass: string;
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
    preview: (source, reference, person, namespaces, signal) =>
      explained(async () => {
        const object = await repositoryOf(source, person, signal);
        const { files, revision } = await gitReferenceFiles(
          object,
          reference,
          read(person, signal),
        );
        const answers: Previewed[] = [];
        const kustomizations = await kustomizationsOf(source, person, namespaces, signal);
        for (const kustomization of kustomizations) {
          const path = kustomization.spec.path ?? '/';
          const scope = { person, namespaces, signal };
          answers.push(await previewOf(kustomization, { files, path }, scope, options));
        }
        const commit = /@sha1:([0-9a-f]{40})$/.exec(revision)?.[1];
        return {
          ref: reference,
          ...(commit === undefined ? {} : { commit }),
          kustomizations: kustomizations.map(shownKustomization),
          objects: answers.flatMap(({ objects }) => objects),
          entities: answers.flatMap(({ entities }) => entities),
          problems: answers.flatMap(({ problems }) => problems),
          // Each of them is said of all that are made from the source.
          notes: [...new Set(answers.flatMap(({ notes }) => notes))],
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
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<readonly Kustomization[]> {
  const list = async (scope: { readonly namespace?: string }): Promise<readonly Kustomization[]> =>
    (await client.resource(kustomizationKind).list(scope, { signal })).items;
  const listIn = (namespace: string): Promise<readonly Kustomization[]> =>
    list({ namespace }).catch((error: unknown) => {
      if (isForbidden(error)) return [];
      throw error;
    });
  const items = await list({}).catch(async (error: unknown) => {
    if (isNotFound(error)) return [];
    if (!isForbidden(error)) throw error;
    const theirs = new Set([source.namespace, ...namespaces]);
    return (await Promise.all([...theirs].map(listIn))).flat();
  });
  return items.filter(({ metadata, spec }) => {
    const { kind, name, namespace = metadata.namespace } = spec.sourceRef;
    return kind === 'GitRepository' && name === source.name && namespace === source.namespace;
  });
}

type Previewed = Pick<SourcePreview, 'objects' | 'entities' | 'problems' | 'notes'>;

async function previewOf(
  kustomization: Kustomization,
  source: Parameters<typeof previewKustomization>[1],
  scope: {
    readonly person: Person;
    readonly namespaces: readonly string[];
    readonly signal: AbortSignal;
  },
  { defaultNamespace, ingressClass }: GitPreviewOptions,
): Promise<Previewed> {
  const { person, namespaces, signal } = scope;
  const { client } = person;
  try {
    const found = await previewKustomization(kustomization, source, {
      client,
      signal,
      defaultNamespace,
    });
    const gateway = await previewGateway(client, found.changes, {
      ingressClass,
      namespaces,
      signal,
    });
    const refused = found.failures.map(({ message }) => message);
    const said = [
      ...(found.guard === undefined ? [] : [found.guard]),
      ...(gateway?.problems ?? []),
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
      notes: gateway?.notes ?? [],
    };
  } catch (error) {
    if (!(error instanceof PhaseError)) throw error;
    return {
      objects: [],
      entities: [],
      problems: [problemOf(kustomization, error.message, 'blocked')],
      notes: [],
    };
  }
}

function problemOf(
  kustomization: Kustomization,
  message: string,
  severity: 'blocked' | 'warning',
): SourcePreview['problems'][number] {
  const object = shownKustomization(kustomization);
  const id = `${object.namespace}/${object.name}/${message}`;
  return { id, severity, object, message, since: Date.now() };
}

function shownKustomization({ metadata }: Kustomization): ShownObject {
  const { namespace = '', name = '' } = metadata;
  const { group, version, kind } = kustomizationKind;
  return { group, version, kind, namespace, name };
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
