import { readFileSync } from 'node:fs';
import { type Running, waygate } from '../real/processes.ts';
import type { OwnMachine } from './own-machine.ts';

/** Where the stand-in finds the certificate of its Admin API. */
export const adminCertificate = { cert: '/tmp/admin.crt', key: '/tmp/admin.key' };

/** Kong ends TLS in front of its Admin API; our gateway leaves that to others. */
const tlsFront = `
const { readFileSync } = require('node:fs');
const [, cert, key, port, to] = process.argv;
require('node:tls')
  .createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (client) => {
    const server = require('node:net').connect(Number(to), '127.0.0.1');
    client.pipe(server).pipe(client);
    for (const one of [client, server])
      one.on('error', () => { client.destroy(); server.destroy(); });
  })
  .listen(Number(port), '0.0.0.0');
`;

/** Our gateway where Kong would be, as its variables ask for. */
export async function startStandIn(
  machine: OwnMachine,
  {
    KONG_ADMIN_LISTEN = '',
    KONG_DATABASE = '',
    KONG_STATUS_LISTEN = '',
    ...more
  }: Record<string, string | undefined>,
): Promise<Running> {
  const [, host, port] = /^([\d.]+):(\d+)/.exec(KONG_ADMIN_LISTEN)!;
  const isTls = KONG_ADMIN_LISTEN.includes('ssl');
  const listens = (more.KONG_PROXY_LISTEN ?? '').split(', ');
  const gateway = machine.start(process.execPath, [
    ...[
      waygate,
      'gateway',
      'run',
      '--no-admin-origin-check',
      `--router-flavor=${more.KONG_ROUTER_FLAVOR}`,
    ],
    `--admin-listen=${isTls ? '127.0.0.1:8001' : `${host}:${port}`}`,
    `--status-listen=${KONG_STATUS_LISTEN}`,
    `--proxy-listen=${listens[0]!.split(' ')[0]}`,
    `--proxy-tls-listen=${listens[1]!.split(' ')[0]}`,
    ...(KONG_DATABASE === 'off' ? [] : ['--database=/tmp/kong']),
  ]);
  if (!isTls) return gateway;
  const { cert, key } = adminCertificate;
  const front = machine.start(process.execPath, ['-e', tlsFront, cert, key, port!, '8001']);
  return {
    process: gateway.process,
    output: () => gateway.output() + front.output(),
    stop: async (signal) => {
      await front.stop(signal);
      return gateway.stop(signal);
    },
  };
}

/** Gives the machine the certificate of the Admin API. */
export async function writeAdminCertificate(
  machine: OwnMachine,
  files: { readonly cert: string; readonly key: string },
): Promise<void> {
  for (const name of ['cert', 'key'] as const)
    await machine.write(adminCertificate[name], readFileSync(files[name], 'utf8'));
}
