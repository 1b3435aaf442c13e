import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/until.ts';
import { type ChannelScript, ChannelServer } from '../../test/channel-server.ts';
import { ScriptedServer } from '../../test/scripted-server.ts';
import { KubeClient } from '../client.ts';
import { staticToken } from '../config/credentials.ts';
import { isForbidden } from '../error-predicate.ts';

const running: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});

async function serve(script: ChannelScript) {
  const server = await ChannelServer.start(script);
  const client = new KubeClient({
    server: server.url,
    namespace: '',
    credentials: staticToken('t'),
  });
  running.push(server, client);
  return { server, pod: client.pod('ns', 'web-0') };
}

const success = { status: 'Success' };

describe('exec', () => {
  it('runs a command and gives its output and exit code', async () => {
    const { pod, server } = await serve({
      onOpen: (peer) => {
        peer.send(1, 'out-é-');
        peer.send(1, 'x'.repeat(70_000), 3);
        peer.send(2, 'err');
        peer.frame(0x89, Buffer.from('are you there'));
        peer.finish({
          status: 'Failure',
          reason: 'NonZeroExitCode',
          details: { causes: [{ reason: 'ExitCode', message: '7' }] },
        });
      },
    });
    const output = await pod.run(['sh', '-c', 'exit 7'], { container: 'app' });
    expect(output).toEqual({ stdout: `out-é-${'x'.repeat(70_000)}`, stderr: 'err', exitCode: 7 });
    expect(server.peers[0]?.url).toBe(
      '/api/v1/namespaces/ns/pods/web-0/exec?container=app&stdout=true&stderr=true&command=sh&command=-c&command=exit+7',
    );
    expect(server.offered).toEqual(['v5.channel.k8s.io, v4.channel.k8s.io']);
    await until('the pong', () => server.peers[0]?.received === 'opcode 10: are you there');
  });

  it('passes input and its end, and the size of a terminal', async () => {
    const seen: string[] = [];
    const { pod } = await serve({
      onMessage: (peer, channel, payload) => {
        seen.push(`${channel}:${channel === 255 ? payload[0] : payload.toString()}`);
        if (channel === 255) peer.finish(success);
      },
    });
    const session = await pod.exec({ command: ['cat'], stdin: true, tty: true });
    session.resize(80, 25);
    session.stdin.end('hello');
    expect(await session.exitCode).toBe(0);
    expect(seen).toEqual(['4:{"Width":80,"Height":25}', '0:hello', '255:0']);
  });

  it('throws what the API says against it', async () => {
    const { pod } = await serve({
      refuse: {
        code: 403,
        body: '{"kind":"Status","code":403,"reason":"Forbidden","message":"no"}',
      },
    });
    await expect(pod.run(['ls'])).rejects.toSatisfy(isForbidden);
  });

  it('throws when the connection breaks off, or nobody tells how it ended', async () => {
    const { pod } = await serve({ onOpen: (peer) => peer.cut() });
    await expect(pod.run(['ls'])).rejects.toMatchObject({ code: 'WG_KUBE_CONNECTION' });
    const other = await serve({
      onOpen: (peer) => peer.finish({ status: 'Failure', message: 'no such container' }),
    });
    await expect(other.pod.run(['ls'])).rejects.toThrow('no such container');
  });

  it('ends with the signal and leaves nothing open', async () => {
    const { pod, server } = await serve({});
    const controller = new AbortController();
    const session = await pod.exec({ command: ['sleep'] }, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(session.exitCode).rejects.toMatchObject({ code: 'WG_KUBE_CONNECTION' });
    await until('the socket to close', () => server.openSockets === 0);
  });

  it('refuses what is no WebSocket frame', async () => {
    const { pod } = await serve({ onOpen: (peer) => peer.frame(0xf2, Buffer.from('odd')) });
    await expect(pod.run(['ls'])).rejects.toThrow();
  });
});

describe('port-forward', () => {
  const portBytes = Buffer.from([0x50, 0x00]);
  const echo: ChannelScript = {
    protocol: 'v4.channel.k8s.io',
    onOpen: (peer) => {
      peer.send(0, portBytes);
      peer.send(1, portBytes);
    },
    onMessage: (peer, channel, payload) => peer.send(channel, `echo:${payload.toString()}`),
  };

  it('takes connections of a local port to the Pod', async () => {
    const { pod, server } = await serve(echo);
    const forwarder = await pod.portForward(80);
    running.push(forwarder);
    const socket = connect({ port: forwarder.port, host: '127.0.0.1' });
    socket.write('hi');
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data: Buffer) => resolve(data.toString())),
    );
    expect(answer).toBe('echo:hi');
    expect(server.peers[0]?.url).toBe('/api/v1/namespaces/ns/pods/web-0/portforward?ports=80');
    socket.destroy();
    await until('the connection to the Pod to close', () => server.openSockets === 0);
  });

  it('tells what the Pod says against it', async () => {
    const { pod } = await serve({
      ...echo,
      onOpen: (peer) => {
        peer.send(0, portBytes);
        peer.send(1, Buffer.concat([portBytes, Buffer.from('connection refused')]));
        peer.frame(0x88, Buffer.alloc(0));
      },
    });
    const errors: unknown[] = [];
    const forwarder = await pod.portForward(80, { onError: (error) => errors.push(error) });
    running.push(forwarder);
    const socket = connect({ port: forwarder.port, host: '127.0.0.1' });
    await new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    expect(String(errors[0])).toContain('connection refused');
  });
});

describe('logs', () => {
  it('reads lines, split anywhere, until the signal', async () => {
    const server = await ScriptedServer.start(async (response) => {
      response.writeHead(200);
      for (const byte of Buffer.from('eins\nzweié\ndrei')) {
        response.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      if (response.req.url?.includes('follow') !== true) response.end();
    });
    const client = new KubeClient({ server: server.url, namespace: '' });
    running.push(server, client);
    const lines: string[] = [];
    for await (const line of client.pod('ns', 'p').logLines({ tailLines: 5 })) lines.push(line);
    expect(lines).toEqual(['eins', 'zweié', 'drei']);
    const controller = new AbortController();
    const followed: string[] = [];
    const { signal } = controller;
    for await (const line of client.pod('ns', 'p').logLines({ follow: true }, { signal })) {
      followed.push(line);
      if (followed.length === 2) controller.abort();
    }
    expect(followed).toEqual(['eins', 'zweié']);
    expect(server.requests.map((one) => one.url)).toEqual([
      '/api/v1/namespaces/ns/pods/p/log?tailLines=5',
      '/api/v1/namespaces/ns/pods/p/log?follow=true',
    ]);
  });
});
