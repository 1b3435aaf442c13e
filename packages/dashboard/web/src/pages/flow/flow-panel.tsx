import type { FlowNode } from '../../../../src/protocol/flow.ts';
import { HealthDot, HealthLabel } from '../../parts/health.tsx';
import { Icon } from '../../parts/icon.tsx';
import { objectAddress } from '../../place/addresses.ts';
import { setQuery } from '../../place/place.ts';
import type { FlowGraph } from './flow-graph.ts';

const mostListed = 6;

/** What is followed: how it does, why, and what is next to it. */
export function FlowPanel({ node, graph }: { readonly node: FlowNode; readonly graph: FlowGraph }) {
  const before = (graph.before.get(node.id) ?? []).flatMap((id) => graph.nodes.get(id) ?? []);
  const after = node.to.flatMap(({ to }) => graph.nodes.get(to) ?? []);
  const broken = node.to.flatMap((edge) => (edge.broken === undefined ? [] : [edge.broken]));
  return (
    <aside class="flow-panel" aria-label={`About ${node.title}`}>
      <div class="flow-about">
        <p class="muted">{node.object?.kind ?? node.stage}</p>
        <h2>{node.title}</h2>
        <HealthLabel health={node.health} />
        {[...new Set([node.reason, ...broken])].map(
          (reason) =>
            reason && (
              <p key={reason} class={node.health === 'degraded' || broken.length > 0 ? 'bad' : ''}>
                {reason}
              </p>
            ),
        )}
        {node.object && (
          <a class="button" href={objectAddress(node.object)}>
            <Icon name="object" /> Open {node.object.kind}
          </a>
        )}
        {node.stage === 'route' && !node.object && (
          <a class="button" href={`/routes?q=${encodeURIComponent(node.title)}`}>
            <Icon name="routes" /> In the list of routes
          </a>
        )}
      </div>
      <Neighbours title="Comes from" nodes={before} />
      <Neighbours title="Leads to" nodes={after} />
      <button
        type="button"
        class="quiet"
        aria-label="Stop following"
        onClick={() => setQuery({ node: '' })}
      >
        <Icon name="close" size={20} />
      </button>
    </aside>
  );
}

function Neighbours({
  title,
  nodes,
}: {
  readonly title: string;
  readonly nodes: readonly FlowNode[];
}) {
  if (nodes.length === 0) return null;
  return (
    <div class="flow-neighbours">
      <h3>{title}</h3>
      <ul class="plain">
        {nodes.slice(0, mostListed).map((node) => (
          <li key={node.id}>
            <HealthDot health={node.health} />{' '}
            <button type="button" class="link" onClick={() => setQuery({ node: node.id })}>
              {node.title}
            </button>
          </li>
        ))}
        {nodes.length > mostListed && (
          <li class="muted">and {(nodes.length - mostListed).toLocaleString('en')} more</li>
        )}
      </ul>
    </div>
  );
}
