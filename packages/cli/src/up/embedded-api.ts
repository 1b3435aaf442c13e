import {
  ApiServer,
  type OwnDefinitions,
  type PodRuntime,
  type RunningApiServer,
} from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { CliError } from '../context.ts';

export interface EmbeddedApi {
  readonly server: RunningApiServer;
  readonly client: KubeClient;
  stop(): Promise<void>;
}

/** Starts the API server, and a client for the controllers that share its process. */
export async function startEmbeddedApi(options: {
  readonly dataDirectory: string | undefined;
  readonly port: number;
  readonly log: (line: string) => void;
  readonly podRuntime: PodRuntime;
  readonly definitions: OwnDefinitions;
}): Promise<EmbeddedApi> {
  const server = await new ApiServer({
    port: options.port,
    log: options.log,
    allowsLoopbackEndpoints: true,
    podRuntime: options.podRuntime,
    definitions: options.definitions,
    ...(options.dataDirectory === undefined ? {} : { dataDir: options.dataDirectory }),
  })
    .start()
    .catch((error: NodeJS.ErrnoException) => {
      throw portTaken(error, 'the Kubernetes API', options.port, '--api-port');
    });
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
    // A hundred watches of controllers that share the process: they need neither sockets nor TLS.
    answer: server.answer,
    disableCompression: true,
  });
  return {
    server,
    client,
    async stop() {
      await client.close();
      await server.stop();
    },
  };
}

/** A port that is in use is a user's problem with a user's remedy; anything else is passed on. */
export function portTaken(
  error: NodeJS.ErrnoException,
  what: string,
  port: number,
  flag: string,
): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new CliError(`cannot start ${what}: port ${port} is taken by another program`, {
    hint: `Choose another port with ${flag}, or leave it out to take a free one.`,
    cause: error,
  });
}
