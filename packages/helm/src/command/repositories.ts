import { createHash } from 'node:crypto';
import {
  findInIndex,
  type IndexEntry,
  type RepositoryIndex,
  readIndex,
} from '../chart/repository-index.ts';
import { readYaml } from '../formats/yaml-read.ts';
import { GoMap, type GoValue, itemsOf } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { isVersion } from '../version/version.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { logTo } from './load-from.ts';
import { absolute } from './paths.ts';
import type { CommandNetwork, CommandWorld, FetchOptions } from './world.ts';

/** A repository that `helm repo add` has made known. */
export interface KnownRepository {
  readonly name: string;
  readonly url: string;
  readonly options: FetchOptions & { readonly passCredentialsAll: boolean };
}

const maxIndexBytes = 64 * 1024 * 1024;
const maxArchiveBytes = 64 * 1024 * 1024;

/** The file of known repositories: Helm's own, where it is found. */
function repositoryConfigPath(flags: ParsedFlags, world: CommandWorld): string {
  const { env } = world;
  const home = env.HELM_CONFIG_HOME || `${env.XDG_CONFIG_HOME || `${env.HOME ?? ''}/.config`}/helm`;
  return (
    flags.text('repository-config') || env.HELM_REPOSITORY_CONFIG || `${home}/repositories.yaml`
  );
}

export function knownRepositories(flags: ParsedFlags, world: CommandWorld): KnownRepository[] {
  const path = absolute(world, repositoryConfigPath(flags, world));
  if (world.files.status(path)?.kind !== 'file') return [];
  const config = readYaml(new TextDecoder().decode(world.files.read(path)));
  const list = config instanceof GoMap ? itemsOf(config.get('repositories')) : undefined;
  return (list ?? []).flatMap((each) => (each instanceof GoMap ? [repositoryOf(each)] : []));
}

function repositoryOf(map: GoMap): KnownRepository {
  const text = (key: string): string => textOf(map.get(key));
  return {
    name: text('name'),
    url: text('url'),
    options: {
      username: text('username') || undefined,
      password: text('password') || undefined,
      certFile: text('certFile') || undefined,
      keyFile: text('keyFile') || undefined,
      caFile: text('caFile') || undefined,
      insecureSkipTlsVerify: map.get('insecure_skip_tls_verify') === true,
      passCredentialsAll: map.get('pass_credentials_all') === true,
    },
  };
}

function textOf(value: GoValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** What repositories answer when they give nothing. */
const statusWords: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** As Go prints the status of an answer: `404 Not Found`. */
export function statusText(status: number): string {
  const words = statusWords[status];
  return words === undefined ? String(status) : `${status} ${words}`;
}

/** The network, whose failures are the command's. */
export function networkOf({ network }: CommandWorld): CommandNetwork {
  if (network === undefined) throw new CommandError('there is no network here');
  const told = async <T>(ask: Promise<T>): Promise<T> => {
    try {
      return await ask;
    } catch (cause) {
      throw new CommandError((cause as Error).message, { cause });
    }
  };
  return {
    fetch: (url, options) => told(network.fetch(url, options)),
    listTags: (repository, options) => told(network.listTags(repository, options)),
    pullChart: (reference, options) => told(network.pullChart(reference, options)),
  };
}

/** @throws CommandError `looks like "…" is not a valid chart repository or cannot be reached: …` */
export async function fetchIndex(
  url: string,
  options: FetchOptions,
  world: CommandWorld,
): Promise<RepositoryIndex> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1] ?? '';
  if (!/^https?$/.test(scheme)) {
    throw new CommandError(`could not find protocol handler for: ${scheme}`);
  }
  const address = `${url.replace(/\/$/, '')}/index.yaml`;
  try {
    const { status, data } = await networkOf(world).fetch(address, {
      ...options,
      maxBytes: maxIndexBytes,
    });
    if (status !== 200) throw new Error(`failed to fetch ${address} : ${statusText(status)}`);
    return readIndex(new TextDecoder().decode(data));
  } catch (cause) {
    throw new CommandError(
      `looks like ${JSON.stringify(url)} is not a valid chart repository or cannot be reached: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** The address of an entry's archive, absolute. */
export function archiveUrl(entry: IndexEntry, repository: string): string {
  const [first] = entry.urls;
  if (first === undefined) throw new CommandError(`chart ${entry.name} has no downloadable URLs`);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(first)) return first;
  return new URL(first, repository.endsWith('/') ? repository : `${repository}/`).href;
}

/** Fetches an archive, and compares it with the digest that the index has. */
export async function fetchArchive(
  url: string,
  digest: string,
  options: FetchOptions,
  world: CommandWorld,
): Promise<Uint8Array> {
  const { status, data } = await networkOf(world).fetch(url, {
    ...options,
    maxBytes: maxArchiveBytes,
  });
  if (status !== 200) throw new CommandError(`failed to fetch ${url} : ${statusText(status)}`);
  const wanted = digest.replace(/^sha256:/, '').toLowerCase();
  const found = createHash('sha256').update(data).digest('hex');
  if (wanted !== '' && wanted !== found) {
    throw new CommandError(
      `${url} is not what the index of its repository promised: its SHA-256 is ${found}, not ${wanted}`,
    );
  }
  return data;
}

/** Credentials go to the host of the repository only, unless they may go anywhere. */
export function optionsFor(
  url: string,
  repository: string,
  options: FetchOptions,
  goesAnywhere: boolean,
): FetchOptions {
  const [one, other] = [new URL(url), new URL(repository)];
  if (goesAnywhere || (one.protocol === other.protocol && one.host === other.host)) return options;
  return { ...options, username: undefined, password: undefined };
}

/** A chart of a repository by name and range. */
export async function fetchFromRepository(
  repository: {
    readonly url: string;
    readonly options: FetchOptions;
    readonly goesAnywhere: boolean;
  },
  name: string,
  version: string,
  world: CommandWorld,
): Promise<{ entry: IndexEntry; url: string; data: Uint8Array }> {
  const index = await fetchIndex(repository.url, repository.options, world);
  let entry: IndexEntry;
  try {
    entry = findInIndex(index, name, version);
  } catch (cause) {
    if (!(cause instanceof HelmError)) throw cause;
    const shown =
      version === ''
        ? `chart ${JSON.stringify(name)}`
        : `chart ${JSON.stringify(name)} version ${JSON.stringify(version)}`;
    throw new CommandError(`${shown} not found in ${repository.url} repository`, { cause });
  }
  if (world.helm === 4 && isVersion(version) && entry.version !== version) {
    const fields = { chart: name, requested: version, selected: entry.version };
    const message =
      'unable to find exact version requested; falling back to closest available version';
    logTo(world)({ place: '', text: '', structured: { level: 'WARN', message, fields } });
  }
  const url = archiveUrl(entry, repository.url);
  const options = optionsFor(url, repository.url, repository.options, repository.goesAnywhere);
  return { entry, url, data: await fetchArchive(url, entry.digest, options, world) };
}
