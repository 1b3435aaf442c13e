import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@waygate/schema';
import { parseYamlAll } from '@waygate/text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { type Running, run, waygate, workspace } from '../real/processes.ts';
import { until } from '../until.ts';
import { chartVariants, foreignDefinitions } from './chart-values.ts';
import { minifiedConfig, spareKubeconfig } from './cluster.ts';
import { writeAdminCertificate } from './kong-stand-in.ts';
import {
  directories,
  nameOf,
  objectsOf,
  overlays,
  system,
  type Workload,
  workloadsOf,
} from './manifests.ts';
import { OwnMachine, podAddress } from './own-machine.ts';
import { Pod, type PodOptions } from './pod.ts';

// Each way to install, applied with kubectl on one API, on a machine of its own: what it would run runs with
// exactly its arguments, its environment and its rights, and a request goes through it.

const problem = OwnMachine.problem();
if (problem !== undefined) console.warn(`deploy/ is not run: ${problem}`);

const backendPort = 9000;
const backend = `require('node:http')
  .createServer((_, response) => response.end('from the backend')).listen(${backendPort});`;

/** No gateway has this plugin. */
const impossible = `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: impossible, namespace: default }
plugin: impossible
`;

const shop = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { ports: [{ name: http, port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web, namespace: default, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
endpoints: [{ addresses: [${podAddress}], conditions: { ready: true } }]
ports: [{ name: http, port: ${backendPort} }]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: default }
spec:
  ingressClassName: kong
  rules:
    - http:
        paths:
          - { path: /web, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }
---
apiVersion: v1
kind: Namespace
metadata: { name: kong }
---
apiVersion: v1
kind: Service
metadata: { name: kong-proxy, namespace: kong }
spec: { type: LoadBalancer, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Namespace
metadata: { name: ${system} }
---
# As the cluster would write them for Pods of waygate-ingress and waygate-kong.
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: waygate-webhook
  namespace: ${system}
  labels: { kubernetes.io/service-name: waygate-webhook }
addressType: IPv4
endpoints: [{ addresses: [${podAddress}], conditions: { ready: true } }]
ports: [{ name: webhook, port: 9443 }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: waygate-kong-admin
  namespace: ${system}
  labels: { kubernetes.io/service-name: waygate-kong-admin }
addressType: IPv4
endpoints:
  - addresses: [${podAddress}]
    conditions: { ready: false, serving: false }
    targetRef: { kind: Pod, name: waygate-kong-0, namespace: ${system} }
ports: [{ name: admin-tls, port: 8444 }]
`;

/** What the chart is with these values, rendered by our own helm. */
async function rendered(values: readonly string[]): Promise<readonly KubeObject[]> {
  const chart = join(workspace, 'deploy/chart');
  const set = values.flatMap((value) => ['--set', value]);
  const place = ['waygate', chart, '--namespace', system, '--kube-version', '1.34.0'];
  const args = [waygate, 'template', ...place, ...set];
  const { code, stdout, stderr } = await run(process.execPath, args);
  expect(code, stderr).toBe(0);
  return (parseYamlAll(stdout) as unknown as (KubeObject | null)[]).filter((one) => one !== null);
}

describe.skipIf(problem !== undefined)('deploy/', () => {
  let machine: OwnMachine;
  let certificates: Certificates;
  const programs: Running[] = [];
  const environment = { KUBECONFIG: '/tmp/kubeconfig' };
  const kubectl = (...args: string[]) => machine.run('kubectl', args, { environment });
  const apply = (directory: string, ...flags: string[]) =>
    kubectl('apply', '--server-side', ...flags, '-k', join(workspace, 'deploy', directory));

  beforeAll(async () => {
    machine = await OwnMachine.start();
    certificates = makeCertificates();
    programs.push(machine.start(process.execPath, ['-e', backend]));
    await startApi();
    await writeAdminCertificate(machine, certificates.server);
    const names = [`waygate-kong-admin.${system}.svc`, 'kong-admin.kong.svc'];
    await machine.write('/etc/hosts', `127.0.0.1 localhost\n${podAddress} ${names.join(' ')}\n`);
    await until('the API to answer', () =>
      kubectl('get', '--raw', '/readyz').then(
        () => true,
        () => false,
      ),
    );
    await machine.run('kubectl', ['apply', '-f', '-'], { environment, input: shop });
  }, 60_000);

  /** The embedded API, or the way to the one of a cluster to spare. */
  async function startApi(): Promise<void> {
    if (spareKubeconfig !== undefined) {
      const config = await minifiedConfig(spareKubeconfig);
      const { cluster } = config.clusters[0];
      const { hostname: host, port } = new URL(cluster.server);
      await machine.forward(6443, { host, port: Number(port || 443) });
      cluster.server = 'https://127.0.0.1:6443';
      await machine.write(environment.KUBECONFIG, JSON.stringify(config));
      return;
    }
    const out = `--kubeconfig-out=${environment.KUBECONFIG}`;
    programs.push(machine.start(process.execPath, [waygate, 'apiserver', '--port=6443', out]));
  }

  /** A cluster to spare has nothing of ours again afterwards, but for namespaces. */
  async function cleanUp(): Promise<void> {
    const applied = await Promise.all(overlays.map((name) => objectsOf(`overlays/${name}`)));
    const others = parseYamlAll(`${shop}---\n${foreignDefinitions}`) as unknown as KubeObject[];
    const all = [...applied.flat(), ...others];
    const ours = [...new Map(all.map((object) => [nameOf(object), object])).values()];
    const items = ours.filter(({ kind }) => kind !== 'Namespace');
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const gone = ['delete', '--ignore-not-found', '--wait=false', '-f', '-'];
    await machine.run('kubectl', gone, { environment, input });
  }

  afterAll(async () => {
    if (spareKubeconfig !== undefined) await cleanUp();
    for (const program of programs.reverse()) await program.stop();
    await machine?.[Symbol.asyncDispose]();
    if (certificates !== undefined) rmSync(certificates.directory, { recursive: true });
  });

  async function untilServed(): Promise<void> {
    const url = `http://${podAddress}:8000/web`;
    await until('the route to answer', async () =>
      (await machine.run('curl', ['-s', url])).includes('from the backend'),
    );
  }

  /** Starts one Pod of each workload, does something, and ends them. */
  async function withPods(
    workloads: readonly Workload[],
    act: (pods: readonly Pod[]) => Promise<void>,
    options: Pick<PodOptions, 'environment'> = {},
  ): Promise<void> {
    const pods: Pod[] = [];
    try {
      for (const workload of workloads)
        pods.push(await Pod.start(workload, { machine, kubectl, ...options }));
      await act(pods);
    } catch (error) {
      const outputs = pods.map((pod) => pod.output()).join('\n');
      throw new Error(`${String(error)}\n${outputs}`, { cause: error });
    } finally {
      for (const pod of pods.reverse()) await pod[Symbol.asyncDispose]();
    }
    for (const pod of pods) expect(pod.output()).not.toMatch(/forbidden|defect/i);
  }

  // On each node the same Pods run as elsewhere.
  const started = overlays.filter((name) => /^ingress-(?!.*daemonset)/.test(name));

  test.each(started)('%s: a request goes through, and statuses say where', async (overlay) => {
    await apply(`overlays/${overlay}`);
    const address = `203.0.113.${overlays.indexOf(overlay) + 1}`;
    const isExternal = overlay.endsWith('-external');
    const front = isExternal ? ['kong', 'kong-proxy'] : [system, 'waygate-proxy'];
    await kubectl(
      ...['patch', 'service', '--namespace', ...front, '--subresource=status', '--type=merge'],
      ...['--patch', `{"status":{"loadBalancer":{"ingress":[{"ip":"${address}"}]}}}`],
    );
    const said = {
      CONTROLLER_KONG_ADMIN_CA_CERT: readFileSync(certificates.ca, 'utf8'),
      CONTROLLER_KONG_ADMIN_TLS_SERVER_NAME: 'kong.example.com',
    };
    const act = async (pods: readonly Pod[]) => {
      for (const pod of pods) await pod.untilReady();
      await untilServed();
      await kubectl(
        ...['wait', 'ingress/web', '--timeout=20s'],
        `--for=jsonpath={.status.loadBalancer.ingress[0].ip}=${address}`,
      );
      // The API server of a cluster to spare may have no way to the Service of the webhook.
      if (spareKubeconfig !== undefined) return;
      await until('the webhook to refuse', () =>
        machine
          .run('kubectl', ['apply', '--dry-run=server', '-f', '-'], {
            environment,
            input: impossible,
          })
          .then(
            () => false,
            (error: Error) => error.message.includes('kong.webhook.waygate'),
          ),
      );
    };
    const kong = isExternal ? await startKong() : undefined;
    const workloads = workloadsOf(await objectsOf(`overlays/${overlay}`));
    await withPods(workloads, act, isExternal ? { environment: said } : {}).finally(() =>
      kong?.[Symbol.asyncDispose](),
    );
  });

  /** A Kong that is there already. */
  async function startKong(): Promise<Pod> {
    const [, kong] = workloadsOf(await objectsOf('overlays/ingress-kong-discovery'));
    return Pod.start(kong!, { machine, kubectl });
  }

  const applied = (input: string) =>
    machine.run('kubectl', ['apply', '--server-side', '--force-conflicts', '-f', '-'], {
      environment,
      input,
    });

  /** Takes what was rendered, and asks whether its Pods would be let in. */
  async function take(objects: readonly KubeObject[]): Promise<readonly Workload[]> {
    await applied(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const workloads = workloadsOf(objects);
    const pods = workloads.map(({ metadata, spec }) => ({
      ...{ apiVersion: 'v1', kind: 'Pod', spec: spec.template.spec },
      metadata: { name: metadata.name, namespace: system },
    }));
    expect(pods).not.toEqual([]);
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods });
    await machine.run('kubectl', ['create', '--dry-run=server', '-f', '-'], { environment, input });
    return workloads;
  }

  test.each([...chartVariants])(
    'the chart, %s: is taken, and its Pods where only restricted ones are',
    async (name, values) => {
      if (/cert-manager|service monitor/.test(name)) await applied(foreignDefinitions);
      const workloads = await take(await rendered([...values, 'crds.install=false']));
      // What an overlay of this name runs has been seen to work.
      if (!overlays.includes(name)) return;
      const byName = (all: readonly Workload[]) => new Map(all.map((one) => [nameOf(one), one]));
      const wanted = workloadsOf(await objectsOf(`overlays/${name}`));
      expect(byName(workloads)).toEqual(byName(wanted));
    },
  );

  // What no overlay has is seen to work by itself.
  test.each(['with the dashboard', 'without the webhook'])(
    'the chart, %s: a request goes through',
    async (name) => {
      const values = [...chartVariants.get(name)!, 'gitops.enabled=false', 'crds.install=false'];
      const workloads = await take(await rendered(values));
      await withPods(workloads, async (pods) => {
        for (const pod of pods) await pod.untilReady();
        await untilServed();
        const [controller] = pods;
        const hasDashboard = name === 'with the dashboard';
        expect(await controller!.ask(8080, '/healthz'), name).toBe(hasDashboard ? 200 : 0);
      });
    },
  );

  test('gitops: its Pod is ready', async () => {
    await apply('overlays/gitops');
    await withPods(workloadsOf(await objectsOf('overlays/gitops')), async ([pod]) => {
      await pod!.untilReady();
      expect(await pod!.ask(9090, '/')).toBe(404);
    });
  });

  test("definitions are taken over from another's, but for versions that objects are stored in", async () => {
    const name = 'kustomizations.kustomize.toolkit.fluxcd.io';
    const path = join(workspace, 'deploy/crds/flux', `${name}.yaml`);
    const theirs = readFileSync(path, 'utf8').replace('- ks\n', '- kust\n');
    const another = ['--server-side', '--field-manager=another', '--force-conflicts', '-f', '-'];
    const put = (input: string) =>
      machine.run('kubectl', ['apply', ...another], { environment, input });
    await put(theirs);
    await expect(apply('crds/flux')).rejects.toThrow(/conflict with "another"/);
    await apply('crds/flux', '--force-conflicts');
    const names = await kubectl('get', 'crd', name, '-o', 'jsonpath={.spec.names.shortNames}');
    expect(names).toBe('["ks"]');
    await kubectl(
      ...['patch', 'crd', name, '--type=json', '--patch'],
      '[{"op":"copy","from":"/spec/versions/0","path":"/spec/versions/-"},' +
        '{"op":"replace","path":"/spec/versions/3/name","value":"v2"},' +
        '{"op":"replace","path":"/spec/versions/0/storage","value":false}]',
    );
    await expect(apply('crds/flux', '--force-conflicts')).rejects.toThrow(
      /storedVersions\[1\]: Invalid value: "v2": (must appear in|missing from) spec.versions/,
    );
    await kubectl('delete', 'crd', name);
  });

  test('every directory can be applied over what is there, a second time too', async () => {
    await kubectl('delete', 'deployment', '--all', '--namespace', system);
    const seen = new Set([...started, 'gitops'].map((name) => `overlays/${name}`));
    for (const directory of directories.filter((path) => !seen.has(path))) await apply(directory);
    expect(await apply('.')).toContain('deployment.apps/waygate-ingress serverside-applied');
  }, 240_000);
});
