import { apiServerFlagKinds, meaningfulFlags } from './api-server-flag-table.ts';
import { FlagError, readFlags } from './flag-reader.ts';
import { helpText } from './help-text.ts';
import { idleSwitches, idleValueFlags } from './idle-flags.ts';
import { say } from './program.ts';

/**
 * The embedded API as a program that takes kube-apiserver's command line: what envtest starts. It keeps
 * everything in memory and is gone with SIGTERM.
 */
export async function runKubeApiserver(args: readonly string[]): Promise<number> {
  try {
    const flags = readFlags(args, apiServerFlagKinds);
    if (flags.has('help')) {
      const idle = [...idleValueFlags, ...idleSwitches].sort();
      process.stdout.write(helpText('kube-apiserver', meaningfulFlags, idle));
      return 0;
    }
    if (flags.has('version')) {
      process.stdout.write('Kubernetes v1.36.4 (waygate)\n');
      return 0;
    }
    // Suites ask for the help at each start: it must not wait for a server to be read.
    const { serveApi } = await import('./api-program.ts');
    await serveApi(flags);
    return 0;
  } catch (error) {
    if (!(error instanceof FlagError) && !(error instanceof Error && 'syscall' in error))
      throw error;
    say('kube-apiserver', error.message);
    return 1;
  }
}
