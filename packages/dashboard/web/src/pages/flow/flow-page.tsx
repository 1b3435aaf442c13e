import { useMemo, useState } from 'preact/hooks';
import { tables, useTopics } from '../../live/dashboard.ts';
import { Choices } from '../../parts/choices.tsx';
import { GatewayFault, gatewayFault } from '../../parts/gateway-fault.tsx';
import { Empty, WhenRead } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { place, setQuery } from '../../place/place.ts';
import { FlowCanvas } from './flow-canvas.tsx';
import { brokenPaths, countBroken, flowGraph, pathThrough } from './flow-graph.ts';
import { FlowPanel } from './flow-panel.tsx';
import { type FoldBy, foldFlow } from './folding.ts';

const folds = [
  { value: 'namespace', title: 'By namespace' },
  { value: 'kustomization', title: 'By Kustomization' },
] as const;

const shows = [
  { value: '', title: 'Everything' },
  { value: 'broken', title: 'Broken' },
] as const;

/** The whole line from the sources to the targets. */
export function FlowPage() {
  useTopics('flow');
  return (
    <div class="page page-list">
      <WhenRead title="Flow" table={tables.flow}>
        {() => <Flow />}
      </WhenRead>
    </div>
  );
}

function Flow() {
  const { query } = place.value;
  const by: FoldBy = query.get('fold') === 'kustomization' ? 'kustomization' : 'namespace';
  const isOnlyBroken = query.get('show') === 'broken';
  const selected = query.get('node') ?? undefined;
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const rows = tables.flow.rows.value;
  const graph = useMemo(() => {
    const whole = flowGraph(rows);
    if (!isOnlyBroken) return whole;
    const kept = brokenPaths(whole);
    return flowGraph(rows.filter(({ id }) => kept.has(id)));
  }, [rows, isOnlyBroken]);
  const followed = useMemo(
    () =>
      selected !== undefined && graph.nodes.has(selected)
        ? pathThrough(graph, selected)
        : undefined,
    [graph, selected],
  );
  const flow = useMemo(
    () => foldFlow(graph, { by, toggled, ...(followed && { followed }) }),
    [graph, by, toggled, followed],
  );
  const broken = useMemo(() => countBroken(rows), [rows]);
  if (rows.length === 0)
    return (
      <>
        <PageHead title="Flow" />
        <Empty title="Nothing flows yet">
          A GitRepository and a Kustomization bring the first objects; an Ingress or an HTTPRoute
          the first route.
        </Empty>
      </>
    );
  const node = selected === undefined ? undefined : tables.flow.get(selected);
  return (
    <>
      <PageHead title="Flow" aside={summaryOf(broken, gatewayFault() !== undefined)}>
        <Choices
          label="Show"
          choices={shows}
          value={isOnlyBroken ? 'broken' : ''}
          onChoose={(show) => setQuery({ show })}
        />
        <Choices
          label="Fold"
          choices={folds}
          value={by}
          onChoose={(fold) => setQuery({ fold: fold === 'namespace' ? '' : fold })}
        />
      </PageHead>
      <GatewayFault />
      <div class="flow-area">
        {graph.nodes.size === 0 ? (
          <Empty title="Nothing is broken">Every way from a source to its targets is whole.</Empty>
        ) : (
          <FlowCanvas
            flow={flow}
            followed={followed}
            selected={selected}
            onFollow={(id) => setQuery({ node: id === selected ? '' : id })}
            onLeave={() => setQuery({ node: '' })}
            onToggle={(unit, isOpen) => setToggled(new Map(toggled).set(unit, isOpen))}
          />
        )}
        {node && <FlowPanel node={node} graph={graph} />}
      </div>
    </>
  );
}

/** Nobody calls well what is not seen. */
function summaryOf(broken: number, isBlind: boolean): string {
  if (broken > 0) return `${broken} broken`;
  return isBlind ? 'as far as it is seen' : 'all well';
}
