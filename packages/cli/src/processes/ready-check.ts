import { get } from 'node:http';
import { connect } from 'node:net';
import type { ReadyCheck } from './task.ts';

/** How long one look may take. */
const patienceMs = 1_000;

/** Why it is not ready, as the end of a sentence; undefined when it is. */
export async function checkReady(
  check: ReadyCheck,
  host: string,
  port: number,
): Promise<string | undefined> {
  if (check.kind === 'none') return undefined;
  if (check.kind === 'tcp') return checkConnection(host, port);
  return checkAnswer(host, port, check.path);
}

function checkConnection(host: string, port: number): Promise<string | undefined> {
  const socket = connect(port, host);
  return new Promise<string | undefined>((resolve) => {
    socket.setTimeout(patienceMs, () => resolve(`${host}:${port} does not answer`));
    socket.once('connect', () => resolve(undefined));
    socket.once('error', () => resolve(`nothing listens on ${host}:${port}`));
  }).finally(() => socket.destroy());
}

function checkAnswer(host: string, port: number, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get({ host, port, path, timeout: patienceMs, agent: false }, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      const isFine = statusCode >= 200 && statusCode < 400;
      resolve(isFine ? undefined : `GET ${path} was answered with ${statusCode}`);
      request.destroy();
    });
    request.once('timeout', () => {
      resolve(`GET ${path} was not answered within ${patienceMs} ms`);
      request.destroy();
    });
    request.once('error', () => resolve(`nothing listens on ${host}:${port}`));
  });
}
