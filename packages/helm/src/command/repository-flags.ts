import type { ParsedFlags } from './flag-set.ts';
import type { RegistryOptions } from './world.ts';

/** How the repository of a command line is talked to. */
export function fetchOptions(flags: ParsedFlags): RegistryOptions {
  const text = (name: string): string | undefined => flags.text(name) || undefined;
  return {
    username: text('username'),
    password: text('password'),
    certFile: text('cert-file'),
    keyFile: text('key-file'),
    caFile: text('ca-file'),
    insecureSkipTlsVerify: flags.bool('insecure-skip-tls-verify'),
    plainHttp: flags.bool('plain-http'),
  };
}
