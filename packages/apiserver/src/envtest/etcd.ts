import { createServer, type Server } from 'node:http';
import { listenOn } from '@waygate/text';
import { FlagError, lastFlag } from './flag-reader.ts';
import { helpText } from './help-text.ts';
import { say, stopAsked } from './program.ts';

const flags: readonly (readonly [name: string, takes: string, what: string])[] = [
  ['advertise-client-urls', 'string', 'taken, and without a meaning here'],
  ['data-dir', 'string', 'taken, and without a meaning here: nothing is kept'],
  ['listen-client-urls', 'string', 'where /health is answered (default http://localhost:2379)'],
  ['listen-peer-urls', 'string', 'taken, and without a meaning here'],
  ['unsafe-no-fsync', '', 'taken, and without a meaning here'],
];

/**
 * What envtest starts beside the API server. The embedded API has a store of its own, so there is nothing to
 * do but to say that all is well for as long as somebody asks.
 */
export async function runEtcd(args: readonly string[]): Promise<number> {
  if (args.some((argument) => /^--?h(elp)?$/.test(argument))) {
    process.stdout.write(helpText('etcd', flags, []));
    return 0;
  }
  try {
    const servers = await Promise.all(clientUrls(args).map(listen));
    await stopAsked();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    return 0;
  } catch (error) {
    if (!(error instanceof FlagError) && !(error instanceof Error && 'syscall' in error))
      throw error;
    say('etcd', error.message);
    return 1;
  }
}

/** Every flag of etcd is taken: most set up what is not here. */
function clientUrls(args: readonly string[]): URL[] {
  const given = new Map<string, string[]>();
  for (const [index, argument] of args.entries()) {
    const match = /^--?([\w-]+)(?:=(.*))?$/.exec(argument);
    if (match !== null) given.set(match[1] as string, [match[2] ?? args[index + 1] ?? '']);
  }
  const text = lastFlag(given, 'listen-client-urls') ?? 'http://localhost:2379';
  return text.split(',').map((each) => {
    if (!URL.canParse(each) || new URL(each).protocol !== 'http:')
      throw new FlagError(`--listen-client-urls: ${each} is no http:// address`);
    return new URL(each);
  });
}

async function listen(url: URL): Promise<Server> {
  const server = createServer((request, response) => {
    const isHealth = request.url?.split('?')[0] === '/health';
    const body = isHealth ? { health: 'true', reason: '' } : { message: 'not found' };
    response.writeHead(isHealth ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  const host = url.hostname.replace(/^\[|\]$/g, '');
  await listenOn(server, { host, port: Number(url.port || 80) });
  return server;
}
