import {
  type Attack,
  type AttackSetting,
  ingress,
  ingressPath,
  kongPath,
  pause,
  routePath,
} from '../attack.ts';

const annotations = { 'kubernetes.io/ingress.class': 'kong' };

/** Consumers that have the name, the custom id or the key of the victim's. */
export const conflictingConsumers: Attack = {
  name: 'conflicting consumers',
  async run({ world, namespace, signal }) {
    const kong = kongPath(namespace);
    for (let round = 0; !signal.aborted; round += 1) {
      await world.apply(`/api/v1/namespaces/${namespace}/secrets/stolen`, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'stolen', namespace, labels: { 'konghq.com/credential': 'key-auth' } },
        stringData: { key: round % 2 === 0 ? 'the-key-of-the-victim' : 'a-key-of-mallory' },
      });
      await world.apply(`${kong}/kongconsumers/mallory`, {
        apiVersion: 'configuration.konghq.com/v1',
        kind: 'KongConsumer',
        metadata: { name: 'mallory', namespace, annotations },
        username: round % 3 === 0 ? 'mallory' : 'alice',
        credentials: ['stolen'],
      });
      await pause(300, signal);
      if (round % 4 === 3) await world.api('DELETE', `${kong}/kongconsumers/mallory`);
    }
  },
};

/** Objects that a gateway refuses, beside ones that it takes, and hosts that are the victim's. */
export const poison: Attack = {
  name: 'poison objects',
  async run(setting) {
    const { world, namespace, signal } = setting;
    for (let round = 0; !signal.aborted; round += 1) {
      for (const [path, object] of poisonous(setting, round)) {
        await world.apply(path, object);
        await pause(100, signal);
      }
      await world.api('DELETE', ingressPath(namespace));
      await world.api('DELETE', `${kongPath(namespace)}/kongplugins`);
    }
  },
};

function poisonous({ namespace }: AttackSetting, round: number): [string, object][] {
  const kong = kongPath(namespace);
  const plugin = (name: string, kind: string, config: object): [string, object] => [
    `${kong}/kongplugins/${name}`,
    {
      apiVersion: 'configuration.konghq.com/v1',
      kind: 'KongPlugin',
      metadata: { name, namespace },
      plugin: kind,
      config,
    },
  ];
  const host = `${namespace}.test`;
  return [
    plugin('misspelt', 'key-atuh', {}),
    plugin('wrong', 'rate-limiting', { second: -1, policy: 'nowhere' }),
    plugin('template', 'request-transformer', { add: { headers: ['x:$((((('] } }),
    [
      `${ingressPath(namespace)}/poisoned`,
      ingress(
        namespace,
        'poisoned',
        { host, path: `/${round}` },
        {
          'konghq.com/plugins': 'misspelt,wrong,template,absent',
        },
      ),
    ],
    [
      `${ingressPath(namespace)}/stolen`,
      ingress(namespace, 'stolen', { host: 'victim.test', path: '/' }),
    ],
    [
      `${routePath(namespace)}/zero`,
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'HTTPRoute',
        metadata: { name: 'zero', namespace },
        spec: {
          parentRefs: [{ name: 'own' }],
          hostnames: [host],
          rules: [
            {
              timeouts: { backendRequest: '0s' },
              backendRefs: [{ name: 'web', port: 80 }],
            },
          ],
        },
      },
    ],
  ];
}
