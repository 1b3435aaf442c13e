import { textOfYamlFile } from '@waygate/text';
import { type FileSystem, isInside, joinPath, parentOf } from './file-system/file-system.ts';
import { KustomizeError } from './kustomize-error.ts';

/** Whether files outside of a kustomization's own directory may be read, in kustomize's words. */
export type LoadRestrictor = 'LoadRestrictionsRootOnly' | 'LoadRestrictionsNone';

/** How much a build may read. */
export interface LoaderLimits {
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

export const defaultLoaderLimits: LoaderLimits = {
  maxFileBytes: 32 * 1024 * 1024,
  maxTotalBytes: 512 * 1024 * 1024,
};

/** Shared by all loaders of one build. */
interface LoaderContext {
  readonly restrictor: LoadRestrictor;
  readonly limits: LoaderLimits;
  readBytes: number;
  /** Gives the files of a remote base, or fails: a build by itself has no network. */
  readonly remote: (url: string) => { fileSystem: FileSystem; path: string };
}

/**
 * Reads files for one kustomization: paths are taken from its directory, and files outside of it
 * are refused. Directories may lie anywhere, as bases do.
 */
export class Loader {
  readonly fileSystem: FileSystem;
  readonly root: string;
  readonly context: LoaderContext;
  readonly #referrer: Loader | undefined;
  /** The URL that the files came from, when they are remote. */
  readonly origin: string | undefined;

  private constructor(
    fileSystem: FileSystem,
    root: string,
    context: LoaderContext,
    referrer: Loader | undefined,
    origin: string | undefined,
  ) {
    this.fileSystem = fileSystem;
    this.root = root;
    this.context = context;
    this.#referrer = referrer;
    this.origin = origin;
  }

  /** The loader of the directory that is built. @param shownAs - the path as it was given, for messages */
  static at(
    fileSystem: FileSystem,
    path: string,
    context: LoaderContext,
    shownAs?: string,
  ): Loader {
    if (isRemote(path)) {
      const remote = context.remote(path);
      return new Loader(
        remote.fileSystem,
        confirmDirectory(remote.fileSystem, remote.path),
        context,
        undefined,
        path,
      );
    }
    return new Loader(
      fileSystem,
      confirmDirectory(fileSystem, joinPath('/', path), shownAs),
      context,
      undefined,
      undefined,
    );
  }

  get shownRoot(): string {
    return this.fileSystem.describe(this.root);
  }

  /** How messages name a file of this directory. */
  show(path: string): string {
    return this.fileSystem.describe(joinPath(this.root, path));
  }

  /** The loader of another directory; a base that contains this one would never end. */
  enter(path: string): Loader {
    if (path === '') throw new KustomizeError('new root cannot be empty');
    if (isRemote(path)) {
      const remote = this.context.remote(path);
      for (let loader: Loader | undefined = this; loader !== undefined; loader = loader.#referrer) {
        if (loader.origin === path) {
          throw new KustomizeError(
            `cycle detected: URI '${path}' referenced by previous URI '${path}'`,
          );
        }
      }
      const root = confirmDirectory(remote.fileSystem, remote.path);
      return new Loader(remote.fileSystem, root, this.context, this, path);
    }
    if (path.startsWith('/')) throw new KustomizeError(`new root '${path}' cannot be absolute`);
    const root = confirmDirectory(this.fileSystem, joinPath(this.root, path));
    this.#refuseCycle(root);
    return new Loader(this.fileSystem, root, this.context, this, this.origin);
  }

  #refuseCycle(candidate: string): void {
    let depth = 0;
    for (let loader: Loader | undefined = this; loader !== undefined; loader = loader.#referrer) {
      depth += 1;
      if (loader.fileSystem === this.fileSystem && isInside(loader.root, candidate)) {
        throw new KustomizeError(
          `cycle detected: candidate root '${this.fileSystem.describe(candidate)}' contains visited root '${loader.shownRoot}'`,
        );
      }
    }
    if (depth > 200) {
      throw new KustomizeError('bases nest deeper than 200 levels', { code: 'WG_KUSTOMIZE_LIMIT' });
    }
  }

  /** Reads a file, within the restriction. */
  load(path: string): Uint8Array {
    const { fileSystem, at, size } = this.#locate(path);
    this.#admit(fileSystem, at, size);
    return fileSystem.read(at);
  }

  #locate(path: string): { fileSystem: FileSystem; at: string; size: number | undefined } {
    if (/^https?:\/\//.test(path)) {
      const remote = this.context.remote(path);
      const fetched = remote.fileSystem.resolve(remote.path);
      if (fetched.kind !== 'file') throw notFound(remote.fileSystem, remote.path, remote.path);
      return { fileSystem: remote.fileSystem, at: fetched.path, size: fetched.size };
    }
    const full = joinPath(this.root, path);
    const found = this.fileSystem.resolve(full);
    if (found.kind === 'missing') {
      // Without a restriction the original does not resolve links first: it just opens the file.
      const isOpened = this.context.restrictor === 'LoadRestrictionsNone';
      throw isOpened ? unopened(this.fileSystem, full) : notFound(this.fileSystem, full, found.at);
    }
    if (found.kind === 'refused') throw refused(this.fileSystem.describe(full), found.reason);
    if (found.kind === 'directory') {
      throw new KustomizeError(`'${this.fileSystem.describe(full)}' must resolve to a file`);
    }
    const isOutside = !isInside(parentOf(found.path), this.root);
    if (isOutside && this.context.restrictor === 'LoadRestrictionsRootOnly') {
      throw new KustomizeError(
        `security; file '${this.fileSystem.describe(found.path)}' is not in or below '${this.shownRoot}'`,
        { code: 'WG_KUSTOMIZE_LOAD_RESTRICTION' },
      );
    }
    return { fileSystem: this.fileSystem, at: found.path, size: found.size };
  }

  /** Refuses what is too large, before it is read. */
  #admit(fileSystem: FileSystem, path: string, known: number | undefined): void {
    const { limits } = this.context;
    const size = known ?? fileSystem.size(path);
    if (size > limits.maxFileBytes) {
      throw new KustomizeError(
        `'${fileSystem.describe(path)}' has ${size} bytes, more than the ${limits.maxFileBytes} that a file may have`,
        { code: 'WG_KUSTOMIZE_LIMIT' },
      );
    }
    this.context.readBytes += size;
    if (this.context.readBytes > limits.maxTotalBytes) {
      throw new KustomizeError(`the build reads more than ${limits.maxTotalBytes} bytes`, {
        code: 'WG_KUSTOMIZE_LIMIT',
      });
    }
  }

  get isRestricted(): boolean {
    return this.context.restrictor === 'LoadRestrictionsRootOnly';
  }

  hasDirectory(path: string): boolean {
    return this.fileSystem.resolve(path).kind === 'directory';
  }

  /** Reads a file as text. */
  loadText(path: string): string {
    const { fileSystem, at, size } = this.#locate(path);
    this.#admit(fileSystem, at, size);
    const text = fileSystem.readText?.(at);
    // A quick reader puts U+FFFD where the bytes are no UTF-8, and so do few people.
    if (text !== undefined && !text.includes('\ufffd')) return text;
    return textOfYamlFile(fileSystem.read(at));
  }
}

function notFound(
  fileSystem: FileSystem,
  path: string,
  at: string,
  shown = fileSystem.describe(path),
): KustomizeError {
  return new KustomizeError(
    `evalsymlink failure on '${shown}' : lstat ${fileSystem.describe(at)}: no such file or directory`,
    { code: 'WG_KUSTOMIZE_NOT_FOUND', file: fileSystem.describe(path) },
  );
}

function unopened(fileSystem: FileSystem, path: string): KustomizeError {
  const file = fileSystem.describe(path);
  return new KustomizeError(`open ${file}: no such file or directory`, {
    code: 'WG_KUSTOMIZE_NOT_FOUND',
    file,
  });
}

function refused(shown: string, reason: string): KustomizeError {
  return new KustomizeError(`evalsymlink failure on '${shown}' : ${reason}`, {
    code: 'WG_KUSTOMIZE_LOAD_RESTRICTION',
  });
}

/** The directory at a path, once links are followed; throws where there is none. */
export function confirmDirectory(
  fileSystem: FileSystem,
  path: string,
  shown = fileSystem.describe(path),
): string {
  const found = fileSystem.resolve(path);
  switch (found.kind) {
    case 'directory':
      return found.path;
    case 'file':
      throw new KustomizeError(`must build at directory: '${shown}': file is not directory`);
    case 'missing': {
      const cause = notFound(fileSystem, path, found.at, shown);
      throw new KustomizeError(`must build at directory: not a valid directory: ${cause.message}`, {
        code: cause.code,
        file: cause.file,
      });
    }
    case 'refused':
      throw new KustomizeError(
        `must build at directory: not a valid directory: ${refused(shown, found.reason).message}`,
        { code: 'WG_KUSTOMIZE_LOAD_RESTRICTION' },
      );
  }
}

/** Whether a path names a repository or a file of another machine. */
export function isRemote(path: string): boolean {
  return (
    /^(?:git::)?[a-z][a-z0-9+.-]*:\/\//i.test(path) ||
    path.startsWith('git::') ||
    /^[\w.-]+@[\w.-]+:/.test(path) ||
    /^(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org)[/:]/i.test(path)
  );
}
