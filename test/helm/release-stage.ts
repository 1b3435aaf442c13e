import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { KubeReleaseCluster } from '@waygate/gitops';
import { MemoryFiles, packFiles, runHelm } from '@waygate/helm';
import { kinds } from '@waygate/schema';
import { TestReleases } from '../../packages/gitops/src/testing/releases.ts';
import type { FoundHelm } from '../deploy/helm.ts';
import { run } from '../real/processes.ts';

/** What a command wrote and how it ended. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Helm stores times in the zone that it runs in. */
const timeZone = 'Asia/Kolkata';

/** A chart `shop` with what a release can hold: a subchart, hooks, notes, a test; 9.x is refused by the API. */
export function shopChart(version: string): Uint8Array {
  const name = version.startsWith('9.') ? 'Not_A_Name' : '{{ .Release.Name }}-cm';
  const map = (metadata: string, data: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n${metadata}data:\n${data}`;
  const hook = (event: string, weight: number, policy: string) =>
    map(
      `  name: {{ .Release.Name }}-${event}\n  annotations:\n    helm.sh/hook: ${event}\n    helm.sh/hook-weight: "${weight}"\n    helm.sh/hook-delete-policy: ${policy}\n`,
      '  from: {{ .Release.Revision | quote }}\n',
    );
  const files: Record<string, string> = {
    'Chart.yaml': `apiVersion: v2\nname: shop\nversion: ${version}\nappVersion: "7"\nannotations: {b: "2", a: "1"}\ndependencies: [{name: db, version: 1.x, repository: "", condition: db.enabled}]\n`,
    'values.yaml': 'color: red\nlist: [1, 2.5, null]\ndb: {enabled: true}\n',
    'templates/cm.yaml': map(
      `  name: ${name}\n`,
      '  color: {{ .Values.color | quote }}\n  version: {{ .Chart.Version | quote }}\n  was: {{ (lookup "v1" "ConfigMap" .Release.Namespace (printf "%s-cm" .Release.Name)).data | toJson | quote }}\n',
    ),
    'templates/service.yaml':
      'apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  selector: {app: shop}\n  ports: [{port: {{ .Values.port | default 80 }}}]\n',
    'templates/before.yaml': hook('pre-install,pre-upgrade', -5, 'before-hook-creation').replace(
      '-pre-install,pre-upgrade',
      '-before',
    ),
    'templates/after.yaml': hook('post-upgrade', 3, 'hook-succeeded'),
    'templates/test.yaml': hook('test', 0, 'before-hook-creation'),
    'templates/NOTES.txt': 'Shop {{ .Release.Name }} is {{ .Values.color }}.\n',
    'charts/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 1.2.0\n',
    'charts/db/values.yaml': 'size: 3\n',
    'charts/db/templates/cm.yaml': map(
      '  name: {{ .Release.Name }}-db\n',
      '  size: {{ .Values.size | quote }}\n',
    ),
  };
  return packFiles(
    Object.entries(files).map(([path, text]) => ({
      name: `shop/${path}`,
      data: Buffer.from(text),
    })),
  );
}

/** An embedded API with the real helm and ours beside each other. */
export class ReleaseStage implements AsyncDisposable {
  /** HelmReleases that our controllers keep, with the same charts in a registry. */
  readonly releases: TestReleases;
  readonly #helm: FoundHelm;
  readonly #directory = mkdtempSync(join(tmpdir(), 'waygate-helm-'));
  readonly #memory = new MemoryFiles();

  static async start(helm: FoundHelm): Promise<ReleaseStage> {
    // Helm's client sends no token without TLS.
    const server = await startTestServer({ insecure: false });
    const releases = await TestReleases.start(server);
    for (const version of ['1.0.0', '1.1.0'])
      releases.registry.push('charts/shop', version, shopChart(version));
    return new ReleaseStage(helm, server.kubeconfig, releases);
  }

  private constructor(helm: FoundHelm, kubeconfig: string, releases: TestReleases) {
    this.#helm = helm;
    this.releases = releases;
    writeFileSync(join(this.#directory, 'kubeconfig'), kubeconfig);
    for (const version of ['1.0.0', '1.1.0', '9.0.0']) {
      writeFileSync(join(this.#directory, `shop-${version}.tgz`), shopChart(version));
      this.#memory.write(`/shop-${version}.tgz`, shopChart(version));
    }
  }

  /** The real helm. */
  async real(...args: string[]): Promise<Said> {
    const env = {
      ...process.env,
      HOME: this.#directory,
      KUBECONFIG: join(this.#directory, 'kubeconfig'),
      TZ: timeZone,
    };
    const said = await run(this.#helm.path, args, { cwd: this.#directory, env });
    return { ...said, code: said.code === 0 ? 0 : 1 };
  }

  /** Ours, by the same rules. */
  async ours(...args: string[]): Promise<Said> {
    const { major } = this.#helm;
    let [stdout, stderr] = ['', ''];
    const code = await runHelm(args, {
      helm: major,
      cwd: '/',
      env: {},
      files: this.#memory,
      now: () => new Date(),
      random: (count) => new Uint8Array(count),
      timeZone,
      cluster: new KubeReleaseCluster(this.releases.client, {
        fieldManager: 'helm',
        words: major === 3 ? 'legacy' : 'watcher',
      }),
      writeOut: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
    });
    return { code, stdout, stderr };
  }

  /** What the objects of a release are told apart by: an object that was made anew has another. */
  async uids(release: string, namespace = 'default'): Promise<Record<string, string | undefined>> {
    const { client } = this.releases;
    const found: Record<string, string | undefined> = {};
    for (const name of [`${release}-cm`, `${release}-db`]) {
      const map = await client.resource(kinds.ConfigMap).get(name, { namespace });
      found[name] = map.metadata.uid;
    }
    const service = await client.resource(kinds.Service).get(release, { namespace });
    return { ...found, service: service.metadata.uid };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.releases[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
