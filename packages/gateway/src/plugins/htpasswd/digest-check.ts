import type { RequestContext } from '../../plugin/request-context.ts';
import { type DigestAnswer, isDigestRight, readDigestAnswer } from './digest-answer.ts';
import type { DigestNonces, NonceVerdict } from './digest-nonces.ts';

/** What one process of a node asks the one that keeps the nonces. */
export type DigestQuestion =
  | { readonly kind: 'begin'; readonly client: string; readonly now: number }
  | {
      readonly kind: 'use';
      readonly client: string;
      readonly now: number;
      readonly nonce: string;
      readonly count: number;
    }
  | { readonly kind: 'wrong'; readonly client: string; readonly now: number };

/** What it says: a nonce for a challenge, and what became of the one that was used. */
interface DigestReply {
  readonly nonce: string;
  readonly verdict: NonceVerdict;
  readonly isEvaded: boolean;
}

/** Whom a request is from, or what it is refused with. */
export type DigestOutcome =
  | { readonly kind: 'user'; readonly name: string }
  | { readonly kind: 'refused'; readonly challenge: string | undefined };

/** Nobody has this: a name that is not known takes as long as one that is. */
const nobody = '0'.repeat(32);

/** Answers the questions, in the process that keeps the nonces. */
export function answerDigest(nonces: DigestNonces, question: DigestQuestion): DigestReply {
  const { client, now } = question;
  let verdict: NonceVerdict = 'unknown';
  const isEvaded = nonces.isEvaded(client, now);
  if (question.kind === 'wrong') {
    nonces.noteFailure(client, now);
  } else if (question.kind === 'use' && !isEvaded) {
    verdict = nonces.use(question.nonce, question.count, now);
    if (verdict === 'good') nonces.noteSuccess(client);
  }
  return { nonce: nonces.create(now), verdict, isEvaded };
}

/** Finds out whom a request is from. @param ask - asks the process that keeps the nonces */
export async function checkDigest(
  context: RequestContext,
  realm: string,
  users: readonly string[],
  ask: (question: DigestQuestion) => unknown,
): Promise<DigestOutcome> {
  const client = context.client.ip;
  const now = context.runtime.now();
  const put = async (question: DigestQuestion) => (await ask(question)) as DigestReply;
  const answer = readDigestAnswer(context.headers.get('authorization') ?? '');
  if (answer === undefined) {
    const { nonce } = await put({ kind: 'begin', client, now });
    return challengeWith(realm, nonce, false);
  }
  if (!isRight(answer, context, realm, users)) {
    const { nonce, isEvaded } = await put({ kind: 'wrong', client, now });
    return isEvaded
      ? { kind: 'refused', challenge: undefined }
      : challengeWith(realm, nonce, false);
  }
  const count = Number.parseInt(answer.nc, 16);
  const used = await put({ kind: 'use', client, now, nonce: answer.nonce, count });
  if (used.isEvaded) return { kind: 'refused', challenge: undefined };
  // A right answer to an old question is asked for anew: the client need not ask its user again.
  return used.verdict === 'good'
    ? { kind: 'user', name: answer.username }
    : challengeWith(realm, used.nonce, true);
}

/** Lines `name:realm:hash`; undefined for what is none. */
export function digestProblem(line: string): string | undefined {
  return /^[^:]+:[^:]*:[0-9a-fA-F]{32}$/.test(line)
    ? undefined
    : 'must have the form name:realm:hash, as htdigest writes it';
}

function isRight(
  answer: DigestAnswer,
  context: RequestContext,
  realm: string,
  users: readonly string[],
): boolean {
  const start = `${answer.username}:${realm}:`;
  const line = users.find((one) => one.startsWith(start));
  const isForThis = answer.realm === realm && answer.uri === context.sentTarget;
  const isKnown = isDigestRight(answer, line?.slice(start.length) ?? nobody, context.method);
  return isKnown && isForThis && line !== undefined;
}

function challengeWith(realm: string, nonce: string, isStale: boolean): DigestOutcome {
  const stale = isStale ? ', stale="true"' : '';
  const challenge = `Digest algorithm="MD5", qop="auth", realm="${realm}", nonce="${nonce}"${stale}`;
  return { kind: 'refused', challenge };
}
