import type { AnnotationReader } from '../annotation-reader.ts';
import type { NginxSettings } from '../settings.ts';

/** How requests are spread over the endpoints of a Service, as one Ingress asks for it. */
export interface UpstreamWish {
  readonly hashBy?: { readonly value: string; readonly subsetSize: number };
  readonly algorithm: 'round-robin' | 'latency';
  readonly isServiceUpstream: boolean;
  readonly affinity?: Affinity;
  /** Counts for the cookie of another Ingress too. */
  readonly affinityMode?: string;
  /** Whether anything here is not the default. */
  readonly isSpecial: boolean;
}

/** A cookie that leads a client to the same endpoint again. */
interface Affinity {
  /** Clients of a canary stay with it. */
  readonly isStickyToCanary: boolean;
  /** Undefined: the path of the rule. */
  readonly path: string | undefined;
  readonly cookie: Readonly<Record<string, unknown>>;
}

export function parseUpstream(read: AnnotationReader, settings: NginxSettings): UpstreamWish {
  const hash = read.text('upstream-hash-by');
  const isSubset = read.bool('upstream-hash-by-subset') ?? false;
  const subset = read.int('upstream-hash-by-subset-size') ?? 3;
  const balance = read.text('load-balance') ?? settings.text('load-balance');
  const isServiceUpstream = read.bool('service-upstream') ?? settings.bool('service-upstream');
  const affinity = parseAffinity(read);
  const affinityMode = read.text('affinity-mode');
  const algorithm = balance === 'ewma' ? 'latency' : 'round-robin';
  return {
    ...(hash !== undefined && {
      hashBy: { value: hash, subsetSize: isSubset ? subset || 3 : 0 },
    }),
    algorithm,
    isServiceUpstream,
    ...(affinity !== undefined && { affinity }),
    ...(affinityMode !== undefined && { affinityMode }),
    isSpecial:
      hash !== undefined ||
      affinity !== undefined ||
      isServiceUpstream ||
      algorithm !== 'round-robin',
  };
}

function parseAffinity(read: AnnotationReader): Affinity | undefined {
  if (read.text('affinity') === undefined) return undefined;
  const sameSite = read.text('session-cookie-samesite');
  const optional = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });
  return {
    isStickyToCanary: (read.text('affinity-canary-behavior') ?? 'sticky') === 'sticky',
    path: read.text('session-cookie-path'),
    cookie: {
      cookie: read.text('session-cookie-name') ?? 'INGRESSCOOKIE',
      ...optional('domain', read.text('session-cookie-domain')),
      ...optional('expires', read.int('session-cookie-expires')),
      ...optional('max_age', read.int('session-cookie-max-age')),
      // Other spellings are valid too, and then left out.
      ...optional('samesite', /^(Strict|Lax|None)$/.test(sameSite ?? '') ? sameSite : undefined),
      conditional_samesite_none: read.bool('session-cookie-conditional-samesite-none') ?? false,
      ...optional('secure', read.bool('session-cookie-secure')),
      change_on_failure: read.bool('session-cookie-change-on-failure') ?? false,
    },
  };
}
