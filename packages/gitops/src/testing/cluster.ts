import { KubeClient, staticToken } from '@waygate/kube';
import { type DynamicObject, type Kind, type KubeObject, kinds } from '@waygate/schema';
import { until } from '../../../../test/until.ts';
import { customResourceDefinitions } from '../crds/custom-resource-definitions.ts';

/** The part of an embedded API that a test cluster needs. */
export interface TestApi {
  readonly url: string;
  readonly adminToken: string;
  /** Of an API with TLS. */
  readonly caCertificate?: string | undefined;
  stop(): Promise<void>;
}

/** An embedded API with our definitions, and a client of it. */
export interface TestCluster extends AsyncDisposable {
  readonly server: TestApi;
  readonly client: KubeClient;
  /** Fails after a while with the last thing that was seen. */
  until<T>(read: () => Promise<T> | T, isWanted: (value: T) => boolean): Promise<T>;
}

export async function startTestCluster(server: TestApi): Promise<TestCluster> {
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
    ...(server.url.startsWith('https:') &&
      server.caCertificate !== undefined && { tls: { caData: server.caCertificate } }),
  });
  for (const definition of customResourceDefinitions()) {
    await client
      .resource(kinds.CustomResourceDefinition as unknown as Kind<KubeObject>)
      .create(definition);
  }
  const untilWanted: TestCluster['until'] = async (read, isWanted) => {
    let last: Awaited<ReturnType<typeof read>>;
    const found = await until(
      () => `what is wanted; the last was ${JSON.stringify(last, null, 1)}`,
      async () => {
        last = await read();
        return isWanted(last) && { last };
      },
    );
    return found.last;
  };
  return {
    server,
    client,
    until: untilWanted,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.stop();
    },
  };
}

/** The object, or undefined when it is not there. */
export async function find(
  { client }: TestCluster,
  apiVersion: string,
  kind: string,
  name: string,
  namespace = 'default',
): Promise<DynamicObject | undefined> {
  try {
    const resource = await client.resourceOf({ apiVersion, kind });
    return await resource.get(name, { namespace });
  } catch {
    return undefined;
  }
}
