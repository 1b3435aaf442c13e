import { useMemo, useState } from 'preact/hooks';
import { tables, useTopics } from '../../live/dashboard.ts';
import { Choices } from '../../parts/choices.tsx';
import { GatewayFault, gatewayFault } from '../../parts/gateway-fault.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useIsNarrow } from '../../parts/narrow.ts';
import { Empty, WhenRead } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { place, setQuery } from '../../place/place.ts';
import { filterFields, filterRoutes, parseFilter } from './route-filter.ts';
import { RouteHeads, RouteLine } from './route-line.tsx';
import { NameOrder, orderRoutes, type RouteOrder } from './route-order.ts';
import { RoutePanel } from './route-panel.tsx';

const orders = [
  { value: 'name', title: 'Address' },
  { value: 'rate', title: 'Rate' },
  { value: 'errors', title: 'Errors' },
  { value: 'latency', title: 'Latency' },
] as const;

const states = [
  { value: '', title: 'All' },
  { value: 'is:unhealthy', title: 'Unhealthy' },
  { value: 'is:failing', title: 'Failing' },
] as const;

/** Every route of the gateway, with what goes over it. */
export function RoutesPage() {
  useTopics('routes', 'traffic');
  return (
    <div class="page page-list">
      <WhenRead title="Routes" table={tables.routes}>
        {() => <RouteList />}
      </WhenRead>
    </div>
  );
}

function RouteList() {
  const { query } = place.value;
  const typed = query.get('q') ?? '';
  const state = query.get('state') ?? '';
  const order = orders.find(({ value }) => value === query.get('order'))?.value ?? 'name';
  const all = tables.routes.rows.value;
  const shown = useShown(`${typed} ${state}`, order);
  const selected = query.get('route') ?? undefined;
  const row = selected === undefined ? undefined : tables.routes.get(selected);
  const isNarrow = useIsNarrow();
  const counted =
    shown.length === all.length
      ? `${all.length.toLocaleString('en')} ${all.length === 1 ? 'route' : 'routes'}`
      : `${shown.length.toLocaleString('en')} of ${all.length.toLocaleString('en')} routes`;
  const fault = gatewayFault();
  if (all.length === 0)
    return (
      <>
        <PageHead title="Routes" />
        {fault ? (
          <Empty title="No route can be seen">
            {fault.message}. <a href="/problems">What to do</a>
          </Empty>
        ) : (
          <Empty title="No routes yet">
            An Ingress or an HTTPRoute of the gateway's class makes the first one.
          </Empty>
        )}
      </>
    );
  return (
    <>
      <PageHead title="Routes" aside={counted}>
        <SearchField
          label="Filter routes"
          placeholder="Filter by host, path, plugin:cors, ns:shop …"
          value={typed}
          onInput={(q) => setQuery({ q })}
          hint={`Words before a colon: ${filterFields.join(', ')}. A minus before a word leaves it out.`}
        />
        <Choices
          label="State"
          choices={states}
          value={state}
          onChoose={(value) => setQuery({ state: value })}
        />
        <Choices
          label="Order"
          choices={orders}
          value={order}
          onChoose={(value) => setQuery({ order: value })}
        />
      </PageHead>
      <GatewayFault />
      <div class={row ? 'split split-open' : 'split'}>
        {shown.length > 0 ? (
          <div class="route-table">
            <RouteHeads />
            <VirtualList
              label="Routes"
              rows={shown}
              rowHeight={isNarrow ? 104 : 58}
              keyOf={({ id }) => id}
              selected={selected}
              onSelect={({ id }) => setQuery({ route: id })}
              render={(shownRow) => (
                <RouteLine row={shownRow} traffic={tables.traffic.get(shownRow.id)} />
              )}
            />
          </div>
        ) : (
          <p class="none-left">
            <Icon name="search" /> No route matches <q>{`${typed} ${state}`.trim()}</q>.{' '}
            <button type="button" class="link" onClick={() => setQuery({ q: '', state: '' })}>
              Show all
            </button>
          </p>
        )}
        {row && <RoutePanel key={row.id} row={row} traffic={tables.traffic.get(row.id)} />}
      </div>
    </>
  );
}

/** Put in order, then filtered. Traffic moves rows only when it decides. */
function useShown(typed: string, order: RouteOrder) {
  const [names] = useState(() => new NameOrder());
  const all = tables.routes.rows.value;
  const rows = useMemo(() => names.of(all), [all]);
  const needsTraffic = order !== 'name' || /\bis:(failing|busy)\b/.test(typed);
  const traffic = needsTraffic ? tables.traffic.rows.value : undefined;
  return useMemo(() => {
    const trafficOf = (id: string) => tables.traffic.peek(id);
    return orderRoutes(filterRoutes(rows, parseFilter(typed), trafficOf), order, trafficOf);
  }, [rows, traffic, typed, order]);
}
