import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import { isListening, run, start } from '../real/processes.ts';
import { NginxWorld, nginxIngress, object } from './nginx-world.ts';

const wrapper = ['/usr/sbin/fcgiwrap', '/usr/bin/fcgiwrap'].find((path) => existsSync(path));

const world = new NginxWorld();
beforeAll(() => world.start());
afterAll(() => world.stop());

/** What curl prints of a request to the gateway. */
async function curl(port: number, host: string, ...more: string[]): Promise<string> {
  const where = `http://${host}:${port}/x?q=1`;
  const { stdout } = await run('curl', [
    '-s',
    '--resolve',
    `${host}:${port}:127.0.0.1`,
    ...more,
    where,
  ]);
  return stdout;
}

test('digest authentication, with curl', async () => {
  const hash = createHash('md5').update('ann:shop area:secret').digest('hex');
  const auth = Buffer.from(`ann:shop area:${hash}\n`).toString('base64');
  const annotations = { 'auth-type': 'digest', 'auth-secret': 'u', 'auth-realm': 'shop area' };
  const served = await world.serve([
    object('v1', 'Secret', 'u', { data: { auth } }),
    nginxIngress({ name: 'one', hosts: { 'h.test': [['/', 'Prefix', 'a']] }, annotations }),
  ]);
  const as = (user: string, ...more: string[]) =>
    curl(
      served.port,
      'h.test',
      '--digest',
      '-u',
      user,
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      ...more,
    );
  try {
    expect(await as('ann:secret')).toBe('200');
    expect(await as('ann:secret', '-d', 'body')).toBe('200');
    expect(await as('ann:wrong')).toBe('401');
    expect(await as('bob:secret')).toBe('401');
    // The password is for the gateway alone.
    expect(world.arrivals.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  } finally {
    await served.stop();
  }
});

describe.skipIf(wrapper === undefined)('FastCGI, with fcgiwrap (apt-get install fcgiwrap)', () => {
  test('an application that is no test of ours', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'waygate-fastcgi-'));
    const script = join(folder, 'said');
    const head = 'Status: 201 Made\\r\\nContent-Type: text/plain\\r\\nX-Query: %s\\r\\n\\r\\n';
    const lines = ['#!/bin/sh', `printf '${head}' "$QUERY_STRING"`];
    lines.push('echo "$REQUEST_METHOD $SCRIPT_NAME $HTTP_X_A"', 'wc -c');
    await writeFile(script, lines.join('\n'));
    await chmod(script, 0o755);
    const port = await ownPort();
    const child = start(wrapper ?? '', ['-s', `tcp:127.0.0.1:${port}`]);
    const params = object('v1', 'ConfigMap', 'params', { data: { SCRIPT_FILENAME: script } });
    const served = await world.serve([
      params,
      ...world.service('fast', port),
      nginxIngress({
        name: 'one',
        hosts: { 'f.test': [['/', 'Prefix', 'fast']] },
        annotations: { 'backend-protocol': 'FCGI', 'fastcgi-params-configmap': 'params' },
      }),
    ]);
    try {
      await expect.poll(() => isListening(port)).toBe(true);
      const plain = await curl(served.port, 'f.test', '-i', '-H', 'X-A: b');
      expect(plain).toMatch(/^HTTP\/1.1 201 /);
      expect(plain).toMatch(/^x-query: q=1\r$/im);
      expect(plain).toMatch(/GET \/x b\n0\n$/);
      const large = join(folder, 'large');
      await writeFile(large, Buffer.alloc(900_000, 'x'));
      const upload = ['--data-binary', `@${large}`, '-H', 'Expect:'];
      expect(await curl(served.port, 'f.test', ...upload)).toBe('POST /x \n900000\n');
      const chunked = ['-H', 'Transfer-Encoding: chunked', '-d', 'in pieces'];
      expect(await curl(served.port, 'f.test', ...chunked)).toBe('POST /x \n9\n');
    } finally {
      await served.stop();
      await child.stop();
      await rm(folder, { recursive: true });
    }
  });
});
