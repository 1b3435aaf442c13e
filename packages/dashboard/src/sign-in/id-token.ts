import { SignedToken, TextError, type TokenClaims, type TokenKey } from '@waygate/text';
import { DashboardError } from '../dashboard-error.ts';

/** What an ID token must say. */
interface ExpectedToken {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly nowMs: number;
}

/** How far the clocks of two machines may be apart. */
const leewaySeconds = 60;

/**
 * What a token says, once it is sure who says it: the signature, the issuer, for whom it is, until when,
 * and that it answers the question that this server asked.
 *
 * @throws DashboardError `WG_DASHBOARD_UNAUTHENTICATED`
 */
export function verifiedClaims(
  text: string,
  keys: readonly TokenKey[],
  expected: ExpectedToken,
): TokenClaims {
  const token = parsed(text);
  if (!token.isSignedBy(keys)) throw refused('its signature is not the provider’s');
  checkClaims(token.claims, expected);
  return token.claims;
}

function parsed(text: string): SignedToken {
  try {
    return SignedToken.parse(text);
  } catch (error) {
    if (error instanceof TextError) throw refused(error.message.replace(/^.*?: /, ''));
    throw error;
  }
}

function checkClaims(claims: TokenClaims, { issuer, clientId, nonce, nowMs }: ExpectedToken): void {
  if (claims.iss !== issuer) throw refused('it is of another issuer');
  const audience = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  if (!audience.includes(clientId)) throw refused('it is for somebody else');
  if (audience.length > 1 && claims.azp !== clientId)
    throw refused('it was made for somebody else');
  if (claims.nonce !== nonce) throw refused('it answers another question');
  const now = nowMs / 1_000;
  if (typeof claims.exp !== 'number' || claims.exp + leewaySeconds <= now)
    throw refused('it has ended');
  if (typeof claims.iat === 'number' && claims.iat - leewaySeconds > now)
    throw refused('it is of the future');
  if (typeof claims.nbf === 'number' && claims.nbf - leewaySeconds > now)
    throw refused('it is of the future');
}

function refused(why: string): DashboardError {
  return new DashboardError('WG_DASHBOARD_UNAUTHENTICATED', `the ID token is refused: ${why}`);
}
