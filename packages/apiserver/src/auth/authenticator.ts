import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { anonymousUser, type UserInfo } from '../access/user.ts';
import { unauthorized } from '../status/api-error.ts';

/** A token that is known from the start, and who has it. */
export interface StaticToken {
  readonly token: string;
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
}

/** Reads tokens of a kind that needs more than a table; undefined: not mine, or not good. */
type TokenReader = (token: string) => UserInfo | undefined;

/** Tells who a request is from: by client certificate, by bearer token, or not at all. */
export class Authenticator {
  /** Tokens by their hash, so that finding one takes no longer for a near miss. */
  readonly #tokens = new Map<string, UserInfo>();
  readonly #readers: readonly TokenReader[];
  readonly #allowsAnonymous: boolean;

  constructor(
    tokens: readonly StaticToken[],
    readers: readonly TokenReader[],
    allowsAnonymous: boolean,
  ) {
    for (const each of tokens) {
      this.#tokens.set(hash(each.token).toString('hex'), {
        username: each.username,
        uid: each.uid ?? '',
        groups: [...(each.groups ?? []), 'system:authenticated'],
        extra: {},
      });
    }
    this.#readers = readers;
    this.#allowsAnonymous = allowsAnonymous;
  }

  authenticate(request: IncomingMessage): UserInfo {
    const socket = request.socket as TLSSocket;
    const byCertificate = certificateUser(socket);
    if (byCertificate !== undefined) return byCertificate;
    const header = request.headers.authorization ?? '';
    const match = /^bearer +(\S+)$/i.exec(header.trim());
    if (match === null) {
      // Who shows a certificate wants to be somebody: a bad one does not make them nobody.
      if (!this.#allowsAnonymous || hasCertificate(socket)) throw unauthorized();
      return anonymousUser;
    }
    const user = this.readToken(match[1] as string);
    if (user === undefined) throw unauthorized();
    return user;
  }

  /** The user of a token; undefined when it is none. */
  readToken(token: string): UserInfo | undefined {
    const digest = hash(token);
    const known = this.#tokens.get(digest.toString('hex'));
    if (known !== undefined) return known;
    for (const reader of this.#readers) {
      const user = reader(token);
      if (user !== undefined) return user;
    }
    return undefined;
  }
}

function hash(token: string | Buffer): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The common name is the user, organizations are groups; only if our authority signed it. */
function certificateUser(socket: TLSSocket): UserInfo | undefined {
  if (socket.authorized !== true) return undefined;
  const { subject, raw } = socket.getPeerCertificate();
  if (subject?.CN === undefined) return undefined;
  const groups = subject.O as string | string[] | undefined;
  return {
    username: String(subject.CN),
    uid: '',
    groups: [
      ...(groups === undefined ? [] : Array.isArray(groups) ? groups : [groups]),
      'system:authenticated',
    ],
    extra: {
      'authentication.kubernetes.io/credential-id': [`X509SHA256=${hash(raw).toString('hex')}`],
    },
  };
}

/** A certificate was shown, and it is not one of ours. */
function hasCertificate(socket: TLSSocket): boolean {
  if (socket.encrypted !== true || socket.authorized) return false;
  return socket.getPeerCertificate().raw !== undefined;
}
