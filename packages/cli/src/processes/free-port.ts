import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const host = '127.0.0.1';

/** The wanted port if it is free, else another. */
export async function freePort(wanted: number): Promise<number> {
  const found = await tryPort(wanted);
  if (found !== undefined) return found;
  const any = wanted === 0 ? undefined : await tryPort(0);
  if (any === undefined) throw new Error(`no port is free on ${host}`);
  return any;
}

/** Whether nobody listens there. */
export async function isFreePort(port: number): Promise<boolean> {
  return (await tryPort(port)) !== undefined;
}

async function tryPort(wanted: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(wanted, host);
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
