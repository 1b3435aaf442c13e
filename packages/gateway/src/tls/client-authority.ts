import { createHash } from 'node:crypto';

/** Who may have signed the certificates of clients that ask for certain names. */
export interface ClientAuthority {
  /** Names, also with `*.` before them. */
  readonly serverNames: readonly string[];
  /** Certificates of authorities, in PEM. */
  readonly ca: string;
  /** Certificates that were taken back, in PEM. */
  readonly crl: string | null;
  /** Where sessions can be resumed: one that another authority let in is not one of this one. */
  readonly context?: string;
}

/** The same for the same authorities, and in the length that OpenSSL takes. */
export function sessionContextOf(ca: string): string {
  return createHash('sha256').update(ca).digest('hex').slice(0, 32);
}

/** Whether a name is one of a list, of which some may stand for all names below them. */
export function isOneOf(names: readonly string[], name: string): boolean {
  const lower = name.toLowerCase();
  return names.some((one) =>
    one.startsWith('*.') ? lower.endsWith(one.slice(1).toLowerCase()) : one.toLowerCase() === lower,
  );
}

/** Finds who may have signed a client's certificate, by the name that the client asks for. */
export class AuthorityIndex {
  readonly #exact = new Map<string, ClientAuthority>();
  readonly #below = new Map<string, ClientAuthority>();

  constructor(authorities: Iterable<ClientAuthority>) {
    for (const authority of authorities) {
      for (const name of authority.serverNames) {
        const lower = name.toLowerCase();
        if (lower.startsWith('*.')) {
          this.#below.set(lower.slice(1), authority);
        } else {
          this.#exact.set(lower, authority);
        }
      }
    }
  }

  find(serverName: string): ClientAuthority | undefined {
    const lower = serverName.toLowerCase();
    const exact = this.#exact.get(lower);
    if (exact !== undefined || this.#below.size === 0) return exact;
    for (let dot = lower.indexOf('.'); dot !== -1; dot = lower.indexOf('.', dot + 1)) {
      const found = this.#below.get(lower.slice(dot));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
