import { compareNewestFirst, isInRange, isVersion } from '../version/version.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { absolute } from './paths.ts';
import { fetchArchive, fetchFromRepository, knownRepositories, networkOf } from './repositories.ts';
import { fetchOptions } from './repository-flags.ts';
import { verifyChart } from './verify-chart.ts';
import type { CommandWorld, RegistryOptions } from './world.ts';

/** A chart that was found: in a place on disk, or fetched. */
export interface LocatedChart {
  /** The directory or file; of a fetched one where it came from. */
  readonly path: string;
  readonly data?: Uint8Array | undefined;
  /** `web-1.2.3.tgz`. */
  readonly fileName: string;
  readonly provenance?: Uint8Array | undefined;
  /** What an OCI registry said of it. */
  readonly pulled?: { readonly reference: string; readonly digest: string } | undefined;
}

/**
 * Finds the chart that a command line names: a path, `repository/chart`, an address, or a name with `--repo`.
 *
 * @throws CommandError
 */
export async function locateChart(
  given: string,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<LocatedChart> {
  const located = await find(given.trim(), flags, world);
  // Nothing of a chart is looked at before its signature.
  if (flags.bool('verify')) await verifyChart(located, flags, world);
  return located;
}

async function find(
  reference: string,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<LocatedChart> {
  const repo = flags.text('repo');
  // With a repository a name is the repository's for Helm 4, and for Helm 3 what lies here under it.
  if (repo !== '' && world.helm === 4) return await fetchChart(reference, flags, world);
  const path = absolute(world, reference);
  if (world.files.status(path) !== undefined) {
    if (repo !== '') {
      world.writeError(
        `install.go:759: WARN local chart found in current working directory. repository url ignored chart=${reference} repository=${repo}\n`,
      );
    }
    return { path, fileName: path.slice(path.lastIndexOf('/') + 1) };
  }
  if (reference.startsWith('/') || reference.startsWith('.')) {
    throw new CommandError(`path ${JSON.stringify(reference)} not found`);
  }
  const fetched = await fetchChart(reference, flags, world);
  world.writeError(pulledText(fetched));
  return fetched;
}

/** What is said of a chart that came from a registry. */
export function pulledText({ pulled }: LocatedChart): string {
  return pulled === undefined ? '' : `Pulled: ${pulled.reference}\nDigest: ${pulled.digest}\n`;
}

/** Fetches a chart, wherever it is. @throws CommandError */
export async function fetchChart(
  reference: string,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<LocatedChart> {
  checkTlsFiles(flags, world);
  const version = wantedVersion(flags);
  const options = fetchOptions(flags);
  const repo = flags.text('repo');
  if (repo !== '') {
    const repository = { url: repo, options, goesAnywhere: flags.bool('pass-credentials') };
    const { url, data } = await fetchFromRepository(repository, reference, version, world);
    return { path: url, data, fileName: baseOf(url) };
  }
  if (/^(oci:\/\/|https?:\/\/[^/]+)$/.test(reference)) throw notAbsolute(reference);
  if (reference.startsWith('oci://'))
    return await pullFromRegistry(reference, version, options, world);
  if (/^https?:\/\//.test(reference)) {
    const data = await fetchArchive(reference, '', options, world);
    return { path: reference, data, fileName: baseOf(reference) };
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(reference)?.[1];
  if (scheme !== undefined)
    throw new CommandError(`scheme ${JSON.stringify(scheme)} not supported`);
  const slash = reference.indexOf('/');
  if (slash < 0) throw notAbsolute(reference);
  const name = reference.slice(0, slash);
  const known = knownRepositories(flags, world).find((each) => each.name === name);
  if (known === undefined) throw new CommandError(`repo ${name} not found`);
  const repository = {
    url: known.url,
    options: { ...known.options, ...onlySet(options) },
    goesAnywhere: known.options.passCredentialsAll,
  };
  const { url, data } = await fetchFromRepository(
    repository,
    reference.slice(slash + 1),
    version,
    world,
  );
  return { path: url, data, fileName: baseOf(url) };
}

/** @throws CommandError when files that are named for TLS are not there */
function checkTlsFiles(flags: ParsedFlags, world: CommandWorld): void {
  const isThere = (path: string): boolean =>
    world.files.status(absolute(world, path))?.kind === 'file';
  const what = "missing registry client: can't create TLS config for client";
  const [cert, key, ca] = ['cert-file', 'key-file', 'ca-file'].map((name) => flags.text(name));
  const [missing] = cert && key ? [cert, key].filter((path) => !isThere(path)) : [];
  if (missing !== undefined) {
    const why =
      world.helm === 3
        ? `can't load key pair from cert ${cert} and key ${key}`
        : `unable to read ${missing === cert ? 'cert' : 'key'} file: ${JSON.stringify(missing)}`;
    throw new CommandError(`${what}: ${why}: ${notThere(missing)}`);
  }
  if (ca && !isThere(ca)) {
    const shown = world.helm === 3 ? ca : `${JSON.stringify(ca)}: ${notThere(ca)}`;
    throw new CommandError(`${what}: can't read CA file: ${shown}`);
  }
}

const notThere = (path: string): string => `open ${path}: no such file or directory`;

function notAbsolute(reference: string): CommandError {
  return new CommandError(
    `non-absolute URLs should be in form of repo_name/path_to_chart, got: ${reference.replace(/:\/\/$/, ':')}`,
  );
}

function wantedVersion(flags: ParsedFlags): string {
  const version = flags.text('version').trim();
  return version === '' && flags.bool('devel') ? '>0.0.0-0' : version;
}

/** A chart of a registry: a tag, a digest, or the newest tag of a range. */
export async function pullFromRegistry(
  reference: string,
  version: string,
  options: RegistryOptions,
  world: CommandWorld,
): Promise<LocatedChart> {
  const inside = reference.slice('oci://'.length);
  if (!inside.includes('/') || inside.endsWith('/')) {
    throw new CommandError('invalid reference: missing registry or repository');
  }
  const network = networkOf(world);
  const own = /[@:]([^/@:]*)$/.exec(inside)?.[1];
  const hasOwn = own !== undefined;
  if (hasOwn && version !== '' && version !== own && inside.at(-own.length - 1) === ':') {
    throw new CommandError(`chart reference and version mismatch: ${version} is not ${own}`);
  }
  let whole = reference;
  let tag = '';
  if (!hasOwn) {
    tag = isVersion(version) ? version : await newestTag(reference, version, options, world);
    whole = `${reference}:${tag.replaceAll('+', '_')}`;
  }
  const pulled = await network.pullChart(whole, options);
  const name =
    reference
      .replace(/[@:][^/@:]*$/, '')
      .split('/')
      .at(-1) ?? 'chart';
  const shown =
    tag ||
    /:([^/:@]*)$/.exec(inside)?.[1]?.replaceAll('_', '+') ||
    pulled.digest.replace(/^sha256:/, '');
  return {
    path: whole,
    data: pulled.data,
    fileName: `${name}-${shown}.tgz`,
    provenance: pulled.provenance,
    pulled: { reference: pulled.reference, digest: pulled.digest },
  };
}

async function newestTag(
  reference: string,
  range: string,
  options: RegistryOptions,
  world: CommandWorld,
): Promise<string> {
  const tags = await networkOf(world).listTags(reference, options);
  const versions = tags
    .map((tag) => tag.replaceAll('_', '+'))
    .filter((tag) => isVersion(tag))
    .sort(compareNewestFirst);
  const found = versions.find((tag) => isInRange(tag, range === '' ? '*' : range));
  if (found !== undefined) return found;
  const [unable, could] = world.helm === 3 ? ['Unable', 'Could'] : ['unable', 'could'];
  throw new CommandError(
    versions.length === 0
      ? `${unable} to locate any tags in provided repository: ${reference}`
      : `${could} not locate a version matching provided version string ${range}`,
  );
}

function onlySet<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined && value !== false),
  ) as Partial<T>;
}

function baseOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1) || 'chart.tgz';
}
