import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

test('connections and requests are told to those who may know, in nginx’s form', async () => {
  const plugin = { name: 'nginx-status', config: { allow: ['127.0.0.1', '::1'] } };
  await world.start(await world.backend('a'), [plugin]);
  const { status, headers, body } = await world.ask({});
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/plain');
  expect(body).toMatch(
    /^Active connections: 1 \nserver accepts handled requests\n 1 1 1 \nReading: 0 Writing: 1 Waiting: 0 \n$/,
  );
  expect((await world.ask({ from: '127.0.0.2' })).status).toBe(403);
  expect(world.received).toEqual([]);
});

test('with nginx-server a target in absolute form is routed by its host, and its Host stays', async () => {
  const routed = async (plugins: object[]) => {
    const port = await world.backend('a');
    const routes = [{ name: 'r', hosts: ['shop.test'] }];
    const services = [{ name: 's', host: '127.0.0.1', port, routes }];
    await world.start(port, [], { plugins, services });
    const socket = connect(world.port, '127.0.0.1');
    socket.write(
      'GET http://shop.test/b HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n',
    );
    const [data] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return data.toString().split(' ')[1];
  };
  expect(await routed([{ name: 'nginx-server', config: {} }])).toBe('200');
  expect(await routed([])).toBe('404');
});
