import { jsonFiles, readJson } from '../data-file.ts';
import { type ConformanceCase, type Driver, fail, type Outcome, pass } from '../driver.ts';
import { NginxBackends } from './nginx-backends.ts';
import { type NginxCase, NginxCluster } from './nginx-cluster.ts';

/**
 * Plays recordings of ingress-nginx: the manifests of a case go through the translator into a gateway
 * of its own, and its requests go over sockets to that and to the servers behind it.
 */
export const driver: Driver = {
  suite: 'nginx',
  async *cases(files): AsyncGenerator<ConformanceCase> {
    const certificate = (name: string) => {
      const text = files.read(`certs/${name}`);
      if (text === undefined) throw new Error(`there is no certs/${name}`);
      return text;
    };
    const backends = new NginxBackends(certificate);
    await backends.start();
    try {
      for (const file of jsonFiles(files)) {
        const cases = readJson(files, file) as NginxCase[];
        for (const one of cases) {
          const feature = file.replace(/\.json$/, '');
          const run = () => play(one, new NginxCluster(one, feature, backends, certificate));
          yield { id: `${feature}/${one.id}`, feature, run };
        }
      }
    } finally {
      backends.stop();
    }
  },
};

async function play({ requests }: NginxCase, cluster: NginxCluster): Promise<Outcome> {
  const found: string[] = [];
  try {
    found.push(...(await cluster.admission()));
    await cluster.start();
    for (const [index] of requests.entries()) {
      for (const one of await cluster.play(index)) found.push(`#${index}: ${one}`);
    }
  } finally {
    await cluster.stop();
  }
  return found.length === 0 ? pass : fail(found.join('; '));
}
