import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { CertificateAuthority } from '@waygate/apiserver';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../until.ts';
import { core, ingress, ingresses, Stack, service, slice, slices } from './stack.ts';

let stack: Stack;
let authority: CertificateAuthority;

beforeEach(async () => {
  stack = await Stack.start();
  authority = await CertificateAuthority.create(Date.now);
});

afterEach(() => stack.stop());

const secrets = `${core}/secrets`;

async function secret(name: string, ...hosts: string[]) {
  const pair = await authority.issueServer(hosts);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return {
    metadata: { name },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(pair.certificate), 'tls.key': base64(pair.privateKey) },
    serial: new X509Certificate(pair.certificate).serialNumber,
  };
}

function secure(name: string, host: string, secretName: string): object {
  return ingress(name, host, { tls: [{ hosts: [host], secretName }] });
}

/** The serial number of the certificate that a client is shown for a name. */
function shown(port: number, servername: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber);
      socket.destroy();
    });
    socket.once('error', () => resolve(undefined));
  });
}

describe.each(['dbless', 'database'] as const)('certificates of Ingresses, %s', (mode) => {
  test('are shown after every kind of change, and the neighbours keep theirs', async () => {
    const listeners = [{ host: '127.0.0.1', port: 0, isTls: true }];
    const { proxyPort, admin } = await stack.gateway({ mode, proxy: listeners });
    const show = (host: string) => shown(proxyPort, host);
    const shows = (host: string, { serial }: { serial: string }) =>
      until(`${host} is shown its certificate`, async () => (await show(host)) === serial);

    const shop = await secret('shop', 'shop.test', 'www.shop.test');
    const blog = await secret('blog', 'blog.test');
    await stack.create(`${core}/services`, service);
    await stack.create(slices, slice(await stack.backend('served')));
    await stack.create(secrets, shop);
    await stack.create(secrets, blog);
    await stack.create(ingresses, secure('shop', 'shop.test', 'shop'));
    await stack.create(ingresses, secure('www', 'www.shop.test', 'shop'));
    await stack.create(ingresses, secure('blog', 'blog.test', 'blog'));
    stack.controller({ kongAdmin: stack.adminClient(admin) });
    await shows('shop.test', shop);
    await shows('www.shop.test', shop);
    await shows('blog.test', blog);
    const neighbour = async () => expect(await show('blog.test')).toBe(blog.serial);

    // An unrelated route.
    await stack.create(ingresses, ingress('plain', 'plain.test'));
    await until('the route is there', async () =>
      JSON.stringify(await (await fetch(`${admin}/routes`)).json()).includes('plain.test'),
    );
    expect(await show('shop.test')).toBe(shop.serial);
    await neighbour();

    // A renewal, as cert-manager makes one, three times.
    for (let round = 0; round < 3; round++) {
      const renewed = await secret('shop', 'shop.test', 'www.shop.test');
      await stack.replace(`${secrets}/shop`, renewed);
      await shows('shop.test', renewed);
      expect(await show('www.shop.test')).toBe(renewed.serial);
      await neighbour();
    }

    // A name moves to another certificate.
    await stack.replace(`${ingresses}/www`, secure('www', 'www.shop.test', 'blog'));
    await shows('www.shop.test', blog);
    await neighbour();
    const alone = await secret('shop', 'shop.test');
    await stack.replace(`${secrets}/shop`, alone);
    await shows('shop.test', alone);
    expect(await show('www.shop.test')).toBe(blog.serial);

    // Its Secret goes and comes back.
    await stack.remove(`${secrets}/shop`);
    await stack.create(ingresses, ingress('other', 'other.test'));
    await until('the route is there', async () =>
      JSON.stringify(await (await fetch(`${admin}/routes`)).json()).includes('other.test'),
    );
    await neighbour();
    const back = await secret('shop', 'shop.test');
    await stack.create(secrets, back);
    await shows('shop.test', back);
    await neighbour();
  });
});
