import { kinds, type Lease } from '@waygate/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../until.ts';
import { core, ingress, ingresses, Stack, service } from './stack.ts';

let stack: Stack;

beforeEach(async () => {
  stack = await Stack.start();
});

afterEach(() => stack.stop());

const name = 'lead';
const namespace = 'default';

/** Another replica takes the Lease, or gives it back. */
async function handLease(holderIdentity: string): Promise<void> {
  const leases = stack.client.resource(kinds.Lease);
  for (;;) {
    const lease = await leases.get(name, { namespace });
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const next: Lease = { ...lease, spec: { ...lease.spec, holderIdentity, renewTime } };
    try {
      return void (await leases.update(next));
    } catch {
      // The controller renewed it meanwhile.
    }
  }
}

test('what another leader wrote meanwhile is seen by the one that leads again', async () => {
  const { admin } = await stack.gateway({ mode: 'database' });
  await stack.create(`${core}/services`, service);
  await stack.create(ingresses, ingress('web', 'web.test'));
  const times = { leaseDurationMs: 2_000, renewDeadlineMs: 1_500, retryPeriodMs: 50 };
  const { controller } = stack.controller({
    kongAdmin: stack.adminClient(admin),
    leaderElection: { namespace, name, identity: 'ours', ...times },
  });
  const routes = async () => {
    const answer = await fetch(`${admin}/routes`);
    return ((await answer.json()) as { data: { id: string; hosts: string[] }[] }).data;
  };
  await until('it is live', async () => (await routes()).length === 1);
  await handLease('other');
  await until('another leads', async () => !controller.isLeader);

  const [{ id } = { id: '' }] = await routes();
  const body = JSON.stringify({ hosts: ['theirs.test'] });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${admin}/routes/${id}`, { method: 'PATCH', headers, body });
  await handLease('');
  await until('it leads again', async () => controller.isLeader);
  await until('the gateway has what the cluster says', async () => {
    return (await routes())[0]?.hosts[0] === 'web.test';
  });
  expect(await routes()).toHaveLength(1);
});
