import { X509Certificate } from 'node:crypto';
import { oncePer } from '@waygate/text';
import { type ClientCertificate, plainHost } from '../exchange/client-facts.ts';
import { configSchema, problemsOf, texts } from '../plugin/config-schema.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { cachedPattern } from '../router/cached-pattern.ts';
import { patternBudget } from '../router/pattern-budget.ts';
import { regularExpressionProblem } from '../router/regular-expression.ts';
import { type ClientAuthority, isOneOf } from '../tls/client-authority.ts';
import { redirectTo } from './nginx/error-page.ts';
import { literalProblem } from './nginx/header-check.ts';
import { refuseEarly, sentHost } from './nginx/request-facts.ts';

interface Config {
  readonly verify: 'on' | 'off' | 'optional' | 'optional_no_ca';
  readonly depth: number;
  readonly ca: string;
  readonly crl: string | null;
  readonly error_page: string | null;
  readonly pass_certificate: boolean;
  readonly match_cn: string | null;
  readonly server_names: readonly string[];
}

const headerNames = [
  'ssl-client-verify',
  'ssl-client-subject-dn',
  'ssl-client-issuer-dn',
  'ssl-client-cert',
];

/** What `optional_no_ca` lets pass: a certificate that is right, of an authority that is not known. */
const ofUnknownAuthority: ReadonlySet<string> = new Set(
  [
    'unable to verify the first certificate',
    'self-signed certificate',
    'self-signed certificate in certificate chain',
    'unable to get issuer certificate',
    'unable to get local issuer certificate',
  ].map((reason) => `FAILED:${reason}`),
);

/** The same object for the same configuration: what is made from it is kept by it. */
const authorityOf = oncePer(
  ({ verify, server_names, ca, crl }: Config): ClientAuthority | undefined =>
    verify === 'off' ? undefined : { serverNames: server_names, ca, crl },
);

/**
 * Asks the clients of some names for a certificate, and lets in those that have a right one. Upstreams are
 * told whose it is; what clients say under these names is lost.
 */
export const clientCertificate = definePlugin<Config>({
  name: 'client-certificate',
  isUnlisted: true,
  priority: 2_995,
  schema: configSchema({
    verify: {
      type: 'string',
      required: true,
      default: 'on',
      one_of: ['on', 'off', 'optional', 'optional_no_ca'],
    },
    depth: { type: 'integer', required: true, default: 1, between: [0, 100] },
    ca: { type: 'string', required: true },
    crl: { type: 'string' },
    error_page: { type: 'string' },
    pass_certificate: { type: 'boolean', required: true, default: false },
    match_cn: { type: 'string' },
    server_names: texts({ required: true }),
  }),
  check: ({ ca, match_cn: pattern, error_page: page }) =>
    problemsOf({
      ca: isCertificate(ca) ? undefined : 'must be certificates in PEM',
      match_cn:
        pattern === null ? undefined : regularExpressionProblem(pattern, { dialect: 'pcre' }),
      error_page: literalProblem(page ?? ''),
    }),
  authority: authorityOf,
  access(context, config) {
    const headers = context.upstream?.headers;
    for (const name of headerNames) headers?.remove(name);
    const { client } = context;
    if (!client.isTls) return;
    const names = config.server_names;
    const host = plainHost(sentHost(context));
    if (
      config.verify !== 'off' &&
      client.sni !== undefined &&
      !isOneOf(names.length === 0 ? [host] : names, client.sni)
    ) {
      // The handshake was about another name, with other authorities.
      refuseEarly(context);
      context.fail(421, 'the connection was made for another name');
      return;
    }
    const shown = config.verify === 'off' ? undefined : client.certificate;
    const verification = verificationOf(shown, config);
    if (!isLetIn(verification, config)) {
      refuse(context, config);
      return;
    }
    if (config.match_cn !== null && !matches(config.match_cn, shown?.subject ?? '')) {
      context.fail(403, 'client certificate unauthorized');
      return;
    }
    headers?.set('ssl-client-verify', verification);
    if (shown !== undefined && shown.subject !== '') {
      headers?.set('ssl-client-subject-dn', shown.subject);
      headers?.set('ssl-client-issuer-dn', shown.issuer);
      if (config.pass_certificate) headers?.set('ssl-client-cert', encodeURIComponent(shown.pem));
    }
  },
});

function verificationOf(shown: ClientCertificate | undefined, { depth }: Config): string {
  if (shown === undefined) return 'NONE';
  return shown.verification === 'SUCCESS' && shown.intermediates > depth
    ? 'FAILED:certificate chain too long'
    : shown.verification;
}

function isLetIn(verification: string, { verify }: Config): boolean {
  if (verification === 'SUCCESS') return true;
  if (verification === 'NONE') return verify !== 'on';
  return verify === 'optional_no_ca' && ofUnknownAuthority.has(verification);
}

function refuse(context: RequestContext, { error_page: page }: Config): void {
  refuseEarly(context);
  if (page !== null && /^https?:\/\//i.test(page)) {
    redirectTo(context, 302, page);
  } else {
    context.fail(400, 'the client certificate is missing or not right');
  }
}

function matches(pattern: string, subject: string): boolean {
  patternBudget.renew();
  return cachedPattern(pattern)?.test(subject) === true;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
