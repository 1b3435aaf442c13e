import { fileURLToPath } from 'node:url';

/**
 * The program of a worker process that is beside a module. Processes start from compiled files only: of a
 * package's source it is the one in its `dist`, without what makes Node.js load sources.
 *
 * ```ts
 * import cluster from 'node:cluster';
 *
 * cluster.setupPrimary(programBeside(import.meta.url, 'worker.js'));
 * ```
 */
export function programBeside(module: string, name: string): { exec: string; execArgv: string[] } {
  const isSource = module.endsWith('.ts');
  const compiled = isSource ? module.replace('/src/', '/dist/') : module;
  return {
    exec: fileURLToPath(new URL(name, compiled)),
    execArgv: isSource ? [] : process.execArgv,
  };
}
