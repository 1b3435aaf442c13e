import type { CredentialSource } from './credentials.ts';
import { RotatingFile } from './rotating-file.ts';

/**
 * A bearer token in a file that is replaced before it runs out, as a service account's is.
 *
 * ```ts
 * const credentials = tokenFile('/var/run/secrets/tokens/api'); // read again when it is renewed
 * ```
 */
export function tokenFile(path: string, now?: () => number): CredentialSource {
  const file = new RotatingFile({ path, now });
  return {
    get: async () => ({ token: (await file.text()).trim() }),
    refresh: async (refused) => {
      await file.reread();
      return (await file.text()).trim() !== refused.token;
    },
  };
}
