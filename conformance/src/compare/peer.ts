import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';

/** Why a comparison cannot be made: the real one is not here, or was not named as it has to be. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
  /** What the process ends with: 64 for a wrong use, 1 for a peer that is away. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Refuses a program that cannot be started, before anything is asked of it. */
export function requireProgram(command: string, howToName: string): void {
  const { error } = spawnSync(command, ['--help'], { stdio: 'ignore', timeout: 30_000 });
  if (error === undefined) return;
  const why = 'code' in error && error.code === 'ENOENT' ? 'it is not installed' : error.message;
  throw new PeerError(`the real ${command} cannot be run: ${why}; ${howToName}`);
}

/** The address that a flag gives. */
export function peerAddress(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new PeerError(`${flag} takes an address such as http://127.0.0.1:8001, not '${text}'`, 64);
}

/** Refuses a server at which nobody listens: each of the requests to it would fail in the same way. */
export async function requireServer(url: URL): Promise<void> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port });
  try {
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PeerError(`nobody answers at ${url.origin}: ${why}`);
  } finally {
    socket.destroy();
  }
}
