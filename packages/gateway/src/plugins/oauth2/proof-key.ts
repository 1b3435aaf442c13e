import { createHash } from 'node:crypto';
import { trimEndOf } from '@waygate/text';
import type { StoredCredential } from '../../configuration/consumer-index.ts';
import {
  invalidCode,
  type Oauth2Config,
  type Oauth2Problem,
  type Parameters,
  problem,
} from './oauth2-config.ts';

/** Whether a client has to prove that it is who asked for the code (PKCE, RFC 7636). */
function isProofNeeded(
  config: Oauth2Config,
  client: StoredCredential,
  challenge: string | undefined,
): boolean {
  if (client.client_type === 'public') return true;
  return config.pkce === 'strict' || ((config.pkce ?? 'lax') === 'lax' && challenge !== undefined);
}

/** Takes the challenge that comes with a request for a code. */
export function readChallenge(
  config: Oauth2Config,
  client: StoredCredential,
  { code_challenge: challenge, code_challenge_method: method }: Parameters,
): { readonly challenge: string | undefined } | Oauth2Problem {
  if (method !== undefined && method !== 'S256') {
    return problem('invalid_request', 'code_challenge_method is not supported, must be S256');
  }
  if (challenge === undefined || challenge === '') {
    const kind = client.client_type === 'public' ? 'public' : 'confidential';
    return isProofNeeded(config, client, undefined)
      ? problem('invalid_request', `code_challenge is required for ${kind} clients`)
      : { challenge: undefined };
  }
  return method === undefined
    ? problem('invalid_request', 'code_challenge_method is required')
    : { challenge };
}

/** Undefined if the proof is right, or none is needed. */
export function checkProof(
  config: Oauth2Config,
  client: StoredCredential,
  challenge: string | undefined,
  verifier: string | undefined,
): Oauth2Problem | undefined {
  if (!isProofNeeded(config, client, challenge)) return undefined;
  if (verifier === undefined || verifier === '') {
    return problem('invalid_request', 'code_verifier is required for PKCE authorization requests');
  }
  if (verifier.length < 43 || verifier.length > 128) {
    return problem('invalid_request', 'code_verifier must be between 43 and 128 characters');
  }
  if (!/^[A-Za-z0-9\-._~]+$/.test(verifier)) {
    return problem(
      'invalid_request',
      'code_verifier can only contain alphanumeric, -, ., _, or ~ characters',
    );
  }
  const hash = createHash('sha256').update(verifier).digest('base64url');
  return hash === (challenge && trimEndOf(challenge, '='))
    ? undefined
    : { ...invalidCode, error: 'invalid_grant' };
}
