import type { SecretData } from '../api/secret-data.ts';
import type { OciVerification, SourceStatus } from '../api/source-objects.ts';
import { messageOf } from '../gitops-error.ts';
import { isSignedByCosign } from '../oci/cosign.ts';
import type { RegistryClient } from '../oci/registry-client.ts';
import { SourceFailure } from './source-failure.ts';
import type { SourcePass } from './source-pass.ts';

interface OciVerificationRequest {
  readonly object: { readonly spec: { readonly verify?: OciVerification | undefined } };
  readonly pass: Pick<SourcePass<SourceStatus>, 'conditions' | 'generation' | 'note'>;
  /** Whether the object has another artifact so far. */
  readonly isNew: boolean;
  readonly digest: string;
  readonly revision: string;
  readonly shown: string;
  readonly registry: RegistryClient;
  readonly keysOf: () => Promise<SecretData | undefined>;
  readonly signal: AbortSignal;
}

/**
 * Checks the signature that an OCIRepository asks for, when what it names, or what it says, is new.
 *
 * @throws SourceFailure when there is none by the keys that it names
 */
export async function verifyOciArtifact(request: OciVerificationRequest): Promise<void> {
  const { object, pass, isNew, digest, revision, shown, registry, keysOf, signal } = request;
  const { verify } = object.spec;
  if (verify === undefined) {
    pass.conditions.remove('SourceVerified');
    return;
  }
  const known = pass.conditions.get('SourceVerified');
  const isVerified = known?.status === 'True' && known.observedGeneration === pass.generation;
  if (!isNew && isVerified) return;
  // What a signature of an earlier one said is not said of this.
  pass.conditions.remove('SourceVerified');
  const isKeyless = verify.provider === 'cosign' && verify.secretRef === undefined;
  const provider = isKeyless ? 'cosign keyless' : verify.provider;
  const refuse = (why: string, retry: 'backoff' | 'never', cause?: unknown) => {
    const message = `failed to verify the signature using provider '${provider}': ${why}`;
    return new SourceFailure('SourceVerified', 'VerificationError', message, { retry, cause });
  };
  if (isKeyless) {
    throw refuse(
      'signatures without keys are not supported: name public keys in spec.verify.secretRef',
      'never',
    );
  }
  if (verify.provider !== 'cosign') throw refuse('this provider is not supported', 'never');
  let isSigned = false;
  try {
    const keys = Object.entries((await keysOf()) ?? {})
      .filter(([key]) => key.endsWith('.pub'))
      .map(([, text]) => text);
    isSigned = await isSignedByCosign(registry, digest, keys, signal);
  } catch (error) {
    throw refuse(messageOf(error), 'backoff', error);
  }
  if (!isSigned) throw refuse(`no matching signatures were found for '${shown}'`, 'backoff');
  const message = `verified signature of revision ${revision}`;
  pass.conditions.set('SourceVerified', 'True', 'Succeeded', message);
}
