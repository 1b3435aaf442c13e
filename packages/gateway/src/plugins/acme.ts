import { setTimeout as sleepFor } from 'node:timers/promises';
import { plainHost } from '../exchange/client-facts.ts';
import { problemsOf } from '../plugin/config-schema.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { PluginRuntime } from '../plugin/plugin-runtime.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';
import { type AcmeConfig, isMeant } from './acme/acme-config.ts';
import {
  type AcmeAnswer,
  type AcmeQuestion,
  CertificateKeeper,
} from './acme/certificate-keeper.ts';
import { sentHost } from './nginx/request-facts.ts';

const name = 'acme';
const challengePath = '/.well-known/acme-challenge/';
const mostPairs = 10_000;

const pause = (ms: number, signal: AbortSignal) => sleepFor(ms, undefined, { signal, ref: false });

/**
 * Gets certificates for the domains of its configuration from an ACME authority when a client first asks
 * for one of them, answers the authority's questions over HTTP, and renews them in time. Until there is
 * one, clients get the certificate that they would have got without the plugin.
 */
export function acme(now: () => number = Date.now): AnyPlugin {
  const keeper = new CertificateKeeper(now, pause);
  /** What this process serves: the same object for the same certificate, which TLS contexts hang on. */
  const pairs = new Map<string, CertificatePair>();
  const ask = (runtime: PluginRuntime, question: AcmeQuestion) =>
    runtime.ask(name, question) as Promise<AcmeAnswer>;
  return definePlugin<AcmeConfig>({
    name,
    priority: 1_705,
    version: '3.9.1',
    check: ({ storage, account_key: accountKey }) =>
      problemsOf({
        storage:
          storage === 'consul' || storage === 'vault'
            ? 'this gateway keeps certificates in shm, kong or redis'
            : undefined,
        account_key:
          accountKey === null || accountKey === undefined
            ? undefined
            : 'this gateway makes the key of the account itself',
      }),
    async certificate(serverName, config, runtime) {
      const host = serverName.toLowerCase();
      if (!isMeant(config, host)) return undefined;
      const { pair, problem } = await ask(runtime, { kind: 'certificate', host, config });
      if (problem !== undefined) runtime.log.error('acme', { problem });
      return pair && sameFor(host, pair);
    },
    async rewrite(context, config) {
      const [path = ''] = context.target.split('?', 1);
      if (context.client.isTls || !path.startsWith(challengePath)) return;
      if (!isMeant(config, plainHost(sentHost(context)).toLowerCase())) return;
      const token = path.slice(challengePath.length);
      const isToken = /^[\w-]{1,512}$/u.test(token);
      const { text } = isToken
        ? await ask(context.runtime, { kind: 'challenge', token, config })
        : { text: undefined };
      if (text === undefined) {
        context.exit(404, 'Not found\n', { 'Content-Type': 'text/plain' });
      } else {
        context.exit(200, text, { 'Content-Type': 'text/plain' });
      }
    },
    serve: (question) => keeper.handle(question as AcmeQuestion),
    open: (storage) => keeper.open(storage),
    close: () => keeper.close(),
  });

  function sameFor(host: string, pair: CertificatePair): CertificatePair {
    const known = pairs.get(host);
    if (known?.cert === pair.cert && known.key === pair.key) return known;
    if (pairs.size >= mostPairs) pairs.clear();
    pairs.set(host, pair);
    return pair;
  }
}
