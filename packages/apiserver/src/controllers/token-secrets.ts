import type { TokenIssuer } from '../auth/token-issuer.ts';
import type { Core } from '../core/core.ts';
import { Controller } from './controller.ts';
import { ControllerWriter } from './writer.ts';

const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';
const type = 'kubernetes.io/service-account-token';

/** Fills secrets that ask for a service account's token, and drops them with the account. */
export class TokenSecretController extends Controller {
  readonly #writer: ControllerWriter;
  readonly #tokens: TokenIssuer;
  readonly #caCertificate: string;

  constructor(core: Core, tokens: TokenIssuer, caCertificate: string) {
    super(core);
    this.#writer = new ControllerWriter(core);
    this.#tokens = tokens;
    this.#caCertificate = caCertificate;
  }

  start(): void {
    for (const entry of this.core.store.collection('secrets').entries()) this.enqueue(entry.key);
    this.follow('secrets', (event) => this.enqueue(event.entry.key));
    this.follow('serviceaccounts', (event) => {
      for (const entry of this.core.store.collection('secrets').entries(event.entry.namespace))
        this.enqueue(entry.key);
    });
  }

  protected async reconcile(key: string): Promise<void> {
    const secret = this.core.store.get('secrets', key)?.object;
    if (secret === undefined || secret.type !== type) return;
    const { name = '', namespace = '', uid = '', annotations = {} } = secret.metadata;
    const accountName = annotations[nameAnnotation] ?? '';
    const account = this.core.store.get('serviceaccounts', `${namespace}/${accountName}`)?.object;
    const resource = this.#writer.resource('', 'v1', 'secrets');
    const wantedUid = annotations[uidAnnotation];
    if (account === undefined || (wantedUid !== undefined && wantedUid !== account.metadata.uid)) {
      await this.#writer.delete(resource, namespace, name);
      return;
    }
    const data = (secret.data ?? {}) as Record<string, string>;
    if (data.token !== undefined && data.namespace !== undefined && wantedUid !== undefined) return;
    const now = Math.floor(this.core.now() / 1000);
    const token = this.#tokens.sign({
      aud: [...this.#tokens.audiences],
      iat: now,
      nbf: now,
      jti: this.core.uuid(),
      sub: `system:serviceaccount:${namespace}:${accountName}`,
      'kubernetes.io': {
        namespace,
        secret: { name, uid },
        serviceaccount: { name: accountName, uid: account.metadata.uid ?? '' },
      },
    });
    const encode = (text: string) => Buffer.from(text).toString('base64');
    await this.#writer.update(resource, namespace, name, (current) => {
      current.metadata.annotations = {
        ...current.metadata.annotations,
        [uidAnnotation]: account.metadata.uid ?? '',
      };
      current.data = {
        ...(current.data as object),
        'ca.crt': encode(this.#caCertificate || 'none'),
        namespace: encode(namespace),
        token: encode(token),
      };
    });
  }
}
