import { expect, test } from 'vitest';
import { gitAccess } from './git-credentials.ts';

const secret = { identity: 'key', known_hosts: 'example.com ssh-ed25519 AAAA' };

async function sshCommand(algorithms?: Parameters<typeof gitAccess>[3]): Promise<string> {
  await using access = await gitAccess('ssh://git@example.com/r', secret, undefined, algorithms);
  return access.call.environment?.GIT_SSH_COMMAND ?? '';
}

test('ssh is told which algorithms to use, and nothing of them unless somebody did', async () => {
  const told = await sshCommand({
    keyExchange: ['curve25519-sha256', 'ecdh-sha2-nistp256'],
    hostKey: ['ssh-ed25519'],
  });
  expect(told).toContain('-o KexAlgorithms=curve25519-sha256,ecdh-sha2-nistp256');
  expect(told).toContain('-o HostKeyAlgorithms=ssh-ed25519');
  expect(await sshCommand()).not.toContain('Algorithms=');
});
