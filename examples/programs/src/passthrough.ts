import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, createServer } from 'node:tls';
import { CertificateAuthority } from '@waygate/apiserver';
import { PassthroughProxy } from '@waygate/passthrough';
import type { Print } from './cluster.ts';

/** One port, several TLS servers behind it: told apart by the name that a client asks for, never decrypted. */
export async function passthrough(print: Print): Promise<void> {
  const authority = await CertificateAuthority.create(Date.now);
  const backend = async (host: string) => {
    const { certificate, privateKey } = await authority.issueServer([host]);
    const server = createServer({ cert: certificate, key: privateKey }, (socket) =>
      socket.end(`hello from ${host}`),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const rule = { host, backend: { name: host, endpoints: [{ address: '127.0.0.1', port }] } };
    return { server, rule };
  };
  const backends = [await backend('shop.example.com'), await backend('blog.example.com')];
  const proxy = new PassthroughProxy({ table: { hosts: backends.map(({ rule }) => rule) } });
  const { port } = await proxy.start({ host: '127.0.0.1', port: 0 });
  const ask = (servername: string) =>
    text(connect({ host: '127.0.0.1', port, servername, ca: authority.pem }));
  try {
    print(await ask('shop.example.com'));
    print(await ask('blog.example.com'));
    print(await ask('other.example.com').catch((error: Error) => `refused: ${error.message}`));
  } finally {
    await proxy.stop({ drainMs: 0 });
    for (const { server } of backends) server.close();
  }
}
