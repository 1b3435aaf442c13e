import type { InformerFactory } from '../cache/informer-factory.ts';
import { aborted } from '../time/aborted.ts';
import type { Runnable } from './manager-stage.ts';

/**
 * Lets a manager start all informers of a factory, wait for them, and stop them.
 *
 * ```ts
 * const manager = new Manager();
 * manager.add(informerFactoryRunnable(createInformerFactory(client)), 'caches');
 * ```
 */
export function informerFactoryRunnable(factory: InformerFactory, name = 'informers'): Runnable {
  return {
    name,
    needsLeaderElection: false,
    async run(signal) {
      factory.start(signal);
      await aborted(signal);
      await factory.shutdown();
    },
    waitForSync: (signal) => factory.waitForCacheSync(signal),
  };
}
