import { afterEach, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

const place = { namespace: 'shop', ingress: 'web', service: 'a', path: '/app' };

async function counted(config: object): Promise<string[]> {
  const plugins = [
    { name: 'nginx-proxy', config: { body_size: 10 } },
    { name: 'nginx-metrics', config: { ...place, ...config } },
  ];
  const status = { host: '127.0.0.1', port: 0 };
  await world.start(await world.backend('a'), plugins, {}, { status });
  await world.ask({ headers: { host: 'Shop.test:81' } });
  await world.ask({ headers: { host: 'shop.test' }, method: 'POST', body: 'x'.repeat(11) });
  await world.ask({ headers: { host: 'evil.test' }, method: 'BREW' });
  const lines = (await world.metrics()).split('\n');
  return lines.filter((line) => line.startsWith('nginx_ingress_controller_requests{'));
}

test('counts by Ingress, path and status, and only for hosts that are named', async () => {
  const lines = await counted({ hosts: ['shop.test'] });
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain(
    'host="shop.test",ingress="web",method="GET",namespace="shop",path="/app",service="a",status="200"} 1',
  );
  // Refused before it is known what it was for.
  expect(lines[1]).toContain(
    'ingress="",method="POST",namespace="",path="",service="",status="413"} 1',
  );
});

test('clients make no labels of their own', async () => {
  const lines = await counted({ any_host: true, per_host: false, status_classes: true });
  expect(lines.join('\n')).not.toMatch(/evil|BREW/);
  expect(lines.join('\n')).toContain('method="invalid_method"');
  expect(lines.join('\n')).toContain('status="4xx"');
});

test('says of the gateway what ingress-nginx says of nginx’ processes', async () => {
  await counted({ hosts: ['shop.test'], controller_namespace: 'in', controller_pod: 'one' });
  const text = await world.metrics();
  const own =
    'controller_class="k8s.io/ingress-nginx",controller_namespace="in",controller_pod="one"';
  const value = (name: string, more = '') => {
    const line = `nginx_ingress_controller_nginx_process_${name}{${own}${more}} `;
    const found = text.split('\n').find((one) => one.startsWith(line));
    return found === undefined ? undefined : Number(found.slice(line.length));
  };
  expect(value('requests_total')).toBe(3);
  expect(value('connections_total', ',state="accepted"')).toBe(3);
  expect(value('connections', ',state="writing"')).toBe(0);
  expect(value('num_procs')).toBe(1);
  expect(value('cpu_seconds_total')).toBeGreaterThan(0);
  expect(value('resident_memory_bytes')).toBeGreaterThan(1_000_000);
  expect(value('virtual_memory_bytes')).toBeGreaterThanOrEqual(0);
  expect(value('read_bytes_total')).toBeGreaterThanOrEqual(0);
  expect(value('write_bytes_total')).toBeGreaterThanOrEqual(0);
  const started = value('oldest_start_time_seconds') ?? 0;
  expect(Math.abs(Date.now() / 1_000 - process.uptime() - started)).toBeLessThan(5);
});

test('says nothing of that to whom it does not concern', async () => {
  const status = { host: '127.0.0.1', port: 0 };
  await world.start(await world.backend('a'), [], {}, { status });
  await world.ask();
  expect(await world.metrics()).not.toContain('nginx_ingress_controller');
});
