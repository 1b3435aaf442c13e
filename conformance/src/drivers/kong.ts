import { isObject } from '@waygate/text';
import type { CaseFiles } from '../case-files.ts';
import { jsonFiles, readJson } from '../data-file.ts';
import type { ConformanceCase, Driver } from '../driver.ts';
import { type PluginExchange, pluginCases } from './kong-plugins.ts';
import { type RoutingFile, routingCases } from './kong-routing.ts';
import { type StreamScenario, streamCases } from './kong-streams.ts';
import { type Exchange, Transcript } from './kong-transcript.ts';

/** Plays recordings of a real Kong against the embedded gateway, over sockets. */
export const driver: Driver = {
  suite: 'kong',
  async *cases(files): AsyncGenerator<ConformanceCase> {
    for (const file of jsonFiles(files)) {
      const name = file.replace(/\.json$/, '');
      const data: unknown = readJson(files, file);
      if (name.startsWith('routing')) {
        yield* routingCases(name, data as RoutingFile);
      } else if (name === 'proxy-plugins') {
        yield* pluginCases(name, data as PluginExchange[]);
      } else if (name === 'stream-and-tls') {
        yield* streamCases(name, data as StreamScenario[], findCertificate(files));
      } else if (/^(pg|dbless|status)/.test(name)) {
        yield* new Transcript(name, data as Exchange[]).cases();
      }
    }
  },
};

/** A certificate with its key, out of the recordings: which one does not matter. */
function findCertificate(files: CaseFiles): { readonly cert: string; readonly key: string } {
  const exchanges = readJson(files, 'pg-inputs-certificates.json') as Exchange[];
  for (const { request, response } of exchanges) {
    const { body } = request;
    if (response.status === 201 && isObject(body)) {
      const { cert, key } = body;
      if (typeof cert === 'string' && cert.startsWith('-----') && typeof key === 'string') {
        return { cert, key };
      }
    }
  }
  throw new Error('the recordings hold no certificate with its key');
}
