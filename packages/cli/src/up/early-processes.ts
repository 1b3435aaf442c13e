import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { forkProcessHost } from '../processes/process-host.ts';
import type { ProjectFile } from '../project/project-file.ts';
import { forkPart } from './part-host.ts';

/** What the process of the gateway runs. */
export const gatewayEntry = fileURLToPath(new URL('./gateway-process.js', import.meta.url));

/**
 * The processes of a stack, before they are told what to do. Each takes as long to load its code as this one
 * does, so they are started first, and load it beside this one.
 */
export interface EarlyProcesses {
  readonly gateway: ChildProcess;
  /** Owns what runs behind Services; undefined when nothing does. */
  readonly owner: ChildProcess | undefined;
  /** Ends those that nobody has told anything: closing the channel does. */
  end(): void;
}

export function startEarlyProcesses(
  env: NodeJS.ProcessEnv,
  file: ProjectFile | undefined,
): EarlyProcesses {
  const gateway = forkPart(gatewayEntry, env);
  const isOwning = file !== undefined && file.backends.length + file.bindings.length > 0;
  const owner = isOwning ? forkProcessHost(env) : undefined;
  const all = owner === undefined ? [gateway] : [gateway, owner];
  // One that cannot be started is started again by who needs it, and fails there.
  for (const each of all) each.on('error', () => undefined);
  return {
    gateway,
    owner,
    end() {
      for (const each of all) if (each.connected) each.disconnect();
    },
  };
}
