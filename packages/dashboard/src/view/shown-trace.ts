import type { TraceAnswer } from '../protocol/pages.ts';
import type { RouteRow } from '../protocol/routes.ts';
import { type Guarded, needOf, type Rights, shownTo } from './guarded.ts';

/** The name of a route that somebody else has: that the request is taken may be known, and no more. */
const hiddenName = 'a route that you may not see';

/** A trace as a person may see it: nothing of routes and objects that are not theirs to read. */
export function shownTrace(
  answer: TraceAnswer,
  routeOf: (id: string) => Guarded<RouteRow> | undefined,
  rights: Rights,
): TraceAnswer {
  const lost = answer.lost.filter(({ id }) => shownTo(routeOf(id), rights) !== undefined);
  const chain = answer.chain
    .filter(({ object }) => rights.allows(needOf(object)))
    .map(({ origin, lines, ...link }) => {
      const isOwn =
        origin?.kustomization === undefined || rights.allows(needOf(origin.kustomization));
      if (!isOwn) return link;
      return { ...link, ...(origin && { origin }), ...(lines && { lines }) };
    });
  // How many others there are says something of others, too.
  const lostMore = rights.id === 'all' ? answer.lostMore : 0;
  const { route, upstreamUrl, ...rest } = answer;
  if (route === undefined) return { ...rest, chain, lost, lostMore };
  const row = shownTo(routeOf(route.id), rights);
  if (row === undefined)
    return {
      ...rest,
      route: { id: '', name: hiddenName, conditions: '' },
      plugins: [],
      targets: [],
      chain: [],
      lost,
      lostMore,
    };
  const isServed = row.service !== undefined;
  return {
    ...rest,
    route,
    ...(isServed && upstreamUrl !== undefined ? { upstreamUrl } : {}),
    targets: isServed ? answer.targets : [],
    chain,
    lost,
    lostMore,
  };
}
