import { gitOpsFlags, gitOpsGates, gitOpsOptionsFromFlags } from '@waygate/gitops';
import { controllerFlags, controllerGates, optionsFromFlags } from '@waygate/ingress';
import { gateNames } from '@waygate/runtime';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addControllerFlags, givenFlags } from './flag-values.ts';

// Names and types as the programs that are replaced print them.
const flagsOfOthers = {
  boolean: `
    anonymous-reports combined-services-from-different-httproutes dump-config
    dump-sensitive-config emit-kubernetes-events enable-controller-gwapi-gateway
    enable-controller-gwapi-grpcroute enable-controller-gwapi-httproute
    enable-controller-gwapi-reference-grant enable-controller-ingress-class-networkingv1
    enable-controller-ingress-class-parameters enable-controller-ingress-networkingv1
    enable-controller-kong-custom-entity enable-controller-kong-license
    enable-controller-kong-service-facade enable-controller-kong-upstream-policy
    enable-controller-kong-vault enable-controller-kongclusterplugin
    enable-controller-kongconsumer enable-controller-kongingress enable-controller-kongplugin
    enable-controller-service enable-controller-tcpingress enable-controller-udpingress
    enable-drain-support enable-leader-election enable-reverse-sync export-http-path-metrics
    insecure-kubeconfig-exec
    insecure-kubeconfig-tls kong-admin-tls-skip-verify konnect-disable-consumers-sync
    konnect-license-storage-enabled konnect-licensing-enabled konnect-sync-enabled
    leader-election-release-on-cancel no-cross-namespace-refs no-remote-bases profiling
    skip-ca-certificates update-status use-last-valid-config-for-fallback watch-all-namespaces
  `,
  duration: `
    artifact-retention-ttl cache-sync-timeout gateway-discovery-readiness-check-interval
    gateway-discovery-readiness-check-timeout init-cache-sync-duration
    kong-admin-init-retry-delay konnect-initial-license-polling-period
    konnect-license-polling-period konnect-refresh-node-period konnect-upload-config-period
    leader-election-lease-duration leader-election-renew-deadline leader-election-retry-period
    max-retry-delay min-retry-delay rate-limit-interval requeue-dependency sync-period term-delay
    token-cache-max-duration
  `,
  gates: `
    feature-gates
  `,
  integer: `
    apiserver-burst apiserver-qps artifact-retention-records concurrent concurrent-ssa
    helm-cache-max-size helm-chart-file-max-size helm-chart-max-size helm-index-max-size
    http-retry interval-jitter-percentage kong-admin-concurrency kong-admin-init-retries
    konnect-config-sync-concurrency kube-api-burst token-cache-max-size
    update-status-queue-buffer-size
  `,
  key: `
    gateway-to-reconcile kong-admin-svc publish-service publish-service-udp
  `,
  list: `
    kong-admin-filter-tag kong-admin-header kong-admin-svc-port-names kong-admin-url
    override-manager publish-status-address publish-status-address-udp ssh-hostkey-algos
    ssh-kex-algos watch-namespace
  `,
  number: `
    kube-api-qps proxy-sync-seconds proxy-timeout-seconds
  `,
  string: `
    admission-webhook-cert admission-webhook-cert-file admission-webhook-key
    admission-webhook-key-file admission-webhook-listen apiserver-host artifact-digest-algo
    cluster-domain configmap-label-selector custom-apply-stage-kinds
    default-decryption-service-account default-kubeconfig-service-account
    default-service-account election-id election-namespace events-addr
    gateway-api-controller-name health-addr health-probe-bind-address helm-cache-purge-interval
    helm-cache-ttl ingress-class kong-admin-ca-cert kong-admin-ca-cert-file
    kong-admin-tls-client-cert kong-admin-tls-client-cert-file kong-admin-tls-client-key
    kong-admin-tls-client-key-file kong-admin-tls-server-name kong-admin-token
    kong-admin-token-file kong-workspace konnect-address konnect-control-plane-id
    konnect-tls-client-cert konnect-tls-client-cert-file konnect-tls-client-key
    konnect-tls-client-key-file kubeconfig log-encoding log-format log-level
    metrics-access-filter metrics-addr metrics-bind-address receiverAddr secret-label-selector
    sops-age-secret sops-vault-configmap storage-addr storage-adv-addr storage-path
    watch-configs-label-selector watch-label-selector
  `,
} as const;

const samples: Record<keyof typeof flagsOfOthers, readonly string[]> = {
  boolean: ['true', 'false'],
  duration: ['11s'],
  gates: ['FillIDs=true'],
  integer: ['7'],
  key: ['kong/proxy'],
  list: ['a', 'a,b'],
  number: ['2.5'],
  string: ['text'],
};

/** Values of those that take only certain texts. */
const special: Readonly<Record<string, string>> = {
  'admission-webhook-listen': ':8443',
  'artifact-digest-algo': 'sha512',
  'custom-apply-stage-kinds': 'example.com/Tenant',
  'events-addr': 'http://notification-controller.flux-system.svc.cluster.local./',
  'gateway-discovery-readiness-check-timeout': '2s',
  'health-addr': ':9440',
  'health-probe-bind-address': ':10254',
  'leader-election-lease-duration': '60s',
  'leader-election-renew-deadline': '20s',
  'max-retry-delay': '20m',
  'metrics-access-filter': 'rbac',
  'metrics-addr': 'off',
  'metrics-bind-address': '0',
  'min-retry-delay': '1s',
  receiverAddr: ':9292',
  'storage-addr': ':9090',
};

const all = Object.entries(flagsOfOthers).flatMap(([type, names]) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => ({ name, type: type as keyof typeof flagsOfOthers })),
);

function parse(args: readonly string[]) {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addControllerFlags(command);
  command.parse(args, { from: 'user' });
  return givenFlags(command.opts());
}

const environment = { RUNTIME_NAMESPACE: 'flux-system' };

function readBoth(args: readonly string[]) {
  const given = parse(args);
  return [
    optionsFromFlags(given, environment, { identity: 'me', otherGates: gateNames(gitOpsGates) }),
    gitOpsOptionsFromFlags(given, environment, {
      controllers: ['source', 'kustomize'],
      otherGates: gateNames(controllerGates),
    }),
  ] as const;
}

const problemsOf = (args: readonly string[]) => readBoth(args).flatMap(({ problems }) => problems);
const warningsOf = (args: readonly string[]) => readBoth(args).flatMap(({ warnings }) => warnings);

describe('every flag of Flux’s controllers and of Kong Ingress Controller', () => {
  test('is in the list once', () => {
    expect(all.length).toBeGreaterThan(140);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  test.each(all)('--$name is taken in every form', ({ name, type }) => {
    const values = Object.hasOwn(special, name) ? [special[name]!] : samples[type];
    for (const value of values) {
      expect(parse([`--${name}=${value}`])).toEqual({ [name]: value });
      expect(problemsOf([`--${name}=${value}`])).toEqual([]);
      expect(parse([`--${name}`, value])).toEqual({ [name]: value });
    }
    if (type === 'boolean') {
      expect(parse([`--${name}`])).toEqual({ [name]: 'true' });
      expect(parse([`--${name}`, '--log-level=debug'])).toMatchObject({ [name]: 'true' });
      expect(problemsOf([`--${name}`])).toEqual([]);
    }
    if (type === 'list') expect(parse([`--${name}=a`, `--${name}=b`])).toEqual({ [name]: 'a,b' });
  });

  test.each([...gitOpsFlags, ...controllerFlags])('--$name says when it does nothing', (flag) => {
    const value = special[flag.name] ?? (flag.type === 'boolean' ? 'true' : String(flag.default));
    const said = warningsOf([
      flag.name.length === 1 ? `-${flag.name}` : `--${flag.name}`,
      value,
    ]).filter((one) => one.startsWith(`--${flag.name} has no effect`));
    expect(said.length > 0).toBe(flag.withoutEffect !== undefined);
  });
});

describe('--events-addr means two things, as in Flux', () => {
  test.each([
    [[], undefined, 9091],
    [['--events-addr=http://x.svc./'], 'http://x.svc./', 9091],
    [['--events-addr=:9090'], undefined, 9090],
    [['--events-addr=127.0.0.1:7'], undefined, 7],
    [['--events-listen-addr=off'], undefined, undefined],
  ])('%j', (args, url, port) => {
    const { options } = readBoth(args)[1];
    expect([options.eventsUrl, options.eventsListen?.port]).toEqual([url, port]);
    expect(problemsOf(args)).toEqual([]);
  });
});

describe('booleans that begin with no-', () => {
  test.each([
    [[], false],
    [['--no-cross-namespace-refs'], true],
    [['--no-cross-namespace-refs=true'], true],
    [['--no-cross-namespace-refs=false'], false],
  ])('%j', (args, expected) => {
    expect(readBoth(args)[1].options.noCrossNamespaceRefs).toBe(expected);
  });
});

describe('feature gates', () => {
  test('each side takes its own, of one flag', () => {
    const gates = '--feature-gates=FillIDs=false,StrictPostBuildSubstitutions=false';
    const [ingress, gitops] = readBoth([gates, '--feature-gates=ExternalArtifact=false']);
    expect(ingress.options.translate?.features).toEqual({ fillIds: false });
    expect(gitops.options).toMatchObject({ strictSubstitution: false, externalArtifacts: false });
    expect([...ingress.problems, ...gitops.problems]).toEqual([]);
    expect([...ingress.warnings, ...gitops.warnings]).toEqual([]);
  });

  test.each([...gateNames(gitOpsGates), ...gateNames(controllerGates)])('%s is known', (gate) => {
    expect(problemsOf([`--feature-gates=${gate}=true`])).toEqual([]);
    const acts = [...gitOpsGates.acting, ...controllerGates.acting].includes(gate);
    expect(warningsOf([`--feature-gates=${gate}=true`])).toHaveLength(acts ? 0 : 1);
  });

  test.each(['Nonsense=true', 'FillIDs', 'ExternalArtifact=maybe'])('%s is a problem', (gate) => {
    expect(problemsOf([`--feature-gates=${gate}`])).not.toEqual([]);
  });
});
