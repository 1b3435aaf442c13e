import type { RouteRow, RouteTraffic } from '../../../../src/protocol/routes.ts';
import { HealthDot, HealthLabel } from '../../parts/health.tsx';
import { Icon } from '../../parts/icon.tsx';
import { CommitLink, ObjectLink } from '../../parts/references.tsx';
import { objectKey } from '../../place/addresses.ts';
import { setQuery } from '../../place/place.ts';
import { TrafficPlots } from './traffic-plots.tsx';

/** All about one route, beside the list. */
export function RoutePanel({
  row,
  traffic,
}: {
  readonly row: RouteRow;
  readonly traffic: RouteTraffic | undefined;
}) {
  return (
    <aside class="panel" aria-label={`Route ${row.name}`}>
      <div class="panel-head">
        <h2 class="panel-title mono">{row.name}</h2>
        <button
          type="button"
          class="quiet"
          aria-label="Close"
          onClick={() => setQuery({ route: '' })}
        >
          <Icon name="close" size={20} />
        </button>
      </div>
      <div class="panel-lead">
        <HealthLabel health={row.health} />
        {row.reason && <p>{row.reason}</p>}
      </div>
      {traffic && <TrafficPlots traffic={traffic} />}
      <Matches row={row} />
      <Plugins row={row} />
      <Served row={row} />
      <ComesFrom row={row} />
    </aside>
  );
}

interface RowProps {
  readonly row: RouteRow;
}

function Matches({ row }: RowProps) {
  return (
    <section>
      <h3>Matches</h3>
      <dl class="facts">
        {row.expression !== undefined && <Fact name="expression" values={[row.expression]} />}
        <Fact name="hosts" values={row.hosts} none="any" />
        <Fact name="paths" values={row.paths} none="any" />
        <Fact name="methods" values={row.methods} none="any" />
        <Fact name="protocols" values={row.protocols} />
      </dl>
      <a class="button" href={traceAddress(row)}>
        <Icon name="trace" /> Trace a request
      </a>
    </section>
  );
}

function Plugins({ row: { plugins } }: RowProps) {
  return (
    <section>
      <h3>Plugins</h3>
      {plugins.length === 0 && <p class="muted">None.</p>}
      <ul class="plain">
        {plugins.map((plugin) => (
          <li key={`${plugin.scope} ${plugin.name}`} class="between">
            <span class="mono">{plugin.name}</span>
            <span class="muted">{plugin.scope}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Served({ row: { service, targets } }: RowProps) {
  return (
    <section>
      <h3>Service</h3>
      {service ? (
        <p>
          {service.name} <span class="mono muted">{service.address}</span>
        </p>
      ) : (
        <p class="muted">None: the plugins answer.</p>
      )}
      <ul class="plain">
        {targets.map((target) => (
          <li key={target.target} class="between">
            <span class="mono">
              <HealthDot health={target.health} /> {target.target}
            </span>
            <span class="muted">weight {target.weight}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** From the object of the route back to the commit that it came with. */
function ComesFrom({ row: { object, origin } }: RowProps) {
  const objects = [object, origin?.kustomization, origin?.source].filter(
    (one) => one !== undefined,
  );
  return (
    <section>
      <h3>Comes from</h3>
      <ul class="plain chain-list">
        {objects.map((one) => (
          <li key={objectKey(one)}>
            <ObjectLink object={one} />
          </li>
        ))}
        {origin?.commit && (
          <li>
            <CommitLink commit={origin.commit} /> <span class="file">{origin.file}</span>
          </li>
        )}
      </ul>
    </section>
  );
}

function Fact({
  name,
  values,
  none,
}: {
  readonly name: string;
  readonly values: readonly string[];
  readonly none?: string;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="mono">
        {values.length === 0 ? (
          <span class="muted">{none ?? 'none'}</span>
        ) : (
          values.map((value) => <div key={value}>{value}</div>)
        )}
      </dd>
    </div>
  );
}

/** A request that this route is likely to take. */
function traceAddress(row: RouteRow): string {
  const scheme = row.protocols.includes('http') ? 'http' : 'https';
  const host = (row.hosts[0] ?? 'localhost').replace(/^\*/, 'www');
  const path = row.paths.find((candidate) => candidate.startsWith('/')) ?? '/';
  const query = new URLSearchParams({ url: `${scheme}://${host}${path}` });
  const [method] = row.methods;
  if (method && !row.methods.includes('GET')) query.set('method', method);
  return `/trace?${query}`;
}
