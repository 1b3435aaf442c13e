import { readFileSync } from 'node:fs';
import {
  DockerConfig,
  OutgoingClient,
  parseManifest,
  parseOciUrl,
  RegistryClient,
} from '@waygate/gitops';
import type {
  CommandNetwork,
  Fetched,
  FetchOptions,
  PulledChart,
  RegistryOptions,
} from '@waygate/helm';
import { type HttpTls, readBody, redirecting, sleep, targetOf } from '@waygate/text';
import type { CliContext } from '../context.ts';
import { CliError } from '../context.ts';

const chartLayers = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip'];
const provenanceLayer = 'application/vnd.cncf.helm.chart.provenance.v1.prov';
const maxChartBytes = 64 * 1024 * 1024;
const answerTimeoutMs = 120_000;

/** Repositories and registries of charts, over this machine's network. */
export function chartNetwork(context: CliContext): CommandNetwork {
  return {
    fetch: (url, options) => fetchUrl(url, options, context),
    listTags: (repository, options) =>
      withRegistry(repository, options, context, (client, signal) => client.tags(signal)),
    pullChart: (reference, options) => pullChart(reference, options, context),
  };
}

function signalOf({ signal }: CliContext): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
}

function tlsOf(options: FetchOptions): HttpTls {
  const { caFile, certFile, keyFile, insecureSkipTlsVerify } = options;
  return {
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }),
    ...(certFile === undefined ? {} : { cert: readFileSync(certFile, 'utf8') }),
    ...(keyFile === undefined ? {} : { key: readFileSync(keyFile, 'utf8') }),
    ...(insecureSkipTlsVerify === true ? { isUnverified: true } : {}),
  };
}

async function fetchUrl(url: string, options: FetchOptions, context: CliContext): Promise<Fetched> {
  const client = new OutgoingClient({ tls: tlsOf(options) });
  const signal = signalOf(context);
  try {
    const { username, password = '' } = options;
    const authorization =
      username === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
    const send = redirecting(client.send, {
      maxHops: 10,
      allowsPlain: url.startsWith('http://'),
      refuse: (why) => new CliError(`${url}: the server ${why}`),
    });
    const response = await send({
      method: 'GET',
      ...targetOf(new URL(url)),
      headers: { ...authorization, 'user-agent': 'Helm/4.3 (waygate)' },
      signal,
    });
    const data = await readBody(response, options.maxBytes ?? maxChartBytes);
    return { status: response.statusCode, data };
  } finally {
    client.close();
  }
}

async function withRegistry<T>(
  repository: string,
  options: RegistryOptions,
  context: CliContext,
  ask: (client: RegistryClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const name = parseOciUrl(repository);
  const { username, password = '' } = options;
  const credentials =
    username === undefined
      ? knownCredentials(context).credentialsFor(name.registry, name.repository)
      : ({ kind: 'password', username, password } as const);
  const client = new RegistryClient({
    client: new OutgoingClient({ tls: tlsOf(options) }),
    name,
    credentials,
    isInsecure: options.plainHttp === true,
    now: () => Date.now(),
    sleep: async (ms, signal) => {
      await sleep(ms, signal);
    },
  });
  try {
    return await ask(client, signalOf(context));
  } finally {
    client.close();
  }
}

/** Those of `helm registry login`, then of Docker. */
function knownCredentials({ env }: CliContext): DockerConfig {
  const home = env.HOME ?? '';
  const helm = env.HELM_CONFIG_HOME || `${env.XDG_CONFIG_HOME || `${home}/.config`}/helm`;
  const places = [
    env.HELM_REGISTRY_CONFIG || `${helm}/registry/config.json`,
    `${env.DOCKER_CONFIG || `${home}/.docker`}/config.json`,
  ];
  const secrets = places.flatMap((path) => {
    try {
      return [{ '.dockerconfigjson': readFileSync(path, 'utf8') }];
    } catch {
      // Most people have one of them, or none.
      return [];
    }
  });
  return DockerConfig.of(secrets);
}

async function pullChart(
  reference: string,
  options: RegistryOptions,
  context: CliContext,
): Promise<PulledChart> {
  const [, repository = '', separator = '', version = ''] =
    /^(oci:\/\/[^/]+\/[^@:]+)([@:]?)(.*)$/.exec(reference) ?? [];
  return await withRegistry(repository, options, context, async (client, signal) => {
    const fetched = await client.manifest(version, signal);
    const manifest = parseManifest(fetched);
    if (manifest.kind !== 'image')
      throw new CliError(`${reference} is no chart, but an index of images`);
    const layer = manifest.layers.find(({ mediaType }) => chartLayers.includes(mediaType));
    if (layer === undefined) throw new CliError(`${reference} is no chart: it has no layer of one`);
    const provenance = manifest.layers.find(({ mediaType }) => mediaType === provenanceLayer);
    return {
      reference: `${repository.slice('oci://'.length)}${separator}${version}`,
      digest: fetched.digest,
      data: await client.blob(layer, maxChartBytes, signal),
      provenance: provenance && (await client.blob(provenance, 1024 * 1024, signal)),
    };
  });
}
