import type { KubeObject } from '@waygate/schema';
import type { Gateway, ListenerSet } from '../objects/gateway-api.ts';
import type { Ingress } from '../objects/ingress.ts';
import type { StreamIngress } from '../objects/kong-resources.ts';
import { keyOf } from '../objects/reference.ts';
import { type Secret, secretText } from '../objects/secret.ts';
import type { Service } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotation, annotationsOf } from '../translate/annotations.ts';
import { caCertificateLabel, parseAuthority } from '../translate/ca-certificates.ts';
import { isIngressOfClass, isObjectOfClass } from '../translate/ingress-class.ts';
import { keyPairOf } from '../translate/key-pair.ts';
import type { TranslateOptions } from '../translate/options.ts';

interface CertificateContext {
  readonly reader: ObjectReader;
  readonly ingressClass: string;
  readonly options: TranslateOptions;
}

/**
 * Why a Secret would take a certificate out of use: it is a CA certificate of ours and holds none, or
 * it held a certificate and key that somebody shows, and does no more.
 */
export function certificateProblem(
  secret: Secret,
  before: Secret | undefined,
  context: CertificateContext,
): string | undefined {
  const { reader, ingressClass, options } = context;
  const isAuthority =
    secret.metadata.labels?.[caCertificateLabel] === 'true' &&
    isObjectOfClass(reader, secret, ingressClass);
  if (isAuthority) return authorityProblem(secret, options.now?.() ?? new Date());
  if (before === undefined || keyPairOf(before) === undefined) return undefined;
  if (keyPairOf(secret) !== undefined) return undefined;
  const [user] = usersOf(secret, context);
  if (user === undefined) return undefined;
  const name = `Secret ${keyOf(secret)}`;
  return `${name} holds no certificate with its key any more, and ${user.kind} ${keyOf(user)} uses it`;
}

function authorityProblem(secret: Secret, now: Date): string | undefined {
  const prefix = `Secret ${keyOf(secret)}: invalid CA certificate`;
  if (secretText(secret, 'id') === undefined) return `${prefix}: missing 'id' field in data`;
  const text = secretText(secret, 'cert') ?? secretText(secret, 'ca.crt');
  if (text === undefined) return `${prefix}: neither "cert" nor "ca.crt" key exist`;
  const result = parseAuthority(text, now);
  return 'error' in result ? prefix + result.error : undefined;
}

/** Objects of ours that show the certificate in a Secret. */
function usersOf(secret: Secret, { reader, ingressClass }: CertificateContext): KubeObject[] {
  const { namespace, name } = secret.metadata;
  const isHere = (object: KubeObject) => object.metadata.namespace === namespace;
  const names = (tls: readonly { secretName?: string | null }[] | null | undefined) =>
    (tls ?? []).some(({ secretName }) => secretName === name);
  return [
    ...reader
      .list<Ingress>('Ingress')
      .filter(
        (one) => isHere(one) && names(one.spec?.tls) && isIngressOfClass(reader, one, ingressClass),
      ),
    ...reader
      .list<StreamIngress>('TCPIngress')
      .filter(
        (one) => isHere(one) && names(one.spec?.tls) && isObjectOfClass(reader, one, ingressClass),
      ),
    ...reader
      .list<Service>('Service')
      .filter((one) => isHere(one) && annotation(annotationsOf(one), 'client-cert') === name),
    ...[...reader.list<Gateway>('Gateway'), ...reader.list<ListenerSet>('ListenerSet')].filter(
      (one) =>
        (one.spec?.listeners ?? []).some(({ tls }) =>
          (tls?.certificateRefs ?? []).some(
            (reference) =>
              reference.name === name &&
              (reference.namespace ?? one.metadata.namespace) === namespace,
          ),
        ),
    ),
  ];
}
