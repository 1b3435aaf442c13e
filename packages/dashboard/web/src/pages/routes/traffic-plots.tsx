import { useEffect, useRef } from 'preact/hooks';
import type { RouteTraffic } from '../../../../src/protocol/routes.ts';
import type { TrafficPlot } from './traffic-plot.ts';

/** Requests and latency over the last minutes. The plotting code comes when first wanted. */
export function TrafficPlots({ traffic }: { readonly traffic: RouteTraffic }) {
  return (
    <section class="plots">
      <h3>Traffic</h3>
      <p class="legend">
        <span class="legend-requests">requests/s</span> <span class="legend-errors">failed/s</span>
      </p>
      <Plot kind="rate" traffic={traffic} label="Requests and failed requests a second" />
      <p class="legend">
        <span class="legend-p50">median</span> <span class="legend-p99">99th percentile, ms</span>
      </p>
      <Plot kind="latency" traffic={traffic} label="Median and 99th percentile latency" />
    </section>
  );
}

function Plot(props: {
  readonly kind: 'rate' | 'latency';
  readonly traffic: RouteTraffic;
  readonly label: string;
}) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<TrafficPlot | undefined>(undefined);
  const latest = useRef(props.traffic);
  latest.current = props.traffic;
  useEffect(() => {
    let isGone = false;
    void import('./traffic-plot.ts').then(({ TrafficPlot }) => {
      if (isGone || !element.current) return;
      plot.current = new TrafficPlot(element.current, props.kind);
      plot.current.show(latest.current);
    });
    return () => {
      isGone = true;
      plot.current?.close();
    };
  }, [props.kind]);
  useEffect(() => plot.current?.show(props.traffic), [props.traffic]);
  return <div ref={element} class="plot" role="img" aria-label={props.label} />;
}
