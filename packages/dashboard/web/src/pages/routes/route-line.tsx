import type { RouteRow, RouteTarget, RouteTraffic } from '../../../../src/protocol/routes.ts';
import { shownPaths } from '../../../../src/view/route-paths.ts';
import { HealthDot } from '../../parts/health.tsx';
import { CommitLink, ObjectLink } from '../../parts/references.tsx';
import { Sparkline } from './sparkline.tsx';
import { latencyText, rateText, shareText, trafficNow } from './traffic.ts';

const mostPlugins = 3;

/** One route in the list. */
export function RouteLine({
  row,
  traffic,
}: {
  readonly row: RouteRow;
  readonly traffic: RouteTraffic | undefined;
}) {
  return (
    <div class="route-line">
      <HealthDot health={row.health} />
      <div class="route-what">
        <a class="route-address" href={`/routes?route=${encodeURIComponent(row.id)}`}>
          <RouteAddress row={row} />
        </a>
        <div class="route-from">
          {row.object ? <ObjectLink object={row.object} /> : <span>{row.name}</span>}
        </div>
      </div>
      <div class="route-plugins">
        {row.plugins.slice(0, mostPlugins).map((plugin) => (
          <span
            key={`${plugin.scope} ${plugin.name}`}
            class="chip"
            title={`of the ${plugin.scope}`}
          >
            {plugin.name}
          </span>
        ))}
        {row.plugins.length > mostPlugins && (
          <span class="muted">+{row.plugins.length - mostPlugins}</span>
        )}
      </div>
      <TargetTally targets={row.targets} />
      <RouteNumbers traffic={traffic} />
      <div class="route-commit">
        {row.origin?.commit && <CommitLink commit={row.origin.commit} />}
        {row.origin?.file && <span class="file">{row.origin.file}</span>}
      </div>
    </div>
  );
}

/** What stands above the columns; each number says by itself what it is to whoever hears it. */
export function RouteHeads() {
  return (
    <div class="route-line route-heads" aria-hidden="true">
      <span />
      <span>Route</span>
      <span class="route-plugins">Plugins</span>
      <span>Targets</span>
      <div class="route-traffic">
        <span>5 minutes</span>
        <div class="route-numbers">
          <span>Rate</span>
          <span>Errors</span>
          <span>p99</span>
        </div>
      </div>
      <span class="route-commit">From</span>
    </div>
  );
}

/** Host and path as one reads an address; the other hosts and paths are counted. */
function RouteAddress({ row }: { readonly row: RouteRow }) {
  if (row.expression !== undefined) return <span class="route-path">{row.expression}</span>;
  const paths = shownPaths(row.paths);
  const more = Math.max(0, row.hosts.length - 1) + Math.max(0, paths.length - 1);
  return (
    <>
      {row.methods.length > 0 && <span class="method">{row.methods.join(' ')}</span>}
      <span class={row.hosts.length > 0 ? 'route-host' : 'route-host muted'}>
        {row.hosts[0] ?? 'any host'}
      </span>
      <span class="route-path">{paths[0] ?? '/'}</span>
      {more > 0 && <span class="more">+{more}</span>}
    </>
  );
}

function TargetTally({ targets }: { readonly targets: readonly RouteTarget[] }) {
  const healthy = targets.filter(({ health }) => health === 'healthy').length;
  const words = targets.length === 0 ? 'no target' : `${healthy} of ${targets.length}`;
  return (
    <div class="tally" title="healthy targets">
      <span class="tally-marks" aria-hidden="true">
        {targets.slice(0, 8).map(({ target, health }) => (
          <span key={target} class={`tally-mark health-${health}`} />
        ))}
      </span>
      <span class={targets.length === 0 || healthy === 0 ? 'bad' : 'muted'}>{words}</span>
    </div>
  );
}

function RouteNumbers({ traffic }: { readonly traffic: RouteTraffic | undefined }) {
  if (!traffic) return <div class="route-traffic quiet-traffic">no traffic seen</div>;
  const now = trafficNow(traffic);
  return (
    <div class="route-traffic">
      <Sparkline traffic={traffic} />
      <dl class="route-numbers">
        <div>
          <dt class="unseen">requests a second</dt>
          <dd>{rateText(now.perSecond)}/s</dd>
        </div>
        <div>
          <dt class="unseen">failed</dt>
          <dd class={now.errorShare > 0 ? 'bad' : 'muted'}>{shareText(now.errorShare)}</dd>
        </div>
        <div>
          <dt class="unseen">99th percentile</dt>
          <dd class="muted">{latencyText(now.p99)}</dd>
        </div>
      </dl>
    </div>
  );
}
