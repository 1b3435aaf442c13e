import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import type { Authorizer } from '../access/authorizer.ts';
import type { UserInfo } from '../access/user.ts';
import { objectAt, textAt } from '../builtins/fields.ts';
import type { Admission, AdmissionAttributes } from '../core/admission.ts';

import { type ApiError, forbiddenError } from '../status/api-error.ts';
import { PemProblem, requestedOrganizations } from '../tls/signing-request.ts';

const group = 'certificates.k8s.io';
const clientSigner = 'kubernetes.io/kube-apiserver-client';

/**
 * A certificate is a user: who approves or signs a request needs the right to for its signer, and
 * nobody asks to be among the masters.
 */
export class SigningCheck implements Admission {
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  async mutate(): Promise<void> {}

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { resource, subresource, operation, object, oldObject, user } = attributes;
    if (resource.group !== group || resource.plural !== 'certificatesigningrequests') return;
    if (object === undefined) return;
    if (operation === 'CREATE' && subresource === '') this.#checkSubject(attributes, object);
    if (operation !== 'UPDATE' || oldObject === undefined) return;
    // The old object says which signer it is for: the new one may say anything.
    const signer = textAt(objectAt(oldObject, 'spec'), 'signerName');
    if (subresource === 'approval' && !this.#may(user, 'approve', signer)) {
      const why = `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`;
      throw refusal(attributes, why);
    }
    if (
      subresource === 'status' &&
      isAnswered(object, oldObject) &&
      !this.#may(user, 'sign', signer)
    ) {
      const why = `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`;
      throw refusal(attributes, why);
    }
  }

  #checkSubject(attributes: AdmissionAttributes, object: DynamicObject): void {
    const spec = objectAt(object, 'spec');
    if (textAt(spec, 'signerName') !== clientSigner) return;
    try {
      const pem = Buffer.from(textAt(spec, 'request'), 'base64').toString('latin1');
      if (!requestedOrganizations(pem).includes('system:masters')) return;
    } catch (error) {
      if (!(error instanceof PemProblem)) throw error;
      throw refusal(attributes, `failed to parse CSR: ${error.message}`);
    }
    const why = `use of ${clientSigner} signer with system:masters group is not allowed`;
    throw refusal(attributes, why);
  }

  /** For the signer itself, or for all of its domain. */
  #may(user: UserInfo, verb: string, signer: string): boolean {
    const domain = signer.split('/')[0] ?? '';
    return [signer, `${domain}/*`].some(
      (name) =>
        this.#authorizer.authorize({
          user,
          verb,
          isResource: true,
          path: '',
          group,
          version: '*',
          resource: 'signers',
          subresource: '',
          namespace: '',
          name,
        }).isAllowed,
    );
  }
}

function isAnswered(object: DynamicObject, old: Readonly<DynamicObject>): boolean {
  const answer = (each: Readonly<DynamicObject>) => {
    const { certificate, conditions } = objectAt(each, 'status');
    return { certificate: certificate ?? '', conditions: conditions ?? [] };
  };
  return !equalJson(answer(object), answer(old));
}

function refusal({ resource, name }: AdmissionAttributes, why: string): ApiError {
  return forbiddenError({ group, resource: resource.plural }, name, why);
}
