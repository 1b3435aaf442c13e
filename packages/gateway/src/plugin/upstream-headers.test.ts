import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { PluginGateway } from '../testing/plugin-gateway.ts';

const stage = new PluginGateway();
afterEach(() => stage.stop());

/** What the backend gets of some headers, without those that every request has. */
async function passedOn(headers: readonly string[]): Promise<string[]> {
  await stage.start(await stage.backend('b'), []);
  const socket = connect(stage.port, '127.0.0.1');
  socket.end(['GET / HTTP/1.1', 'Host: a', ...headers, 'Connection: close', '', ''].join('\r\n'));
  for await (const _ of socket);
  const { rawHeaders } = stage.received[0]!;
  const lines: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return lines.filter(
    (line) => !/^(host|connection|x-forwarded-[^f]|x-real-ip|x-kong)/i.test(line),
  );
}

const via = 'Via: 1.1 kong/';
const client = 'X-Forwarded-For: 127.0.0.1';

test.each<[string, string[], string[]]>([
  ['nothing', [], []],
  ['headers as they are written', ['X-a: 1', 'x-A: 2'], ['X-a: 1', 'x-A: 2']],
  ['TE, of which trailers stay', ['TE: gzip, trailers;q=0.5'], ['TE: trailers']],
  ['TE without trailers', ['TE: gzip'], []],
  ['TE that only looks like it', ['TE: xtrailers'], []],
  ['what is for this hop', ['Keep-Alive: 5', 'Proxy-Connection: x', 'Upgrade: a'], []],
  ['what Connection names', ['X-a: 1', 'X-b: 2', 'Connection: x-A'], ['X-b: 2']],
])('of %s the backend gets', async (_what, given, expected) => {
  const got = await passedOn(given);
  expect(got.filter((line) => !line.startsWith(via) && line !== client)).toEqual(expected);
  expect(got.filter((line) => line.startsWith(via) || line === client)).toHaveLength(2);
});

test('who came before is named before', async () => {
  const got = await passedOn(['Via: 1.0 a', 'X-Forwarded-For: 10.0.0.1', 'Via: 1.0 b']);
  expect(got).toEqual([
    expect.stringMatching(/^Via: 1\.0 a, 1\.0 b, 1\.1 kong\//),
    'X-Forwarded-For: 10.0.0.1, 127.0.0.1',
  ]);
});
