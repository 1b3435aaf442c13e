import { KubeError, type ListOptions, type ListPage } from '@waygate/kube';
import { Pager } from '@waygate/runtime';
import { fail, type Outcome, pass } from '../driver.ts';
import { differs, type Scenario } from './client-go-scenario.ts';

interface PagerServer {
  readonly total: number;
  readonly rv: string;
  readonly expireOnPage?: number;
}

/** Runs one scenario of `pager.json`. */
export async function runPager(scenario: Scenario): Promise<Outcome> {
  const { total, rv, expireOnPage } = scenario.server as PagerServer;
  const { fullListIfExpired, ...options } = scenario.options ?? {};
  const requests: ListOptions[] = [];
  const pager = new Pager<number>(
    async (request): Promise<ListPage<number>> => {
      requests.push(request);
      if (requests.length === expireOnPage)
        throw new KubeError('WG_KUBE_API', 'expired', { status: { code: 410, reason: 'Expired' } });
      const start = Number(request.continue ?? 0);
      const end = request.limit ? Math.min(start + request.limit, total) : total;
      const items = Array.from({ length: end - start }, (_, index) => start + index);
      return { resourceVersion: rv, continue: end < total ? String(end) : '', items };
    },
    {
      pageSize: scenario.config?.pageSize as number,
      ...(typeof fullListIfExpired === 'boolean' ? { fullListIfExpired } : {}),
    },
  );
  const result = await pager.tryList(options, new AbortController().signal);
  const actual: Record<string, unknown> = {
    paginated: result.isPaginated,
    requests: requests.length,
    requestsRV: requests.map(({ resourceVersion = '' }) => resourceVersion),
    requestsMatch: requests.map(({ resourceVersionMatch = '' }) => resourceVersionMatch),
    lastRequest: requestData(requests.at(-1)!, scenario.expect?.lastRequest),
    error: 'error' in result ? (result.error as KubeError).status?.reason : null,
    items: 'list' in result ? result.list.items.length : null,
    rv: 'list' in result ? result.list.resourceVersion : null,
  };
  for (const [name, value] of Object.entries(scenario.expect ?? {})) {
    const problem = differs(value, actual[name]);
    if (problem !== undefined) return fail(`${name}: ${problem}`);
  }
  return pass;
}

/** What a request says of the fields that are expected of it; what it leaves out is as good as empty. */
function requestData(request: ListOptions, expected: unknown): Record<string, unknown> {
  const empty: Record<string, unknown> = { limit: 0, continue: '', resourceVersion: '' };
  return Object.fromEntries(
    Object.keys((expected ?? {}) as object).map((name) => [
      name,
      (request as Record<string, unknown>)[name] ?? empty[name],
    ]),
  );
}
