import { type Attack, ingress, ingressPath, pause } from '../attack.ts';

const large = 900_000;

/** Large objects, written again and again: history, journals, watchers. */
export const largeObjects: Attack = {
  name: 'large objects',
  async run({ world, namespace, random, signal }) {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    for (let round = 0; !signal.aborted; round += 1) {
      const name = `large-${round % 3}`;
      const text = String.fromCharCode(97 + Math.floor(random() * 26)).repeat(large);
      await world.apply(`${path}/${name}`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace },
        data: { text, round: String(round) },
      });
      await pause(50, signal);
    }
  },
};

/** Thousands of small objects: made, listed whole, and deleted at once. */
export const manyObjects: Attack = {
  name: 'many objects',
  async run({ world, namespace, signal }) {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    for (let round = 0; !signal.aborted; round += 1) {
      for (let batch = 0; batch < 50 && !signal.aborted; batch += 1) {
        await Promise.all(
          Array.from({ length: 40 }, (_each, index) =>
            world.api('POST', path, {
              apiVersion: 'v1',
              kind: 'Secret',
              metadata: {
                name: `s-${batch}-${index}`,
                namespace,
                labels: { round: String(round) },
              },
              stringData: { text: 'x'.repeat(2_000) },
            }),
          ),
        );
      }
      await Promise.all([world.api('GET', path), world.api('GET', path)]);
      await world.api('DELETE', path);
    }
  },
};

/** Hundreds of routes that come and go: translation, diff, router. */
export const manyRoutes: Attack = {
  name: 'many routes',
  async run({ world, namespace, signal }) {
    const path = ingressPath(namespace);
    for (let round = 0; !signal.aborted; round += 1) {
      for (let index = 0; index < 300 && !signal.aborted; index += 1) {
        const name = `route-${index}`;
        const rule = { host: `${name}.${namespace}.test`, path: `/${round}/${index}` };
        await world.apply(`${path}/${name}`, ingress(namespace, name, rule));
      }
      await world.api('DELETE', path);
    }
  },
};
