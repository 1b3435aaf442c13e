import type { ListenerKeyPair } from '@waygate/runtime';
import type { Secret } from '@waygate/schema';
import { certificatesIn, isServable, lifetimeOf } from './webhook-certificate.ts';

/** What replicas share of the webhook's certificate: they serve `pair`, and the API server trusts all of `trusted`. */
export interface WebhookMaterial {
  readonly pair: ListenerKeyPair;
  /** Certificates, newest first. A pair is served only after the API server was told to trust it. */
  readonly trusted: readonly string[];
  /** The pair that is served next, once it is trusted. */
  readonly next?: ListenerKeyPair;
}

const keys = {
  cert: 'tls.crt',
  key: 'tls.key',
  trusted: 'ca.crt',
  nextCert: 'next.crt',
  nextKey: 'next.key',
} as const;

/** What a Secret holds; undefined when it cannot be served under these names. */
export function readMaterial(
  { data = {} }: Pick<Secret, 'data'>,
  names: readonly string[],
): WebhookMaterial | undefined {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  const pair = { cert: text(keys.cert), key: text(keys.key) };
  if (!isServable(pair, names)) return undefined;
  const trusted = certificatesIn(text(keys.trusted));
  const next = { cert: text(keys.nextCert), key: text(keys.nextKey) };
  return {
    pair,
    trusted: trusted.includes(pair.cert) ? trusted : [pair.cert, ...trusted],
    ...(isServable(next, names) && trusted.includes(next.cert) ? { next } : {}),
  };
}

/** The data of the Secret that holds it. */
export function writeMaterial({ pair, trusted, next }: WebhookMaterial): Record<string, string> {
  const texts: Record<string, string> = {
    [keys.cert]: pair.cert,
    [keys.key]: pair.key,
    [keys.trusted]: trusted.join(''),
    ...(next && { [keys.nextCert]: next.cert, [keys.nextKey]: next.key }),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
}

/** What is to be done next; each step leaves something that works, and can be the last of a process. */
type WebhookStep =
  /** There is nothing to serve: make a pair, and let `before` be trusted as long as it is served. */
  | { readonly kind: 'make'; readonly before?: WebhookMaterial }
  /** Tell the API server to trust what is in `bundle`. */
  | { readonly kind: 'inject'; readonly bundle: string }
  /** Make the pair that comes after this one. */
  | { readonly kind: 'announce'; readonly material: WebhookMaterial }
  /** Share other material: the next pair is served, or what ended is forgotten. */
  | { readonly kind: 'share'; readonly material: WebhookMaterial }
  | { readonly kind: 'wait' };

interface WebhookState {
  /** What the Secret holds, if it can be served. */
  readonly material: WebhookMaterial | undefined;
  /** What this process saw in it last. */
  readonly remembered: WebhookMaterial | undefined;
  /** What each webhook of the configuration trusts; undefined when there is no configuration. */
  readonly bundles: readonly (string | undefined)[] | undefined;
  readonly now: number;
  /** How long API servers may take to see another bundle. */
  readonly settleMs: number;
}

/** A pair is renewed when two thirds of its time are over. */
export function nextStep(state: WebhookState): WebhookStep {
  const { material, remembered, bundles = [], now, settleMs } = state;
  const life = material && lifetimeOf(material.pair.cert);
  if (material === undefined || life === undefined || now >= life.ends) {
    const isAlive = remembered && now < (lifetimeOf(remembered.pair.cert)?.ends ?? 0);
    return isAlive ? { kind: 'make', before: remembered } : { kind: 'make' };
  }
  const bundle = material.trusted.join('');
  if (bundles.some((one) => one !== bundle)) return { kind: 'inject', bundle };
  if (material.next !== undefined) {
    const isSeen = now >= (lifetimeOf(material.next.cert)?.made ?? 0) + settleMs;
    const { next, trusted } = material;
    return isSeen ? { kind: 'share', material: { pair: next, trusted } } : { kind: 'wait' };
  }
  if (now >= life.made + ((life.ends - life.made) * 2) / 3) return { kind: 'announce', material };
  const alive = material.trusted.filter((cert) => now < (lifetimeOf(cert)?.ends ?? 0));
  if (alive.length < material.trusted.length)
    return { kind: 'share', material: { ...material, trusted: alive } };
  return { kind: 'wait' };
}
