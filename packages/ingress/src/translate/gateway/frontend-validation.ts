import type { Gateway, Listener } from '../../objects/gateway-api.ts';
import { type ConfigMap, type Secret, secretText } from '../../objects/secret.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { type Authority, authoritiesIn } from './backend-tls.ts';
import { isReferenceAllowed } from './reference-grants.ts';

/** Why an authority that clients are to have cannot be had, in the words of the Gateway API. */
interface AuthorityProblem {
  readonly reason: 'InvalidCACertificateRef' | 'InvalidCACertificateKind' | 'RefNotPermitted';
  readonly message: string;
}

/** What the clients of a listener have to show. */
export interface ClientValidation {
  /** Who may have signed their certificates; none when no reference is right, and then nobody is let in. */
  readonly authorities: readonly Authority[];
  /** Whether clients without a right certificate are turned away. */
  readonly isRequired: boolean;
  /** Of the first reference that is wrong. */
  readonly problem?: AuthorityProblem;
}

type Wanted = NonNullable<
  NonNullable<NonNullable<NonNullable<Gateway['spec']>['tls']>['frontend']>['default']
>['validation'];

/** What a Gateway wants of the clients of a listener: what it says for the port, or for all. */
function wantedOf({ spec }: Gateway, { port, protocol }: Listener): Wanted {
  if (protocol !== 'HTTPS') return undefined;
  const { default: usual, perPort } = spec?.tls?.frontend ?? {};
  const own = (perPort ?? []).find((one) => one.port === port);
  return own === undefined ? usual?.validation : own.tls?.validation;
}

/** Whether clients of a listener are to show certificates. */
export function asksClients(gateway: Gateway, listener: Listener): boolean {
  return wantedOf(gateway, listener) != null;
}

/** The same with the authorities; undefined when clients need not show anything. */
export function clientValidation(
  reader: ObjectReader,
  gateway: Gateway,
  listener: Listener,
  now: Date,
): ClientValidation | undefined {
  const wanted = wantedOf(gateway, listener);
  if (wanted == null) return undefined;
  const authorities: Authority[] = [];
  const problems: AuthorityProblem[] = [];
  for (const reference of wanted.caCertificateRefs ?? []) {
    const found = authoritiesAt(reader, gateway, reference, now);
    if ('reason' in found) problems.push(found);
    else authorities.push(...found);
  }
  if (authorities.length + problems.length === 0)
    problems.push({ reason: 'InvalidCACertificateRef', message: 'there is no authority' });
  const [problem] = problems;
  return {
    authorities,
    isRequired: wanted.mode !== 'AllowInsecureFallback',
    ...(problem && { problem }),
  };
}

function authoritiesAt(
  reader: ObjectReader,
  gateway: Gateway,
  {
    group,
    kind,
    name,
    namespace: named,
  }: { group?: string; kind: string; name: string } & {
    namespace?: string | null;
  },
  now: Date,
): readonly Authority[] | AuthorityProblem {
  if ((group ?? '') !== '' || (kind !== 'ConfigMap' && kind !== 'Secret'))
    return { reason: 'InvalidCACertificateKind', message: `an authority cannot be a ${kind}` };
  const namespace = named ?? gateway.metadata.namespace ?? '';
  const where = `${kind} ${namespace}/${name}`;
  // Looked up before it is allowed, so that it is there as soon as it is.
  const secret = kind === 'Secret' ? reader.get<Secret>('Secret', namespace, name) : undefined;
  const text =
    kind === 'ConfigMap'
      ? reader.get<ConfigMap>('ConfigMap', namespace, name)?.data?.['ca.crt']
      : secret && secretText(secret, 'ca.crt');
  if (!isReferenceAllowed(reader, gateway, { group: '', kind, namespace, name }))
    return { reason: 'RefNotPermitted', message: `no ReferenceGrant allows ${where}` };
  const found = authoritiesIn(text ?? '', now);
  return found.length > 0
    ? found
    : {
        reason: 'InvalidCACertificateRef',
        message: `${where} holds no certificate of an authority that is good now under ca.crt`,
      };
}
