import { isIPv6 } from 'node:net';
import { posix } from 'node:path';
import {
  decodeJson,
  encodeJson,
  explainNetworkError,
  HttpClient,
  readBody,
  withDeadline,
} from '@waygate/text';
import { type Fields, listAt, numberAt, objectAt, textAt } from '../builtins/fields.ts';
import type { Core } from '../core/core.ts';

const maxAnswerBytes = 8 * 1024 * 1024;

/** The call of a webhook failed; the message is what the API says of it. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
  /**
   * The call of a webhook failed. Its `failurePolicy` decides what becomes of the request; look at
   * the webhook's Service and certificate.
   */
  readonly code = 'WG_APISERVER_WEBHOOK';
  /** What went wrong, without the words that tell of the call. */
  readonly reason: string;

  constructor(reason: string, prefix = '') {
    super(`${prefix}${reason}`);
    this.reason = reason;
  }
}

const callPrefix = 'failed to call webhook: ';

interface Target {
  /** As messages name it. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly serverName: string;
}

/** Posts a review to a webhook over verified TLS, and returns the answer as JSON. */
export async function callWebhook(
  core: Core,
  client: Fields,
  timeoutSeconds: number,
  review: unknown,
): Promise<unknown> {
  const target = targetOf(core, client, timeoutSeconds);
  const ca = textAt(client, 'caBundle');
  const timeoutMs = timeoutSeconds * 1000;
  const http = new HttpClient({
    tls: {
      serverName: target.serverName,
      // What is in the bundle is trusted as it stands, an authority or the certificate itself.
      ...(ca === '' ? {} : { ca: Buffer.from(ca, 'base64'), trustsLeaf: true }),
    },
    connectTimeoutMs: timeoutMs,
    idleTimeoutMs: 0,
  });
  let status: number;
  let text: string;
  try {
    const response = await withDeadline(http.send)({
      method: 'POST',
      origin: `https://${isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`,
      path: target.path,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, */*',
        'user-agent': 'kube-apiserver-admission',
      },
      body: encodeJson(review),
      timeoutMs,
    });
    status = response.statusCode;
    text = (await readBody(response, maxAnswerBytes)).toString('utf8');
  } catch (error) {
    const why = explainNetworkError(error);
    throw new WebhookFailure(`Post ${JSON.stringify(target.url)}: ${why}`, callPrefix);
  } finally {
    http.close();
  }
  if (status < 200 || status >= 300) {
    throw new WebhookFailure(
      'an error on the server ("unknown") has prevented the request from succeeding',
      callPrefix,
    );
  }
  return parseAnswer(text);
}

function parseAnswer(text: string): unknown {
  let value: unknown;
  try {
    value = decodeJson(text);
  } catch {
    throw new WebhookFailure(
      "couldn't get version/kind; json parse error: invalid character in the answer",
      callPrefix,
    );
  }
  if (typeof value !== 'object' || value === null) {
    throw new WebhookFailure(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${typeof value} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      callPrefix,
    );
  }
  return value;
}

function targetOf(core: Core, client: Fields, timeoutSeconds: number): Target {
  const timeout = `timeout=${timeoutSeconds}s`;
  const given = textAt(client, 'url');
  if (given !== '') {
    const url = new URL(given);
    // Clients that write `https://host//path` mean one slash, and so does the API.
    url.pathname = posix.join('/', url.pathname).replace(/(?<=.)\/$/, '');
    return {
      url: `${url.pathname === new URL(given).pathname ? given : url.href}?${timeout}`,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? 443 : Number(url.port),
      path: `${url.pathname}?${timeout}`,
      serverName: url.hostname,
    };
  }
  return serviceTarget(core, objectAt(client, 'service'), timeout);
}

/** A service is reached at one of its endpoints: there is no proxy for cluster addresses here. */
function serviceTarget(core: Core, service: Fields, timeout: string): Target {
  const name = textAt(service, 'name');
  const namespace = textAt(service, 'namespace');
  const port = numberAt(service, 'port') ?? 443;
  const path = `${textAt(service, 'path') || '/'}?${timeout}`;
  const serverName = `${name}.${namespace}.svc`;
  const url = `https://${serverName}:${port}${path}`;
  const fail = (why: string) =>
    new WebhookFailure(`Post ${JSON.stringify(url)}: ${why}`, callPrefix);
  const found = core.store.get('services', `${namespace}/${name}`)?.object;
  if (found === undefined) throw fail(`service ${JSON.stringify(name)} not found`);
  const named = listAt(objectAt(found, 'spec'), 'ports').find((each) => each.port === port);
  if (named === undefined)
    throw fail(`no service port ${port} found for service ${JSON.stringify(name)}`);
  for (const entry of core.store.collection('discovery.k8s.io/endpointslices').entries(namespace)) {
    if (entry.object.metadata.labels?.['kubernetes.io/service-name'] !== name) continue;
    const slicePort = listAt(entry.object, 'ports').find(
      (each) => textAt(each, 'name') === textAt(named, 'name'),
    );
    const endpoint = listAt(entry.object, 'endpoints').find(
      (each) => objectAt(each, 'conditions').ready !== false,
    );
    const address = ((endpoint?.addresses ?? []) as string[])[0];
    const number = numberAt(slicePort, 'port');
    if (address !== undefined && number !== undefined)
      return { url, host: address, port: number, path, serverName };
  }
  throw fail(`no endpoints available for service ${JSON.stringify(name)}`);
}
