import { createSecureContext, type SecureContext } from 'node:tls';
import { oncePer } from '@waygate/text';
import type { PluginRuntime } from '../plugin/plugin-runtime.ts';
import type { ClientAuthority } from '../tls/client-authority.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';
import type { Snapshot } from './snapshot.ts';

/** What to serve for a name: what a plugin says, or else the configuration. At once without plugins. */
export function chooseCertificate(
  snapshot: Snapshot,
  serverName: string,
  runtime: PluginRuntime,
): SecureContext | undefined | Promise<SecureContext | undefined> {
  return snapshot.plan.certifying.length === 0
    ? snapshot.certificates.contextFor(serverName)
    : askPlugins(snapshot, serverName, runtime);
}

/** By the certificates that they show. */
const asking = new WeakMap<ClientAuthority, Map<string, SecureContext>>();

/** Certificates come and go: past this many of one authority they are made anew. */
const mostContexts = 256;

/** What to serve for a name whose clients are asked for a certificate: with it goes who may have signed that. */
export function askingContext(
  snapshot: Snapshot,
  serverName: string,
  fallback: CertificatePair,
  authority: ClientAuthority,
): SecureContext {
  const pairs = snapshot.certificates.pairsFor(serverName) ?? {
    cert: [fallback.cert],
    key: [fallback.key],
  };
  const made = pairs.cert.join('');
  let known = asking.get(authority);
  if (known === undefined || known.size >= mostContexts) {
    known = new Map();
    asking.set(authority, known);
  }
  let context = known.get(made);
  if (context === undefined) {
    const { ca, crl, context: sessionIdContext } = authority;
    context = createSecureContext({
      ...pairs,
      ca,
      ...(crl === null ? {} : { crl }),
      ...(sessionIdContext === undefined ? {} : { sessionIdContext }),
    });
    known.set(made, context);
  }
  return context;
}

async function askPlugins(
  snapshot: Snapshot,
  serverName: string,
  runtime: PluginRuntime,
): Promise<SecureContext | undefined> {
  for (const { definition, config } of snapshot.plan.certifying) {
    try {
      const pair = await definition.certificate?.(serverName, config, runtime);
      if (pair !== undefined) return contextOf(pair);
    } catch (error) {
      runtime.log.error('a plugin failed in its certificate phase', {
        plugin: definition.name,
        error: String(error),
      });
    }
  }
  return snapshot.certificates.contextFor(serverName);
}

/** Contexts take a while to make: the same pair makes the same one. */
const contextOf = oncePer(({ cert, key }: CertificatePair) => createSecureContext({ cert, key }));
