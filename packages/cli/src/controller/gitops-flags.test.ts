import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addGitOpsFlags, type GitOpsFlags, gitOpsOptions } from './gitops-flags.ts';

function optionsOf(args: readonly string[], environment: Record<string, string> = {}) {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addGitOpsFlags(command);
  command.parse(args, { from: 'user' });
  return gitOpsOptions(command.opts<GitOpsFlags>(), environment);
}

describe('the flags of Flux’s controllers', () => {
  test.each([
    [
      '--storage-adv-addr=source.flux-system.svc',
      { listen: { host: '127.0.0.1', port: 9090, advertisedAddress: 'source.flux-system.svc' } },
    ],
    ['--artifact-retention-ttl=1h30m', { retentionTtlMs: 5_400_000 }],
    ['--artifact-retention-records=5', { retentionRecords: 5 }],
    ['--concurrent=20', { concurrent: 20 }],
    ['--concurrent-ssa=9', { concurrentApply: 9 }],
    ['--requeue-dependency=5s', { requeueDependencyMs: 5000 }],
    ['--interval-jitter-percentage=10', { jitter: 0.1 }],
    ['--no-cross-namespace-refs', { noCrossNamespaceRefs: true }],
    ['--no-external-artifacts', { externalArtifacts: false }],
    [
      '--custom-apply-stage-kinds=example.com/Tenant',
      { customStageKinds: [{ group: 'example.com', kind: 'Tenant' }] },
    ],
    ['--override-manager=helm', { overrideManagers: ['helm'] }],
    ['--health-addr=off', { leaderElection: false }],
    ['--health-addr=:9440', { server: { host: '::', port: 9440 } }],
  ])('%s', (flag, expected) => {
    expect(optionsOf([flag])).toMatchObject(expected);
  });

  test('health is served unless it is switched off', () => {
    expect(optionsOf([]).server).toEqual({ host: '127.0.0.1', port: 9440 });
    expect(optionsOf(['--health-addr=off'])).not.toHaveProperty('server');
  });

  test('a shard leads on a Lease of its own, in the namespace of its Pod', () => {
    const environment = { RUNTIME_NAMESPACE: 'flux-system' };
    const whole = optionsOf(['--enable-leader-election'], environment).leaderElection;
    const shard = optionsOf(
      ['--enable-leader-election', '--watch-label-selector=sharding.fluxcd.io/key=a'],
      environment,
    ).leaderElection;
    expect(whole).toMatchObject({
      name: 'waygate-gitops',
      namespace: 'flux-system',
      leaseDurationMs: 35_000,
    });
    expect(shard).toMatchObject({ name: expect.stringMatching(/^waygate-gitops-[0-9a-f]{8}$/) });
  });

  test.each([
    [['--concurrent=0'], 'whole number above 0'],
    [['--requeue-dependency=soon'], 'must be a duration'],
    [['--interval-jitter-percentage=100'], 'from 0 to 99'],
    [['--events-addr=notification-controller'], 'must be an http or https URL'],
    [['--storage-addr=nowhere'], 'must be host:port'],
  ])('%j is refused', (args, message) => {
    expect(() => optionsOf(args)).toThrow(message);
  });
});
