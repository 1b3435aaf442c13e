import { startTestServer, type TestServer } from '@waygate/apiserver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareKubernetes, kubernetesComparedText, kubernetesSide } from './compare-kubernetes.ts';
import { soundObjects } from './kubernetes-objects.ts';
import { triedRequests } from './kubernetes-requests.ts';

let one: TestServer;
let other: TestServer;

beforeAll(async () => {
  one = await startTestServer({ controllers: [] });
  other = await startTestServer({ controllers: [] });
});
afterAll(() => Promise.all([one.stop(), other.stop()]));

test('a seed decides what is sent', () => {
  const sound = soundObjects('n');
  expect(triedRequests(sound, 7, 20)).toEqual(triedRequests(sound, 7, 20));
  expect(triedRequests(sound, 7, 20)).not.toEqual(triedRequests(sound, 8, 20));
});

test('a server answers as itself, and every sound object is one', async () => {
  const sides = [one, other].map(({ url, adminToken }) => kubernetesSide(url, adminToken)) as [
    ReturnType<typeof kubernetesSide>,
    ReturnType<typeof kubernetesSide>,
  ];
  const refused: string[] = [];
  const watched: (typeof sides)[0] = async (request) => {
    const answer = await sides[0](request);
    const isCreation = request.method === 'POST' && !request.path.includes('dryRun');
    // Some are sent twice, on purpose.
    if (isCreation && ![201, 409].includes(answer.status))
      refused.push(`${request.path}: ${answer.text}`);
    return answer;
  };
  const compared = await compareKubernetes(watched, sides[1], { seed: 1, count: 60 });
  expect(refused).toEqual([]);
  expect(compared).toMatchObject({ differences: [] });
});

test('what differs is said with both answers', async () => {
  const sides = [one, other].map(({ url, adminToken }) => kubernetesSide(url, adminToken));
  const [real, ours] = sides as [
    ReturnType<typeof kubernetesSide>,
    ReturnType<typeof kubernetesSide>,
  ];
  const compared = await compareKubernetes(
    async (request) =>
      request.path.endsWith('/leases')
        ? { status: 403, headers: {}, text: 'no', body: { message: 'no' }, events: [] }
        : real(request),
    ours,
    { seed: 1, count: 0 },
  );
  expect(kubernetesComparedText(compared)).toContain('create Lease\n    status 201 instead of 403');
});
