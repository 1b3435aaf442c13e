import { type AddressInfo, type ListenOptions, Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listenOn } from './listen-on.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** A machine that refuses an address, as those without IPv6 refuse `::`. */
class Refusing extends Server {
  readonly #host: string;
  readonly #code: string;

  constructor(host: string, code: string) {
    super();
    this.#host = host;
    this.#code = code;
    servers.push(this);
  }

  // biome-ignore lint/suspicious/noExplicitAny: one of Node's many signatures
  override listen(...given: any[]): this {
    const [options, done] = given as [ListenOptions, () => void];
    if (options.host !== this.#host) return super.listen(options, done);
    queueMicrotask(() => this.emit('error', Object.assign(new Error('no'), { code: this.#code })));
    return this;
  }
}

const hostOf = (server: Server) => (server.address() as AddressInfo).address;

test.each(['EAFNOSUPPORT', 'EADDRNOTAVAIL'])(
  'every address is IPv4 alone after %s',
  async (code) => {
    const server = new Refusing('::', code);
    await listenOn(server, { host: '::', port: 0 });
    expect(hostOf(server)).toBe('0.0.0.0');
    expect(server.listenerCount('error')).toBe(0);
  },
);

test.each([
  ['::', 'EADDRINUSE'],
  ['::1', 'EADDRNOTAVAIL'],
])('%s is not given up for %s', async (host, code) => {
  const server = new Refusing(host, code);
  await expect(listenOn(server, { host, port: 0 })).rejects.toMatchObject({ code });
});

test('an address is taken as it is said', async () => {
  const server = new Refusing('::', 'EAFNOSUPPORT');
  await listenOn(server, { host: '127.0.0.1', port: 0 });
  expect(hostOf(server)).toBe('127.0.0.1');
});
