/** What stands in the place of a secret. */
const masked = '***';
/** Shorter ones are words that occur everywhere. */
const shortest = 6;
const prefixLength = 6;

/** Forms in which secrets stand in texts, whatever they are: the second group is the secret. */
const forms: readonly RegExp[] = [
  /([a-z][a-z0-9+.-]*:\/\/)([^/\s@"']+)(?=@)/gi,
  /\b((?:bearer|basic|geniekey|authorization:\s*\w+)\s+)([A-Za-z0-9._~+/=-]{6,})/gi,
  /((?:password|passwd|secret|token|api[_-]?key|private[_-]?key)["']?\s*[:=]\s*["']?)([^\s"',;&]{3,})/gi,
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)([\s\S]*?)(?=-----END)/g,
  /(\/hook\/)([0-9a-f]{64})/g,
];

/**
 * Takes secrets out of texts: those that are known by their value, wherever they stand, and what looks
 * like one.
 */
export class SecretMask {
  /** By their first characters, so that a text is gone through once however many there are. */
  readonly #byPrefix = new Map<string, string[]>();

  /** A value that must not be shown; of one with many lines, none of its lines either. */
  add(value: string): void {
    for (const part of new Set([value, value.trim(), ...value.split('\n')])) {
      const secret = part.trim();
      if (secret.length < shortest || /^-----(BEGIN|END)/.test(secret)) continue;
      for (const form of [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')]) {
        const prefix = form.slice(0, prefixLength);
        const known = this.#byPrefix.get(prefix) ?? [];
        if (!known.includes(form)) known.push(form);
        // The longest first: one may begin with another.
        known.sort((left, right) => right.length - left.length);
        this.#byPrefix.set(prefix, known);
      }
    }
  }

  mask(text: string): string {
    let shown = this.#withoutKnown(text);
    for (const form of forms) shown = shown.replaceAll(form, `$1${masked}`);
    return shown;
  }

  #withoutKnown(text: string): string {
    if (this.#byPrefix.size === 0) return text;
    const parts: string[] = [];
    let from = 0;
    for (let at = 0; at + prefixLength <= text.length; at++) {
      const candidates = this.#byPrefix.get(text.slice(at, at + prefixLength));
      const found = candidates?.find((secret) => text.startsWith(secret, at));
      if (found === undefined) continue;
      parts.push(text.slice(from, at), masked);
      from = at + found.length;
      at = from - 1;
    }
    parts.push(text.slice(from));
    return parts.join('');
  }
}
