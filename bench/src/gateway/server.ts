import { Gateway } from '@waygate/gateway';

/** What the benchmark asks its gateway to serve. */
export interface GatewayTask {
  readonly backendPort: number;
  readonly routes: number;
}

/** The gateway in a process of its own, so that its processor time can be told apart. */
process.once('message', (task: GatewayTask) => void serve(task));

async function serve({ backendPort, routes }: GatewayTask): Promise<void> {
  const service = { host: 'backend', protocol: 'http' };
  const many = Array.from({ length: routes }, (_, index) => ({
    name: `many-${index}`,
    hosts: [`h${index}.test`],
    paths: [`/p${index}`],
  }));
  const gateway = new Gateway({
    config: {
      _format_version: '3.0',
      services: [
        {
          ...service,
          name: 'plain',
          routes: [
            { name: 'plain', paths: ['/plain'] },
            {
              name: 'keyed',
              paths: ['/keyed'],
              plugins: [
                { name: 'key-auth' },
                { name: 'rate-limiting', config: { hour: 1_000_000_000, policy: 'local' } },
              ],
            },
            ...many,
          ],
        },
      ],
      upstreams: [{ name: 'backend', targets: [{ target: `127.0.0.1:${backendPort}` }] }],
      plugins: [
        {
          name: 'prometheus',
          config: {
            status_code_metrics: true,
            latency_metrics: true,
            bandwidth_metrics: true,
            upstream_health_metrics: true,
          },
        },
      ],
      consumers: [{ username: 'bench', keyauth_credentials: [{ key: 'bench-key' }] }],
    },
    admin: false,
  });
  const { proxy } = await gateway.start();
  process.send?.(proxy.map((address) => address.port));
  process.once('disconnect', () => void gateway.stop());
}
