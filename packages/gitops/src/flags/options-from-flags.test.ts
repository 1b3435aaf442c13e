import { describe, expect, test } from 'vitest';
import { gitOpsOptionsFromFlags } from './options-from-flags.ts';

const both = { controllers: ['source', 'kustomize'] } as const;

function read(flag: string, environment: Record<string, string> = {}) {
  const [name = '', ...value] = flag.slice(2).split('=');
  const given = flag === '' ? {} : { [name]: value.length === 0 ? 'true' : value.join('=') };
  return gitOpsOptionsFromFlags(given, environment, both);
}

const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', RUNTIME_NAMESPACE: 'flux-system' };

describe('the flags of Flux’s controllers', () => {
  test.each([
    [
      '--storage-adv-addr=source.flux-system.svc',
      { listen: { host: '127.0.0.1', port: 9090, advertisedAddress: 'source.flux-system.svc' } },
    ],
    ['--artifact-digest-algo=sha384', { digestAlgorithm: 'sha384' }],
    ['--artifact-retention-ttl=1h30m', { retentionTtlMs: 5_400_000 }],
    ['--artifact-retention-records=5', { retentionRecords: 5 }],
    ['--concurrent=20', { concurrent: 20, concurrentSources: undefined }],
    ['--concurrent-ssa=9', { concurrentApply: 9 }],
    ['--requeue-dependency=5s', { requeueDependencyMs: 5000 }],
    ['--interval-jitter-percentage=10', { jitter: 0.1 }],
    ['--interval-jitter-percentage=0', { jitter: 0 }],
    ['--no-cross-namespace-refs', { noCrossNamespaceRefs: true }],
    ['--no-external-artifacts', { externalArtifacts: false }],
    ['--http-retry=0', { downloadTries: 1 }],
    ['--min-retry-delay=2s', { minRetryMs: 2000 }],
    ['--max-retry-delay=1m', { maxRetryMs: 60_000 }],
    ['--watch-all-namespaces=false', { namespace: 'flux-system' }],
    ['--watch-all-namespaces=true', { namespace: undefined }],
    ['--watch-configs-label-selector=a=b', { watchedConfigSelector: 'a=b' }],
    ['--feature-gates=DisableConfigWatchers=true', { watchedConfigSelector: false }],
    ['--sops-age-secret=keys', { sopsAgeSecret: { namespace: 'flux-system', name: 'keys' } }],
    ['--insecure-kubeconfig-exec', { kubeconfigs: { mayExec: true, maySkipTlsVerify: false } }],
    ['--insecure-kubeconfig-tls', { kubeconfigs: { mayExec: false, maySkipTlsVerify: true } }],
    ['--ssh-kex-algos=a,b@c.d', { sshAlgorithms: { keyExchange: ['a', 'b@c.d'] } }],
    ['--ssh-hostkey-algos=ssh-ed25519', { sshAlgorithms: { hostKey: ['ssh-ed25519'] } }],
    [
      '--custom-apply-stage-kinds=example.com/Tenant',
      { customStageKinds: [{ group: 'example.com', kind: 'Tenant' }] },
    ],
    ['--override-manager=helm', { overrideManagers: ['helm'] }],
    ['--health-addr=off', { leaderElection: false }],
    ['--health-addr=:9440', { server: { host: '::', port: 9440 } }],
    ['--health-addr=[::1]:9440', { server: { host: '::1', port: 9440 } }],
  ])('%s', (flag, expected) => {
    const { options, problems, warnings } = read(flag, { RUNTIME_NAMESPACE: 'flux-system' });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([]);
    expect(options).toMatchObject(expected);
  });

  test('health, metrics and artifacts are for all in a Pod, and for this machine elsewhere', () => {
    const outside = read('');
    expect(outside.options.server).toEqual({ host: '127.0.0.1', port: 9440 });
    expect(outside.metrics).toEqual({ host: '127.0.0.1', port: 8080 });
    expect(outside.options.listen).toMatchObject({ host: '127.0.0.1', port: 9090 });
    const inside = read('', inPod);
    expect(inside.options.server).toEqual({ host: '::', port: 9440 });
    expect(inside.metrics).toEqual({ host: '::', port: 8080 });
    expect(inside.options.listen).toMatchObject({ host: '::', port: 9090 });
    expect(read('--health-addr=off').options).not.toHaveProperty('server');
    expect(read('--metrics-addr=0').metrics).toBeUndefined();
  });

  test('the environment says where artifacts are, the command line wins', () => {
    const environment = { STORAGE_PATH: '/mine', STORAGE_ADDR: ':7070', STORAGE_ADV_ADDR: 'me.' };
    expect(read('--storage-path=/other', environment).options).toMatchObject({
      storageDirectory: '/other',
      listen: { host: '::', port: 7070, advertisedAddress: 'me.' },
    });
  });

  test('where only sources are followed, --concurrent is about them', () => {
    const given = { concurrent: '11' };
    const { options } = gitOpsOptionsFromFlags(given, {}, { controllers: ['source'] });
    expect(options.concurrentSources).toBe(11);
  });

  test('a shard leads on a Lease of its own, in the namespace of its Pod', () => {
    const electionOf = (given: Record<string, string>) =>
      gitOpsOptionsFromFlags({ 'enable-leader-election': 'true', ...given }, inPod, both).options
        .leaderElection;
    expect(electionOf({})).toEqual({
      name: 'waygate-gitops',
      namespace: 'flux-system',
      // Kept for the life of the process, so that it takes its own Lease again after an outage.
      identity: expect.stringMatching(/^.+_[0-9a-f-]{36}$/),
      leaseDurationMs: 35_000,
      renewDeadlineMs: 30_000,
      retryPeriodMs: 5_000,
      releaseOnCancel: true,
    });
    expect(electionOf({ 'leader-election-release-on-cancel': 'false' })).toMatchObject({
      releaseOnCancel: false,
    });
    expect(electionOf({ 'watch-label-selector': 'sharding.fluxcd.io/key=a' })).toMatchObject({
      name: expect.stringMatching(/^waygate-gitops-[0-9a-f]{8}$/),
    });
  });

  test.each([
    ['--concurrent=0', 'whole number above 0'],
    ['--requeue-dependency=soon', 'must be a duration'],
    ['--requeue-dependency=0s', 'must be a duration above 0'],
    ['--interval-jitter-percentage=100', 'from 0 to 99'],
    ['--events-addr=notification-controller', 'must be an http or https URL'],
    ['--storage-addr=nowhere', 'must be host:port'],
    ['--storage-addr=off', 'must be host:port'],
    ['--artifact-digest-algo=md5', 'must be one of sha256, sha384, sha512'],
    ['--min-retry-delay=1h', 'must not be longer than --max-retry-delay'],
    ['--watch-all-namespaces=false', 'RUNTIME_NAMESPACE'],
    ['--sops-age-secret=keys', 'RUNTIME_NAMESPACE'],
    ['--ssh-kex-algos=a -o ProxyCommand=x', 'names of algorithms'],
    ['--watch-label-selector=a in b', '--watch-label-selector'],
    ['--leader-election-lease-duration=10s', 'must be longer than'],
    ['--no-cross-namespace-refs=perhaps', 'must be true or false'],
  ])('%s is a problem', (flag, message) => {
    expect(read(flag).problems).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ['--artifact-digest-algo=blake3', 'sha256 is used'],
    ['--no-remote-bases=false', 'never fetched'],
    ['--helm-cache-max-size=1', 'indexes'],
    ['--token-cache-max-size=1', 'tokens'],
    ['--sops-vault-configmap=vault', 'Vault'],
    ['--default-decryption-service-account=a', 'identities of clouds'],
  ])('%s has no effect, which is said', (flag, message) => {
    const { problems, warnings } = read(flag);
    expect(problems).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(message)]);
  });
});
