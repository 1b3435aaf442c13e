import { beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { AccessReview } from './access-review.ts';

interface Asked {
  readonly path: string;
  readonly body: { readonly kind: string; readonly spec: Record<string, unknown> };
}

let clock: FakeClock;
let asked: Asked[];
let answers: Record<string, object>;
let access: AccessReview;

beforeEach(() => {
  clock = new FakeClock();
  asked = [];
  answers = {
    TokenReview: { status: { authenticated: true, user: { username: 'ann' } } },
    SubjectAccessReview: { status: { allowed: true } },
  };
  const json = async (request: unknown) => {
    asked.push(request as Asked);
    return answers[(request as Asked).body.kind];
  };
  access = new AccessReview({ json } as never, clock);
});

const verdict = (authorization?: string, path = '/metrics') =>
  access.verdictOn(authorization === undefined ? {} : { authorization }, path);

describe('who is let in', () => {
  test.each([
    [undefined, 401],
    ['', 401],
    ['Basic abc', 401],
    ['Bearer ', 401],
    ['Bearer a b', 401],
    ['xBearer a', 401],
    ['Bearer ab.c-d_e~f+/==', 200],
    ['bearer abc', 200],
  ])('%s: %i', async (authorization, wanted) => {
    expect(await verdict(authorization)).toBe(wanted);
    expect(asked.length).toBe(wanted === 401 ? 0 : 2);
  });

  test('the token is reviewed, then what its owner may do', async () => {
    const user = { username: 'ann', uid: '7', groups: ['g'], extra: { k: ['v'] } };
    answers.TokenReview = { status: { authenticated: true, user } };
    await verdict('Bearer abc');
    expect(asked).toEqual([
      {
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token: 'abc' },
        },
      },
      {
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            ...{ user: 'ann', uid: '7', groups: ['g'], extra: { k: ['v'] } },
            nonResourceAttributes: { path: '/metrics', verb: 'get' },
          },
        },
      },
    ]);
  });

  test('what the review does not know is not said', async () => {
    await verdict('Bearer abc');
    expect(Object.keys(asked[1]?.body.spec ?? {})).toEqual(['user', 'nonResourceAttributes']);
  });

  test.each([
    ['TokenReview', {}, 401],
    ['TokenReview', { status: {} }, 401],
    ['TokenReview', { status: { authenticated: false } }, 401],
    ['TokenReview', { status: { authenticated: true } }, 200],
    ['SubjectAccessReview', {}, 403],
    ['SubjectAccessReview', { status: { allowed: false } }, 403],
  ])('a %s that answers %j: %i', async (kind, answer, wanted) => {
    answers[kind] = answer;
    expect(await verdict('Bearer abc')).toBe(wanted);
  });
});

describe('a verdict is remembered', () => {
  test('for ten seconds, for one path and one token', async () => {
    await verdict('Bearer abc');
    await clock.advance(9_999);
    await verdict('Bearer abc');
    expect(asked).toHaveLength(2);
    await verdict('Bearer abc', '/other');
    await verdict('Bearer other');
    expect(asked).toHaveLength(6);
    await clock.advance(1);
    await verdict('Bearer abc');
    expect(asked).toHaveLength(8);
  });

  test('but not of any number of tokens', async () => {
    answers.TokenReview = {};
    await verdict('Bearer first');
    for (let index = 1; index < 1_000; index++) await verdict(`Bearer t${index}`);
    asked.length = 0;
    await verdict('Bearer first');
    expect(asked).toHaveLength(0);
    await verdict('Bearer last');
    await verdict('Bearer first');
    expect(asked).toHaveLength(2);
  });
});
