import { goQuote } from '@waygate/text';
import type { FetchedFiles } from '../build-options.ts';
import {
  isInside,
  joinPath,
  type ListedFileSystem,
  relativePath,
} from '../file-system/file-system.ts';
import { KustomizeError } from '../kustomize-error.ts';
import { confirmDirectory, defaultLoaderLimits, isRemote, Loader } from '../loader.ts';
import { repositoryAddress } from './localized-paths.ts';
import { Localizer, within } from './localizer.ts';

/** What is copied, and to where. */
export interface LocalizeRequest {
  readonly fileSystem: ListedFileSystem;
  /** Where relative paths begin. */
  readonly directory: string;
  readonly target: string;
  /** What may be read, for a target of this machine; the target by default. */
  readonly scope?: string | undefined;
  /** A directory that is not there yet; `localized-…` in the working directory by default. */
  readonly destination?: string | undefined;
  /** Gets remote roots and files. Without it they are refused. */
  readonly fetch?: ((url: string) => Promise<FetchedFiles>) | undefined;
}

/** A copy that needs nothing from elsewhere. */
export interface Localized {
  readonly destination: string;
  readonly writes: ReadonlyMap<string, Uint8Array | string>;
}

class NeededFiles extends Error {
  readonly url: string;

  constructor(url: string) {
    super(url);
    this.url = url;
  }
}

/**
 * Copies a kustomization and what it refers to, so that nothing of it is remote, as `kustomize localize` does.
 * Nothing is written: the outcome says what is to be.
 *
 * ```ts
 * const web = '{apiVersion: v1, kind: Service, metadata: {name: web}}';
 * const files = { '/app/kustomization.yaml': 'resources: [web.yaml]', '/app/web.yaml': web };
 * const fileSystem = memoryFileSystem(files);
 * const copy = await localize({ fileSystem, directory: '/', target: 'app', destination: '/copy' });
 * [...copy.writes.keys()]; // ['/copy/web.yaml', '/copy/kustomization.yaml']
 * ```
 *
 * @throws KustomizeError in the original's words
 */
export async function localize(request: LocalizeRequest): Promise<Localized> {
  const fetched = new Map<string, FetchedFiles>();
  // As with a build: what turns out to be needed is fetched, and the copy is made anew.
  for (;;) {
    try {
      return localizeOnce(request, fetched);
    } catch (error) {
      if (!(error instanceof NeededFiles) || request.fetch === undefined) throw error;
      fetched.set(error.url, await request.fetch(error.url));
    }
  }
}

function localizeOnce(
  { fileSystem, directory, target, scope, destination, fetch }: LocalizeRequest,
  fetched: ReadonlyMap<string, FetchedFiles>,
): Localized {
  const address = isRemote(target) ? repositoryAddress(target) : undefined;
  if (address !== undefined && address.ref === undefined) {
    throw new KustomizeError(
      `localize remote root ${goQuote(target)} missing ref query string parameter`,
    );
  }
  const context = {
    restrictor: 'LoadRestrictionsRootOnly' as const,
    limits: defaultLoaderLimits,
    readBytes: 0,
    remote: (url: string): FetchedFiles => {
      const files = fetched.get(url);
      if (files !== undefined) return files;
      if (fetch !== undefined) throw new NeededFiles(url);
      throw new KustomizeError(`'${url}' is remote, and nothing here may fetch`, {
        code: 'WG_KUSTOMIZE_REMOTE_REFUSED',
      });
    },
  };
  const loader = within(`unable to establish localize target ${goQuote(target)}`, () =>
    Loader.at(fileSystem, isRemote(target) ? target : joinPath(directory, target), context, target),
  );
  const effective = within(`invalid localize scope ${goQuote(scope ?? '')}`, () =>
    scopeOf(fileSystem, directory, scope, target, loader),
  );
  const raw = destination ?? defaultDestination(loader, address);
  const to = joinPath(directory, raw);
  within(`invalid localize destination ${goQuote(destination ?? '')}`, () =>
    checkDestination(fileSystem, raw, to),
  );
  const writes = new Map<string, Uint8Array | string>();
  const shared = {
    scope: effective,
    destination: to,
    write: (path: string, content: Uint8Array | string) => void writes.set(path, content),
    isWritten: (path: string) => [...writes.keys()].some((each) => isInside(each, path)),
  };
  const place = joinPath(to, relativePath(effective, loader.root));
  const localizer = new Localizer(loader, place, shared, address === undefined);
  within(`unable to localize target ${goQuote(target)}`, () => localizer.run());
  return { destination: to, writes };
}

function scopeOf(
  fileSystem: ListedFileSystem,
  directory: string,
  scope: string | undefined,
  target: string,
  loader: Loader,
): string {
  if (loader.origin !== undefined) {
    if (scope === undefined || scope === '') return '/';
    throw new KustomizeError(
      `scope ${goQuote(scope)} specified for remote localize target ${goQuote(target)}`,
    );
  }
  if (scope === undefined || scope === '') return loader.root;
  const found = within('unable to establish localize scope', () => {
    try {
      return confirmDirectory(fileSystem, joinPath(directory, scope), scope);
    } catch (error) {
      if (!(error instanceof KustomizeError)) throw error;
      throw new KustomizeError(error.message.replace(/^must build at directory: /, ''));
    }
  });
  if (isInside(loader.root, found)) return found;
  throw new KustomizeError(
    `localize scope ${goQuote(scope)} does not contain target ${goQuote(target)} at ${goQuote(loader.root)}`,
  );
}

function defaultDestination(loader: Loader, address: ReturnType<typeof repositoryAddress>): string {
  const base = loader.root.slice(loader.root.lastIndexOf('/') + 1);
  if (address !== undefined) {
    const repository = address.path.replace(/\/+$/, '').replace(/^.*\//, '');
    return [
      'localized',
      base === '' ? repository : base,
      (address.ref ?? '').replaceAll('/', '-'),
    ].join('-');
  }
  return base === '' ? 'localized' : `localized-${base}`;
}

function checkDestination(fileSystem: ListedFileSystem, raw: string, to: string): void {
  if (fileSystem.resolve(to).kind !== 'missing') {
    throw new KustomizeError(`localize destination ${goQuote(raw)} already exists`);
  }
  if (fileSystem.resolve(joinPath(to, '..')).kind !== 'directory') {
    throw new KustomizeError(
      `unable to create localize destination directory: mkdir ${raw}: no such file or directory`,
    );
  }
}
