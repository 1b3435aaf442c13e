import { randomUUID } from 'node:crypto';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';

interface Config {
  readonly header_name: string;
  readonly generator: 'uuid' | 'uuid#counter' | 'tracker';
  readonly echo_downstream: boolean;
}

const key = 'correlation id';

/** Gives each request an id that services can log. */
export function correlationId(): AnyPlugin {
  const processId = randomUUID();
  let count = 0;
  const generate = (config: Config, context: RequestContext): string => {
    count += 1;
    switch (config.generator) {
      case 'uuid':
        return randomUUID();
      case 'uuid#counter':
        return `${processId}#${count}`;
      case 'tracker': {
        const { localAddress, localPort, remotePort } = context.client;
        const seconds = (context.runtime.now() / 1_000).toFixed(3);
        return `${localAddress}-${localPort}-${process.pid}-${count}-${remotePort}-${seconds}`;
      }
    }
  };
  return definePlugin<Config>({
    name: 'correlation-id',
    priority: 100_001,
    access(context, config) {
      const given = context.headers.get(config.header_name);
      const id = given === undefined || given === '' ? generate(config, context) : given;
      context.upstream?.headers.set(config.header_name, id);
      context.shared.set(key, id);
    },
    headerFilter(context, config) {
      const id = context.shared.get(key) ?? context.headers.get(config.header_name);
      if (config.echo_downstream && typeof id === 'string') {
        context.response?.headers.set(config.header_name, id);
      }
    },
  });
}
