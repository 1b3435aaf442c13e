import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../testing/plugin-gateway.ts';

// Small ways of a real Kong 3.9.1 that clients and upstreams can see.

const gateway = new PluginGateway();

afterEach(() => gateway.stop());

describe('cors', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: 'http://a.test', 'access-control-request-method': 'PUT' },
  };

  test('with preflight_continue the upstream alone answers for a preflight', async () => {
    const backend = await gateway.backend('b', () => ({
      headers: { 'access-control-max-age': '7' },
    }));
    const config = { preflight_continue: true, credentials: true };
    await gateway.start(backend, [{ name: 'cors', config }]);
    const answer = await gateway.ask(preflight);
    expect(answer).toMatchObject({
      status: 200,
      body: 'b',
      headers: { 'access-control-max-age': '7' },
    });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    // Other requests have the headers as ever.
    const plain = await gateway.ask({ headers: { origin: 'http://a.test' } });
    expect(plain.headers['access-control-allow-origin']).toBeDefined();
  });
});

describe('hmac-auth', () => {
  test('@request-target stands in the signed text with its name', async () => {
    const backend = await gateway.backend('b');
    await gateway.start(backend, [{ name: 'hmac-auth' }], {
      consumers: [{ username: 'ann', hmacauth_credentials: [{ username: 'ann', secret: 's' }] }],
    });
    const date = new Date().toUTCString();
    const sign = (text: string) => createHmac('sha256', 's').update(text).digest('base64');
    const ask = (text: string) =>
      gateway.ask({
        path: '/p?q=1',
        headers: {
          date,
          authorization: `hmac username="ann", algorithm="hmac-sha256", headers="date @request-target", signature="${sign(text)}"`,
        },
      });
    expect((await ask(`date: ${date}\n@request-target: get /p?q=1`)).status).toBe(200);
    expect((await ask(`date: ${date}\nget /p?q=1`)).status).toBe(401);
  });
});

describe('the upstream', () => {
  test('gets Proxy-Authorization, which is for whoever asks for it, unless a plugin hides it', async () => {
    const backend = await gateway.backend('b');
    const basic = `Basic ${Buffer.from('ann:p').toString('base64')}`;
    await gateway.start(backend, []);
    await gateway.ask({ headers: { 'proxy-authorization': basic } });
    expect(gateway.received[0]?.headers['proxy-authorization']).toBe(basic);
    await gateway.stop();
    const again = await gateway.backend('b');
    const plugin = { name: 'basic-auth', config: { hide_credentials: true } };
    const credential = { username: 'ann', password: 'p' };
    await gateway.start(again, [plugin], {
      consumers: [{ username: 'ann', basicauth_credentials: [credential] }],
    });
    expect((await gateway.ask({ headers: { 'proxy-authorization': basic } })).status).toBe(200);
    expect(gateway.received[0]?.headers['proxy-authorization']).toBeUndefined();
  });
});

describe('a form in parts', () => {
  const part = (name: string, content: string) =>
    `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=B' };
  const post = (body: string) => gateway.ask({ method: 'POST', headers, body });

  test('may hold a key, which is hidden where that is asked for', async () => {
    const backend = await gateway.backend('b');
    const plugin = { name: 'key-auth', config: { key_in_body: true, hide_credentials: true } };
    await gateway.start(backend, [plugin], {
      consumers: [{ username: 'ann', keyauth_credentials: [{ key: 'k' }] }],
    });
    expect((await post(`${part('apikey', 'k')}${part('x', '1')}--B--\r\n`)).status).toBe(200);
    expect(gateway.received[0]?.body).toBe(`${part('x', '1')}--B--\r\n`);
    expect((await post(`${part('apikey', 'other')}--B--\r\n`)).status).toBe(401);
    expect((await post(part('apikey', 'k'))).status).toBe(401);
  });

  test('is changed by request-transformer, and left alone where it is broken', async () => {
    const backend = await gateway.backend('b');
    const config = {
      remove: { body: ['gone'] },
      rename: { body: ['old:new'] },
      replace: { body: ['x:2', 'none:1'] },
      add: { body: ['y:3', 'x:4'] },
      append: { body: ['x:5'] },
    };
    await gateway.start(backend, [{ name: 'request-transformer', config }]);
    await post(`${part('gone', '')}${part('old', 'o')}${part('x', '1')}--B--\r\n`);
    expect(gateway.received[0]?.body).toBe(
      `${part('new', 'o')}${part('x', '2')}${part('y', '3')}--B--\r\n`,
    );
    await post(part('gone', ''));
    expect(gateway.received[1]?.body).toBe(part('gone', ''));
  });
});
