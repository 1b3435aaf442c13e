import { jsonFiles, readJson } from '../data-file.ts';
import type { ConformanceCase, Driver } from '../driver.ts';
import { type PluginExchange, pluginCases } from './kong-plugins.ts';
import { type RoutingFile, routingCases } from './kong-routing.ts';
import { type Exchange, Transcript } from './kong-transcript.ts';

/** Plays recordings of a real Kong against the embedded gateway, over sockets. */
export const driver: Driver = {
  suite: 'kong',
  async *cases(directory): AsyncGenerator<ConformanceCase> {
    for (const file of await jsonFiles(directory)) {
      const name = file.replace(/\.json$/, '');
      const data: unknown = await readJson(directory, file);
      if (name.startsWith('routing')) {
        yield* routingCases(name, data as RoutingFile);
      } else if (name === 'proxy-plugins') {
        yield* pluginCases(name, data as PluginExchange[]);
      } else if (/^(pg|dbless|status)/.test(name)) {
        yield* new Transcript(name, data as Exchange[]).cases();
      }
    }
  },
};
