import { createHash } from 'node:crypto';

/**
 * The path of a receiver: who does not know its token cannot guess it. Nothing is trimmed, as in Flux.
 *
 * ```ts
 * webhookPath('token', 'github', 'flux-system').slice(0, 12); // '/hook/cadd92'
 * ```
 */
export function webhookPath(token: string, name: string, namespace: string): string {
  const digest = createHash('sha256').update(`${token}${name}${namespace}`).digest('hex');
  return `/hook/${digest}`;
}
