import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { PeerError, peerAddress, requireProgram, requireServer } from './peer.ts';

test('a program that is not installed is named, with how to name another', () => {
  expect(() => requireProgram('no-such-program', 'name it with --real')).toThrow(
    new PeerError(
      'the real no-such-program cannot be run: it is not installed; name it with --real',
    ),
  );
});

test('a program that is there is taken, whatever it makes of --help', () => {
  expect(() => requireProgram('false', 'name it with --real')).not.toThrow();
});

test.each(['nourl', 'ftp://127.0.0.1', ''])('%j is no address', (text) => {
  expect(() => peerAddress(text, '--real')).toThrow(
    `--real takes an address such as http://127.0.0.1:8001, not '${text}'`,
  );
});

test('a server is asked for only where somebody listens', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = peerAddress(`http://127.0.0.1:${port}`, '--real');
  await expect(requireServer(url)).resolves.toBeUndefined();
  await new Promise((resolve) => server.close(resolve));
  await expect(requireServer(url)).rejects.toThrow(
    new PeerError(
      `nobody answers at http://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
    ),
  );
});
