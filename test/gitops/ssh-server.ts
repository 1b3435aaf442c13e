import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import { isListening, type Running, start } from '../real/processes.ts';
import { patience } from '../until.ts';

export const sshd = '/usr/sbin/sshd';

/** A pair of keys as the real ssh-keygen makes them. */
export interface KeyPair {
  readonly identity: string;
  readonly publicKey: string;
}

/** The real sshd on loopback, which lets its keys run git-shell and nothing else. */
export class SshServer implements AsyncDisposable {
  readonly port: number;
  /** The line of known_hosts that tells this server from others. */
  readonly knownHosts: string;
  private readonly directory: string;
  private readonly running: Running;

  private constructor(port: number, knownHosts: string, directory: string, running: Running) {
    this.port = port;
    this.knownHosts = knownHosts;
    this.directory = directory;
    this.running = running;
  }

  static async start(allowed: readonly KeyPair[]): Promise<SshServer> {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-sshd-'));
    const at = (name: string): string => join(directory, name);
    // As root, sshd wants the directory that the system's own start of it would make.
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const host = makeKeys();
    writeFileSync(at('host'), host.identity, { mode: 0o600 });
    const command = 'restrict,command="exec git-shell -c \\"$SSH_ORIGINAL_COMMAND\\""';
    const lines = allowed.map(({ publicKey }) => `${command} ${publicKey}\n`);
    writeFileSync(at('authorized_keys'), lines.join(''));
    const port = await ownPort();
    const config = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host')}`,
      `AuthorizedKeysFile ${at('authorized_keys')}`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'PermitRootLogin prohibit-password',
      'AcceptEnv GIT_PROTOCOL',
    ];
    writeFileSync(at('config'), `${config.join('\n')}\n`);
    const running = start(sshd, ['-D', '-e', '-f', at('config')]);
    await vi.waitFor(
      async () => expect(await isListening(port), running.output()).toBe(true),
      patience,
    );
    const known = `[127.0.0.1]:${port} ${host.publicKey}\n`;
    return new SshServer(port, known, directory, running);
  }

  urlOf(path: string): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}${path}`;
  }

  output(): string {
    return this.running.output();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.running.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function makeKeys(passphrase = ''): KeyPair {
  const directory = mkdtempSync(join(tmpdir(), 'waygate-keys-'));
  const file = join(directory, 'key');
  try {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'test', '-f', file]);
    return {
      identity: readFileSync(file, 'utf8'),
      publicKey: readFileSync(`${file}.pub`, 'utf8').trim(),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
