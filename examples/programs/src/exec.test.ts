import { KubeClient, staticToken } from '@waygate/kube';
import { expect, test } from 'vitest';
import { ChannelServer } from '../../../packages/kube/test/channel-server.ts';
import { execAndForward } from './exec.ts';

// The embedded API runs no containers; the server's side of the protocol is played as a kubelet would.
test('a command is run, input is passed, and a port is reached', async () => {
  const port = Buffer.from([0x90, 0x1f]);
  let open = 0;
  const server = await ChannelServer.start({
    protocol: 'v4.channel.k8s.io',
    onOpen: (peer) => {
      open += 1;
      if (peer.url.includes('hostname')) {
        peer.send(1, 'web-0\n');
        peer.finish({ status: 'Success' });
      }
      if (!peer.url.includes('portforward')) return;
      peer.send(0, port);
      peer.send(1, port);
    },
    onMessage: (peer, channel, payload) => {
      if (peer.url.includes('portforward')) {
        peer.send(0, 'HTTP/1.0 200 OK\r\n\r\n');
        peer.frame(0x88, Buffer.from([0x03, 0xe8]));
      } else if (channel === 0 && payload.toString() === 'b\na\n') {
        peer.send(1, 'a\nb\n');
        peer.finish({ status: 'Success' });
      }
    },
  });
  const credentials = staticToken('t');
  const client = new KubeClient({ server: server.url, namespace: 'shop', credentials });
  try {
    const lines: string[] = [];
    const target = { namespace: 'shop', pod: 'web-0', port: 8080 };
    await execAndForward(client, target, (line) => lines.push(line));
    expect(lines).toEqual(['web-0 (0)', 'a b', 'HTTP/1.0 200 OK']);
    expect(open).toBe(3);
  } finally {
    await client.close();
    await server.close();
  }
});
