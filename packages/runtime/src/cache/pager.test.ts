import { errorFromStatus, type ListOptions, type ListPage } from '@waygate/kube';
import { describe, expect, test } from 'vitest';
import { Pager, type PagerOptions } from './pager.ts';

const expired = errorFromStatus({ kind: 'Status', code: 410, reason: 'Expired' });
const forbidden = errorFromStatus({ kind: 'Status', code: 403, reason: 'Forbidden' });

const page = (items: number[], next = ''): ListPage<number> =>
  ({ items, continue: next, resourceVersion: '5' }) as ListPage<number>;

/** Answers in turn, and keeps what it was asked. */
function paged(answers: readonly (ListPage<number> | Error)[], options?: PagerOptions) {
  const asked: ListOptions[] = [];
  const left = [...answers];
  const pager = new Pager<number>(async (request) => {
    asked.push(request);
    const answer = left.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  }, options);
  return { pager, asked };
}

const { signal } = new AbortController();
const then = (next: string, limit = 500) => ({
  limit,
  labelSelector: 'a',
  continue: next,
  resourceVersion: undefined,
  resourceVersionMatch: undefined,
});
const request = { labelSelector: 'a', resourceVersion: '3' };

describe('a list in pages', () => {
  test('is joined, and only its first page names a version', async () => {
    const { pager, asked } = paged([page([1, 2], 'x'), page([3], 'y'), page([4])]);
    expect(await pager.list(request, signal)).toEqual({
      list: page([1, 2, 3, 4]),
      isPaginated: true,
    });
    expect(asked).toEqual([{ ...request, limit: 500 }, then('x'), then('y')]);
  });

  test.each<[string, PagerOptions, ListOptions, number | undefined]>([
    ['the usual size', {}, {}, 500],
    ['its own size', { pageSize: 3 }, {}, 3],
    ['the size that is asked for', { pageSize: 3 }, { limit: 7 }, 7],
    ['its own, where none is asked for', { pageSize: 3 }, { limit: 0 }, 3],
    ['all at once', { pageSize: 0 }, {}, undefined],
  ])('has %s', async (_, options, asking, limit) => {
    const { pager, asked } = paged([page([1])], options);
    expect(await pager.list(asking, signal)).toEqual({ list: page([1]), isPaginated: false });
    expect(asked[0]?.limit).toBe(limit);
  });

  test('that expires in the middle is asked for whole', async () => {
    const { pager, asked } = paged([page([1], 'x'), expired, page([7, 8])]);
    expect(await pager.tryList(request, signal)).toEqual({
      list: page([7, 8]),
      isPaginated: true,
    });
    expect(asked[2]).toEqual({ ...request, limit: undefined });
  });

  test.each<[string, (ListPage<number> | Error)[], PagerOptions, unknown]>([
    ['at once', [expired], {}, { error: expired, isPaginated: false }],
    [
      'for another reason',
      [page([1], 'x'), forbidden],
      {},
      { error: forbidden, isPaginated: true },
    ],
    [
      'where it is not to be asked for whole',
      [page([1], 'x'), expired],
      { fullListIfExpired: false },
      { error: expired, isPaginated: true },
    ],
    [
      'again when it is whole',
      [page([1], 'x'), expired, forbidden],
      {},
      { error: forbidden, isPaginated: true },
    ],
  ])('that fails %s', async (_, answers, options, wanted) => {
    expect(await paged(answers, options).pager.tryList(request, signal)).toEqual(wanted);
    await expect(paged(answers, options).pager.list(request, signal)).rejects.toBe(
      (wanted as { error: unknown }).error,
    );
  });

  test('nobody asks after the end', async () => {
    const { pager, asked } = paged([]);
    expect(await pager.tryList({}, AbortSignal.abort('over'))).toEqual({
      error: 'over',
      isPaginated: false,
    });
    expect(asked).toEqual([]);
  });
});

describe('each item of a list', () => {
  test('is visited page by page', async () => {
    const { pager, asked } = paged([page([1, 2], 'x'), page([3])], { pageSize: 2 });
    const seen: string[] = [];
    await pager.eachListItem(request, signal, async (item) => {
      await Promise.resolve();
      seen.push(`${item} of page ${asked.length}`);
    });
    expect(seen).toEqual(['1 of page 1', '2 of page 1', '3 of page 2']);
    expect(asked).toEqual([{ ...request, limit: 2 }, then('x', 2)]);
  });

  test('until somebody has enough', async () => {
    const abort = new AbortController();
    const { pager, asked } = paged([page([1], 'x'), page([2])]);
    const visiting = pager.eachListItem({}, abort.signal, () => abort.abort('enough'));
    await expect(visiting).rejects.toBe('enough');
    expect(asked).toHaveLength(1);
  });
});
